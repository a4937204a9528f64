"""A disk of its own that is soon full: a file system in memory, which only root may mount."""

from __future__ import annotations

import errno
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


class SmallDisk:
    """A mounted file system of that many bytes."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._filling = folder / "filling"

    def fill(self) -> None:
        """Leave no room."""
        with self._filling.open("wb", buffering=0) as file:
            try:
                while True:
                    file.write(bytes(4096))
            except OSError as full:
                assert full.errno == errno.ENOSPC

    def empty(self) -> None:
        """Make room again."""
        self._filling.unlink()

    def protect(self, protected: bool = True) -> None:
        """Let nobody write, or everybody."""
        subprocess.run(["mount", "-o", f"remount,{'ro' if protected else 'rw'}", self.folder], check=True)


@contextmanager
def small_disk(folder: Path, size: int = 1_000_000) -> Iterator[SmallDisk]:
    """Mount it there; skip the test where that is not allowed."""
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", f"size={size}", "sayso-test", folder]
    if os.geteuid() or subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("only root may mount a disk")
    try:
        yield SmallDisk(folder)
    finally:
        subprocess.run(["umount", "--lazy", folder], check=True)
