"""Watches over long work: what takes long is told on stderr, and a wait that gets nowhere is given up.

`sayso bench` runs a benchmark under a `RowWatch`. What measures calls `counted`, `waiting` or `progress`; without a watch these only count.
"""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Iterable, Iterator, Sized
from contextlib import contextmanager
from types import FrameType, TracebackType
from typing import TYPE_CHECKING, Any, TypeVar

import typer

if TYPE_CHECKING:
    from rich.progress import Progress

TOLD_AFTER = 10.0  # s without progress; told again after twice as long, and so on
TOLD_EVERY = 60.0  # s between two lines of a count where there is no terminal
LOOKED_EVERY = 0.5  # s

T = TypeVar("T")
_watches: list[RowWatch] = []
_bars: list[Progress] = []  # the one on the terminal: a second one beside it would be an error


class GivenUp(BaseException):
    """Nothing came of some work within its limit. No Exception: a stage that survives all errors must not take it for one of its own."""


class RowWatch:
    """Tells on stderr what this process waits for, and raises `GivenUp` in the main thread after `limit` seconds without progress."""

    def __init__(self, limit: float, what: str = "the first figure") -> None:
        self.limit, self.what = limit, what
        self._since, self._tell_after = time.monotonic(), TOLD_AFTER
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)
        self._before: Any = None

    def __enter__(self) -> RowWatch:
        """Begin to watch; without the main thread, which alone takes signals, it only tells."""
        if threading.current_thread() is threading.main_thread():
            self._before = signal.signal(signal.SIGUSR1, self._give_up)
        _watches.append(self)
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """End it."""
        self._over.set()
        self._thread.join()
        _watches.remove(self)
        if self._before is not None:
            signal.signal(signal.SIGUSR1, self._before)

    def progress(self, what: str = "") -> None:
        """Something is done; `what` comes next, if that is something else."""
        self.what = what or self.what
        self._since, self._tell_after = time.monotonic(), TOLD_AFTER

    def _look(self) -> None:
        while not self._over.wait(LOOKED_EVERY):
            silent = time.monotonic() - self._since
            if silent > self.limit and self._before is not None:
                signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGUSR1)
            elif silent > self._tell_after:
                self._tell_after *= 2.0
                typer.echo(f"waiting for {self.what}, since {silent:.0f} s", err=True)

    def _give_up(self, _signal: int, _frame: FrameType | None) -> None:
        if time.monotonic() - self._since > self.limit:  # it may have come meanwhile
            self.progress()  # what cleans up has as long
            raise GivenUp(f"given up after {self.limit:g} s without progress: waited for {self.what}")


def progress(what: str = "") -> None:
    """Something is measured; `what` comes next, if that is something else."""
    if _watches:
        _watches[-1].progress(what)


@contextmanager
def waiting(what: str) -> Iterator[None]:
    """While this lasts, it is what the process waits for."""
    before = _watches[-1].what if _watches else ""
    progress(what)
    try:
        yield
    finally:
        progress(before)


def counted(items: Iterable[T], what: str, total: int | None = None) -> Iterator[T]:
    """The items, while stderr shows how many have begun: a bar on a terminal, a line a minute elsewhere."""
    if total is None and isinstance(items, Sized):
        total = len(items)
    of = f" of {total}" if total else ""
    with waiting(what):
        for number, item in enumerate(_shown(items, what, total)):
            progress(f"{what}: {number + 1}{of}")
            yield item


def _shown(items: Iterable[T], what: str, total: int | None) -> Iterator[T]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    console = Console(stderr=True)
    if console.is_terminal and _bars:
        task = _bars[-1].add_task(what, total=total)
        for item in items:
            yield item
            _bars[-1].advance(task)
        _bars[-1].remove_task(task)
        return
    if console.is_terminal:
        columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TimeRemainingColumn()
        with Progress(*columns, console=console, transient=True) as bar:
            _bars.append(bar)
            try:
                yield from bar.track(items, total, description=what)
            finally:
                _bars.remove(bar)
        return
    told = time.monotonic()
    for number, item in enumerate(items):
        if time.monotonic() - told > TOLD_EVERY:
            told = time.monotonic()
            console.print(f"{what}: {number}{f' of {total}' if total else ''}", highlight=False)
        yield item
