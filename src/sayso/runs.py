"""Where recordings and results go: a new folder in runs/."""

from __future__ import annotations

import time
from pathlib import Path

from sayso.errors import SaysoError
from sayso.paths import writable_dir


def run_folder(prefix: str = "") -> Path:
    """The absolute path of runs/<prefix><time>: in the current directory, or in the user's data directory if that one is read-only."""
    return writable_dir() / "runs" / time.strftime(f"{prefix}%Y-%m-%d_%H-%M-%S")


def new_run_folder() -> Path:
    """Make that folder, without a prefix.

    Raises:
        SaysoError: it cannot be made.
    """
    folder = run_folder()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as refused:
        raise SaysoError(f"{folder} cannot be written: {refused.strerror}; start this in a folder that you can write to") from None
    return folder
