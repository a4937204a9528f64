"""When the robot listens: always, while a button is held, or after a wake word.

Sound that comes while it does not listen is cut into utterances all the same: a stop word counts always.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import Literal

from sayso.speech.endpoint import Endpointer, EndpointOptions, Utterance
from sayso.speech.ongoing import OngoingEar
from sayso.speech.wake_word import WAKE_WORDS, WakeWord
from sayso.types import AudioChunk, Transcript

Mode = Literal["always", "push_to_talk", "wake_word"]
MODES: tuple[Mode, ...] = ("always", "push_to_talk", "wake_word")
_GAP = 0.2  # s missing between two chunks after which the sound counts as interrupted
_SETTLED = 0.1  # s of silence after which the words before an interruption are complete
_NEVER, _FOREVER = float("-inf"), float("inf")


@dataclass(frozen=True, slots=True)
class ListeningOptions:
    """When a command counts."""

    mode: Mode = "always"
    wake_word: str = WAKE_WORDS[0]  # or the .json file of another one
    window: float = 6.0  # s after the wake word or a question of the robot within which a command begins
    tail: float = 0.3  # s after the button's release that are still heard: people let go early
    lead: float = 0.25  # s before the press that are heard as well: people press late
    longest: float = 30.0  # s; a button that is held longer is stuck
    endpoint: EndpointOptions = field(default_factory=EndpointOptions)


@dataclass(frozen=True, slots=True)
class Heard:
    """An utterance, and whether it was meant for the robot."""

    utterance: Utterance
    addressed: bool  # if not, it is no command, and only a stop word counts


def says_more(utterance: Utterance, transcript: Transcript, before: Transcript | None) -> bool:
    """Whether an utterance says anything that the one before did not. After an early end, an echo or a breath may seem to continue it."""
    if not utterance.continues or before is None or transcript.text != before.text:
        return True
    return bool(before.rejected) and not transcript.rejected


class Listening:
    """Streamed sound → utterances. Times are those of the chunks' stamps."""

    def __init__(self, options: ListeningOptions | None = None, ear: OngoingEar | None = None) -> None:
        """`ear` recognises while the person speaks, so that a sentence ends when it is complete.

        Raises SaysoError without the package of the wake word, ModelError without its network.
        """
        self.options, self._ear = options or ListeningOptions(), ear
        self._endpointer = Endpointer(self.options.endpoint, ear)
        self._wake_word = WakeWord(self.options.wake_word) if self.options.mode == "wake_word" else None
        self.wakes = 0  # wake words heard
        self.interrupted = 0  # utterances dropped because their end was never heard
        # With more sound from before its detection, the last syllable of the wake word was recognised as a word of the command.
        self._lead = self.options.lead if self.options.mode == "push_to_talk" else 0.0
        self._until = _FOREVER if self.options.mode == "always" else _NEVER  # s, end of the listening
        self._held_since: float | None = None  # s; None: the button is up
        self._was_open = False  # when the robot began to speak
        self._listened = self.options.mode == "always"  # to the last chunk
        self._now: float | None = None  # end of the last chunk, s
        self._recent: deque[AudioChunk] = deque()  # those of the last `lead` seconds

    def feed(self, chunk: AudioChunk) -> list[Heard]:
        """The utterances that end within this chunk, usually none.

        Raises:
            AudioError: the chunk is not 16 kHz mono int16.
        """
        self._notice_gap(chunk)
        woken = self._wake_word is not None and self._wake_word(chunk.samples)
        if woken:
            self.wakes += 1
            self._until = chunk.stamp + len(chunk.samples) / chunk.sample_rate + self.options.window
        listens = self.listens_at(chunk.stamp) or (self._listened and self._begun_in_window())
        heard: list[Heard] = []
        if woken or listens != self._listened:  # what was said before the word or the button is no part of the command
            ended_by_release = self._listened and not woken
            heard += [Heard(each, ended_by_release) for each in self._endpointer.flush()]
            for earlier in self._recent if listens else ():
                self._endpointer.feed(earlier)
        self._listened = listens
        heard += [Heard(each, listens) for each in self._endpointer.feed(chunk)]
        self._now = chunk.stamp + len(chunk.samples) / chunk.sample_rate
        self._recent.append(chunk)
        while self._recent and self._recent[0].stamp < self._now - self._lead:
            self._recent.popleft()
        return heard

    def pause(self, now: float) -> list[Heard]:
        """The utterances that are over because the sound ended with the button's release; call it now and then while no sound comes."""
        released = self.options.mode == "push_to_talk" and self._listened and not self.listens_at(now)
        if not released or self._now is None or now - self._now < _GAP:
            return []
        self._listened = False
        return [Heard(each, addressed=True) for each in self._endpointer.flush()]

    def press(self, down: bool, now: float) -> None:
        """The button was pressed, or released; repetitions change nothing."""
        if self.options.mode != "push_to_talk" or down == (self._held_since is not None):
            return
        self._held_since = now if down else None
        self._until = now + (self.options.longest if down else self.options.tail)

    def asked(self, now: float) -> None:
        """The robot asks: the answer needs no wake word."""
        if self._wake_word is not None:
            self._until = max(self._until, now + self.options.window)

    def own_voice(self, speaking: bool, now: float) -> None:
        """The robot begins or stops speaking: words begun before are dropped, and the time to answer starts after its own words."""
        self._endpointer.reset()
        self._recent.clear()
        if self._wake_word is None:
            return
        self._wake_word.reset()
        if speaking:
            self._was_open = self.listens_at(now)
        elif self._was_open or self.listens_at(now):
            self._until, self._was_open = now + self.options.window, False

    def taken(self) -> None:
        """A command was recognised: the next one needs the wake word again."""
        if self._wake_word is not None:
            self._until = _NEVER

    def listens_at(self, now: float) -> bool:
        """Whether a command may begin then."""
        return now < self._until

    def stuck(self, now: float) -> bool:
        """Whether the button has been held too long to be believed."""
        return self._held_since is not None and now - self._held_since > self.options.longest

    def state(self, now: float) -> str:
        """What it does, for a person."""
        if self.listens_at(now):
            return "hears a sentence" if self._endpointer.speaking else "listens"
        return f'waits for "{self._wake_word.phrase}"' if self._wake_word is not None else "waits for the button"

    @property
    def partial(self) -> str:
        """What was said so far of a sentence that counts; empty between sentences, and while nothing is known."""
        return self._ear.text if self._ear is not None and self.hearing else ""

    @property
    def hearing(self) -> bool:
        """Whether a sentence has begun that counts."""
        return self._listened and self._endpointer.speaking

    def _begun_in_window(self) -> bool:
        """A sentence after a wake word may outlast the window, and go on after an early end; with the button, it may not outlast it."""
        if self._wake_word is None:
            return False
        return self._endpointer.unsettled or (self._until != _NEVER and self._endpointer.speaking)

    def _notice_gap(self, chunk: AudioChunk) -> None:
        """Drop words whose end was lost: half a command may be another command."""
        if self._now is None or abs(chunk.stamp - self._now) <= _GAP:
            return
        self._recent.clear()
        if self._wake_word is not None:
            self._wake_word.reset()
        if self._endpointer.speaking and self._endpointer.silence < _SETTLED:
            self.interrupted += 1
            self._endpointer.reset()
