"""Memory of confirmed commands across restarts: the learnt prior, backed by a file that may fail without harm."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

from sayso.domain.model import Domain
from sayso.errors import MemoryDamagedError, MemoryFileError
from sayso.selection.learnt import Expected, LearntPrior
from sayso.selection.memory_file import MOST, ConfirmedAction, How, MemoryFile
from sayso.selection.situation import Situation
from sayso.state_file import FileTrouble
from sayso.types import Action, Context, FloatArray


class Memory:
    """The learnt prior of one home and its file; without a file, it lasts as long as the object.

    File errors never raise here. Commands that cannot be written count all the same and are written later; meanwhile `trouble` holds the
    reason. `refresh` reads the file, `catch_up` writes it; both may wait `patience` seconds for a lock.
    """

    def __init__(self, domain: Domain, path: Path | None, patience: float = 1.0) -> None:
        self.domain = domain
        self.file = MemoryFile(path, patience) if path else None
        self.set_aside: Path | None = None  # a damaged file that was renamed
        self._events: dict[tuple[str, int], ConfirmedAction] = {}  # of this home, by utterance and clause
        self._waiting: dict[tuple[str, int], ConfirmedAction | None] = {}  # changes not yet in the file; None: delete
        self._prior = LearntPrior(domain)
        self._signature: object = None
        self._trouble = FileTrouble()

    def __call__(self, base: FloatArray, actions: Sequence[Action], context: Context) -> FloatArray:
        """See LearntPrior."""
        return self._prior(base, actions, context)

    def __len__(self) -> int:
        """Number of confirmed commands."""
        return len(self._events)

    def __str__(self) -> str:
        """A short summary for a person."""
        known = f"{len(self)} confirmed {'command' if len(self) == 1 else 'commands'}"
        return f"{known}, {self.waiting} not written yet" if self._waiting else known

    @property
    def trouble(self) -> str:
        """Why the file could not be read or written; empty if all is well."""
        return self._trouble.reason

    @property
    def events(self) -> tuple[ConfirmedAction, ...]:
        """The confirmed commands, oldest first."""
        return tuple(self._events.values())

    @property
    def waiting(self) -> int:
        """Number of changes that are not in the file yet."""
        return len(self._waiting)

    def remember(
        self, utterance_id: str, clause: int, action: Action, situation: Situation, how: How, expected: Expected | None = None
    ) -> None:
        """Store the meant action; replaces an earlier one for the same clause of the utterance."""
        event = ConfirmedAction(time.time(), self.domain.name, utterance_id, clause, action, how, situation, expected or {})
        replaced = self._events.pop((utterance_id, clause), None)
        self._events[utterance_id, clause] = event
        self._queue(event.key, event)
        if len(self._events) > MOST:
            del self._events[next(iter(self._events))]
        if replaced is None:
            self._prior.learn(action, situation, event.expected)
        else:
            self._relearn()

    def take_back(self, utterance_id: str, clause: int | None = None) -> None:
        """Forget the utterance, or one clause of it: it was not meant after all."""
        keys = [key for key in self._events if key[0] == utterance_id and clause in (None, key[1])]
        for key in keys:
            del self._events[key]
            self._queue(key, None)
        if keys:
            self._relearn()

    def catch_up(self) -> None:
        """Write pending changes, unless that failed just now."""
        if self.file is None or not self._waiting or not self._trouble.may_retry:
            return
        taken_back = [key for key, event in self._waiting.items() if event is None]
        try:
            try:
                self.file.write([event for event in self._waiting.values() if event is not None], taken_back)
            except MemoryDamagedError:
                self.set_aside = self.file.set_aside()
                self.file.write(list(self._events.values()))  # the new file gets everything still known
        except MemoryFileError as error:
            self._trouble.failed(error)
            return
        self._waiting.clear()
        self._trouble.written()
        self.refresh()

    def finish(self) -> str:
        """Write pending changes before the process ends, even if that failed just now. Why some are lost; empty if none is."""
        self._trouble.retry()
        self.catch_up()
        return f"{self.waiting} changes are lost: {self.trouble}" if self.waiting else ""

    def refresh(self) -> None:
        """Read the file if it has changed; commands that other processes erased are forgotten here too."""
        if self.file is None or (signature := self.file.signature()) == self._signature or not self._trouble.may_retry:
            return
        try:
            events = self._read(self.file)
        except MemoryFileError as error:
            self._trouble.failed(error)
            return
        self._trouble.read(bool(self._waiting))
        self._signature = signature
        known = {event.key: event for event in events if event.home == self.domain.name} | self._waiting
        self._events = {key: event for key, event in known.items() if event is not None}
        self._relearn()

    def _read(self, file: MemoryFile) -> list[ConfirmedAction]:
        try:
            return file.read()
        except MemoryDamagedError:
            self.set_aside = file.set_aside()
            self._waiting = dict(self._events)  # the new file gets everything still known
            return []

    def _queue(self, key: tuple[str, int], event: ConfirmedAction | None) -> None:
        if self.file is None:
            return
        self._waiting.pop(key, None)
        self._waiting[key] = event
        if len(self._waiting) > MOST:
            del self._waiting[next(iter(self._waiting))]

    def _relearn(self) -> None:
        self._prior = LearntPrior(self.domain, ((event.action, event.situation, event.expected) for event in self._events.values()))
