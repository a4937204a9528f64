"""MoonshinePieces of text become plain words with their probability in the domain."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sayso.errors import ModelError
from sayso.speech.pieces import SIZE, MoonshinePieces, in_words, read_pieces
from sayso.speech.word_ngram import counted
from sayso.speech.wording import Opinion, Scribe, repeats

NGRAM = counted(["go to the kitchen", "go to the kitten", "turn ninety degrees", "stop"])


def written(*pieces: str, opinion: Opinion | None = None) -> tuple[tuple[str, ...], float]:
    scribe = Scribe(NGRAM, opinion)
    wording = scribe.nothing
    for piece in pieces:
        wording = scribe.extended(wording, piece)
    whole = scribe.ended(wording)
    return whole.words, whole.log_p


@given(st.lists(st.integers(1, 16), max_size=4))
def test_the_probability_of_a_text_does_not_depend_on_its_pieces(cuts: list[int]) -> None:
    text = "go to the kitchen"
    bounds = [0, *sorted(set(cuts)), len(text)]
    words, log_p = written(*(text[low:high] for low, high in pairwise(bounds)))
    assert words == ("go", "to", "the", "kitchen")
    assert log_p == pytest.approx(NGRAM.log_p(text))


def test_numbers_in_digits_are_words() -> None:
    words, log_p = written(" turn", " 9", "0", " degrees")
    assert words == ("turn", "ninety", "degrees")
    assert log_p == pytest.approx(NGRAM.log_p("turn ninety degrees"))
    assert in_words("245") == ("two", "hundred", "forty", "five")
    assert in_words("1234567") == ("1234567",)


def test_what_the_other_recogniser_heard_becomes_likelier() -> None:
    opinion = Opinion([("go to the kitten", 0.0), ("go", -20.0)])
    assert written(" go", " to", " the", " kitten", opinion=opinion)[1] > written(" go", " to", " the", " kitten")[1]
    assert written(" stop", opinion=opinion)[1] < written(" stop")[1]
    assert written(" kitten", " stop", opinion=opinion)[1] == pytest.approx(written(" kitten", " stop")[1], abs=1.0)


def test_loops_are_recognised_and_repeated_stops_are_not() -> None:
    assert repeats(("go", "to", "the", "door", "and") * 3)
    assert repeats(("two",) * 5)
    assert not repeats(("stop",) * 3)
    assert not repeats(())


@pytest.mark.parametrize("between", ["", "and", "then", "and then"])
def test_a_clause_said_twice_is_a_loop_whatever_links_it(between: str) -> None:
    assert repeats(tuple(f"go to the dock {between} go to my dock".split()))
    assert repeats(tuple(f"find anna and go to the dock {between} go to a dock".split()))


@pytest.mark.parametrize(
    "text",
    [
        "turn left and turn left",
        "bring me the cup and bring me the plate",
        "go to the dock and come back then go to the dock",
        "go to the dock",
    ],
)
def test_clauses_that_only_begin_alike_are_no_loop(text: str) -> None:
    assert not any(repeats(tuple(text.split()[:count])) for count in range(len(text.split()) + 1))


def test_pieces_with_which_a_text_begins_are_found() -> None:
    pieces = MoonshinePieces(["", " go", " g", "go", " to", " going", ","])
    assert sorted(pieces.beginning(" go to")) == [1, 2]
    assert pieces.beginning("x") == []
    assert pieces.beginning("") == []


def test_a_list_of_pieces_that_was_cut_short_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.bin"
    path.write_bytes(b"\x03abc" * SIZE)
    assert len(read_pieces(path)) == SIZE
    path.write_bytes(path.read_bytes()[:-2])
    with pytest.raises(ModelError, match=r"tokenizer\.bin is not Moonshine's list"):
        read_pieces(path)
