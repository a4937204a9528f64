"""The word n-gram of the domain: probabilities that sum to one, also of the beginnings of words."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sayso.domain import Domain, load_domain
from sayso.domain.intents import IntentSpec
from sayso.speech import language_model as models
from sayso.speech.word_ngram import ORDER, P_UNKNOWN, WordNgram, counted, word_ngram

LINES = ["go to the kitchen", "go to the kitchen", "go to the kitten", "bring me the cup", "turn ninety degrees", "turn nine", "stop"]
NGRAM = counted(LINES)
CONTEXTS = st.lists(st.sampled_from([*NGRAM.words, "tupperware"]), max_size=5)


def after(words: list[str]) -> tuple[int, ...]:
    context = NGRAM.start
    for word in words:
        context = NGRAM.followed(context, word)
    return context


def witten_bell(history: list[str], word: str) -> float:
    """The definition, written out with dictionaries."""
    sentences = [["<s>"] * (ORDER - 1) + line.split() + ["</s>"] for line in LINES]
    kinds = {each for sentence in sentences for each in sentence} - {"<s>"}

    def p(h: tuple[str, ...]) -> float:
        shorter = 1 / len(kinds) if not h else p(h[1:])
        follows = [s[i] for s in sentences for i in range(ORDER - 1, len(s)) if tuple(s[i - len(h) : i]) == h]
        different = len(set(follows))
        lower = shorter if h else 1 / len(kinds)
        return (follows.count(word) + different * lower) / (len(follows) + different) if follows else lower

    return p(tuple((["<s>"] * (ORDER - 1) + history)[-(ORDER - 1) :]))


@given(CONTEXTS)
def test_the_probabilities_of_all_words_sum_to_one(words: list[str]) -> None:
    assert math.fsum(NGRAM.distribution(after(words))) + P_UNKNOWN == pytest.approx(1.0)


@given(CONTEXTS, st.text("ghckitnotepr", min_size=1, max_size=4))
def test_a_prefix_has_the_probability_of_its_words(words: list[str], letters: str) -> None:
    known = [p for word, p in zip(NGRAM.words, NGRAM.distribution(after(words)), strict=False) if word.startswith(letters)]
    unknown = P_UNKNOWN * math.exp(-2.0 * len(letters))
    assert NGRAM.p_prefix(after(words), letters) == pytest.approx(math.fsum(known) + unknown)


@pytest.mark.parametrize("history", [[], ["go"], ["go", "to", "the"], ["bring", "me", "the"], ["the", "cup", "go"]])
@pytest.mark.parametrize("word", ["kitchen", "the", "stop", "cup"])
def test_words_have_the_probability_of_the_definition(history: list[str], word: str) -> None:
    context = after(history)
    assert NGRAM.distribution(context)[NGRAM.words.index(word)] == pytest.approx((1 - P_UNKNOWN) * witten_bell(history, word))


def test_digits_begin_the_numbers_written_with_them() -> None:
    context = after(["turn"])
    distribution = dict(zip(NGRAM.words, NGRAM.distribution(context), strict=False))
    assert NGRAM.p_prefix(context, "9") == pytest.approx(distribution["nine"] + distribution["ninety"] + P_UNKNOWN * math.exp(-2.0))
    assert NGRAM.begins("ninety", "9")
    assert not NGRAM.begins("degrees", "9")


def test_a_word_outside_the_domain_stays_possible() -> None:
    assert NGRAM.log_p("bring me the cup") > NGRAM.log_p("bring me the tupperware") > -50


def test_the_ngram_is_counted_once_and_a_damaged_file_is_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SAYSO_CACHE", str(tmp_path))
    monkeypatch.setattr(models, "COMMANDS", 50)
    intents = {"go_to": IntentSpec(examples=("go to {place}",)), "stop": IntentSpec(examples=("stop",))}
    domain: Domain = load_domain().model_copy(update={"intents": intents, "chatter": ()})
    first: WordNgram = word_ngram(domain)
    (path,) = tmp_path.glob("*/*.npz")
    made = path.stat().st_mtime_ns
    assert word_ngram(domain).log_p("go to the kitchen") == first.log_p("go to the kitchen")
    assert path.stat().st_mtime_ns == made
    path.write_bytes(path.read_bytes()[:1000])
    assert word_ngram(domain).log_p("go to the kitchen") == first.log_p("go to the kitchen")
