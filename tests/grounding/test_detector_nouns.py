"""Phrases are understood as kinds and colours of the detector; other words are named as unknown."""

from __future__ import annotations

import pytest

from sayso.grounding.detector.nouns import Sought, classes, groups, sought


@pytest.mark.parametrize(
    ("phrase", "classes", "colors"),
    [
        ("cup", ("cup",), ()),
        ("the grey mugs", ("cup",), ("gray",)),
        ("a red wine glass", ("wine glass",), ("red",)),
        ("mobile phone", ("cell phone",), ()),
        ("the two knives", ("knife",), ()),
        ("oranges", ("orange",), ()),
        ("orange orange", ("orange",), ("orange",)),
        ("sofa", ("couch",), ()),
        ("pet", ("cat", "dog"), ()),
        ("people", ("person",), ()),
        ("the glasses", ("wine glass", "cup"), ()),
        ("boxes of pizza", ("pizza",), ()),
    ],
)
def test_a_phrase_means_kinds_and_colors(phrase: str, classes: tuple[str, ...], colors: tuple[str, ...]) -> None:
    meant = sought(phrase)
    assert (meant.classes, meant.colors) == (classes, colors)


@pytest.mark.parametrize("phrase", ["green thing", "the green one", "green"])
def test_a_color_alone_means_anything_of_that_color(phrase: str) -> None:
    assert sought(phrase) == Sought(classes(), ("green",))


@pytest.mark.parametrize(("phrase", "unknown"), [("kettle", "kettle"), ("the red spatula", "spatula"), ("cupboard", "cupboard")])
def test_a_noun_without_a_kind_is_unknown(phrase: str, unknown: str) -> None:
    meant = sought(phrase)
    assert meant.classes == ()
    assert meant.unknown == (unknown,)


def test_an_attribute_that_nobody_judges_is_named_and_the_kind_still_sought() -> None:
    assert sought("the wooden spoon") == Sought(("spoon",), (), ("wooden",))


def test_nothing_is_meant_by_an_empty_phrase() -> None:
    assert sought("") == sought("the") == Sought(())


def test_all_kinds_are_those_of_coco_and_groups_have_no_others() -> None:
    assert len(classes()) == len(set(classes())) == 80
    assert not {kind for members in groups().values() for kind in members} - set(classes())


@pytest.mark.parametrize(
    ("phrase", "worn", "unknown"),
    [
        ("red_shirt person", ("red",), ()),
        ("blue_jacket woman", ("blue",), ()),
        ("white_t_shirt child", ("white",), ()),
        ("red man", ("red",), ()),
        ("black_trousers man", (), ("black", "trousers")),
        ("tall red_coat man", ("red",), ("tall",)),
    ],
)
def test_colors_before_a_person_are_those_of_what_is_worn_above(phrase: str, worn: tuple[str, ...], unknown: tuple[str, ...]) -> None:
    assert sought(phrase) == Sought(("person",), (), unknown, worn)
