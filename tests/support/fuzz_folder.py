"""The file that a fuzzed reader reads: one folder for all, because the child processes run one after another."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from pathlib import Path

MEMORY = Path("/dev/shm")
FOLDER = Path(tempfile.mkdtemp(prefix="sayso-fuzz-", dir=MEMORY if MEMORY.is_dir() else None))
atexit.register(shutil.rmtree, FOLDER, ignore_errors=True)


def file_of(data: bytes, name: str) -> Path:
    """The bytes as a file of that name."""
    file = FOLDER / name
    file.write_bytes(data)
    return file
