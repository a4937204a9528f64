"""What was confirmed, remembered from one start to the next: the learnt prior in memory, and a file that may fail without harm."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

from sayso.domain.model import Domain
from sayso.errors import MemoryDamagedError, MemoryFileError
from sayso.selection.learnt import Expected, LearntPrior
from sayso.selection.memory_file import MOST, ConfirmedAction, How, MemoryFile
from sayso.selection.situation import Situation
from sayso.types import Action, Context, FloatArray

AGAIN = 10.0  # s until a file that could not be written or read is tried again


class Memory:
    """The learnt prior of one home, and the file in which it lasts; without a file it lasts as long as the object.

    Nothing here raises because of the file. What cannot be written counts all the same, waits, and is written when it can be: `trouble`
    says what is the matter meanwhile. `refresh` reads the file, `catch_up` writes it; both may wait `patience` seconds for a lock.
    """

    def __init__(self, domain: Domain, path: Path | None, patience: float = 1.0) -> None:
        self.domain = domain
        self.file = MemoryFile(path, patience) if path else None
        self.trouble = ""  # why the file is not what it should be; empty where all is well
        self.set_aside: Path | None = None  # a damaged file that was found
        self._events: dict[tuple[str, int], ConfirmedAction] = {}  # of this home, by utterance and clause
        self._waiting: dict[tuple[str, int], ConfirmedAction | None] = {}  # not in the file yet; None: to be taken out of it
        self._prior = LearntPrior(domain)
        self._signature: object = None
        self._tried = float("-inf")  # monotonic s

    def __call__(self, base: FloatArray, actions: Sequence[Action], context: Context) -> FloatArray:
        """See LearntPrior."""
        return self._prior(base, actions, context)

    def __len__(self) -> int:
        """How many confirmed commands are remembered."""
        return len(self._events)

    def __str__(self) -> str:
        """For a person, in a few words."""
        known = f"{len(self)} confirmed {'command' if len(self) == 1 else 'commands'}"
        return f"{known}, {self.waiting} not written yet" if self._waiting else known

    @property
    def events(self) -> tuple[ConfirmedAction, ...]:
        """The confirmed commands, oldest first."""
        return tuple(self._events.values())

    @property
    def waiting(self) -> int:
        """How many of them are not in the file yet."""
        return len(self._waiting)

    def remember(
        self, utterance_id: str, clause: int, action: Action, situation: Situation, how: How, expected: Expected | None = None
    ) -> None:
        """That action was meant; what was remembered of the same clause of the utterance before is taken back."""
        event = ConfirmedAction(time.time(), self.domain.name, utterance_id, clause, action, how, situation, expected or {})
        replaced = self._events.pop((utterance_id, clause), None)
        self._events[utterance_id, clause] = event
        self._wait(event.key, event)
        if len(self._events) > MOST:
            del self._events[next(iter(self._events))]
        if replaced is None:
            self._prior.learn(action, situation, event.expected)
        else:
            self._learn_again()

    def take_back(self, utterance_id: str, clause: int | None = None) -> None:
        """Nothing of that utterance, or of that clause of it, was meant after all."""
        gone = [key for key in self._events if key[0] == utterance_id and clause in (None, key[1])]
        for key in gone:
            del self._events[key]
            self._wait(key, None)
        if gone:
            self._learn_again()

    def catch_up(self) -> None:
        """Write what waits, unless that has just failed."""
        if self.file is None or not self._waiting or not self._may_try():
            return
        taken_back = [key for key, event in self._waiting.items() if event is None]
        try:
            try:
                self.file.write([event for event in self._waiting.values() if event is not None], taken_back)
            except MemoryDamagedError:
                self.set_aside = self.file.set_aside()
                self.file.write(list(self._events.values()))  # all that is known of it goes into the new one
        except MemoryFileError as error:
            self._failed(error)
            return
        self._waiting.clear()
        self.trouble = ""
        self._tried = float("-inf")
        self.refresh()

    def refresh(self) -> None:
        """Take over what other processes have made of the file: what they erased is forgotten here too."""
        if self.file is None or (signature := self.file.signature()) == self._signature or not self._may_try():
            return
        try:
            events = self._read(self.file)
        except MemoryFileError as error:
            self._failed(error)
            return
        if not self._waiting:
            self.trouble = ""
        self._tried = float("-inf")
        self._signature = signature
        known = {event.key: event for event in events if event.home == self.domain.name} | self._waiting
        self._events = {key: event for key, event in known.items() if event is not None}
        self._learn_again()

    def _read(self, file: MemoryFile) -> list[ConfirmedAction]:
        try:
            return file.read()
        except MemoryDamagedError:
            self.set_aside = file.set_aside()
            self._waiting = dict(self._events)  # what is still known goes into the new one
            return []

    def _wait(self, key: tuple[str, int], event: ConfirmedAction | None) -> None:
        if self.file is None:
            return
        self._waiting.pop(key, None)
        self._waiting[key] = event
        if len(self._waiting) > MOST:
            del self._waiting[next(iter(self._waiting))]

    def _learn_again(self) -> None:
        self._prior = LearntPrior(self.domain, ((event.action, event.situation, event.expected) for event in self._events.values()))

    def _may_try(self) -> bool:
        return time.monotonic() - self._tried > AGAIN

    def _failed(self, error: MemoryFileError) -> None:
        self.trouble = str(error)
        self._tried = time.monotonic()
