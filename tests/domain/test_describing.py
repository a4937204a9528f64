"""Sentences with described people and things, for the recogniser's language model."""

from __future__ import annotations

import re
from functools import cache
from itertools import islice
from pathlib import Path

import pytest

from sayso.domain import Domain, load_domain
from sayso.domain.describing import described
from sayso.domain.english import english
from sayso.intent.meaning.looks import with_looks
from sayso.intent.meaning.noun_words import PEOPLE, RELATIONS
from sayso.looks import GARMENTS, is_look
from sayso.representation import Description

ROOT = Path(__file__).parents[2]
HOME = load_domain()


@cache
def lines() -> list[str]:
    """All sentences of the default home."""
    return list(described(HOME))


def looks_of(phrase: str) -> tuple[str, ...]:
    return with_looks(Description(phrase, 0, len(phrase), pronoun="person")).attributes


def test_the_same_seed_gives_the_same_sentences() -> None:
    assert list(islice(described(HOME), 300)) == lines()[:300]
    assert list(islice(described(HOME, seed=1), 300)) != lines()[:300]


def test_no_sentence_has_an_empty_or_an_open_slot() -> None:
    assert all(line and not set(line) & set("{}<>()|") and "  " not in line for line in lines())


def test_every_way_to_say_how_somebody_looks_is_understood() -> None:
    for label, phrases in english().doing.items():
        for phrase in phrases:
            first = re.sub(r"\(([^|)]*)[^)]*\)", r"\1", phrase)
            assert label in looks_of(f"the person {first}"), first


def test_every_noun_for_a_person_is_understood() -> None:
    for label, noun in english().being.items():
        for word in (*noun.one, *noun.many):
            assert label in looks_of(f"the {word}")
            assert is_look(label)
    assert {*english().anybody.one, *english().anybody.many} <= PEOPLE | {"guest"}


@pytest.mark.parametrize("colour", ["", "red ", "grey "])
def test_every_garment_is_understood(colour: str) -> None:
    assert set(english().garments) == set(GARMENTS)
    for garment, words in english().garments.items():
        for word in words:
            assert looks_of(f"the person wearing a {colour}{word}") == ("_".join([*colour.replace("grey", "gray").split(), garment]),)


def test_relations_between_things_are_understood() -> None:
    for phrase in ("to the left of", "on the right of", "next to", "beside", "behind", "in front of", "near", "under", "on top of"):
        assert tuple(phrase.split()) in RELATIONS


def test_people_are_told_by_look_clothes_pose_and_place() -> None:
    for words in (
        r"raising \w+ left arm",
        r"wearing (a|the) red \w+",
        "lying down",
        r"(youngest|oldest|tallest|nearest) (woman|man|girl|boy|person)",
        r"all (the|of the) (children|women|men) in the",
    ):
        assert any(re.search(words, line) for line in lines()), words


def test_things_are_told_by_order_colour_number_use_and_place() -> None:
    for words in ("heaviest", r"three \w+s", "something to drink", "the (object|thing|one) to the left of", r"the green \w+ (on|in) the"):
        assert any(re.search(words, line) for line in lines()), words


def test_people_ask_the_robot_to_point() -> None:
    for said in (r"point (at|to) the \w+", r"point out the .+ to me", r"show me where the \w+ is", r"point (at|to) (anna|ben|carla)"):
        assert any(re.fullmatch(said, line) for line in lines()), said


def test_a_second_clause_speaks_of_the_person_or_thing_of_the_first() -> None:
    for words in (
        r"(meet|get to know) \w+ and (follow|guide|lead|go after) (him|her)",
        r"(find|pinpoint) .*\w and then (bring|give) it to me",
        r"(salute|welcome) .*\w and introduce (him|her|them) to \w+",
        r"(guide|conduct) \w+ from the \w+ to the \w+",
        r"(distribute|serve) (drinks|snacks) to",
        r"the (left|right) most \w+",
        r"count the \w+s .*and report to me",
    ):
        assert any(re.search(words, line) for line in lines()), words


def test_a_home_without_such_intents_gets_no_sentence_about_people() -> None:
    bar = load_domain(ROOT / "examples" / "coffee" / "coffee.yaml")
    assert not {"woman", "wearing", "introduce", "meet"} & {word for line in described(bar) for word in line.split()}


def test_a_home_without_rooms_gets_no_sentence_with_a_room() -> None:
    bare: Domain = HOME.model_copy(update={"places": {}})
    lines = list(described(bare))
    assert lines
    assert not any("kitchen" in line for line in lines)


def test_a_home_without_intents_gets_no_sentence() -> None:
    assert not list(described(HOME.model_copy(update={"intents": {}})))
