"""Where recordings and results of a run go: a new folder in runs/ of the current directory."""

from __future__ import annotations

import time
from pathlib import Path

from sayso.errors import SaysoError


def new_run_folder(prefix: str = "") -> Path:
    """Make the folder runs/<prefix><time> and return its absolute path.

    Raises:
        SaysoError: it cannot be made here.
    """
    folder = Path.cwd() / "runs" / time.strftime(f"{prefix}%Y-%m-%d_%H-%M-%S")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as refused:
        raise SaysoError(f"{folder}: {refused.strerror}; start this in a folder that you can write to") from None
    return folder
