"""The agenda's entries and their file, which may fail without harm."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from sayso.agenda.file import KEPT, AgendaFile, Entry
from sayso.errors import MemoryDamagedError, MemoryFileError
from sayso.state_file import FileTrouble


class StoredEntries:
    """The entries of one home by id; without a file, they last as long as the object.

    File errors never raise here. Entries that cannot be written count all the same and are written later; meanwhile `trouble` holds the
    reason. `refresh` reads the file, `catch_up` writes it; both may wait `patience` seconds for a lock.
    """

    def __init__(self, home: str, path: Path | None, patience: float = 1.0) -> None:
        self.home = home
        self.file = AgendaFile(path, patience) if path else None
        self.set_aside: Path | None = None  # a damaged file that was renamed
        self._entries: dict[str, Entry] = {}
        self._unwritten: set[str] = set()  # ids of changed entries
        self._signature: object = None
        self._trouble = FileTrouble()

    @property
    def trouble(self) -> str:
        """Why the file could not be read or written; empty if all is well."""
        return self._trouble.reason

    @property
    def waiting(self) -> int:
        """Number of changes that are not in the file yet."""
        return len(self._unwritten)

    def all(self) -> tuple[Entry, ...]:
        """The entries, oldest first."""
        return tuple(self._entries.values())

    def get(self, entry_id: str) -> Entry | None:
        """The entry of that id, or None."""
        return self._entries.get(entry_id)

    def new_id(self) -> str:
        """An id that no entry has had."""
        return str(max((int(known) for known in self._entries), default=0) + 1)

    def put(self, entry: Entry) -> None:
        """Add the entry, or replace the one of its id."""
        self._entries[entry.id] = entry
        if self.file is not None:
            self._unwritten.add(entry.id)
        over = [held.id for held in self._entries.values() if not held.open]
        for old in over[: max(0, len(over) - KEPT)]:
            del self._entries[old]
            self._unwritten.discard(old)

    def catch_up(self) -> None:
        """Write pending changes, unless that failed just now."""
        if self.file is None or not self._unwritten or not self._trouble.may_retry:
            return
        try:
            try:
                self.file.write(self.home, [self._entries[entry_id] for entry_id in sorted(self._unwritten, key=int)])
            except MemoryDamagedError:
                self.set_aside = self.file.set_aside()
                self.file.write(self.home, self._entries.values())  # the new file gets everything still known
        except MemoryFileError as error:
            self._trouble.failed(error)
            return
        self._unwritten.clear()
        self._trouble.written()
        self.refresh()  # another process may have written in between

    def finish(self) -> str:
        """Write pending changes before the process ends, even if that failed just now. Why some are lost; empty if none is."""
        self._trouble.retry()
        self.catch_up()
        return f"{self.waiting} changes are lost: {self.trouble}" if self.waiting else ""

    def refresh(self) -> bool:
        """Read the file if it has changed: other processes take entries back. Return whether it was read."""
        if self.file is None or (signature := self.file.signature()) == self._signature or not self._trouble.may_retry:
            return False
        try:
            found = self._read(self.file)
        except MemoryFileError as error:
            self._trouble.failed(error)
            return False
        self._trouble.read(bool(self._unwritten))
        self._signature = signature
        unwritten = {entry_id: self._entries[entry_id] for entry_id in self._unwritten}
        known = {entry.id: entry for entry in found} | unwritten
        self._entries = dict(sorted(known.items(), key=lambda item: int(item[0])))
        return True

    def _read(self, file: AgendaFile) -> Iterable[Entry]:
        try:
            return file.read(self.home)
        except MemoryDamagedError:
            self.set_aside = file.set_aside()
            self._unwritten = set(self._entries)  # the new file gets everything still known
            return []
