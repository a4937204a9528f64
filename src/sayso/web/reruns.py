"""Replays of recordings that a page has asked for: one at a time, in a process of its own, with its progress; it can be cancelled."""

from __future__ import annotations

import json
import secrets
import subprocess
import sys
import threading
from collections import OrderedDict
from pathlib import Path
from typing import Any

from sayso.errors import SaysoError

KEPT = 10  # finished ones
ENDS_WITHIN = 3.0  # s after it was cancelled
LONGEST_LINE = 50_000_000  # characters that the process may tell


class Rerun:
    """One replay, from its start to its result."""

    def __init__(self, recording: str, bag: Path) -> None:
        self.recording = recording
        self._told: dict[str, Any] = {"done": 0, "parts": 0}
        self._cancelled = False
        command = [sys.executable, "-m", "sayso.web.rerun_job", str(bag)]
        self._process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self._errors = b""
        self._threads = [threading.Thread(target=action, name="replay", daemon=True) for action in (self._listen, self._hear_errors)]
        for thread in self._threads:
            thread.start()

    @property
    def runs(self) -> bool:
        """Whether it is still at work."""
        return self._process.poll() is None or self._threads[0].is_alive()

    def state(self) -> dict[str, Any]:
        """What it has told: done and parts, then rows and problems, or why it failed."""
        told = dict(self._told)
        if self.runs:
            return {**told, "state": "running"}
        if self._cancelled:
            return {"state": "cancelled"}
        if "rows" in told:
            return {**told, "state": "done"}
        last = (self._errors.decode(errors="replace").strip().splitlines() or ["it ended without a result"])[-1]
        return {"state": "failed", "message": told.get("failed", last)}

    def cancel(self) -> None:
        """End it; safe to call twice."""
        if self._process.poll() is None:
            self._cancelled = True
            self._process.terminate()
            try:
                self._process.wait(ENDS_WITHIN)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
        for thread in self._threads:
            thread.join(ENDS_WITHIN)

    def _listen(self) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as lines:
            while line := lines.readline(LONGEST_LINE):
                try:
                    told = json.loads(line)
                except ValueError:  # of a library that prints
                    continue
                if isinstance(told, dict):
                    self._told = {**self._told, **told}

    def _hear_errors(self) -> None:
        assert self._process.stderr is not None
        with self._process.stderr as lines:
            while line := lines.readline(10_000):
                self._errors = line if line.strip() else self._errors


class Reruns:
    """The replays of a server. Safe to use from several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._all: OrderedDict[str, Rerun] = OrderedDict()

    def start(self, recording: str, bag: Path) -> str:
        """Start one; returns its id.

        Raises:
            SaysoError: another one still runs, or it cannot be started.
        """
        with self._lock:
            if any(one.runs for one in self._all.values()):
                raise SaysoError("another replay still runs: wait for it, or cancel it")
            try:
                started = Rerun(recording, bag)
            except OSError as error:
                raise SaysoError(f"the replay cannot be started: {error.strerror}") from None
            name = secrets.token_hex(8)
            self._all[name] = started
            while len(self._all) > KEPT:
                self._all.popitem(last=False)
            return name

    def find(self, name: str) -> Rerun:
        """The replay of that id. Raises SaysoError if there is none."""
        with self._lock:
            if name not in self._all:
                raise SaysoError("there is no such replay")
            return self._all[name]

    def close(self) -> None:
        """Cancel what runs."""
        with self._lock:
            for one in self._all.values():
                one.cancel()
