"""Marked sentences: read, kept without their words, varied; and the chart in torch beside the one in numpy."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from sayso.intent.parser.chart import Grammar, log_sum, score_of
from sayso.intent.parser.labels import LabelSet
from sayso.training.parser.marks import read_marks
from sayso.training.parser.people import with_words, without_words
from sayso.training.parser.variation import Chances, Variation

MUG = "[theme the [attribute blue] mug [next_to next to the sink]]"
MARKED = f"[polite please] [pick_up grab {MUG}], and [put put [theme it] on [goal the desk]]."
ALWAYS = Chances(exchange=1.0, join=1.0, no_commas=0.5, around=1.0, condition=0.5)


def test_a_marked_sentence_has_words_labels_and_intents() -> None:
    sentence = read_marks(MARKED)
    assert " ".join(sentence.words) == "please grab the blue mug next to the sink , and put it on the desk"
    assert sentence.structure[1, 8] == "act"
    assert sentence.values("act") == {(1, 8): "pick_up", (11, 15): "put"}


@pytest.mark.parametrize("line", ["[put the cup", "the cup]", "[no_such_tag the cup]"])
def test_malformed_marks_are_refused(line: str) -> None:
    with pytest.raises(ValueError, match=r"bracket|no tag"):
        read_marks(line)


def test_words_that_nothing_marks_are_courtesy_and_not_content() -> None:
    assert read_marks("would you [go_to go to [goal the hall]] for me").structure[0, 1] == "polite"


def test_marks_without_words_find_their_words_again() -> None:
    text = "please grab the blue mug next to the sink, and put it on the desk."
    marks = without_words(MARKED)
    assert not any(word in marks for word in ("blue", "sink", "grab"))
    again, first = read_marks(with_words(marks, text)), read_marks(MARKED)
    assert (again.words, again.spans) == (first.words, first.spans)


@pytest.mark.parametrize("text", ["please grab", "please grab the blue mug next to the sink, and put it on the desk. now"])
def test_marks_of_another_sentence_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="marks are"):
        with_words(without_words(MARKED), text)


def test_variations_stay_well_formed_and_are_the_same_for_the_same_seed() -> None:
    lines = [MARKED, "[bring bring [recipient me] [theme the tea]] [if if [fact [theme it] is [state hot]]]", "[stop stop]"]
    sentences = [read_marks(line) for line in lines]
    one, two = (
        [variation(each, chance) for each in sentences * 20]
        for variation, chance in [(Variation(sentences, ALWAYS), Random(3)) for _ in range(2)]
    )
    assert one == two
    for each in one:
        places = list(each.structure)
        assert all(0 <= first <= last < len(each.words) for first, last in places)
        assert not any(a < c <= b < d for a, b in places for c, d in places)


def test_training_and_reading_compute_the_same_sums() -> None:
    torch = pytest.importorskip("torch")
    from sayso.training.parser.crf import log_sums, surprise

    labels, rng = LabelSet.of(["act+theme"]), np.random.default_rng(1)
    scores = rng.normal(size=(10, len(labels.names))).astype(np.float32)
    within = rng.normal(size=(len(labels.groups), labels.singles)).astype(np.float32)
    grammar = Grammar.of(labels, within)
    assert float(log_sums(torch.tensor(scores)[None], torch.tensor(within), labels)[4][0, 0]) == pytest.approx(
        log_sum(scores, 4, grammar), abs=1e-3
    )
    structure = {(0, 3): "act", (1, 2): "theme", (1, 1): "attribute"}
    lost = surprise(torch.tensor(scores)[None], torch.tensor(within), labels, [4], [structure])
    assert float(lost[0]) == pytest.approx(log_sum(scores, 4, grammar) - score_of(structure, scores, 4, grammar), abs=1e-3)
