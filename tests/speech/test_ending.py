"""How long a pause must be to end a sentence."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sayso.domain import load_domain
from sayso.speech.ending import EndingOptions, SentenceEnd
from sayso.speech.recogniser import Recognition, normalised
from sayso.speech.word_ngram import WordNgram, counted, word_ngram

LINES = ["go to the kitchen", "go to the kitchen table", "go to the kitchen and turn left", "turn left", "stop"]


@pytest.fixture(scope="module")
def home() -> SentenceEnd:
    return SentenceEnd(word_ngram(load_domain()))


def heard(*texts: str) -> Recognition:
    return Recognition(normalised([(text, 0.0) for text in texts], len(texts)), 1.0)


@pytest.mark.parametrize(
    "text", ["turn left", "come here", "find the keys", "bring me the red cup from the kitchen", "stop", "go to the kitchen please"]
)
def test_a_complete_command_ends_soon(home: SentenceEnd, text: str) -> None:
    assert home(heard(text)) <= 0.3


@pytest.mark.parametrize("text", ["bring me the", "go to", "put the book on the", "turn left and", "take the blue cup to"])
def test_the_robot_waits_where_a_sentence_breaks_off(home: SentenceEnd, text: str) -> None:
    assert home(heard(text)) >= 0.9


def test_the_robot_waits_if_it_is_unsure_whether_the_sentence_is_complete(home: SentenceEnd) -> None:
    sure, unsure, broken = (home(heard(*texts)) for texts in (["find the keys"], ["find the keys", "find the key in"], ["find the key in"]))
    assert sure < unsure < broken


def test_without_any_text_it_waits_longest(home: SentenceEnd) -> None:
    assert home(Recognition((), 0.0, "no words were recognised")) == home.options.most


def test_the_pause_follows_equation_45() -> None:
    ngram, options = counted(LINES), EndingOptions(least=0.0, most=10.0)
    context = ngram.start
    for word in ["go", "to", "the", "kitchen"]:
        context = ngram.followed(context, word)
    end = ngram.p_end(context)
    opens = ngram.p_word(context, "and")
    silence = SentenceEnd(ngram, options)(heard("go to the kitchen"))

    def more(opening: float) -> float:
        paused = (options.opening * opening + options.inside * (1.0 - end - opening)) * math.exp(-silence / options.lasting)
        return paused / (paused + end)

    # The other openers share what is left for unknown words.
    assert more(opens) == pytest.approx(options.doubt, abs=0.02)


@given(st.lists(st.sampled_from(["go", "to", "the", "kitchen", "table", "and", "turn", "left", "stop", "tupperware"]), max_size=8))
def test_the_pause_is_always_within_its_limits(words: list[str]) -> None:
    end = SentenceEnd(_small())
    assert end.options.least <= end(heard(" ".join(words))) <= end.options.most


def _small() -> WordNgram:
    return counted(LINES)
