"""Ctrl-C and its like."""

from __future__ import annotations

import signal
from types import FrameType

ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class EndingSignals:
    """Lets SIGINT, SIGTERM and SIGHUP unwind a block, so that no node outlives it. Use it as a context manager, in the main thread.

    Python drops an exception that a signal raises in a destructor or in a callback from C, and the program goes on. So the signal is noted
    as well, and loops call `check`.
    """

    def __init__(self) -> None:
        self._noted = ""

    def __enter__(self) -> EndingSignals:
        self._before = {number: signal.signal(number, self._on_signal) for number in ENDING}
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def check(self) -> None:
        """Raise KeyboardInterrupt if a signal has come."""
        if self._noted:
            raise KeyboardInterrupt(self._noted)

    def _on_signal(self, number: int, _frame: FrameType | None) -> None:
        self._noted = signal.Signals(number).name
        self.check()
