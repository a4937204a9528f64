"""The way of a sentence through the encoder's layers, and how the head's ranking fits the distances."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sayso.domain import load_domain
from sayso.encoder import SentenceEncoder
from sayso.encoder.layers import turns
from sayso.errors import ModelError
from sayso.intent import IntentClassifier
from sayso.intent.geometry import geometry_of, relevance
from sayso.intent.store import head_of
from sayso.paths import models_dir
from sayso.types import Clause


@pytest.fixture(scope="module")
def encode() -> SentenceEncoder:
    return SentenceEncoder()


def test_straight_on_is_1_back_is_minus_1_and_a_right_turn_is_0() -> None:
    path = np.array([[0.0, 0.0], [1.0, 0.0], [3.0, 0.0], [3.0, 5.0], [3.0, 4.0]])
    assert turns(path) == pytest.approx([1.0, 0.0, -1.0])


def test_a_layer_that_changes_nothing_has_no_direction() -> None:
    assert turns(np.array([[0.0, 1.0], [2.0, 1.0], [2.0, 1.0], [3.0, 1.0]])) == pytest.approx([0.0, 0.0])


@given(st.integers(0, 2**32 - 1), st.floats(0.1, 100.0))
def test_turns_depend_on_neither_the_scale_nor_the_origin(seed: int, scale: float) -> None:
    chance = np.random.default_rng(seed)
    path = chance.normal(size=(5, 3))
    found = turns(path)
    assert (np.abs(found) <= 1.0 + 1e-9).all()
    assert turns(scale * path + chance.normal(size=3)) == pytest.approx(found, abs=1e-6)


def test_the_last_layer_of_the_shipped_encoder_is_its_embedding(encode: SentenceEncoder) -> None:
    for text in ("stop", "bring me the red cup from the kitchen"):
        layers = encode.layers(text)
        assert layers.shape == (7, 384)  # the token embeddings and six layers
        assert layers[-1] / np.linalg.norm(layers[-1]) == pytest.approx(encode([text])[0], abs=1e-5)
        assert turns(layers).shape == (5,)


def test_an_encoder_without_its_layers_says_how_to_make_them(tmp_path: Path) -> None:
    for name in ("encoder.onnx", "tokenizer.json"):
        shutil.copyfile(models_dir() / name, tmp_path / name)
    encode = SentenceEncoder(tmp_path)
    found = geometry_of("stop", encode, head_of(load_domain(), SentenceEncoder()))
    assert found.turns.size == 0
    assert f"sayso train encoder --layers --output {tmp_path}" in found.missing


@pytest.mark.parametrize("content", [b"", b"no graph"])
def test_layers_of_another_encoder_are_refused(tmp_path: Path, content: bytes) -> None:
    for name in ("encoder.onnx", "tokenizer.json"):
        shutil.copyfile(models_dir() / name, tmp_path / name)
    (tmp_path / "encoder_layers.onnx").write_bytes(content)
    with pytest.raises(ModelError, match="was not made for"):
        _ = SentenceEncoder(tmp_path).layers


def test_the_ranking_of_a_clear_command_agrees_with_the_distances() -> None:
    classifier = IntentClassifier(load_domain())
    found = classifier.geometry(Clause("bring me the red cup", 0, 20, "bring", np.ones(1), (), 0.0))
    assert 0.9 < found.agreement <= 1.0
    assert not found.missing


def test_an_intent_without_examples_is_not_relevant() -> None:
    assert relevance(np.array([[0.5, np.inf, 0.0]])) == pytest.approx(np.array([[2.0, 0.0, 1e6]]))
