"""The agenda's entries and their file, which may fail without harm."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from sayso.agenda.file import KEPT, AgendaFile, Entry
from sayso.file_backed import FileBacked


class StoredEntries(FileBacked[AgendaFile, Entry]):
    """The entries of one home by id. The file may make `refresh` and `catch_up` wait `patience` seconds for a lock."""

    def __init__(self, home: str, path: Path | None, patience: float = 1.0) -> None:
        super().__init__(AgendaFile(path, patience) if path else None)
        self.home = home
        self._entries: dict[str, Entry] = {}
        self._unwritten: set[str] = set()  # ids of changed entries

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

    def _read(self, file: AgendaFile) -> Sequence[Entry]:
        return file.read(self.home)

    def _take_over(self, found: Iterable[Entry]) -> None:
        unwritten = {entry_id: self._entries[entry_id] for entry_id in self._unwritten}
        known = {entry.id: entry for entry in found} | unwritten
        self._entries = dict(sorted(known.items(), key=lambda item: int(item[0])))

    def _write_waiting(self, file: AgendaFile) -> None:
        file.write(self.home, [self._entries[entry_id] for entry_id in sorted(self._unwritten, key=int)])

    def _write_all(self, file: AgendaFile) -> None:
        file.write(self.home, self._entries.values())

    def _all_wait(self) -> None:
        self._unwritten = set(self._entries)

    def _none_waits(self) -> None:
        self._unwritten.clear()
