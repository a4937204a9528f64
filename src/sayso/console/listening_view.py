"""What `sayso listen` shows: the level and state of the hearing in a live line, and above it what was heard and meant."""

from __future__ import annotations

import json
import math
import select
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from rich.live import Live
from rich.text import Text

from sayso.console.stages import StageView
from sayso.explanation import as_data
from sayso.pipeline import Understanding
from sayso.types import Transcript

QUIETEST = -60.0  # dBFS at the left end of the meter
LOUD = -3.0  # dBFS from which the meter is red
CELLS = 24  # of the meter
FRAMES = 12  # pictures a second


@dataclass(frozen=True, slots=True)
class HeardSentence:
    """An utterance as `sayso listen` reports it."""

    transcript: Transcript
    meaning: Understanding | None  # None if it is not understood: rejected, or not meant for the robot
    addressed: bool
    seconds: float  # from its end in the sound to this result


class HearingView(Protocol):
    """Where `sayso listen` shows its results; a context manager."""

    def __enter__(self) -> HearingView: ...

    def __exit__(self, *_: object) -> None: ...

    def level(self, samples: NDArray[np.int16], state: str) -> None:
        """The latest samples, and what the hearing does with them."""

    def sentence(self, sentence: HeardSentence) -> None:
        """An utterance."""

    def note(self, event: str, text: str) -> None:
        """Something else: a stop word in the sound, trouble with the microphone."""


class TerminalView:
    """For a person: blocks as those of `sayso ask`, with a live line below them if this is a terminal."""

    def __init__(self) -> None:
        self._stages = StageView()
        self._live = Live(console=self._stages.console, refresh_per_second=FRAMES, transient=True)
        self._alive = self._stages.console.is_terminal
        self._shown = QUIETEST  # dB, falls slowly so that the eye can follow

    def __enter__(self) -> TerminalView:
        if self._alive:
            self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._alive:
            self._live.stop()

    def level(self, samples: NDArray[np.int16], state: str) -> None:
        """Redraw the live line."""
        self._shown = max(decibels(samples), self._shown - 40.0 * len(samples) / 16_000)
        if self._alive:
            self._live.update(meter(self._shown, state))

    def sentence(self, sentence: HeardSentence) -> None:
        """Print text and confidence, and the decision if there is one."""
        if not sentence.addressed and sentence.meaning is None:
            self._stages.note("speech, not meant for the robot", "ignored")
            return
        self._stages.show(sentence.transcript, sentence.seconds)
        if sentence.meaning is not None:
            self._stages.show(sentence.meaning.action_belief)

    def note(self, event: str, text: str) -> None:
        """Print a line; without sound, the live line would not change by itself."""
        self._stages.note(text, event)
        if self._alive:
            self._live.update(meter(QUIETEST, text))


class LinesView:
    """For a program: one JSON object a line."""

    def __enter__(self) -> LinesView:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def level(self, samples: NDArray[np.int16], state: str) -> None:
        """Nothing: a program that wants the sound reads the sound."""

    def sentence(self, sentence: HeardSentence) -> None:
        """Print text, alternatives, times and meaning."""
        heard = sentence.transcript
        _write(
            {
                "text": heard.text,
                "alternatives": [{"text": each.text, "log_p": each.log_p} for each in heard.alternatives],
                "confidence": heard.confidence,
                "rejected": heard.rejected,
                "addressed": sentence.addressed,
                "started": heard.started,
                "ended": heard.stamp,
                "meaning": sentence.meaning and as_data(sentence.meaning),
            }
        )

    def note(self, event: str, text: str) -> None:
        """Print the event."""
        _write({"event": event, "message": text})


def decibels(samples: NDArray[np.int16]) -> float:
    """Root mean square of (N,) samples relative to full scale, dB, without their offset; at least QUIETEST."""
    rms = float(np.std(samples)) / 32768.0 if len(samples) else 0.0
    return max(20.0 * math.log10(max(rms, 1e-9)), QUIETEST)


def meter(level: float, state: str) -> Text:
    """A bar for a level in dBFS, and the state in words."""
    filled = round(CELLS * (level - QUIETEST) / -QUIETEST)
    colour = "red" if level > LOUD else "green"
    return Text.assemble(
        ("█" * filled, colour), ("░" * (CELLS - filled), "dim"), (f" {level:4.0f} dB  ", "dim"), state, no_wrap=True, overflow="ellipsis"
    )


@contextmanager
def keyboard() -> Iterator[Callable[[], str]]:
    """A function that gives the keys pressed since its last call; always "" if the input is no terminal."""
    if not sys.stdin.isatty():
        yield lambda: ""
        return
    import termios
    import tty

    before = termios.tcgetattr(sys.stdin)
    tty.setcbreak(sys.stdin)
    try:
        yield _pressed
    finally:
        termios.tcsetattr(sys.stdin, termios.TCSADRAIN, before)


def _pressed() -> str:
    import os

    keys = ""
    while select.select([sys.stdin], [], [], 0.0)[0]:
        read = os.read(sys.stdin.fileno(), 64).decode(errors="ignore")
        if not read:
            break
        keys += read
    return keys


def _write(line: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(line, ensure_ascii=False) + "\n")
    sys.stdout.flush()
