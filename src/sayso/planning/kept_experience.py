"""The robot's experience across restarts, backed by the memory file, which may fail without harm."""

from __future__ import annotations

import threading
import time
from dataclasses import replace
from pathlib import Path

from sayso.domain.model import Domain
from sayso.errors import MemoryDamagedError, MemoryFileError
from sayso.planning.experience import Experience
from sayso.planning.trial_file import MOST, TrialFile
from sayso.planning.trials import SkillTrial
from sayso.state_file import FileTrouble


class KeptExperience:
    """The experience of one home and its file; without a file, it lasts as long as the object.

    File errors never raise here. Trials that cannot be written count all the same and are written later; meanwhile `trouble` holds the
    reason. A damaged file is left to `Memory`, which sets it aside: two nodes must not rename it one after the other.

    `add` and `experience` never wait for the file: a planner's thread may call them while another one is in `synchronise`.
    """

    def __init__(self, domain: Domain, path: Path | None, patience: float = 1.0) -> None:
        self.domain = domain
        self.file = TrialFile(path, patience) if path else None
        self.experience = Experience()
        self._trials: dict[tuple[str, int], SkillTrial] = {}  # of this home, oldest first
        self._waiting: dict[tuple[str, int], SkillTrial] = {}  # not yet in the file
        self._changing = threading.Lock()  # for these three; never held while the file is read or written
        self._signature: object = None
        self._trouble = FileTrouble()

    def __len__(self) -> int:
        """Number of trials."""
        return len(self._trials)

    def __str__(self) -> str:
        """A short summary for a person."""
        known = f"{len(self)} skill {'trial' if len(self) == 1 else 'trials'}"
        return f"{known}, {self.waiting} not written yet" if self._waiting else known

    @property
    def trouble(self) -> str:
        """Why the file could not be read or written; empty if all is well."""
        return self._trouble.reason

    @property
    def waiting(self) -> int:
        """Number of trials that are not in the file yet."""
        return len(self._waiting)

    def add(self, trial: SkillTrial) -> None:
        """Learn from a trial of now."""
        known = replace(trial, time=time.time())
        with self._changing:
            self._trials[known.key] = known
            self.experience = self.experience.after(self.domain, known)
            if self.file is not None:
                self._waiting[known.key] = known
            for held in (self._trials, self._waiting):
                if len(held) > MOST:
                    del held[next(iter(held))]

    def synchronise(self) -> None:
        """Write what is not written yet and read what other processes have changed, unless that failed just now; may wait for a lock."""
        if self.file is None or not self._trouble.may_retry:
            return
        try:
            self._write(self.file)
            self._read(self.file)
        except MemoryDamagedError as error:
            with self._changing:
                self._waiting = dict(self._trials)  # a new file gets everything still known
            self._trouble.failed(error)
        except MemoryFileError as error:
            self._trouble.failed(error)

    def finish(self) -> str:
        """Write pending trials before the process ends, even if that failed just now. Why some are lost; empty if none is."""
        self._trouble.retry()
        self.synchronise()
        return f"{self.waiting} skill trials are lost: {self.trouble}" if self.waiting else ""

    def _write(self, file: TrialFile) -> None:
        with self._changing:
            written = tuple(self._waiting.values())
        if written:
            file.write(written)
            with self._changing:
                for trial in written:
                    self._waiting.pop(trial.key, None)
        self._trouble.read(unwritten=bool(self._waiting))

    def _read(self, file: TrialFile) -> None:
        """Trials that other processes erased are forgotten here too."""
        if (signature := file.signature()) == self._signature:
            return
        found = {trial.key: trial for trial in file.read() if trial.home == self.domain.name}
        with self._changing:
            self._trials = found | self._waiting
            self.experience = Experience.of(self.domain, self._trials.values())
        self._signature = signature
        self._trouble.read(unwritten=bool(self._waiting))
