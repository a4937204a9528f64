"""The language model of a domain: its words, pronunciations and cache."""

from __future__ import annotations

import logging
import re
import threading
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pocketsphinx import Decoder

from sayso.domain import Domain, describing, load_domain
from sayso.domain.intents import IntentSpec
from sayso.domain.model import Person
from sayso.domain.wording import plural
from sayso.speech import language_model as models
from sayso.speech.language_model import corpus, language_model
from sayso.speech.pronunciation import by_letters, dictionary

HOME = load_domain()
PHONES = set(re.split(" ", "AA AE AH AO AW AY B CH D DH EH ER EY F G HH IH IY JH K L M N NG OW OY P R S SH T TH UH UW V W Y Z ZH"))


@cache
def lines() -> list[str]:
    """The corpus of the default home."""
    return list(corpus(HOME))


@cache
def words() -> set[str]:
    return {word for line in lines() for word in line.split()}


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Domain:
    """A home with two intents, quick to build, and its own cache."""
    monkeypatch.setenv("SAYSO_CACHE", str(tmp_path))
    monkeypatch.setattr(models, "COMMANDS", 50)
    monkeypatch.setattr(describing, "JOINED", 50)
    intents = {"go_to": IntentSpec(examples=("go to {place}",)), "stop": IntentSpec(examples=("stop",))}
    return HOME.model_copy(update={"intents": intents, "chatter": ()})


def test_every_name_and_every_example_can_be_recognised() -> None:
    for entities in (HOME.places, HOME.objects, HOME.people):
        assert {word for entity in entities.values() for name in entity.names for word in name.split()} <= words()
    for intent in HOME.intents.values():
        for example in intent.examples:
            assert {word for word in example.split() if "{" not in word} <= words()


def test_the_corpus_contains_commands_of_several_clauses() -> None:
    assert sum(" and " in line for line in lines()) > 5_000
    assert "stop" in lines()


def test_descriptions_of_people_and_things_can_be_recognised() -> None:
    assert {"raising", "sweater", "waving", "woman", "elders", "heaviest", "thinnest", "object", "drinks", "introduce", "gender"} <= words()


def test_the_plural_of_every_kind_in_the_home_can_be_recognised() -> None:
    assert {plural(thing.category).split()[-1] for thing in HOME.objects.values()} <= words()


def test_the_corpus_contains_three_clauses_without_and_between_the_first_two() -> None:
    three = re.compile(r"go to the \w+ (meet|find|look for|get|take) .* and ")
    assert sum(three.match(line) is not None for line in lines()) > 10


def test_no_word_of_the_default_home_has_a_guessed_pronunciation(caplog: pytest.LogCaptureFixture) -> None:
    dictionary(words())
    assert "guessed" not in caplog.text


def test_the_model_is_built_once_and_cached(small: Domain) -> None:
    first = language_model(small)
    made = first.arpa.stat().st_mtime_ns
    assert language_model(small) == first
    assert first.arpa.stat().st_mtime_ns == made


def test_a_new_name_gives_another_model(small: Domain) -> None:
    other = small.model_copy(update={"people": {**small.people, "zoe": Person(names=("zoe",))}})
    assert language_model(other) != language_model(small)


def test_costs_do_not_change_the_model(small: Domain) -> None:
    other = small.model_copy(update={"robot": "another robot", "actions": {}})
    assert language_model(other) == language_model(small)


def test_several_processes_can_build_it_at_once(small: Domain, tmp_path: Path) -> None:
    threads = [threading.Thread(target=language_model, args=(small,)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    model = language_model(small)
    assert sorted(path.name for path in model.arpa.parent.iterdir()) == ["sentences.arpa", "words.dict"]
    assert Decoder(lm=str(model.arpa), dict=str(model.dictionary), loglevel="FATAL").lookup_word("kitchen") is not None


def test_an_unwritable_cache_only_costs_time(small: Domain, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    blocked = tmp_path / "a file where the folder should be"
    blocked.touch()
    monkeypatch.setenv("SAYSO_CACHE", str(blocked / "cache"))
    assert language_model(small).arpa.is_file()


def test_every_word_has_a_pronunciation_made_of_known_phones() -> None:
    lines = dictionary(words()).splitlines()
    assert {line.split("(")[0].split(" ")[0] for line in lines} == words()
    assert {phone for line in lines for phone in line.split()[1:]} <= PHONES


@pytest.mark.parametrize(
    ("word", "phones"), [("worktop", "W ER K T AA P"), ("washbasin", "W AA SH B EY S AH N"), ("nightstand", "N AY T S T AE N D")]
)
def test_a_compound_is_pronounced_like_its_parts(word: str, phones: str) -> None:
    assert phones in dictionary([word])


@pytest.mark.parametrize(
    ("word", "phones"),
    [("remotes", "R IH M OW T S"), ("wardrobe's", "W AO R D R OW B Z"), ("worktop's", "W ER K T AA P S"), ("couch's", "K AW CH IH Z")],
)
def test_a_plural_or_possessive_is_pronounced_like_its_word_with_an_s(word: str, phones: str) -> None:
    assert phones in dictionary([word])


def test_an_unknown_word_is_guessed_with_a_warning_that_names_it(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        assert dictionary(["zorbinate"]) == "zorbinate Z AO R B IH N EY T\n"
    assert "zorbinate" in caplog.text
    assert "pronunciations.dict" in caplog.text


@given(st.text(alphabet="abcdefghijklmnopqrstuvwxyz'", min_size=1, max_size=20))
def test_any_word_of_letters_can_be_guessed(word: str) -> None:
    assert set(by_letters(word).split()) <= PHONES
