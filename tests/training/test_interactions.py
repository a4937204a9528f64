"""Generated interactions have known meanings, and decisions are judged by them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from replay_bags import CONFIG, context, heard, save
from sayso.domain import load_domain
from sayso.errors import SaysoError
from sayso.intent.learning import kept_for_calibration
from sayso.replay.confirmed import confirmed
from sayso.training.selection.habits import SimulatedHabits
from sayso.training.selection.hand_written import hand_written
from sayso.training.selection.interactions import Saying, interactions, parts, sayings, without
from sayso.training.selection.meanings import ANYTHING, Meaning, goal_of, same_said
from sayso.training.selection.person import judged
from sayso.training.selection.simulated_classifier import SimulatedClassifier
from sayso.types import Action, ActionBelief, ActionCandidate, Context, Decision

HOME = load_domain()
COMMANDS = Path(__file__).parents[1] / "data" / "commands.yaml"
RED, BLUE, WHITE = (Action("bring", (("recipient", "operator"), ("theme", f"{colour}_cup"))) for colour in ("red", "blue", "white"))
FEW = sayings(HOME, 3)


def of(*templates: str) -> list[Saying]:
    """Every sentence of these templates."""
    return sayings(HOME, 200, 0, templates.__contains__)


def test_the_cup_is_one_of_the_cups_and_a_cup_is_any() -> None:
    found = of("bring me the {object}", "i want a {object}")
    one = [each.meaning.actions for each in found if each.sentence.text == "bring me the cup"]
    assert {action.argument("theme") for actions in one for action in actions} == {"red_cup", "blue_cup", "white_cup"}
    assert all(len(actions) == 1 for actions in one)
    articles = [each for each in found if each.sentence.slots[0].text.startswith("a ") and not each.sentence.slots[0].entity]
    assert all(len(each.meaning.actions) > 1 for each in articles)


def test_a_room_stands_for_the_surfaces_in_it() -> None:
    rooms = [each for each in of("bring the {object} to the {place}") if each.sentence.text.endswith("study")]
    assert {action.argument("goal") for each in rooms for action in each.meaning.actions} == {"desk", "filing_cabinet"}


def test_an_action_without_a_skill_is_impossible() -> None:
    possible = {each.sentence.text: each.meaning.possible for each in of("tidy up the {place}", "vacuum the carpet", "stop")}
    assert not possible["vacuum the carpet"]
    assert not any(each for sentence, each in possible.items() if sentence.startswith("tidy up "))
    assert possible["stop"]


def test_templates_with_a_second_request_are_left_out() -> None:
    assert not of("drive up to the {place} and stay there")


def test_the_dock_is_gone_to_or_docked_at() -> None:
    assert same_said(HOME)["go_to", "dock"] == Action("dock")


def test_the_same_seed_gives_the_same_interactions() -> None:
    pool = FEW[::9]
    assert list(interactions(HOME, pool, 40, 5)) == list(interactions(HOME, pool, 40, 5)) != list(interactions(HOME, pool, 40, 6))


def test_the_held_thing_is_mentioned_only_while_it_is_held() -> None:
    pool = [each for each in FEW if each.meaning.in_hand or each.sentence.intent == "stop"]
    drawn = [each for each in interactions(HOME, pool, 400) if each.meaning.in_hand]
    assert drawn
    assert all(action.argument("theme") == each.context.holding != "" for each in drawn for action in each.meaning.actions)


def test_likely_actions_in_a_context_are_requested_more_often() -> None:
    drawn = list(interactions(HOME, FEW[::3], 4_000))
    low, full = ([each.intent == "dock" for each in drawn if (each.context.battery < 0.2) == is_low] for is_low in (True, False))
    assert np.mean(low) > 2.0 * np.mean(full)


def test_habits_change_the_frequencies_of_actions() -> None:
    pool = FEW[::5]
    habits = SimulatedHabits(HOME, {"name": 2.0, "value": 1.0, "hour": 0.5}, seed=3)
    actions = [Action(name) for name in HOME.actions]
    often = actions[int(np.argmax(habits(np.ones(len(actions)), actions, Context())))].name
    drawn = [interactions(HOME, pool, 800, 1, draw) for draw in (None, habits.draw)]
    share = [np.mean([each.meaning.actions[0].name == often for each in one]) for one in drawn]
    assert share[1] > share[0]


def test_the_parts_hold_no_trained_template_and_every_intent_keeps_some() -> None:
    halves = parts(HOME)
    assert all(kept_for_calibration(template) for half in halves for template in half)
    assert not halves[0] & halves[1]
    for half in halves:
        rest = without(HOME, half)
        assert all(spec.examples and not half & set(spec.examples) for spec in rest.intents.values())


@pytest.mark.parametrize("accuracy", [0.6, 0.93])
def test_a_simulated_classifier_has_its_accuracy_and_is_calibrated(accuracy: float) -> None:
    p_train = dict(zip(HOME.intents, np.random.default_rng(0).dirichlet(np.full(len(HOME.intents), 2.0)).tolist(), strict=True))
    classify = SimulatedClassifier(p_train, accuracy, seed=1)
    drawn = list(interactions(HOME, FEW, 8))
    chance = np.random.default_rng(2)
    right, sure = [], []
    for intent in chance.choice(list(p_train), 3_000, p=np.array(list(p_train.values())) / sum(p_train.values())):
        clause = classify(replace(drawn[0], intent=str(intent))).clauses[0]
        right.append(clause.intent == intent)
        sure.append(clause.probabilities.max())
    assert np.mean(right) == pytest.approx(accuracy, abs=0.03)
    assert np.mean(sure) == pytest.approx(np.mean(right), abs=0.02)


def decided(decision: Decision, top: Action, *options: Action, p: float = 0.9) -> ActionBelief:
    others = (ActionCandidate(0, other, 1.0, 0.5, 1.0 - p, 0.0) for other in {RED, BLUE} - {top})
    return ActionBelief("", 0.0, (ActionCandidate(0, top, 1.0, 0.5, p, 0.0), *others), decision, "", options=options)


def test_the_right_action_is_worth_one_and_a_mistake_costs() -> None:
    wanted = (Meaning((RED,), possible=True),)
    right, wrong = (judged(HOME, decided("execute", top), wanted) for top in (RED, BLUE))
    assert (right.utility, right.wrong, right.right) == (1.0, False, True)
    assert (wrong.utility, wrong.wrong, wrong.right) == (-HOME.actions["bring"].wrong, True, False)


def test_giving_it_is_as_good_as_bringing_it() -> None:
    give = Action("give", RED.arguments)
    assert judged(HOME, decided("execute", give), (Meaning((RED,), possible=True),)).right


def test_a_question_costs_and_must_offer_the_meant_action() -> None:
    costs = HOME.decisions
    found = judged(HOME, decided("ask", RED, RED, BLUE), (Meaning((BLUE,), possible=True),))
    lost = judged(HOME, decided("ask", RED, RED, BLUE), (Meaning((WHITE,), possible=True),))
    assert (found.asked, found.wrong, found.utility) == (True, False, pytest.approx(1.0 - costs.ask))
    assert lost.utility == pytest.approx(-costs.reject - costs.ask)


def test_asking_for_a_missing_argument_finds_the_meant_action() -> None:
    half = Action("bring", (("recipient", "operator"),))
    became = judged(HOME, decided("ask", half, half), (Meaning((RED,), possible=True),))
    assert became.utility == pytest.approx(1.0 - HOME.decisions.ask)
    assert became.right


def test_always_executing_does_only_possible_actions() -> None:
    assert judged(HOME, decided("ask", BLUE, RED, BLUE), (Meaning((RED,), possible=True),), always=True).wrong
    assert judged(HOME, decided("ask", Action("count"), RED), (Meaning((RED,), possible=True),), always=True).decision == "reject"


def test_chatter_must_have_no_effect() -> None:
    assert judged(HOME, decided("execute", RED), ()).wrong
    assert judged(HOME, decided("reject", RED), ()).utility == 0.0


def test_declining_an_impossible_action_is_right() -> None:
    follow = Action("follow")
    assert judged(HOME, decided("reject", follow), (Meaning((follow,), possible=False),)).utility == 1.0


def test_hand_written_sentences_have_meanings() -> None:
    commands, chatter = hand_written(HOME, COMMANDS, "held_out")
    meanings = dict(commands)
    assert len(commands) > 100
    assert len(chatter) == 40
    assert goal_of(HOME, meanings["carla wants her glasses"][0].actions[0]) == frozenset((("has", ("carla", "glasses")),))
    assert [each.actions[0].name for each in meanings["stop and wait for me"]] == ["stop", "wait"]
    assert not meanings["visit the attic"][0].possible
    assert meanings["turn sixty degrees clockwise"][0].actions[0].argument("extent") == "1.0472"
    assert meanings["would you turn to the left"][0].actions[0].argument("extent") == ANYTHING


@pytest.mark.parametrize(
    "content", ["", "held_out: 7", "held_out:\n  commands: {go: fly}\n  chatter: []", "held_out:\n  commands: {go: go_to goal}"]
)
def test_an_invalid_file_of_sentences_is_reported(tmp_path: Path, content: str) -> None:
    (tmp_path / "s.yaml").write_text(content)
    with pytest.raises(SaysoError, match=r"s\.yaml: no sentences"):
        hand_written(HOME, tmp_path / "s.yaml", "held_out")


def test_recordings_give_meanings_by_expectations_and_answers(tmp_path: Path) -> None:
    """The first utterance has an answer in the bag, the second an expectation that differs from its decision."""
    said = [context(0), heard(3, "bring me the cup"), heard(9, "the blue one"), heard(60, "go to the kitchen"), heard(120, "stop")]
    bag = save(tmp_path / "bag", said)
    (tmp_path / "bag.expected.yaml").write_text("others: anything\nutterances:\n  - {t: 60, action: go_to(goal=study)}\n", encoding="utf-8")
    found = {each.text: each for each in confirmed([bag], CONFIG)}
    assert set(found) == {"bring me the cup", "go to the kitchen"}
    assert found["go to the kitchen"].meant == ("go_to(goal=study)",)
    assert found["bring me the cup"].meant == ("bring(recipient=operator, theme=blue_cup)",)
    assert len(found["bring me the cup"].posterior) >= 3


def test_an_unreadable_bag_is_reported(tmp_path: Path) -> None:
    (tmp_path / "bag.mcap").write_bytes(b"no bag")
    with pytest.raises(SaysoError, match=r"bag\.mcap"):
        list(confirmed([tmp_path / "bag.mcap"], CONFIG))
