"""Memory of confirmed commands across restarts: the learnt prior, backed by a file that may fail without harm."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from pathlib import Path

from sayso.domain.model import Domain
from sayso.file_backed import FileBacked
from sayso.selection.memory.learnt import Expected, LearntPrior
from sayso.selection.memory.memory_file import MOST, ConfirmedAction, How, MemoryFile
from sayso.selection.memory.situation import Situation
from sayso.types import Action, Context, FloatArray


class Memory(FileBacked[MemoryFile, ConfirmedAction]):
    """The learnt prior of one home and its file, which may make `refresh` and `catch_up` wait `patience` seconds for a lock."""

    def __init__(self, domain: Domain, path: Path | None, patience: float = 1.0) -> None:
        super().__init__(MemoryFile(path, patience) if path else None)
        self.domain = domain
        self._events: dict[tuple[str, int], ConfirmedAction] = {}  # of this home, by utterance and clause
        self._waiting: dict[tuple[str, int], ConfirmedAction | None] = {}  # changes not yet in the file; None: delete
        self._prior = LearntPrior(domain)

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

    def _read(self, file: MemoryFile) -> Sequence[ConfirmedAction]:
        return file.read()

    def _take_over(self, found: Iterable[ConfirmedAction]) -> None:
        known = {event.key: event for event in found if event.home == self.domain.name} | self._waiting
        self._events = {key: event for key, event in known.items() if event is not None}
        self._relearn()

    def _write_waiting(self, file: MemoryFile) -> None:
        taken_back = [key for key, event in self._waiting.items() if event is None]
        file.write([event for event in self._waiting.values() if event is not None], taken_back)

    def _write_all(self, file: MemoryFile) -> None:
        file.write(list(self._events.values()))

    def _all_wait(self) -> None:
        self._waiting = dict(self._events)

    def _none_waits(self) -> None:
        self._waiting.clear()

    def _queue(self, key: tuple[str, int], event: ConfirmedAction | None) -> None:
        if self.file is None:
            return
        self._waiting.pop(key, None)
        self._waiting[key] = event
        if len(self._waiting) > MOST:
            del self._waiting[next(iter(self._waiting))]

    def _relearn(self) -> None:
        self._prior = LearntPrior(self.domain, ((event.action, event.situation, event.expected) for event in self._events.values()))
