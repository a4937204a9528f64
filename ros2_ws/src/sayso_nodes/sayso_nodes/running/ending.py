"""Ctrl-C and its like."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
IMPATIENT = 1.0  # s after a signal in which a loop looks, or else the block is interrupted wherever it is


class EndingSignals:
    """Lets SIGINT, SIGTERM and SIGHUP unwind a block, so that no node outlives it. Use it as a context manager, in the main thread.

    A signal is noted, and loops call `check`, which raises. An exception out of the signal's handler might come while ROS holds a lock, and
    the clean-up would wait for that lock for ever; or Python might drop it, in a destructor or in a callback from C. A second signal, or a
    second without a look, raises wherever the program is.
    """

    def __init__(self) -> None:
        self._noted = ""

    def __enter__(self) -> EndingSignals:
        self._before = {number: signal.signal(number, self._on_signal) for number in ENDING}
        self._before[signal.SIGALRM] = signal.signal(signal.SIGALRM, lambda *_: self.check())
        return self

    def __exit__(self, *_: object) -> None:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def check(self) -> None:
        """Raise KeyboardInterrupt if a signal has come."""
        if self._noted:
            signal.setitimer(signal.ITIMER_REAL, 0.0)
            raise KeyboardInterrupt(self._noted)

    def _on_signal(self, number: int, _frame: FrameType | None) -> None:
        self.check()
        self._noted = signal.Signals(number).name
        signal.setitimer(signal.ITIMER_REAL, IMPATIENT)


@contextmanager
def signals_held() -> Iterator[None]:
    """Delay Ctrl-C and similar signals to the end of the block, so that no process starts unnoticed."""
    if threading.current_thread() is not threading.main_thread():  # signals interrupt only the main thread
        yield
        return
    caught: list[int] = []
    before = {number: signal.signal(number, lambda number, _frame: caught.append(number)) for number in (*ENDING, signal.SIGALRM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        if caught:
            signal.raise_signal(caught[0])
