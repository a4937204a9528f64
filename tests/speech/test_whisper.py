"""The whisper backend with its real code and random weights: results are meaningless but well-formed."""

from __future__ import annotations

import importlib.util
import math
from pathlib import Path

import numpy as np
import pytest

from recordings import sound
from sayso.domain import load_domain
from sayso.errors import ModelError
from sayso.speech.recognise import SpeechOptions, SpeechToText
from sayso.speech.whisper import WhisperRecogniser, plain

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
