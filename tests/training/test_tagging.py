"""Training sentences are tagged correctly, also with recognition errors, and a trained head reproduces the tags."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch", reason="torch is only needed for training")

import torch

from sayso.intent.tagger import Tagger
from sayso.intent.tags import Span, TaggedFrame
from sayso.training.data.corpora import Frame, Framed
from sayso.training.data.hearing import heard_words
from sayso.training.tagger.batches import as_heard_tagged, pooling, read_off, scores
from sayso.training.tagger.config import load_tagger_config
from sayso.training.tagger.sentences import ROLES, Annotation, CommandMaker, Tagged, annotation_of, as_commands, published
from sayso.training.tagger.train import export, fit

pytestmark = pytest.mark.long("trains or exports a network")

PICK = Framed(
    "Michael, take my phone from the black couch.",
    (Frame("Picking", {}, (1,), (("Theme", (3,)), ("Source", (6, 7)), ("Agent", (0,)))),),
    ("Michael,", "take", "my", "phone", "from", "the", "black", "couch."),
)
THERE = Framed("there is a cup", (Frame("Being_located", {}, (1,), (("Theme", (3,)),)),), ("there", "is", "a", "cup"))


def requests(tagged: Tagged) -> list[tuple[str, list[tuple[str, str]]]]:
    def words(span: Span) -> str:
        return " ".join(tagged.words[span.first : span.last + 1])

    return [(words(frame.trigger), [(span.label, words(span)) for span in frame.arguments]) for frame in tagged.frames]


def test_peoples_sentences_get_sayso_roles_with_articles() -> None:
    pick, there = as_commands([PICK, THERE])
    assert requests(pick) == [("take", [("theme", "my phone"), ("source", "the black couch")])]
    assert requests(there) == [], "it is not a request"


def test_a_corpus_keeps_its_published_frames() -> None:
    (pick, _) = every = published([PICK, THERE])
    assert requests(pick) == [("take", [("Theme", "phone"), ("Source", "black couch"), ("Agent", "michael")])]
    assert annotation_of(every) == Annotation(("Being_located", "Picking"), ("Agent", "Source", "Theme"))


@pytest.fixture(scope="module")
def maker() -> CommandMaker:
    return CommandMaker(as_commands([PICK]))


def test_generated_commands_have_tags_within_their_words(maker: CommandMaker) -> None:
    chance = Random(4)
    drawn = [maker.draw(chance) for _ in range(300)]
    for each in drawn:
        for frame in each.frames:
            for span in (frame.trigger, *frame.arguments):
                assert 0 <= span.first <= span.last < len(each.words)
            assert {span.label for span in frame.arguments} <= set(ROLES)
        starts = [frame.trigger.first for frame in each.frames]
        assert starts == sorted(starts)
    assert {len(each.frames) for each in drawn} >= {0, 1, 2, 3}
    assert any("phone" in each.words for each in drawn), "names from everywhere"


def test_templates_kept_for_calibration_are_not_trained_on(maker: CommandMaker) -> None:
    kept = CommandMaker([], held_out=True)
    ours, theirs = ({" ".join(each.words) for group in one._clauses.values() for each in group} for one in (maker, kept))
    assert ours
    assert theirs
    assert len(ours & theirs) < 0.01 * len(ours)  # two templates may come to the same words


def test_tags_stay_on_their_words_with_recognition_errors() -> None:
    sentence = as_commands([PICK])[0]
    for seed in range(200):
        chance = Random(seed)
        heard = as_heard_tagged(sentence, heard_words(sentence.words, chance))
        (frame,) = heard.frames
        assert heard.words[frame.trigger.first] in {"take"}
        for span in frame.arguments:
            said = set(heard.words[span.first : span.last + 1])
            assert said & {"my", "phone", "the", "a", "black", "couch"}, heard


def test_a_word_is_the_mean_of_its_pieces() -> None:
    pool = pooling([[None, 0, 0, 1, None]], 3)[0]
    assert pool.tolist() == [[0, 0.5, 0.5, 0, 0], [0, 0, 0, 1, 0], [0, 0, 0, 0, 0]]


def test_scores_count_found_and_missed_spans() -> None:
    gold = as_commands([PICK, THERE])
    assert scores([each.frames for each in gold], gold).exact == 1.0
    half = (TaggedFrame(gold[0].frames[0].trigger, gold[0].frames[0].arguments[:1]),)
    measured = scores([half, ()], gold)
    assert (measured.trigger_f1, measured.argument_f1, measured.exact) == (1.0, pytest.approx(2 / 3), 0.5)


def test_a_trained_head_and_its_export_reproduce_the_tags(maker: CommandMaker, tmp_path: Path) -> None:
    """With distinct word vectors, a few steps are enough for a few sentences."""
    chance = Random(1)
    sentences = [each for each in (maker.draw(chance) for _ in range(60)) if each.frames][:12]
    table: dict[str, Any] = {}
    random = np.random.default_rng(0)

    def vectors(each: Tagged) -> Any:
        return np.stack([table.setdefault(word, random.normal(size=48).astype(np.float32)) for word in each.words])

    annotation = Annotation(("request",), ROLES)
    config = load_tagger_config().model_copy(update={"steps": 150, "batch": 6, "width": 32, "dropout": 0.0, "learning_rate": 4e-3})
    head = fit(sentences, [vectors(each) for each in sentences], annotation, config, lambda *_: None)
    found = [read_off(head, torch.from_numpy(vectors(each)), annotation) for each in sentences]
    assert scores(found, sentences).trigger_f1 > 0.9
    assert scores(found, sentences).argument_f1 > 0.7
    export(head, annotation, tmp_path / "tagger.onnx")
    tagger = Tagger(None, tmp_path / "tagger.onnx")  # type: ignore[arg-type] - it is given vectors here
    assert tagger.arguments == ROLES
    before = [Tagged(each.words, frames) for each, frames in zip(sentences, found, strict=True)]
    assert scores([tagger.read(vectors(each)) for each in sentences], before).argument_f1 > 0.9
