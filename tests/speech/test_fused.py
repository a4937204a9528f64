"""Moonshine with the domain in its search, and pocketsphinx beside it."""

from __future__ import annotations

import logging
import math
from pathlib import Path

import numpy as np
import pytest

from recordings import hiss, recogniser, sound
from sayso.domain import load_domain
from sayso.speech import moonshine
from sayso.speech.confidence import Evidence
from sayso.speech.fused import SECOND, FusedEvidence, FusedRecogniser, alike
from sayso.speech.fusion import Fused, FusedDecoder, FusedText, FusionOptions, prepared
from sayso.speech.moonshine import FILES, Moonshine, packaged
from sayso.speech.pieces import read_pieces
from sayso.speech.recognise import SpeechOptions, SpeechToText
from sayso.speech.sphinx import SphinxRecogniser
from sayso.speech.word_ngram import counted
from sayso.speech.wording import Opinion
from sayso.types import SAMPLE_RATE

pytestmark = pytest.mark.skipif(bool(moonshine.missing()), reason="the package moonshine-voice is not installed")


@pytest.fixture(scope="module")
def network() -> Moonshine:
    return Moonshine()


@pytest.fixture(scope="module")
def pieces() -> list[str]:
    return read_pieces(packaged("pieces"))


@pytest.fixture(scope="module")
def fused() -> FusedRecogniser:
    return recogniser().recognise  # type: ignore[return-value]


def heard(network: Moonshine, pieces: list[str], lines: list[str], sentence: str, opinion: Opinion | None = None) -> Fused:
    samples = sound(sentence)
    return FusedDecoder(network, pieces, counted(lines))(network.vectors(prepared(samples)), len(samples) / SAMPLE_RATE, opinion)


def test_words_outside_the_domain_are_heard(network: Moonshine, pieces: list[str]) -> None:
    lines = ["go to the office", "bring me the book", "take the bottle to the office"]
    assert heard(network, pieces, lines, "bring me the cup").texts[0].text == "bring me the cup"


def test_the_domain_decides_between_words_that_sound_alike(network: Moonshine, pieces: list[str]) -> None:
    result = heard(network, pieces, ["bring me the cub", "bring me the cub", "where is the cub"], "bring me the cup")
    scores = {text.text: text.language for text in result.texts}
    assert scores["bring me the cub"] > scores["bring me the cup"]


def test_what_the_other_recogniser_heard_is_followed_to_its_end(network: Moonshine, pieces: list[str]) -> None:
    samples, narrow = sound("bring me the cup"), FusionOptions(beam=1, behind=60.0)
    decode = FusedDecoder(network, pieces, counted(["bring me the cup", "bring me the hat"]), narrow)
    vectors, seconds = network.vectors(prepared(samples)), len(samples) / SAMPLE_RATE
    plain, told = (decode(vectors, seconds, opinion) for opinion in (None, Opinion([("bring me the hat", 0.0)])))
    assert "bring me the hat" not in [text.text for text in plain.texts]
    assert told.texts[0].text == "bring me the cup"
    assert "bring me the hat" in [text.text for text in told.texts]


def test_every_wording_is_listed_once_with_the_best_first(network: Moonshine, pieces: list[str]) -> None:
    texts = heard(network, pieces, ["bring me the cup"], "bring me the cup").texts
    assert len({text.text for text in texts}) == len(texts)
    assert [text.score for text in texts] == sorted((text.score for text in texts), reverse=True)
    assert all(text.acoustic <= 0.0 and text.language < 0.0 and text.worst <= 0.0 for text in texts)


def test_a_long_sound_is_heard_to_its_end(network: Moonshine, pieces: list[str]) -> None:
    pause = np.zeros(3 * SAMPLE_RATE, np.int16)
    samples = np.concatenate([pause, sound("go to the kitchen"), pause, pause, sound("stop")])
    assert len(samples) > 11 * SAMPLE_RATE
    decode = FusedDecoder(network, pieces, counted(["go to the kitchen", "go to the kitchen and stop"]))
    assert "kitchen" in decode(network.vectors(prepared(samples)), len(samples) / SAMPLE_RATE).texts[0].text


@pytest.mark.parametrize(
    "change",
    [
        lambda samples: np.clip(samples.astype(int) * 8, -32768, 32767),
        lambda samples: np.clip(samples.astype(int) + 9_000, -32768, 32767),
        lambda samples: samples // 40,
    ],
    ids=["clipped", "with an offset", "quiet"],
)
def test_a_spoilt_sound_is_still_heard(change: object) -> None:
    samples = np.asarray(change(sound("go to the kitchen")), np.int16)  # type: ignore[operator]
    assert recogniser()(samples).text == "go to the kitchen"


def test_a_sound_longer_than_any_command_is_refused_with_its_length() -> None:
    transcript = recogniser()(hiss(31.0))
    assert not transcript.alternatives
    assert "lasts 31 s" in transcript.rejected


@pytest.mark.parametrize(("second", "free"), [("stop", "go"), ("go", "stop"), ("halt", "go")])
def test_no_other_command_is_accepted_where_one_of_the_two_heard_a_stop(
    fused: FusedRecogniser, monkeypatch: pytest.MonkeyPatch, second: str, free: str
) -> None:
    best = (FusedText("go", 0.0, 0.0, 0.0, 0.0),)
    evidence = FusedEvidence(Fused(best, FusedText(free, 0.0, 0.0, 0.0, 0.0)), second, Evidence(()), 8.0, -16.0)
    monkeypatch.setattr(FusedRecogniser, "evidence", lambda *_: evidence)
    assert "a stop" in fused(sound("stop")).rejected


def texts_of(fused: FusedRecogniser, best: str, second: str) -> dict[str, float]:
    """P of each text where the two recognisers heard these."""
    free = FusedText(best, -2.0, -2.0, -30.0, -1.0)
    evidence = FusedEvidence(Fused((FusedText(best, -8.0, -2.0, -10.0, -1.0),), free), second, Evidence(()), 0.0, -11.0)
    return {each.text: math.exp(each.log_p) for each in fused.recognition(evidence).alternatives}


def test_what_pocketsphinx_heard_is_an_alternative(fused: FusedRecogniser) -> None:
    heard = texts_of(fused, "give me the pen", "give anna the pen")
    assert list(heard) == ["give me the pen", "give anna the pen"]
    assert 0.0 < heard["give anna the pen"] < SECOND
    assert list(texts_of(fused, "give me the pen", "give me the pen")) == ["give me the pen"]


def test_nothing_takes_probability_from_a_stop(fused: FusedRecogniser) -> None:
    assert list(texts_of(fused, "stop", "go")) == ["stop"]


def test_agreement_and_a_close_free_text_raise_the_confidence(fused: FusedRecogniser) -> None:
    def confidence(second: str, free: float) -> float:
        best = (FusedText("bring me the cup", -8.0, -2.0, -10.0, -1.0),)
        return fused.calibration.confidence(
            FusedEvidence(Fused(best, FusedText("", free, free, -30.0, -1.0)), second, Evidence(()), 0.0, -11.0)
        )

    assert confidence("bring me the cup", -2.0) > confidence("bring me the cap", -2.0) > confidence("move", -2.0)
    assert confidence("bring me the cup", -1.0) < confidence("bring me the cup", -2.0)
    assert alike("", "stop") == 0.0


def test_without_the_package_pocketsphinx_recognises_alone(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    monkeypatch.setattr(moonshine, "PACKAGE", "no_such_package")
    with caplog.at_level(logging.WARNING):
        alone = SpeechToText(load_domain(), SpeechOptions())
    assert isinstance(alone.recognise, SphinxRecogniser)
    assert "pip install --no-deps moonshine-voice==0.1.0" in caplog.text
    assert alone(sound("stop")).text == "stop"


@pytest.mark.parametrize("file", ["encoder", "decoder", "pieces"])
def test_an_altered_file_is_named_and_not_used(file: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    monkeypatch.setitem(FILES, file, (FILES[file][0], "0" * 64))  # type: ignore[index]
    with caplog.at_level(logging.WARNING):
        assert isinstance(SpeechToText(load_domain()).recognise, SphinxRecogniser)
    assert Path(FILES[file][0]).name in caplog.text  # type: ignore[index]
