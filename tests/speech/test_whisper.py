"""Both Whisper backends. Random weights show that results are well-formed; real ones, that the words are right.

No package that we depend on has Whisper's weights. Where you have them, SAYSO_WHISPER_PT names a .pt file of openai-whisper, and
SAYSO_WHISPER_CT2 a folder of faster-whisper; both English, tiny.en or larger.
"""

from __future__ import annotations

import importlib.util
import math
import os
from pathlib import Path

import numpy as np
import pytest

from recordings import hiss, sound
from sayso.domain import load_domain
from sayso.errors import ModelError
from sayso.speech.faster_whisper import FasterWhisperRecogniser
from sayso.speech.recognise import SpeechOptions, SpeechToText
from sayso.speech.recogniser import Recogniser
from sayso.speech.whisper import WhisperRecogniser
from sayso.speech.whisper_texts import Hypothesis, Listened, TextChoice, in_context, plain, repeats, spoken, written

MISSING = [name for name in ("whisper", "torch") if importlib.util.find_spec(name) is None]
needs_whisper = pytest.mark.skipif(bool(MISSING), reason=f"not installed: {', '.join(MISSING)}")


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkpoint of a whisper model with one small layer."""
    import torch
    from whisper.model import ModelDimensions, Whisper

    torch.manual_seed(0)
    dimensions = ModelDimensions(
        n_mels=80, n_audio_ctx=1500, n_audio_state=16, n_audio_head=1, n_audio_layer=1,
        n_vocab=51_864, n_text_ctx=32, n_text_state=16, n_text_head=1, n_text_layer=1,
    )  # fmt: skip
    model = Whisper(dimensions)
    for parameter in model.parameters():  # whisper leaves some of them uninitialised
        torch.nn.init.normal_(parameter, std=0.02)
    path = tmp_path_factory.mktemp("whisper") / "tiny.pt"
    torch.save({"dims": vars(dimensions), "model_state_dict": model.state_dict()}, path)
    return path


@pytest.mark.long("compares with another program")
@needs_whisper
def test_result_has_normalised_alternatives_or_a_reason(checkpoint: Path) -> None:
    recognise = SpeechToText(load_domain(), SpeechOptions("whisper", alternatives=3, whisper_weights=checkpoint))
    transcript = recognise(sound("stop"), 1.0, "u", 2.0)
    assert recognise(sound("stop"), 1.0, "u", 2.0) == transcript
    assert (transcript.utterance_id, transcript.started, transcript.stamp) == ("u", 1.0, 2.0)
    assert 0.0 <= transcript.confidence <= 1.0
    assert len(transcript.alternatives) <= 3
    assert "too doubtful" in transcript.rejected
    assert math.fsum(math.exp(heard.log_p) for heard in transcript.alternatives) == pytest.approx(1.0)
    assert recognise(np.zeros(16_000, np.int16)).rejected == "silence"


@pytest.mark.long("compares with another program")
@needs_whisper
def test_an_invalid_checkpoint_is_named(tmp_path: Path) -> None:
    path = tmp_path / "base.en.pt"
    path.write_text("not weights")
    with pytest.raises(ModelError, match=r"base.en.pt: not a whisper checkpoint"):
        WhisperRecogniser(path)


def test_missing_weights_are_never_downloaded(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="no whisper weights there; fetch a model"):
        WhisperRecogniser(tmp_path / "large.pt")


@pytest.mark.parametrize(
    ("text", "words"),
    [(" Go to the kitchen, please.", "go to the kitchen please"), ("Don’t stop!", "don't stop"), (" ...", ""), ("Turn 90°", "turn 90")],
)
def test_texts_lose_case_and_punctuation(text: str, words: str) -> None:
    assert plain(text) == words
    assert plain(words) == words


def test_numbers_are_written_in_words() -> None:
    assert spoken("Turn 90 degrees.") == "turn ninety degrees"


def test_other_texts_are_scored_as_whisper_writes_them() -> None:
    assert written("i want anna to come", {"anna"}) == "I want Anna to come."


def test_other_letters_stay() -> None:
    assert plain("Fahr in die Küche!") == "fahr in die küche"


@pytest.mark.parametrize("text", ["stop stop", "go on go on go on", "find the keys find the keys", "um bring the cup bring the cup bring"])
def test_what_is_said_again_is_noticed(text: str) -> None:
    assert repeats(text.split())


@pytest.mark.parametrize("text", ["", "stop", "bring the cup to anna and bring the cup to ben", "turn left and turn right"])
def test_what_only_resembles_it_is_not(text: str) -> None:
    assert not repeats(text.split())


QUIET = np.zeros(16_000, np.int16)
BEAM = [Hypothesis(" Go to the duck.", -2.0, 6), Hypothesis(" Go to the dock.", -3.5, 6), Hypothesis(" go to the dock", -4.0, 5)]


def heard(beam: list[Hypothesis], no_speech: float = 0.1) -> Listened:
    """Whisper's texts; any other one is impossible to it."""
    return Listened(beam, no_speech, lambda texts: [Hypothesis(text, -60.0, 6) for text in texts])


def test_the_domain_decides_between_words_that_sound_alike() -> None:
    assert TextChoice(None, 5)(QUIET, heard(BEAM)).alternatives[0].text == "go to the duck"
    assert TextChoice(load_domain(), 5)(QUIET, heard(BEAM)).alternatives[0].text == "go to the dock"


def test_a_word_outside_the_domain_stays_possible() -> None:
    beam = [Hypothesis(" Bring me the tupperware.", -1.0, 7), Hypothesis(" Bring me the table wear.", -7.0, 8)]
    result = TextChoice(load_domain(), 5)(QUIET, heard(beam))
    assert (result.alternatives[0].text, result.rejected) == ("bring me the tupperware", "")


def test_talk_about_other_things_is_rejected() -> None:
    beam = [Hypothesis(" The stock market fell by three percent on Monday.", -2.0, 11)]
    assert "not a sentence of this home" in TextChoice(load_domain(), 5)(QUIET, heard(beam)).rejected


def test_no_speech_and_doubtful_words_are_rejected() -> None:
    choose = TextChoice(None, 5)
    assert choose(QUIET, heard([Hypothesis(" you", -4.0, 2)], 0.9)).rejected == "no speech in it (probability 0.90)"
    assert "too doubtful" in choose(QUIET, heard([Hypothesis(" you", -4.0, 2)], 0.1)).rejected
    assert choose(QUIET, heard([Hypothesis(" ...", -1.0, 2)], 0.1)).alternatives == ()


@pytest.mark.parametrize(("seconds", "context"), [(0.5, 6.0), (5.0, 7.0), (29.0, 30.0), (40.0, 30.0)])
def test_the_encoder_hears_the_utterance_and_some_silence(seconds: float, context: float) -> None:
    assert len(in_context(np.ones(round(seconds * 16_000), np.int16))) == context * 16_000


def test_missing_weights_of_faster_whisper_are_never_downloaded(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"model.bin, config.json, tokenizer.json of faster-whisper missing; fetch a model"):
        FasterWhisperRecogniser(tmp_path)
    with pytest.raises(ModelError, match="no folder given"):
        FasterWhisperRecogniser(None)


@pytest.mark.long("compares with another program")
@pytest.mark.skipif(importlib.util.find_spec("faster_whisper") is None, reason="not installed: faster_whisper")
def test_weights_of_faster_whisper_cut_short_are_named(tmp_path: Path) -> None:
    for name in ("model.bin", "config.json", "tokenizer.json"):
        (tmp_path / name).write_bytes(b"{}")
    with pytest.raises(ModelError, match="not a Whisper model of CTranslate2"):
        FasterWhisperRecogniser(tmp_path)


@pytest.fixture(scope="module", params=["SAYSO_WHISPER_PT", "SAYSO_WHISPER_CT2"])
def recogniser(request: pytest.FixtureRequest) -> Recogniser:
    """With real weights and the default home."""
    weights = os.environ.get(request.param)
    if not weights:
        pytest.skip(f"{request.param} names no weights of Whisper: see the head of this file")
    of = WhisperRecogniser if request.param == "SAYSO_WHISPER_PT" else FasterWhisperRecogniser
    return of(Path(weights), 5, load_domain())


@pytest.mark.long("compares with another program")
def test_real_weights_hear_the_recorded_sentences(recogniser: Recogniser) -> None:
    said = ["stop", "come here", "bring me the green bottle", "turn left", "go to the kitchen and bring me the red cup"]
    assert [recogniser(sound(text)).alternatives[0].text for text in said] == said


@pytest.mark.long("compares with another program")
def test_real_weights_reject_noise(recogniser: Recogniser) -> None:
    assert recogniser(hiss(2.0)).rejected
