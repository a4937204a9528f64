"""What outlives a run in a state file, which may fail without harm: the confirmed commands, the agenda's entries."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Generic, TypeVar

from sayso.errors import MemoryDamagedError, MemoryFileError
from sayso.state_file import FileTrouble, StateFile

File = TypeVar("File", bound=StateFile)
Item = TypeVar("Item")


class FileBacked(ABC, Generic[File, Item]):
    """Items and their file; without a file, they last as long as the object.

    File errors never raise here. Items that cannot be written count all the same and are written later; meanwhile `trouble` holds the
    reason. `refresh` reads the file, `catch_up` writes it; both may wait for a lock.
    """

    def __init__(self, file: File | None) -> None:
        self.file = file
        self.set_aside: Path | None = None  # a damaged file that was renamed
        self._signature: object = None
        self._trouble = FileTrouble()

    @property
    def trouble(self) -> str:
        """Why the file could not be read or written; empty if all is well."""
        return self._trouble.reason

    @property
    @abstractmethod
    def waiting(self) -> int:
        """Number of changes that are not in the file yet."""

    @abstractmethod
    def _read(self, file: File) -> Sequence[Item]:
        """All items of the file."""

    @abstractmethod
    def _take_over(self, found: Iterable[Item]) -> None:
        """Know these items, and the changes that wait."""

    @abstractmethod
    def _write_waiting(self, file: File) -> None:
        """Write the changes that wait."""

    @abstractmethod
    def _write_all(self, file: File) -> None:
        """Write all that is known: the file is a new one."""

    @abstractmethod
    def _all_wait(self) -> None:
        """All that is known waits to be written: the file is a new one."""

    @abstractmethod
    def _none_waits(self) -> None:
        """The changes were written."""

    def catch_up(self) -> None:
        """Write pending changes, unless that failed just now."""
        if self.file is None or not self.waiting or not self._trouble.may_retry:
            return
        try:
            try:
                self._write_waiting(self.file)
            except MemoryDamagedError:
                self.set_aside = self.file.set_aside()
                self._write_all(self.file)
        except MemoryFileError as error:
            self._trouble.failed(error)
            return
        self._none_waits()
        self._trouble.written()
        self.refresh()  # another process may have written in between

    def finish(self) -> str:
        """Write pending changes before the process ends, even if that failed just now. Why some are lost; empty if none is."""
        self._trouble.retry()
        self.catch_up()
        return f"{self.waiting} changes are lost: {self.trouble}" if self.waiting else ""

    def refresh(self) -> bool:
        """Read the file if it has changed; what other processes erased is forgotten here too. Return whether it was read."""
        if self.file is None or (signature := self.file.signature()) == self._signature or not self._trouble.may_retry:
            return False
        try:
            found = self._read_or_set_aside(self.file)
        except MemoryFileError as error:
            self._trouble.failed(error)
            return False
        self._trouble.read(bool(self.waiting))
        self._signature = signature
        self._take_over(found)
        return True

    def _read_or_set_aside(self, file: File) -> Sequence[Item]:
        try:
            return self._read(file)
        except MemoryDamagedError:
            self.set_aside = file.set_aside()
            self._all_wait()
            return ()
