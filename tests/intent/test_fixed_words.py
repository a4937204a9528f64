"""Words that the examples of an intent spell out belong to the act: they fill no role, and they are evidence for the intent."""

from __future__ import annotations

from pathlib import Path

import pytest

from sayso.domain import Domain, load_domain
from sayso.intent import IntentClassifier
from sayso.intent.clauses import words_of
from sayso.intent.fixed_words import FixedWords, fixed_words, stem
from sayso.intent.gazetteer import Gazetteer
from sayso.intent.grammar import verbs_of
from sayso.intent.mentions import MentionFinder
from sayso.intent.word_evidence import WordEvidence
from sayso.pipeline import Pipeline
from sayso.training.intents.evaluation import transcript_of
from sayso.types import Role

OWN_HOME = Path(__file__).parents[1] / "data" / "own_home.yaml"
OWN = ("water_plants", "vacuum")


@pytest.fixture(scope="module")
def home() -> Domain:
    return load_domain(OWN_HOME)


@pytest.fixture(scope="module")
def pipeline(home: Domain) -> Pipeline:
    return Pipeline(home)


def test_fixed_words_are_those_outside_the_slots(home: Domain) -> None:
    fixed = fixed_words(home)
    assert fixed["vacuum"] == {"vacuum", "run", "clean", "carpet", "hoover", "floor"}
    assert fixed["water_plants"] == {"water", "plants", "give", "flowers"}
    assert not fixed["water_plants"] & {"room", "kitchen", "the", "in", "could", "please"}


@pytest.mark.parametrize(
    ("word", "root"),
    [
        ("plants", "plant"),
        ("mopped", "mop"),
        ("mopping", "mop"),
        ("vacuuming", "vacuum"),
        ("filled", "fill"),
        ("bed", "bed"),
        ("ring", "ring"),
    ],
)
def test_the_stem_lacks_regular_endings(word: str, root: str) -> None:
    assert stem(word) == root


def test_forms_of_a_verb_have_one_stem() -> None:
    for forms in ("shake shaking", "wipe wiped wiping", "sweep sweeping", "push pushes pushed", "scan scanned scanning scans"):
        assert len(set(map(stem, forms.split()))) == 1, forms


def test_the_act_explains_its_words_in_all_forms(home: Domain) -> None:
    fixed = FixedWords(home, Gazetteer(home))
    assert all(fixed.explain("vacuum", word) for word in ("vacuumed", "carpets", "hoovering"))
    assert not any(fixed.explain("vacuum", word) for word in ("plants", "kitchen", "red"))


def beyond(home: Domain, intent: str, text: str) -> list[str]:
    gazetteer = Gazetteer(home)
    verbs = verbs_of(example for spec in home.intents.values() for example in spec.examples)
    mentions = MentionFinder(verbs, gazetteer)(words_of(text))
    return [" ".join(mention.text) for mention in FixedWords(home, gazetteer).beyond(intent, mentions)]


@pytest.mark.parametrize(
    ("intent", "text", "left"),
    [
        ("vacuum", "run the vacuum in the study", ["the study"]),
        ("vacuum", "vacuum the study floor", ["the study"]),
        ("vacuum", "clean the red carpet in the study", ["the red carpet", "the study"]),  # "red" is not explained
        ("water_plants", "water the plant in the winter garden", ["the winter garden"]),
        ("bring", "bring me the keys", ["me", "the keys"]),
        ("bring", "bring me the flowers", ["me", "the flowers"]),  # fixed words of another intent
    ],
)
def test_what_the_act_explains_fills_no_role(home: Domain, intent: str, text: str, left: list[str]) -> None:
    assert beyond(home, intent, text) == left


def test_a_name_of_the_home_wins_over_a_fixed_word(home: Domain) -> None:
    fern = home.objects["keys"].model_copy(update={"names": ("plants",), "category": "plants"})
    roles = {"theme": home.intents["bring"].roles["theme"], **home.intents["water_plants"].roles}
    own = home.intents["water_plants"].model_copy(update={"roles": roles})
    greener = home.model_copy(
        update={"objects": {**home.objects, "fern": fern}, "intents": {**home.intents, "water_plants": own}},
    )
    assert beyond(greener, "water_plants", "water the plants in the study") == ["the plants", "the study"]


def test_a_fixed_word_where_the_examples_have_a_slot_may_name_a_role(home: Domain) -> None:
    assert beyond(home, "go_to", "go to the room") == ["the room"]  # one of 34 examples says "leave the room and go to …"
    own = home.intents["vacuum"].model_copy(update={"examples": ("leave the room and drive to the {place}", "knock at the {place} door")})
    home = home.model_copy(update={"intents": {**home.intents, "vacuum": own}})
    assert beyond(home, "vacuum", "drive to the room") == ["the room"]
    assert beyond(home, "vacuum", "leave the room") == []


def test_it_is_left_out_where_an_example_begins_with_it(home: Domain) -> None:
    smelly = home.intents["vacuum"].model_copy(update={"examples": ("it smells in the {room}",)})
    home = home.model_copy(update={"intents": {**home.intents, "vacuum": smelly}})
    assert beyond(home, "vacuum", "it smells in the study") == ["the study"]
    assert beyond(home, "put", "it belongs on the shelf")[0] == "it"


@pytest.mark.parametrize("room", ["kitchen", "living room", "study", "winter garden"])
@pytest.mark.parametrize("intent", OWN)
def test_all_examples_of_own_intents_work_in_all_rooms(pipeline: Pipeline, intent: str, room: str) -> None:
    for example in pipeline.domain.intents[intent].examples:
        understood = pipeline.understand(example.replace("{room}", room))
        if "{room}" in example:
            assert [str(action) for action in understood.actions] == [f"{intent}(goal={room.replace(' ', '_')})"], example
            assert understood.decision == "execute", example
        else:
            assert (understood.decision, understood.question) == ("ask", pipeline.domain.actions[intent].ask["goal"]), example


def test_an_unknown_place_is_still_named(pipeline: Pipeline) -> None:
    assert pipeline.understand("water the plants in the garage").question == "I don't know the garage."


def test_a_required_role_is_asked_for_even_if_the_goal_does_not_name_it(home: Domain) -> None:
    skills = {
        **home.skills,
        "vacuum": home.skills["vacuum"].model_copy(update={"arguments": {}, "requires": (), "effects": ("vacuumed()",)}),
    }
    actions = {**home.actions, "vacuum": home.actions["vacuum"].model_copy(update={"goal": ("vacuumed()",)})}
    pipeline = Pipeline(home.model_copy(update={"skills": skills, "actions": actions}))
    assert pipeline.understand("run the vacuum").question == "Which room should I vacuum?"
    assert pipeline.understand("run the vacuum in the study").decision == "execute"


def test_roles_may_have_any_name(home: Domain) -> None:
    vacuum = home.intents["vacuum"]
    own = vacuum.model_copy(update={"roles": {"room": vacuum.roles["goal"]}})
    classify = IntentClassifier(home.model_copy(update={"intents": {**home.intents, "vacuum": own}}))
    for text, entity in (("vacuum the study", "study"), ("vacuum the garage", "")):
        (role,) = classify(transcript_of(text)).clauses[0].roles
        assert (role.name, role.entity) == ("room", entity), text


def test_words_are_evidence_for_enrolled_intents_only(home: Domain) -> None:
    intents = tuple(home.intents)
    evidence = WordEvidence(home, intents, OWN)
    p = evidence("sweep the carpet with the hoover")
    assert p.shape == (len(intents),)
    assert intents[int(p.argmax())] == "vacuum"
    assert (evidence("bring me the keys") == 1.0).all()
    assert (WordEvidence(home, intents, ())("hoover the carpet") == 1.0).all()


def test_familiar_words_count_only_with_all_required_roles(home: Domain) -> None:
    evidence = WordEvidence(home, tuple(home.intents), OWN)
    study = Role("goal", "the study", 0, 9, "study", "place", 1.0)
    unknown = Role("goal", "the garage", 0, 10)
    assert evidence.familiarity("the study carpet is dirty", "vacuum", (study,)) > 1.0
    assert evidence.familiarity("the study carpet is dirty", "vacuum", ()) == 0.0
    assert evidence.familiarity("the garage carpet is dirty", "vacuum", (unknown,)) == 0.0
    keys = Role("goal", "the keys", 0, 8, "keys", "object", 1.0)
    assert evidence.familiarity("the keys on the carpet are dirty", "vacuum", (keys,)) == 0.0
    assert evidence.familiarity("go to the study", "go_to", (study,)) == 0.0
