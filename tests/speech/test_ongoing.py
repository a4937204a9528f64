"""Recognition while a person speaks: partial texts, an early end, and the whole if the person goes on."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from budget import examples
from recordings import hiss, recogniser, silence, sound
from sayso.domain import load_domain
from sayso.speech.endpoint import Ear, Endpointer, EndpointOptions, Pause, Utterance
from sayso.speech.listening import Listening, ListeningOptions
from sayso.speech.recogniser import Recognition
from sayso.speech.sphinx import Decoding, SphinxRecogniser
from sayso.types import SAMPLE_RATE, AudioChunk

CHUNK = 640  # samples, as the microphone sends them


@dataclass
class Patience:
    """An ear that needs the same silence in each pause, and notes what it heard."""

    needed: float
    heard: list[NDArray[np.int16]] = field(default_factory=list)
    pauses: int = 0

    def begin(self) -> None:
        self.heard = []

    def hear(self, samples: NDArray[np.int16]) -> None:
        self.heard.append(samples)

    def pause(self) -> Pause:
        self.pauses += 1
        return Pause(self.needed, Recognition((), 0.0, f"pause {self.pauses}"), 0.0)


def utterances(samples: NDArray[np.int16], ear: Ear, chunk: int = CHUNK, options: EndpointOptions | None = None) -> list[Utterance]:
    endpointer = Endpointer(options, ear)
    found: list[Utterance] = []
    for at in range(0, len(samples), chunk):
        found += endpointer.feed(AudioChunk(samples[at : at + chunk], at / SAMPLE_RATE))
    return found + endpointer.flush()


def said(sentence: str) -> NDArray[np.int16]:
    """The recording without the silence around it."""
    samples = sound(sentence)
    loud = np.flatnonzero(np.abs(samples.astype(float)) > 0.03 * np.abs(samples).max())
    return samples[loud[0] : loud[-1]]


def ended(samples: NDArray[np.int16], ear: Ear) -> float:
    """Seconds of silence after which the first utterance ended."""
    endpointer = Endpointer(ear=ear)
    for at in range(0, len(samples), CHUNK):
        for utterance in endpointer.feed(AudioChunk(samples[at : at + CHUNK], at / SAMPLE_RATE)):
            return (at + CHUNK) / SAMPLE_RATE - utterance.ended
    raise AssertionError("no utterance")


def test_a_complete_sentence_ends_after_a_quarter_second_of_silence() -> None:
    samples = np.concatenate([sound("find the keys"), silence(1.0)])
    assert ended(samples, recogniser().ear()) <= 0.25  # type: ignore[arg-type]
    assert ended(samples, Patience(0.45)) >= 0.45


def test_the_early_text_is_the_whole_text() -> None:
    samples = np.concatenate([sound("bring me the red cup from the kitchen"), silence(1.0)])
    (utterance,) = utterances(samples, recogniser().ear())  # type: ignore[arg-type]
    transcript = recogniser().transcript(utterance)
    assert transcript.text == "bring me the red cup from the kitchen"
    assert not transcript.rejected


def test_a_sentence_that_breaks_off_is_awaited() -> None:
    whole = sound("bring me the red cup")
    middle = int(0.62 * SAMPLE_RATE)  # after "bring me the"
    samples = np.concatenate([whole[:middle], silence(0.7), whole[middle:], silence(1.2)])
    texts = [recogniser().transcript(each).text for each in utterances(samples, recogniser().ear())]  # type: ignore[arg-type]
    assert texts[-1] == "bring me the red cup"
    assert len(texts) == 1


def test_who_goes_on_after_an_early_end_is_understood_as_a_whole() -> None:
    samples = np.concatenate([silence(0.3), said("turn left"), silence(0.3), said("stop"), silence(1.0)])
    first, whole = utterances(samples, Patience(0.16))
    assert not first.continues
    assert whole.continues
    assert whole.started == first.started
    assert whole.ended > first.ended + 0.4
    assert len(whole.samples) > len(first.samples)


def test_a_new_sentence_after_the_pause_is_a_new_utterance() -> None:
    samples = np.concatenate([sound("turn left"), silence(0.6), sound("stop"), silence(1.0)])
    first, second = utterances(samples, Patience(0.16))
    assert not second.continues
    assert second.started > first.ended


def test_files_are_never_ended_early() -> None:
    samples = np.concatenate([silence(0.3), said("turn left"), silence(0.3), said("stop"), silence(1.0)])
    (whole,) = utterances(samples, Patience(0.16), options=EndpointOptions(early=False))
    assert not whole.continues


def test_the_ear_has_heard_exactly_the_samples_of_the_utterance() -> None:
    ear = Patience(0.2)
    (utterance,) = utterances(np.concatenate([sound("go to the kitchen"), silence(1.0)]), ear)
    assert np.array_equal(np.concatenate(ear.heard), utterance.samples)
    assert utterance.pause is not None


@examples(8)
@given(chunk=st.integers(100, 20_000))
def test_the_chunks_make_no_difference_to_an_early_end(chunk: int) -> None:
    samples = np.concatenate([silence(0.3), said("turn left"), silence(0.3), said("stop"), silence(1.0)])
    whole, pieces = utterances(samples, Patience(0.16)), utterances(samples, Patience(0.16), chunk)
    for one, other in zip(whole, pieces, strict=True):
        assert (other.started, other.ended) == pytest.approx((one.started, one.ended), abs=1e-6)
        assert one.continues == other.continues
    assert all(np.array_equal(one.samples, other.samples) for one, other in zip(whole, pieces, strict=True))


def test_long_talk_is_not_recognised_in_every_pause() -> None:
    talk = np.concatenate([np.concatenate([said("turn left"), silence(0.25)]) for _ in range(12)])
    ear = Patience(0.9)
    utterances(np.concatenate([talk, silence(1.0)]), ear, options=EndpointOptions(glanced=3.0))
    assert 0 < ear.pauses <= 4


def test_partial_texts_grow_while_the_person_speaks() -> None:
    samples = np.concatenate([sound("bring me the red cup from the kitchen"), silence(1.0)])
    listening, shown = Listening(ListeningOptions(), recogniser().ear()), [""]
    for at in range(0, len(samples), CHUNK):
        listening.feed(AudioChunk(samples[at : at + CHUNK], at / SAMPLE_RATE))
        if listening.partial not in ("", shown[-1]):
            shown.append(listening.partial)
    assert len(shown) >= 4
    assert shown[-1] == "bring me the red cup from the kitchen"
    assert listening.partial == ""


def while_it_comes(recognise: SphinxRecogniser, samples: NDArray[np.int16], block: int) -> Decoding:
    recognise.begin()
    for at in range(0, len(samples), block):
        recognise.hear(samples[at : at + block])
    return recognise.decoded()


def test_pocketsphinx_hears_the_same_whatever_the_pieces_and_whatever_it_heard_before() -> None:
    recognise, samples = SphinxRecogniser(load_domain()), sound("give the banana to anna")
    heard = while_it_comes(recognise, samples, len(samples))
    assert heard.texts[0][0] == "give the banana to anna"
    assert recognise.decode(samples) == heard
    assert while_it_comes(recognise, samples, 333) == heard
    assert recognise.decoded() == heard  # again, as after a pause in which nothing was said
    recognise.decode(hiss(1.5))
    recognise.begin()
    recognise.hear(sound("go to the kitchen"))  # given up
    assert while_it_comes(recognise, samples, 512) == heard


def test_more_sound_after_a_pause_gives_the_whole_text() -> None:
    recognise, samples = SphinxRecogniser(load_domain()), sound("give the banana to anna")
    recognise.begin()
    recognise.hear(samples[: len(samples) // 2])
    recognise.decoded()
    recognise.hear(samples[len(samples) // 2 :])
    assert recognise.decoded() == while_it_comes(recognise, samples, len(samples))


def test_noise_ends_as_if_nobody_listened() -> None:
    samples = np.concatenate([sound("turn left")[:6_000], hiss(0.6, 6_000.0), silence(1.5)])
    for utterance in utterances(samples, recogniser().ear()):  # type: ignore[arg-type]
        assert utterance.pause is None or utterance.pause.recognition.rejected == "" or utterance.pause.needed >= 0.45
