"""`sayso listen` without a robot: a microphone or a sound file → what is heard, and what it means. Nothing moves."""

from __future__ import annotations

from collections import deque
from collections.abc import Generator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from sayso.console.listening_view import HeardSentence, HearingView, LinesView, TerminalView, keyboard
from sayso.errors import AudioError
from sayso.speech.listening import Heard, Listening, ListeningOptions, says_more
from sayso.types import AudioChunk, Transcript

if TYPE_CHECKING:
    from sayso.assistant import Sayso

KEY = " "  # a terminal reports no release of a key, so one press begins and the next one ends
BUSY = 3  # chunks that wait while a sentence is recognised
BEHIND = 250  # chunks that may wait: a long file is not read at once


@dataclass(frozen=True, slots=True)
class SoundSource:
    """Where the sound comes from."""

    file: Path | None = None  # played as if it were heard now; None: a microphone
    device: str = ""  # number of the microphone, or a part of its name; empty: the default
    channel: int = 0  # of the microphone, counted from 1; 0: the mean of all


@dataclass(frozen=True, slots=True)
class HeardChunk:
    """What came to an end in a chunk of sound."""

    sentences: tuple[HeardSentence, ...]
    woken: bool  # by the wake word


def listen(source: SoundSource, options: ListeningOptions, domain: Path | None, as_json: bool) -> None:
    """Show what is heard until the file ends, or until Ctrl-C.

    Raises:
        AudioError: the file or the microphone cannot be used.
        DomainError: the domain file is missing or has mistakes.
        ModelError: a model is missing, or there is no such wake word.
        SaysoError: the package of the wake word is not installed.
    """
    view: HearingView = LinesView() if as_json else TerminalView()
    with keyboard() as pressed:
        _check(options, as_json)
        chunks = _chunks(source, view)
        first = next(chunks)  # a missing microphone is reported before the models are loaded
        session = HearingSession(_loaded(domain, as_json), options, view)
        with closing(chunks), view:
            if options.mode == "push_to_talk":
                view.note("key", "press the space bar, speak, press it again")
            session.take(first, "")
            for chunk in chunks:
                session.take(chunk, pressed())
            session.finish()


class HearingSession:
    """Feeds sound to the stages. They have a thread of their own, so that the level stays alive meanwhile."""

    def __init__(self, robot: Sayso, options: ListeningOptions, view: HearingView) -> None:
        """Raises ModelError where a model or the wake word is missing."""
        from sayso.speech.stopping.spotter import StopSpotter

        self._robot, self._view = robot, view
        self._listening, self._spotter = Listening(options, robot.recogniser.ear()), StopSpotter()
        self._worker = ThreadPoolExecutor(1, "recogniser")
        self._pending: deque[Future[HeardChunk]] = deque()
        self._talks = False  # push to talk: between two presses of the key
        self._now = 0.0  # s, end of the last chunk
        self._before: Transcript | None = None  # of the last sentence

    def take(self, chunk: AudioChunk, keys: str) -> None:
        """Hear a chunk; `keys` were pressed before it."""
        self._now = chunk.stamp + len(chunk.samples) / chunk.sample_rate
        for stop in self._spotter.feed(chunk):
            self._view.note("stop", f"heard while it was said (score {stop.score:.2f}): a robot stops at once")
        self._pending.append(self._worker.submit(self._heard, chunk, keys.count(KEY)))
        while self._pending and (self._pending[0].done() or len(self._pending) > BEHIND):
            self._show(self._pending.popleft().result())
        state = "recognises …" if len(self._pending) > BUSY else self._listening.partial or self._listening.state(self._now)
        self._view.level(chunk.samples, state)

    def finish(self) -> None:
        """Show what is still being recognised."""
        while self._pending:
            self._show(self._pending.popleft().result())
        self._worker.shutdown()

    def _show(self, heard: HeardChunk) -> None:
        if heard.woken:
            self._view.note("wake", "the wake word: say what the robot is to do")
        for sentence in heard.sentences:
            self._view.sentence(sentence)

    def _heard(self, chunk: AudioChunk, presses: int) -> HeardChunk:
        """Runs in the worker."""
        for _ in range(presses):
            self._talks = not self._talks
            self._listening.press(self._talks, chunk.stamp)
        wakes = self._listening.wakes
        understood = [self._understood(heard) for heard in self._listening.feed(chunk)]
        return HeardChunk(tuple(each for each in understood if each is not None), self._listening.wakes > wakes)

    def _understood(self, heard: Heard) -> HeardSentence | None:
        """None if it says nothing new."""
        from sayso.speech.stopping.words import is_stop

        transcript, before = self._robot.recogniser.transcript(heard.utterance), self._before
        self._before = transcript
        if not says_more(heard.utterance, transcript, before):
            return None
        counts = heard.addressed or is_stop(transcript, self._robot.domain)
        meaning = self._robot.understand(transcript) if counts and not transcript.rejected else None
        if heard.addressed and not transcript.rejected:
            self._listening.taken()
        return HeardSentence(transcript, meaning, heard.addressed, self._now - heard.utterance.ended)


def _chunks(source: SoundSource, view: HearingView) -> Generator[AudioChunk, None, None]:
    from sayso.speech.microphone import microphone, play

    if source.file is not None:
        return play(source.file, pace=0.0 if isinstance(view, LinesView) else 1.0)
    return microphone(source.device, source.channel, trouble=lambda text: view.note("mic", text or "gives sound again"))


def _check(options: ListeningOptions, as_json: bool) -> None:
    """Refuse what cannot work, before the microphone is opened."""
    import sys

    from sayso.extras import require

    if options.mode == "wake_word":
        require("wake")
    if options.mode == "push_to_talk" and (as_json or not sys.stdin.isatty()):
        raise AudioError("push to talk needs the space bar, so a terminal: leave --when out, or use --when wake_word")


def _loaded(domain: Path | None, as_json: bool) -> Sayso:
    from rich.console import Console

    from sayso.assistant import Sayso

    with Console(stderr=True, quiet=as_json).status("loading the models …"):
        robot = Sayso.load(domain)
        _ = robot.recogniser
        return robot
