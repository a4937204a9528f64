import pytest

from sayso.domain import load_domain
from sayso.intent.gazetteer import Gazetteer
from sayso.selection.choosing.evidence import QUITE

GAZETTEER = Gazetteer(load_domain())
EVERYTHING = frozenset(("place", "object", "person"))


def linked(phrase: str, kinds: frozenset[str] = EVERYTHING, like: str = "") -> dict[str, float]:
    return {link.entity: link.score for link in GAZETTEER.link(tuple(phrase.split()), kinds, like)}


def test_an_exact_name_is_certain() -> None:
    assert linked("the red cup") == {"red_cup": 1.0}
    assert linked("bottle of water") == {"water_bottle": 1.0}


def test_a_category_means_all_its_objects_equally() -> None:
    cups = linked("the cup")
    assert set(cups) == {"red_cup", "blue_cup", "white_cup"}
    assert len(set(cups.values())) == 1


def test_a_head_noun_means_all_places_that_have_it() -> None:
    assert set(linked("the table", frozenset(("place",)))) == {"coffee_table", "dining_table", "kitchen_table", "nightstand"}


@pytest.mark.parametrize("phrase", ["the unicorn", "the garage", "the green cup", "pain", "the purple mug", "zzz"])
def test_unknown_names_are_never_replaced(phrase: str) -> None:
    assert linked(phrase) == {}


def test_attributes_select_objects() -> None:
    assert set(linked("the yellow fruit")) == {"banana", "lemon"}
    assert set(linked("the red one", like="blue_cup")) == {"red_cup"}


def test_an_unknown_adjective_costs_a_little() -> None:
    assert set(linked("my favorite cup")) == {"red_cup", "blue_cup", "white_cup"}
    assert max(linked("my favorite cup").values()) < max(linked("my cup").values())


def test_a_small_misrecognition_is_tolerated() -> None:
    assert linked("tooth brusch") == {"toothbrush": pytest.approx(0.9, abs=0.06)}
    assert "kitchen" in linked("kitchin")


@pytest.mark.parametrize(
    ("phrase", "entity"),
    [("news paper", "newspaper"), ("livingroom", "living_room"), ("tooth brushes", "toothbrush"), ("bath tub", "bathtub")],
)
def test_a_name_is_written_in_one_or_apart(phrase: str, entity: str) -> None:
    assert max(linked(phrase), key=linked(phrase).__getitem__) == entity


def test_a_word_of_the_language_is_hardly_a_misspelt_name() -> None:
    place, domain = frozenset(("place",)), load_domain()
    (misspelt,) = Gazetteer(domain).link(("bathrom",), place)
    (another,) = Gazetteer(domain, lambda word: word == "bathrom").link(("bathrom",), place)
    assert misspelt.entity == another.entity == "bathroom"
    assert another.score < QUITE <= misspelt.score


def test_kinds_restrict_what_a_phrase_may_mean() -> None:
    assert linked("the kitchen", frozenset(("object",))) == {}


def test_plural_and_singular_of_different_objects_stay_distinct() -> None:
    assert linked("the glasses") == {"glasses": 1.0}
    assert linked("the glass") == {"water_glass": 1.0}


def test_the_speaker_has_no_names() -> None:
    assert linked("you") == {}
