"""A thread for a node's heavy work, so that its executor always answers."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable

Job = Callable[[], None]


class Worker:
    """Does jobs one after the other in its own thread.

    At most `capacity` jobs wait; one more drops the oldest, so that results are never long out of date. With a capacity of 1, the latest
    wins. A job must not raise.
    """

    def __init__(self, name: str, capacity: int) -> None:
        self.dropped = 0  # jobs dropped
        self._capacity = capacity
        self._jobs: deque[tuple[Job, Job | None]] = deque()
        self._changed = threading.Condition()
        self._closed = False
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    def submit(self, job: Job, dropped: Job | None = None) -> None:
        """Queue a job; `dropped` is called, in the thread that submits too many, if the job will not be done."""
        left = None
        with self._changed:
            self._jobs.append((job, dropped))
            if len(self._jobs) > self._capacity:
                _, left = self._jobs.popleft()
                self.dropped += 1
            self._changed.notify()
        if left is not None:
            left()

    @property
    def waiting(self) -> int:
        """The number of waiting jobs."""
        return len(self._jobs)

    def close(self, timeout: float = 2.0) -> None:
        """Drop waiting jobs and end the thread after its current job; give up on it after `timeout` seconds."""
        with self._changed:
            self._closed = True
            self._jobs.clear()
            self._changed.notify()
        if self._thread is not threading.current_thread():
            self._thread.join(timeout)

    def _run(self) -> None:
        while True:
            with self._changed:
                while not self._jobs and not self._closed:
                    self._changed.wait()
                if self._closed:
                    return
                job, _ = self._jobs.popleft()
            job()
