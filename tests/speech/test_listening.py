"""When the robot listens, and that a stop word counts always."""

from __future__ import annotations

from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path
from typing import cast

import numpy as np
import pytest
from numpy.typing import NDArray

from recordings import silence, sound
from sayso.errors import ModelError, SaysoError
from sayso.speech.endpoint import Utterance
from sayso.speech.files import read_sound
from sayso.speech.listening import Heard, Listening, ListeningOptions, Mode, says_more
from sayso.speech.wake_word import WAKE_WORDS, WakeWord
from sayso.types import SAMPLE_RATE, AudioChunk, Transcript, TranscriptAlternative

CHUNK = 640  # samples
needs_package = pytest.mark.skipif(find_spec("pymicro_wakeword") is None, reason="pymicro-wakeword is not installed")


class Person:
    """Speaks to a robot that listens in some mode; time is that of the sound."""

    def __init__(self, mode: str, **options: float) -> None:
        self.robot = Listening(ListeningOptions(cast("Mode", mode), **options))  # type: ignore[arg-type]
        self.now = 100.0
        self.heard: list[Heard] = []

    def makes(self, samples: NDArray[np.int16]) -> None:
        for start in range(0, len(samples), CHUNK):
            piece = samples[start : start + CHUNK]
            self.heard += self.robot.feed(AudioChunk(piece, self.now))
            self.now += len(piece) / SAMPLE_RATE

    def addressed(self) -> list[bool]:
        return [each.addressed for each in self.heard]


def joined(*parts: NDArray[np.int16]) -> NDArray[np.int16]:
    return np.concatenate(parts)


def times(heard: Iterable[Heard]) -> list[tuple[float, float]]:
    return [(each.utterance.started, each.utterance.ended) for each in heard]


def spoken(sentence: str) -> NDArray[np.int16]:
    """The sentence without the silence around it in the file."""
    samples = sound(sentence)
    loud = np.flatnonzero(np.abs(samples.astype(np.int32)) > 1000)
    return samples[loud[0] - 800 : loud[-1] + 800]


def heard_as(text: str, rejected: str = "") -> Transcript:
    return Transcript("u", 1.0, (TranscriptAlternative(text, -0.1),), 0.9, rejected=rejected)


COMMAND, PAUSE = spoken("go to the kitchen"), silence(1.0)


def test_always_every_sentence_counts() -> None:
    person = Person("always")
    person.makes(joined(PAUSE, COMMAND, PAUSE, COMMAND, PAUSE))
    assert person.addressed() == [True, True]
    assert person.robot.state(person.now) == "listens"


def test_only_what_is_said_while_the_button_is_held_counts_and_the_rest_is_heard_for_stop_words() -> None:
    person = Person("push_to_talk")
    person.makes(joined(PAUSE, COMMAND, PAUSE))
    assert person.robot.state(person.now) == "waits for the button"
    person.robot.press(True, person.now)
    person.makes(COMMAND)
    assert person.robot.hearing
    person.robot.press(False, person.now)
    person.makes(joined(PAUSE, COMMAND, PAUSE))
    assert person.addressed() == [False, True, False]


def test_the_release_of_the_button_ends_a_sentence_sooner_than_a_pause() -> None:
    person = Person("push_to_talk")
    person.makes(PAUSE)
    person.robot.press(True, person.now)
    person.makes(COMMAND)
    person.robot.press(False, person.now)
    person.makes(silence(0.36))
    assert person.addressed() == [True]


def test_other_talk_after_the_button_is_not_part_of_the_command() -> None:
    person = Person("push_to_talk")
    person.robot.press(True, person.now)
    person.makes(joined(PAUSE, COMMAND))
    person.robot.press(False, person.now)
    released = person.now
    person.makes(joined(COMMAND, COMMAND, PAUSE))
    assert person.addressed() == [True, False]
    assert person.heard[0].utterance.ended < released + 0.5


def test_words_begun_just_before_the_press_are_heard() -> None:
    person, late = Person("push_to_talk"), round(0.2 * SAMPLE_RATE)
    person.makes(joined(PAUSE, COMMAND[:late]))
    person.robot.press(True, person.now)
    person.makes(joined(COMMAND[late:], PAUSE))
    [command] = [each for each in person.heard if each.addressed]
    assert command.utterance.started < 101.2


@pytest.mark.parametrize("between", ["a gap", "its own voice"])
def test_words_from_before_a_gap_or_its_own_voice_are_not_part_of_the_command(between: str) -> None:
    person = Person("push_to_talk")
    person.makes(joined(PAUSE, COMMAND[: len(COMMAND) // 2]))
    if between == "its own voice":
        person.robot.own_voice(True, person.now)
        person.robot.own_voice(False, person.now)
    else:
        person.now += 10.0
    person.robot.press(True, person.now)
    began = person.now
    person.makes(joined(PAUSE, COMMAND, PAUSE))
    assert person.addressed() == [True]
    assert person.heard[0].utterance.started > began + 0.9


def test_a_sound_that_ends_with_the_button_is_a_whole_sentence() -> None:
    person = Person("push_to_talk")
    person.robot.press(True, person.now)
    person.makes(joined(PAUSE, COMMAND))
    person.robot.press(False, person.now)
    assert person.robot.pause(person.now + 0.1) == []
    [heard] = person.robot.pause(person.now + 0.6)
    assert heard.addressed
    assert person.robot.pause(person.now + 0.7) == []


def test_a_stuck_button_counts_as_released() -> None:
    person = Person("push_to_talk", longest=2.0)
    person.robot.press(True, person.now)
    person.makes(joined(PAUSE, PAUSE, PAUSE))
    assert person.robot.stuck(person.now)
    person.makes(joined(COMMAND, PAUSE))
    assert person.addressed() == [False]
    person.robot.press(False, person.now)
    assert not person.robot.stuck(person.now)


def test_half_a_sentence_whose_end_was_lost_is_dropped() -> None:
    person = Person("always")
    person.makes(joined(PAUSE, COMMAND[: len(COMMAND) // 2]))
    person.now += 30.0  # the microphone was unplugged
    person.makes(joined(PAUSE, COMMAND, PAUSE))
    assert person.addressed() == [True]
    assert person.heard[0].utterance.started > 130.0
    assert person.robot.interrupted == 1


def test_a_sentence_that_ended_before_the_sound_did_is_kept() -> None:
    person = Person("always")
    person.makes(joined(PAUSE, COMMAND, silence(0.3)))
    person.now += 0.5
    person.makes(PAUSE)
    assert person.addressed() == [True]


def test_chunks_without_samples_change_nothing() -> None:
    person, other = Person("push_to_talk"), Person("push_to_talk")
    for each in (person, other):
        each.robot.press(True, each.now)
        each.makes(joined(PAUSE, COMMAND))
        each.heard += person.robot.feed(AudioChunk(np.empty(0, np.int16), each.now)) if each is person else []
        each.makes(PAUSE)
    assert times(person.heard) == times(other.heard)


def wake() -> NDArray[np.int16]:
    """A voice that says "okay nabu": flite's "rms"."""
    return read_sound(Path(__file__).resolve().parents[1] / "data" / "okay_nabu.flac").samples


@needs_package
def test_only_the_sentence_after_the_wake_word_counts() -> None:
    person = Person("wake_word")
    person.makes(joined(PAUSE, COMMAND, PAUSE))
    assert person.robot.state(person.now) == 'waits for "Okay Nabu"'
    person.makes(joined(wake(), silence(0.1), COMMAND, PAUSE))
    assert person.addressed() == [False, False, True]  # the second is the wake word itself
    person.robot.taken()
    person.makes(joined(COMMAND, PAUSE))
    assert person.addressed() == [False, False, True, False]


@needs_package
def test_a_sentence_begun_in_the_window_is_heard_to_its_end_and_none_begins_later() -> None:
    person = Person("wake_word", window=1.0)
    person.makes(joined(PAUSE, wake(), silence(0.4), COMMAND, PAUSE))
    assert person.addressed()[-1]
    person.makes(joined(COMMAND, PAUSE))
    assert not person.addressed()[-1]


@needs_package
def test_a_question_of_the_robot_is_answered_without_the_wake_word() -> None:
    person = Person("wake_word")
    person.makes(PAUSE)
    person.robot.asked(person.now)
    person.robot.own_voice(True, person.now)
    person.now += 20.0  # it speaks for longer than the window
    person.robot.own_voice(False, person.now)
    person.makes(joined(PAUSE, COMMAND, PAUSE))
    assert person.addressed() == [True]


@needs_package
def test_what_the_robot_says_by_itself_opens_nothing() -> None:
    person = Person("wake_word")
    person.makes(PAUSE)
    person.robot.own_voice(True, person.now)
    person.robot.own_voice(False, person.now)
    person.makes(joined(COMMAND, PAUSE))
    assert person.addressed() == [False]


@needs_package
@pytest.mark.parametrize("size", [1, 37, 160, 5000])
def test_the_wake_word_is_found_once_whatever_the_chunks(size: int) -> None:
    spotter = WakeWord()
    samples = joined(PAUSE, wake(), PAUSE)
    found = [start for start in range(0, len(samples), size) if spotter(samples[start : start + size])]
    assert len(found) == 1
    spotter.reset()
    assert not any(spotter(PAUSE[start : start + 640]) for start in range(0, len(PAUSE), 640))


def test_without_its_package_the_wake_word_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sayso.extras.find_spec", lambda _: None)
    with pytest.raises(SaysoError, match=r"needs the extra 'wake'.*not installed: pymicro_wakeword"):
        Listening(ListeningOptions("wake_word"))


@needs_package
@pytest.mark.parametrize("name", WAKE_WORDS)
def test_every_wake_word_of_the_package_loads(name: str) -> None:
    assert WakeWord(name).phrase.lower().replace(" ", "_") == name


@needs_package
@pytest.mark.parametrize("name", ["hello robot", "nothing.json", "/etc/passwd"])
def test_an_unknown_wake_word_names_those_that_there_are(name: str) -> None:
    with pytest.raises(ModelError, match="okay_nabu, hey_jarvis"):
        WakeWord(name)


@pytest.mark.parametrize(
    ("continues", "before", "now", "says"),
    [
        (True, heard_as("turn left"), heard_as("turn left"), False),  # an echo
        (True, heard_as("turn left"), heard_as("turn left", "unclear"), False),  # a noise
        (True, heard_as("turn left", "unclear"), heard_as("turn left"), True),
        (True, heard_as("turn left"), heard_as("turn left and stop"), True),
        (False, heard_as("turn left"), heard_as("turn left"), True),  # said again
        (True, None, heard_as("turn left"), True),
    ],
)
def test_a_sentence_that_seems_to_go_on_says_more_only_with_more_words(
    continues: bool, before: Transcript | None, now: Transcript, says: bool
) -> None:
    assert says_more(Utterance(PAUSE, 0.0, 1.0, continues=continues), now, before) is says
