"""Runs a reader on cases in a child process with little time and memory: what a hostile file does there is counted, and harms no one."""

from __future__ import annotations

import faulthandler
import os
import resource
import select
import signal
import traceback
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from patience import PATIENCE
from sayso.errors import SaysoError

SECONDS = 2.0  # of processor time for a case: the tests share the processor
WALL = PATIENCE  # s on the clock, for a reader that waits
MEGABYTES = 500  # for a case, on top of what the process has before
CASES = 500  # in one child: caches of the readers fill its memory

Kind = Literal["read", "refused", "crash", "hang", "memory", "traceback"]
Read = Callable[[bytes], object]


@dataclass(frozen=True)
class Outcome:
    """What became of a case."""

    case: int  # its number
    kind: Kind
    said: str = ""  # the message, the traceback, or the signal

    @property
    def is_fault(self) -> bool:
        """Whether a user would see more than a result or one clear line."""
        return self.kind not in ("read", "refused")


def limited(read: Read, cases: Iterable[bytes], seconds: float = SECONDS, megabytes: int = MEGABYTES) -> Iterator[Outcome]:
    """The outcome of each case. A child that dies costs its case alone."""
    every = list(cases)
    done = 0
    while done < len(every):
        for outcome in _child(read, every[done : done + CASES], done, seconds, megabytes):
            done = outcome.case + 1
            yield outcome


def only(read: Read, case: bytes, seconds: float = SECONDS, megabytes: int = MEGABYTES) -> Outcome:
    """The outcome of one case."""
    return next(limited(read, [case], seconds, megabytes))


def _child(read: Read, cases: list[bytes], first: int, seconds: float, megabytes: int) -> Iterator[Outcome]:
    source, sink = os.pipe()
    child = os.fork()
    if not child:
        os.close(source)
        _work(read, cases, sink, seconds, megabytes)
    os.close(sink)
    number = first
    try:
        for answer in _lines(source):
            kind, _, said = answer.partition(" ")
            yield Outcome(number, kind, said.replace("\x1f", "\n"))  # type: ignore[arg-type]
            number += 1
    finally:
        os.close(source)
        ended, status = os.waitpid(child, os.WNOHANG)
        if not ended:
            if number < first + len(cases):  # it waits for something, or is about to end
                os.kill(child, signal.SIGKILL)
            status = os.waitpid(child, 0)[1]
    if number < first + len(cases):
        how = signal.Signals(os.WTERMSIG(status)).name if os.WIFSIGNALED(status) else f"exit {status}"
        yield Outcome(number, "hang" if how == "SIGPROF" else "crash", how)


def _lines(source: int) -> Iterator[str]:
    """The lines of the child, until it has died, or says nothing for long."""
    rest = b""
    while select.select([source], [], [], WALL)[0] and (found := os.read(source, 65_536)):
        *lines, rest = (rest + found).split(b"\n")
        for line in lines:
            yield line.decode("utf-8", "replace")


def _work(read: Read, cases: list[bytes], sink: int, seconds: float, megabytes: int) -> None:
    """In the child: run the cases, and end it."""
    try:
        os.dup2(os.open(os.devnull, os.O_RDWR), 0)
        os.dup2(0, 1)
        os.dup2(0, 2)
        faulthandler.disable()
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        limit = int(Path("/proc/self/statm").read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE") + megabytes * 1_000_000
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
        signal.signal(signal.SIGPROF, signal.SIG_DFL)
        for case in cases:
            signal.setitimer(signal.ITIMER_PROF, seconds)
            kind, said = _outcome(read, case)
            signal.setitimer(signal.ITIMER_PROF, 0)
            os.write(sink, f"{kind} {said[-3000:]}".replace("\n", "\x1f").encode("utf-8", "replace") + b"\n")
    finally:
        os._exit(0)


def _outcome(read: Read, case: bytes) -> tuple[Kind, str]:
    try:
        read(case)
    except SaysoError as refused:
        return "refused", str(refused)
    except MemoryError:
        return "memory", traceback.format_exc()
    except BaseException:  # noqa: BLE001 - that is what we look for
        return "traceback", traceback.format_exc()
    return "read", ""
