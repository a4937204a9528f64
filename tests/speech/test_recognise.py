"""Recorded sentences are recognised, and other sounds are rejected with a reason."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recordings import SENTENCES, hiss, recogniser, recording, silence, sound
from sayso.console.transcribe import transcripts
from sayso.domain import load_domain
from sayso.errors import AudioError, ModelError
from sayso.speech.confidence import Certainty, ConfidenceModel, Evidence, RecognisedWord, load_calibration
from sayso.speech.recognise import SpeechOptions, SpeechToText
from sayso.speech.recogniser import normalised, pooled, with_best
from sayso.speech.stopping.words import is_stop
from sayso.types import SAMPLE_RATE

COMMANDS = [path for path in SENTENCES if not path.name.startswith("oov_")]
OTHER_TALK = [path for path in SENTENCES if path.name.startswith("oov_")]


@pytest.mark.parametrize("path", COMMANDS, ids=lambda path: path.stem)
def test_a_recorded_sentence_is_recognised(path: Path) -> None:
    (transcript,) = transcripts(path, recogniser())
    assert transcript.text == path.stem.replace("_", " ")
    assert not transcript.rejected
    assert transcript.confidence > 0.5
    assert math.exp(transcript.alternatives[0].log_p) > 0.5
    assert math.fsum(math.exp(heard.log_p) for heard in transcript.alternatives) <= 1.0 + 1e-9
    assert list(transcript.alternatives) == sorted(transcript.alternatives, key=lambda heard: -heard.log_p)
    assert is_stop(transcript, load_domain()) == (path.stem == "stop")


@pytest.mark.parametrize("path", OTHER_TALK, ids=lambda path: path.stem)
def test_other_speech_is_rejected_with_a_reason(path: Path) -> None:
    for transcript in transcripts(path, recogniser()):
        assert "not a sentence of this home" in transcript.rejected
        assert transcript.confidence < 0.5


@pytest.mark.parametrize(
    ("samples", "reason"),
    [
        (np.zeros(0, np.int16), "too short"),
        (np.zeros(100, np.int16), "too short"),
        (np.zeros(32_000, np.int16), "silence"),
        (silence(2.0), "silence"),
        (np.full(32_000, -32768, np.int16), "silence"),
        (hiss(2.0), "n"),
        ((12_000 * np.sin(2 * np.pi * 440 * np.arange(32_000) / SAMPLE_RATE)).astype(np.int16), "n"),
        (np.tile(np.array([32767, -32768], np.int16), 16_000), "n"),
    ],
    ids=["nothing", "a click", "zeros", "silence", "an offset", "noise", "a tone", "full scale"],
)
def test_sound_without_speech_is_rejected_with_a_reason(samples: np.ndarray, reason: str) -> None:
    transcript = recogniser()(samples, 3.0, "u")
    assert reason in transcript.rejected
    assert transcript.confidence < 0.3
    assert not is_stop(transcript, load_domain())


def test_the_transcript_has_start_and_end_of_the_speech() -> None:
    samples = sound("stop")
    given_end = recogniser()(samples, started=7.0, utterance_id="abc", ended=7.5)
    assert (given_end.utterance_id, given_end.started, given_end.stamp) == ("abc", 7.0, 7.5)
    without = recogniser()(samples, started=7.0)
    assert without.stamp == pytest.approx(7.0 + len(samples) / SAMPLE_RATE)
    assert without.utterance_id


def test_a_transcript_does_not_depend_on_earlier_sound() -> None:
    samples = sound("go to the kitchen")
    first = recogniser()(samples, 0.0, "u")
    recogniser()(hiss(1.0), 0.0, "noise")
    assert recogniser()(samples, 0.0, "u") == first


def test_the_number_of_alternatives_is_limited() -> None:
    one = SpeechToText(load_domain(), SpeechOptions(alternatives=1))(sound("bring me the cup"))
    assert one.alternatives == recogniser()(sound("bring me the cup")).alternatives[:1]


@pytest.mark.parametrize("samples", [np.zeros((100, 2), np.int16), np.zeros(100), np.zeros(100, np.float32)])
def test_other_sound_formats_are_refused(samples: np.ndarray) -> None:
    with pytest.raises(AudioError, match="int16"):
        recogniser()(samples)


SCORES = st.lists(st.tuples(st.text(min_size=1), st.floats(-1e5, 1e5)), min_size=1, unique_by=lambda item: item[0])


@given(SCORES, st.integers(1, 10))
def test_log_probabilities_are_normalised_over_the_alternatives(scores: list[tuple[str, float]], limit: int) -> None:
    alternatives = normalised(scores, limit)
    assert 1 <= len(alternatives) <= limit
    assert math.fsum(math.exp(heard.log_p) for heard in alternatives) == pytest.approx(1.0)
    assert all(heard.log_p <= 1e-12 for heard in alternatives)
    assert dict(scores)[alternatives[0].text] == max(score for _, score in scores)


def test_no_scores_give_no_alternatives() -> None:
    assert normalised([], 5) == ()
    assert with_best((), 0.9, 0.5) == ()


@given(SCORES, st.floats(0.0, 1.0), st.floats(0.0, 1.0))
def test_the_best_text_has_its_probability_and_none_is_likelier(scores: list[tuple[str, float]], p_best: float, listed: float) -> None:
    before = normalised(scores, 5)
    after = with_best(before, p_best, listed)
    assert [text.text for text in after] == [text.text for text in before]
    assert math.exp(after[0].log_p) == pytest.approx(p_best, abs=1e-5)
    assert max(text.log_p for text in after) == after[0].log_p
    others = math.fsum(math.exp(text.log_p) for text in after[1:])
    assert others <= (1.0 - p_best) * listed + 1e-5


@given(st.floats(0.0, 1.0), st.floats(0.0, 1.0))
def test_a_larger_share_and_a_higher_confidence_make_a_text_more_certain(share: float, confidence: float) -> None:
    certainty = Certainty(0.5, 0.7, -0.3, 0.4)
    assert 0.0 < certainty(share, confidence) < 1.0
    assert certainty(min(share + 0.1, 1.0), confidence) >= certainty(share, confidence)
    assert certainty(share, min(confidence + 0.1, 1.0)) >= certainty(share, confidence)


@given(SCORES, st.text(min_size=1), st.floats(0.0, 0.5), st.integers(2, 10))
def test_a_second_opinion_is_listed_and_takes_its_share(scores: list[tuple[str, float]], text: str, share: float, limit: int) -> None:
    before = normalised(scores, limit)
    listed = pooled(before, text, share, limit)
    assert len(listed) <= limit
    assert math.fsum(math.exp(each.log_p) for each in listed) == pytest.approx(1.0)
    assert [each.log_p for each in listed] == sorted((each.log_p for each in listed), reverse=True)
    if text not in {each.text for each in before}:
        assert text != listed[0].text


def word(fit: float, language: float, posterior: float = -0.1) -> RecognisedWord:
    return RecognisedWord("word", 0, 9, 10 * fit, language, posterior)


@given(fit=st.floats(-30, 0), language=st.floats(-30, 0), posterior=st.floats(-700, 0), worse=st.floats(0, 20))
def test_worse_evidence_never_raises_the_confidence(fit: float, language: float, posterior: float, worse: float) -> None:
    calibration = load_calibration()
    confidence = calibration.confidence(Evidence((word(fit, language, posterior),)))
    assert 0.0 <= confidence <= 1.0
    for other in (word(fit - worse, language, posterior), word(fit, language - worse, posterior), word(fit, language, posterior - worse)):
        assert calibration.confidence(Evidence((other,))) <= confidence


def test_pauses_do_not_count_as_words() -> None:
    calibration = load_calibration()
    nothing = Evidence((RecognisedWord("<sil>", 0, 50, -10.0, 0.0, 0.0), RecognisedWord("[NOISE]", 51, 60, -10.0, 0.0, 0.0)))
    assert calibration.confidence(nothing) == 0.0
    assert calibration.objection(nothing, 0.0) == "no words were recognised"


def test_the_reason_names_the_worst_feature() -> None:
    calibration = ConfidenceModel((1.0, 0.0, 1.0, 0.0, 0.0), 0.0, 0.5, (-3.0, -5.0, -2.0, -4.0, -0.5))
    assert "fit the sound badly" in calibration.objection(Evidence((word(-9.0, -2.0),)), 0.1)
    assert "in this order" in calibration.objection(Evidence((word(-3.0, -9.0),)), 0.1)
    assert calibration.objection(Evidence((word(-3.0, -9.0),)), 0.6) == ""


@pytest.mark.parametrize("text", ["", "confidence: 3", "confidence: {weights: {fit: none}}", "a: [", "confidence: {weights: {}}"])
def test_a_broken_calibration_file_is_named(tmp_path: Path, text: str) -> None:
    path = tmp_path / "speech.yaml"
    path.write_text(text)
    with pytest.raises(ModelError, match=r"speech.yaml: no calibration.*sayso train speech") as raised:
        load_calibration(path)
    assert "\n" not in str(raised.value)


def test_every_recording_is_16_khz_mono() -> None:
    import soundfile

    assert len(SENTENCES) > 15
    for path in SENTENCES:
        information = soundfile.info(path)
        assert (information.samplerate, information.channels, information.subtype) == (SAMPLE_RATE, 1, "PCM_16")
    assert recording("bring me the red cup from the kitchen").is_file()
