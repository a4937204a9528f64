"""Where recordings and results go: a new folder in runs/ of the current directory."""

from __future__ import annotations

import os
import time
from pathlib import Path

from sayso.errors import SaysoError


def new_run_folder(prefix: str = "") -> Path:
    """Make the folder runs/<prefix><time> and return its absolute path.

    It is in the current directory, or in the user's data directory if the current one is read-only.

    Raises:
        SaysoError: it cannot be made.
    """
    folder = _parent() / "runs" / time.strftime(f"{prefix}%Y-%m-%d_%H-%M-%S")
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
