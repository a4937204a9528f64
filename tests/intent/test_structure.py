"""The head that marks the structure of a sentence, and what the classifier makes of its acts."""

from pathlib import Path

import numpy as np
import pytest

from loaded import default_classifier
from sayso.encoder import SentenceEncoder
from sayso.errors import ModelError, SaysoError
from sayso.intent.clauses import ClauseSpan, words_of
from sayso.intent.marks import Marks
from sayso.intent.structure import StructureTagger
from sayso.intent.tags import Span
from sayso.training.intents.evaluation import transcript_of
from sayso.training.structure.sentences import Marked, marked, read_sentences, varied


@pytest.mark.parametrize(
    ("text", "intent"),
    [
        ("bung the towel in the laundry basket", "put"),
        ("a clean cup for grandma", "bring"),
        ("yo chuck me the ball", "bring"),
        ("lug the vase over to the sofa", "put"),
    ],
)
def test_an_unusual_wording_gets_its_intent_with_the_marks(text: str, intent: str) -> None:
    belief = default_classifier()(transcript_of(text))
    assert [clause.intent for clause in belief.clauses] in ([intent], ["give"] if intent == "bring" else [])


def test_p_of_the_acts_and_of_none_sums_to_one_for_each_word() -> None:
    tag, encode = StructureTagger(), SentenceEncoder()
    every = tuple(label for label in tag.layers["acts"] if label not in ("other", "hint"))
    assert tag.acts(encode.words(["bring", "me", "the", "cup"]), every).sum(1) == pytest.approx(np.ones(4), abs=1e-5)


def test_marks_shift_the_intent_towards_the_act_of_the_words() -> None:
    words = words_of("pop it there")
    acts = np.array([[0.9, 0.0, 0.1]] * 3)
    p = Marks(words, (), acts).weighed(np.array([0.4, 0.6]), ClauseSpan(0, 12, words))
    assert p[0] > 0.85
    assert p.sum() == pytest.approx(1.0)


def test_marks_without_an_act_leave_the_intents_as_they_are() -> None:
    words = words_of("pop it there")
    p = np.array([0.4, 0.6])
    assert Marks(words).weighed(p, ClauseSpan(0, 12, words)) is p
    unsure = Marks(words, (), np.array([[0.0, 0.0, 1.0]] * 3)).weighed(p, ClauseSpan(0, 12, words))
    assert unsure == pytest.approx(p)


def test_a_file_that_is_no_structure_model_is_refused(tmp_path: Path) -> None:
    broken = tmp_path / "structure.onnx"
    broken.write_bytes(b"not a network")
    with pytest.raises(ModelError, match="sayso train structure"):
        StructureTagger(broken)


def test_every_marked_sentence_of_the_training_can_be_read() -> None:
    sentences = list(read_sentences())
    assert len(sentences) > 6000
    assert sum(bool(each.layers[0]) for each in sentences) > 5000


def test_the_marks_of_a_line_become_spans_in_layers() -> None:
    assert marked("[aside the baby's down], [bring could you get [recipient me] [theme 2 cups [on on the table]]]") == Marked(
        ("the", "baby's", "down", ",", "could", "you", "get", "me", "2", "cups", "on", "the", "table"),
        (
            (Span("bring", 4, 12),),
            (Span("aside", 0, 2),),
            (),
            (Span("recipient", 7, 7), Span("theme", 8, 12)),
        ),
    )


def test_commas_can_be_left_out_without_moving_a_mark() -> None:
    bare = marked("[call robot], [go_to go to [goal the sink, please]]").without_commas()
    assert bare.words == ("robot", "go", "to", "the", "sink", "please")
    assert bare.layers == ((Span("go_to", 1, 5),), (Span("call", 0, 0),), (), (Span("goal", 3, 5),))


@pytest.mark.parametrize(("line", "problem"), [("[bring me [theme the milk]", "does not close"), ("bring me] it", "was not opened")])
def test_a_bracket_without_its_other_half_is_named(line: str, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        marked(line)


def test_a_malformed_line_is_named_with_its_file_and_number(tmp_path: Path) -> None:
    path = tmp_path / "mine.txt"
    path.write_text("[stop halt]\n[bring me\n", encoding="utf-8")
    with pytest.raises(SaysoError, match=r"mine\.txt:2: a bracket does not close"):
        list(read_sentences([path]))


def test_sentences_without_a_word_are_not_trained_on() -> None:
    from random import Random

    assert [each.words for each in varied([marked("[stop stop]"), marked("um")], Random(0), 0.0)] == [("stop",)]
