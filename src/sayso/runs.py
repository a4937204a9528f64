"""Where recordings and results go: a new folder in runs/ of the current directory."""

from __future__ import annotations

import os
import time
from pathlib import Path

from sayso.errors import SaysoError


def run_folder(prefix: str = "") -> Path:
    """The absolute path of runs/<prefix><time>: in the current directory, or in the user's data directory if that one is read-only."""
    return _parent() / "runs" / time.strftime(f"{prefix}%Y-%m-%d_%H-%M-%S")


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


def _parent() -> Path:
    if os.access(Path.cwd(), os.W_OK):
        return Path.cwd()
    from platformdirs import user_data_path

    return user_data_path("sayso")
