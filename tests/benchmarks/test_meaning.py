"""`sayso bench meaning`: labels are read, every verdict is right on hand-made understandings, and a quick run gives its rows."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import yaml

from sayso.console.bench import load_benchmark
from sayso.domain import load_domain
from sayso.errors import SaysoError
from sayso.pipeline import Understanding
from sayso.representation import Condition, Description, Modifiers, Relation, Timing
from sayso.types import Action, ActionBelief, ActionCandidate, Clause, IntentBelief, Role, Transcript

FOLDER = Path(__file__).resolve().parents[2] / "benchmarks"
LABELS = Path(__file__).with_name("meaning_labels.yaml")
meaning = load_benchmark(FOLDER / "meaning.py")
labels, judge, rows, gpsr, sets = (sys.modules[f"_meaning_{name}"] for name in ("labels", "judge", "rows", "gpsr", "sets"))
HOME = load_domain()
CUPS = ("red_cup", "blue_cup", "white_cup")


def action(text: str) -> Action:
    act = labels.as_act(text)
    return Action(act.names[0], tuple(sorted((role[0], value[0]) for role, value in act.roles)))


def clause(
    modifiers: Modifiers | None = None, *roles: Role, text: str = "words", intent: str = "bring", left_over: tuple[str, ...] = ()
) -> Clause:
    return Clause(text, 0, 5, intent, np.ones(1), roles, -5.0, modifiers=modifiers or Modifiers(), left_over=left_over)


def described(name: str, text: str, entity: str = "", **parts: object) -> Role:
    description = Description(text, 0, len(text), candidates=((entity, 1.0),) if entity else (), **parts)  # type: ignore[arg-type]
    return Role(name, text, 0, len(text), entity, "object", 1.0, description=description)


def understood(
    decision: str, *actions: str, question: str = "", options: tuple[str, ...] = (), clauses: tuple[Clause, ...] = (), p: float = 0.97
) -> Understanding:
    candidates = tuple(ActionCandidate(index, action(each), 1.0, 1.0, p, 0.0) for index, each in enumerate(actions))
    heard = IntentBelief("u", 0.0, "words", tuple(HOME.intents), clauses or tuple(clause(intent=action(each).name) for each in actions))
    chosen = ActionBelief("u", 0.0, candidates, decision, "", question, tuple(map(action, options)))  # type: ignore[arg-type]
    return Understanding(Transcript("u", 0.0, (), 1.0), heard, chosen)


def verdict(understanding: Understanding, **entry: object) -> str:
    return str(judge.judged_sentence(HOME, labels.as_label({"say": "words", **entry}), understanding).verdict)


MILK, BREAD = "bring(theme=milk, recipient=operator)", "bring(theme=bread, recipient=operator)"


# Labels


def test_labels_are_read_with_brackets_that_hold_commas() -> None:
    found = labels.read_labels(LABELS)
    assert [each.about for each in found] == ["coordination", "relation", "condition", "unknown", "impossible", "chatter"]
    assert [act.values("theme") for act in found[0].do[0]] == [("milk",), ("bread",)]
    assert found[1].keep[0].arguments == ("bread",)
    assert (found[2].conditions, found[2].timings) == ((("if", "anna not there"),), (("at", "18:00"),))
    assert found[4].cannot == ("open",)
    assert found[5].nothing


def test_a_label_with_a_misspelt_key_is_an_error_with_its_place(tmp_path: Path) -> None:
    path = tmp_path / "labels.yaml"
    path.write_text("- {say: go, do: [go_to(goal=kitchen)]}\n- {say: go, doo: [go_to(goal=kitchen)]}\n")
    with pytest.raises(SaysoError, match=r"labels.yaml: entry 2: unknown keys: doo"):
        labels.read_labels(path)
    path.write_text("- {say: go}\n")
    with pytest.raises(SaysoError, match="nothing is expected"):
        labels.read_labels(path)


# Actions


def test_the_labelled_actions_are_right_and_others_are_wrong_executions() -> None:
    assert verdict(understood("execute", MILK, BREAD), do=[MILK, BREAD]) == "right"
    assert verdict(understood("execute", BREAD, MILK), do=[MILK, BREAD]) == "right"  # members of a plural
    assert verdict(understood("execute", MILK), do=[MILK, BREAD]) == "executed"  # something is left out
    assert verdict(understood("execute", MILK, BREAD), do=[MILK]) == "executed"
    assert verdict(understood("execute", MILK, MILK), do=[MILK, BREAD]) == "executed"
    assert verdict(understood("execute", "bring(theme=milk, recipient=anna)"), do=[MILK]) == "executed"
    assert verdict(understood("execute", "bring(theme=milk, recipient=anna)"), do=["bring(theme=milk|bread)"]) == "right"


def test_two_of_a_kind_are_different_things() -> None:
    cups = ["bring(theme=red_cup|blue_cup)", "bring(theme=red_cup|blue_cup)"]
    assert verdict(understood("execute", "bring(theme=red_cup)", "bring(theme=blue_cup)"), do=cups) == "right"
    assert verdict(understood("execute", "bring(theme=red_cup)", "bring(theme=red_cup)"), do=cups) == "executed"


def test_everything_is_any_number_of_things() -> None:
    every = clause(None, described("theme", "everything", quantity="every"))
    asked = {"do": ["bring(theme=soap|shampoo|toothbrush)"], "keep": ["all"]}
    both = ("bring(theme=soap)", "bring(theme=toothbrush)")
    assert verdict(understood("execute", *both, clauses=(every, every)), **asked) == "right"
    assert verdict(understood("execute", both[0], both[0], clauses=(every, every)), **asked) == "executed"
    assert verdict(understood("execute", *both, "bring(theme=milk)", clauses=(every, every, every)), **asked) == "executed"


def test_a_stay_is_a_wait() -> None:
    stay = clause(Modifiers(timings=(Timing("for", "for ten minutes", 0, 5, 600.0),)), intent="go_to")
    found = understood("execute", "go_to(goal=sofa)", clauses=(stay,))
    assert verdict(found, do=["go_to(goal=sofa)", "wait(extent=600)"]) == "right"
    assert verdict(found, do=["go_to(goal=sofa)"], **{"for": 600}) == "right"
    assert verdict(understood("execute", "go_to(goal=sofa)"), do=["go_to(goal=sofa)"], **{"for": 600}) == "executed"


def test_places_have_an_order_and_numbers_a_tolerance() -> None:
    kitchen, study = "go_to(goal=kitchen)", "go_to(goal=study)"
    assert verdict(understood("execute", study, kitchen), do=[kitchen, study]) == "executed"
    assert verdict(understood("execute", "turn(direction=left, extent=1.5708)"), do=["turn(direction=left, extent=1.57)"]) == "right"
    assert verdict(understood("execute", "turn(direction=left, extent=1.5)"), do=["turn(direction=left, extent=1.57)"]) == "executed"


def test_taking_a_thing_to_put_it_somewhere_is_one_task() -> None:
    take, put = "pick_up(theme=apple, source=kitchen)", "put(theme=apple, goal=desk)"
    assert verdict(understood("execute", "put(theme=apple, goal=desk, source=kitchen)"), do=[take, put]) == "right"
    assert verdict(understood("execute", put), do=[take, put]) == "executed"  # from anywhere
    assert verdict(understood("execute", take, put), do=[put]) == "right"
    assert verdict(understood("execute", "bring(theme=apple, recipient=operator)", put), do=[put]) == "executed"


def test_a_repetition_may_be_one_action_of_a_clause_that_repeats() -> None:
    left = "turn(direction=left)"
    twice = understood("execute", left, clauses=(clause(Modifiers(repeat=2), intent="turn"),))
    assert verdict(twice, do=[left, left]) == "right"
    assert verdict(understood("execute", left), do=[left, left]) == "executed"


def test_stopping_twice_is_stopping() -> None:
    assert verdict(understood("execute", "stop()", "stop()"), do=["stop()"]) == "right"
    assert verdict(understood("execute", "turn(direction=left)", "turn(direction=left)"), do=["turn(direction=left)"]) == "executed"


def test_a_surface_in_the_room_is_where_things_are_put() -> None:
    assert verdict(understood("execute", "put(theme=towel, goal=washbasin)"), do=["put(theme=towel, goal=bathroom)"]) == "right"
    assert verdict(understood("execute", "go_to(goal=washbasin)"), do=["go_to(goal=bathroom)"]) == "executed"


# Restrictions


def test_what_the_label_keeps_must_be_carried() -> None:
    bread = Description("the bread", 0, 9, head="bread", candidates=(("bread", 1.0),))
    near = described("theme", "the cup next to the bread", "red_cup", relations=(Relation("next_to", (bread,)),))
    asked = {"do": ["bring(theme=red_cup|blue_cup)"], "keep": ["next_to(bread)"]}
    act = "bring(theme=red_cup, recipient=operator)"
    assert verdict(understood("execute", act, clauses=(clause(None, near),)), **asked) == "right"
    assert verdict(understood("execute", act, clauses=(clause(None, described("theme", "the cup", "red_cup")),)), **asked) == "executed"
    wrong = replace(near.description, relations=(Relation("left_of", (bread,)),))  # type: ignore[type-var]
    assert verdict(understood("execute", act, clauses=(clause(None, replace(near, description=wrong)),)), **asked) == "executed"


@pytest.mark.parametrize(
    ("keep", "parts"),
    [
        ("biggest", {"order": "largest"}),
        ("2nd", {"order": "2"}),
        ("purpose(drink)", {"purpose": "drink"}),
        ("not(red_cup)", {"excluded": (Description("the red one", 0, 11, candidates=(("red_cup", 1.0),)),)}),
        ("all|every", {"quantity": "every"}),
        ("exactly(3)", {"quantity": "exactly", "count": 3}),
        ("blue", {"attributes": ("blue",)}),
        ("not(on(desk))", {"relations": (Relation("on", (Description("the desk", 0, 8, candidates=(("desk", 1.0),)),), negated=True),)}),
        ("between(plate, bowl)", {"relations": (Relation("between", (Description("plate", 0, 5), Description("bowl", 0, 4))),)}),
    ],
)
def test_restrictions_of_every_kind(keep: str, parts: dict[str, object]) -> None:
    asked = {"do": ["bring(theme=blue_cup)"], "keep": [keep]}
    for held, expected in ((parts, "right"), ({}, "executed")):
        found = understood("execute", "bring(theme=blue_cup)", clauses=(clause(None, described("theme", "it", "blue_cup", **held)),))
        assert verdict(found, **asked) == expected


def test_conditions_must_be_carried_and_not_invented() -> None:
    there = Condition("if", "if the phone is in the bedroom", 0, 5)
    found = understood("execute", MILK, clauses=(clause(Modifiers(conditions=(there,))),))
    assert verdict(found, do=[MILK], **{"if": "phone in bedroom"}) == "right"
    assert verdict(found, do=[MILK], **{"if": "phone in kitchen"}) == "executed"
    assert verdict(found, do=[MILK], unless="phone in bedroom") == "executed"
    assert verdict(found, do=[MILK]) == "executed"
    assert verdict(understood("execute", MILK), do=[MILK], **{"if": "phone in bedroom"}) == "executed"
    unless = understood("execute", MILK, clauses=(clause(Modifiers(conditions=(replace(there, negated=True),))),))
    assert verdict(unless, do=[MILK], unless="phone in bedroom") == "right"


def test_conditions_are_compared_by_their_words() -> None:
    comes = Condition("when", "as soon as anna gets back home", 0, 5)
    found = understood("defer", MILK, clauses=(clause(Modifiers(conditions=(comes,))),))
    assert verdict(found, do=[MILK], when="anna is back at home") == "right"
    assert verdict(found, do=[MILK], when="ben is back at home") == "executed"
    assert verdict(found, do=[MILK], when="anna leaves") == "executed"


def test_what_is_for_later_must_be_deferred() -> None:
    later = (clause(Modifiers(timings=(Timing("in", "in five minutes", 0, 5, 300.0),))),)
    assert verdict(understood("defer", MILK, clauses=later), do=[MILK], **{"in": 300}) == "right"
    assert verdict(understood("execute", MILK, clauses=later), do=[MILK], **{"in": 300}) == "executed"
    assert verdict(understood("defer", MILK), do=[MILK]) == "executed"
    six = (clause(Modifiers(timings=(Timing("at", "at six", 0, 5, 6 * 3600.0),))),)
    assert verdict(understood("defer", MILK, clauses=six), do=[MILK], at="18:00") == "right"  # six in the evening
    assert verdict(understood("defer", MILK, clauses=six), do=[MILK], at="19:00") == "executed"
    assert verdict(understood("defer", MILK, clauses=six), do=[MILK], at="18:00", say="at six in the evening") == "executed"


def test_a_wait_before_it_is_later_too() -> None:
    assert verdict(understood("execute", "wait(extent=300)", MILK), do=[MILK], **{"in": 300}) == "right"
    assert verdict(understood("execute", "wait(extent=30)", MILK), do=[MILK], **{"in": 300}) == "executed"


def test_a_standing_rule_is_kept() -> None:
    rule = (clause(Modifiers(mood="rule"), intent="go_to"),)
    assert verdict(understood("defer", "go_to(goal=bedroom)", clauses=rule), rule="go_to(goal=bedroom)") == "right"
    assert verdict(understood("defer", "go_to(goal=kitchen)", clauses=rule), rule="go_to(goal=bedroom)") == "executed"
    assert verdict(understood("reject", "go_to(goal=bedroom)", question="All right."), rule="go_to(goal=bedroom)") == "wrong"


# Questions


def test_questions_are_answered() -> None:
    where = (clause(Modifiers(question="where"), described("theme", "my keys", "keys"), text="where are my keys"),)
    assert verdict(understood("answer", question="On the shelf.", clauses=where), question="where(keys)") == "right"
    assert verdict(understood("answer", question="On the shelf.", clauses=where), question="where(phone)") == "wrong"
    assert verdict(understood("execute", "find(theme=keys)", clauses=where), do=["find(theme=keys)"], question="where(keys)") == "right"
    assert (
        verdict(understood("answer", question="I can …", clauses=(clause(Modifiers(question="abilities")),)), question="abilities")
        == "right"
    )


def test_of_several_clauses_each_must_be_understood() -> None:
    where = clause(Modifiers(question="where"), described("theme", "my keys", "keys"), text="where are my keys")
    asked = {"do": [MILK], "question": "where(keys)"}
    assert verdict(understood("execute", MILK, clauses=(clause(), where)), **asked) == "right"
    assert verdict(understood("execute", MILK, clauses=(clause(), clause(intent="find"))), **asked) == "executed"
    assert verdict(understood("answer", question="On the shelf.", clauses=(clause(), where)), **asked) == "wrong"


def test_a_question_is_good_if_it_names_the_problem_or_offers_the_right_action() -> None:
    asks = understood("ask", question="I don't know Jordan. Who should get it?")
    assert verdict(asks, ask=["jordan"]) == "asked"
    assert verdict(asks, ask=["toilet paper"]) == "wrong"
    assert verdict(asks, bad=True) == "asked"
    assert verdict(understood("ask", question="The milk or the bread?", options=(MILK, BREAD)), do=[MILK]) == "asked"
    assert verdict(understood("ask", question="The bread?", options=(BREAD,)), do=[MILK]) == "wrong"
    assert verdict(understood("ask", question="Should I bring the milk?"), do=[MILK], or_ask=True) == "asked"
    assert verdict(understood("execute", MILK), ask=["jordan"]) == "executed"
    assert verdict(understood("execute", MILK), bad=True) == "executed"


def test_a_question_about_what_was_said_is_not_good() -> None:
    books = [f"put(theme={each}, goal=desk)" for each in ("red_book", "blue_book")]
    assert verdict(understood("ask", question="The red or the blue book?", options=tuple(books)), do=books) == "wrong"
    which = understood("ask", question="The cereal or the medicine?", options=("bring(theme=cereal)", "bring(theme=medicine)"))
    assert verdict(which, do=["bring(theme=cereal|medicine)"], keep=["biggest"]) == "wrong"
    aware = replace(
        which, intent_belief=understood("ask", clauses=(clause(None, described("theme", "it", order="biggest")),)).intent_belief
    )
    assert verdict(aware, do=["bring(theme=cereal|medicine)"], keep=["biggest"]) == "asked"


def test_a_part_that_cannot_be_done_is_named_and_the_rest_offered() -> None:
    asked = {"do": [MILK], "cannot": ["open"]}
    text = "I can't open things. Should I bring the milk?"
    assert verdict(understood("confirm", MILK, question=text, options=(MILK,)), **asked) == "asked"
    assert verdict(understood("reject", MILK, question="I can't open things."), **asked) == "wrong"
    assert verdict(understood("execute", MILK), **asked) == "executed"
    assert verdict(understood("reject", question="I can't open things."), cannot=["open"]) == "asked"
    assert verdict(understood("reject", question="I can't switch things on."), cannot=["switch_on"]) == "asked"


def test_rejections_and_reactions_to_talk() -> None:
    ignored = understood("reject", question="I don't think that was meant for me.")
    assert verdict(ignored, do=[MILK]) == "rejected"
    assert verdict(ignored, bad=True) == "rejected"
    assert verdict(ignored, nothing=True) == "right"
    assert verdict(understood("execute", MILK), nothing=True) == "accepted"
    assert verdict(understood("ask", question="What?"), nothing=True) == "accepted"
    withdrawn = (clause(Modifiers(mood="retracted")),)
    assert verdict(understood("answer", question="All right.", clauses=withdrawn), nothing=True) == "right"


# Rows


def judged(count: int, right: int, p: float) -> list[object]:
    label = labels.as_label({"say": "words", "do": [MILK]})
    done = [understood("execute", MILK if index < right else BREAD, p=p) for index in range(count)]
    return [judge.judged_sentence(HOME, label, each) for each in done]


def test_the_posterior_is_compared_with_the_share_that_is_right() -> None:
    found = list(rows.reliability_rows(judged(20, 15, 0.97)))
    (row,) = [row for row in found if row.value is not None]
    assert row.value == pytest.approx(22.0)
    assert row.baselines == {"said": pytest.approx(97.0), "right": pytest.approx(75.0)}
    assert all(row.reason for row in found if row.value is None)


def test_wrong_executions_have_the_wilson_interval() -> None:
    row = rows.wrong_among_executed(judged(100, 95, 0.97)).row("x", "lower")
    assert row.value == pytest.approx(5.0)
    assert row.spread == (pytest.approx(2.15, abs=0.01), pytest.approx(11.18, abs=0.01))
    assert rows.wrong_among_executed([]).row("x", "lower").reason


def test_a_question_that_the_label_calls_for_is_right() -> None:
    label = labels.as_label({"say": "words", "ask": ["jordan"]})
    one = judge.judged_sentence(HOME, label, understood("ask", question="Who is Jordan?"))
    found = {row.measure: row.value for row in rows.set_rows("s", [one, *judged(3, 3, 0.9)], (None, None))}
    assert found["s: whole meaning right"] == 100.0
    assert found["s: questions"] == 25.0


# The RoboCup grammars


@pytest.fixture(scope="module")
def robocup() -> list[object]:
    return list(gpsr.gpsr_labels(load_domain(FOLDER / "meaning" / "gpsr_home.yaml"), 24))


def test_every_form_of_the_grammars_is_said() -> None:
    content = yaml.safe_load((FOLDER / "meaning" / "gpsr.yaml").read_text(encoding="utf-8"))
    used: set[tuple[str, int]] = set()
    for _, _, phrases in gpsr.gpsr_phrases(load_domain(FOLDER / "meaning" / "gpsr_home.yaml")):
        used.update(*(phrase.used for phrase in phrases))
    rules = [rule for grammar in ("common", "gpsr", "egpsr") for rule in content[grammar].items()]
    forms = {(name, index) for name, sides in rules for index, side in enumerate(sides) if isinstance(side, dict) or "$" in side}
    assert forms - used <= {("main", 0), ("main", 1)} | {("task", index) for index in range(30)}


def test_sentences_of_the_grammars_have_no_open_slot_and_values_of_their_home(robocup: list[object]) -> None:
    home = load_domain(FOLDER / "meaning" / "gpsr_home.yaml")
    assert len(robocup) > 400
    assert not [each.say for each in robocup if {"$", "{", "}"} & {*each.say}]  # type: ignore[attr-defined]
    acts = [act for each in robocup for sequence in each.do for act in sequence]  # type: ignore[attr-defined]
    assert {name for act in acts for name in act.names} <= set(home.actions)
    ids = [value for act in acts for roles, values in act.roles if roles in (("goal",), ("source",)) for value in values]
    assert {value for value in ids if value not in home.places} <= {"taxi", "cab", "uber"}


def test_pronouns_mean_the_last_thing_and_person() -> None:
    assert gpsr._resolved(["pick_up(theme=coke)", "put(theme=it, goal=desk)"]) == ["pick_up(theme=coke)", "put(theme=coke, goal=desk)"]
    meet = "come_here|find|greet(recipient|theme=mary)"
    assert gpsr._resolved([meet, "guide(recipient=him)"]) == [meet, "guide(recipient=mary)"]


def test_a_fourth_of_the_templates_is_never_looked_at(robocup: list[object]) -> None:
    templates = {each.template for each in robocup}  # type: ignore[attr-defined]
    assert 0.15 < sum(map(gpsr.is_unseen, templates)) / len(templates) < 0.35


def test_a_meaning_without_a_skill_is_right_if_it_is_understood() -> None:
    label = labels.as_label({"say": "words", "do": ["guide(recipient=anna, goal=kitchen)"]})
    declined = understood("reject", "guide(recipient=anna, goal=kitchen)", question="I can't guide people.")
    assert judge.judged_parse(HOME, label, declined).verdict == "right"
    ignored = understood("reject", "guide(recipient=anna, goal=kitchen)", question="I don't think that was meant for me.")
    assert judge.judged_parse(HOME, label, ignored).verdict == "rejected"


def test_the_drinks_are_any_number_of_drinks_but_the_biggest_drink_is_one() -> None:
    act = labels.as_label({"say": "x", "do": ["bring(theme=coke|sprite|drinks)"]}).do[0]
    plural, found = gpsr._with_plurals(gpsr.GrammarPhrase("bring me the drinks", "", ""), act)
    assert found
    assert [len(sequence) for sequence in plural] == [1, 2]
    for said in ("bring me the biggest drinks", "bring me some drinks"):
        assert gpsr._with_plurals(gpsr.GrammarPhrase(said, "", ""), act) == ([act], False)


def test_a_verb_with_two_meanings_may_be_either() -> None:
    phrase = gpsr.GrammarPhrase("retrieve the coke and take the apple", "", "")
    assert gpsr._two_ways(phrase, ["pick_up(theme=coke)", "pick_up(theme=apple)"]) == ["pick_up|bring(theme=coke)", "pick_up(theme=apple)"]


# Runs


@pytest.mark.long("runs a benchmark")
def test_own_sets_are_listed_and_secret_ones_are_not(capsys: pytest.CaptureFixture[str]) -> None:
    found = list(meaning.run(quick=True, only="examples", wrong=True))
    assert found[0].measure == "examples: whole meaning right"
    assert "examples: neither right nor asked well" in capsys.readouterr().out
    list(meaning.run(quick=True, only="hand_written", wrong=True))
    assert "neither right" not in capsys.readouterr().out
    assert {"held_out", "gpsr_unseen"} <= sets.SECRET


def test_an_unknown_set_is_an_error_that_lists_the_known_ones() -> None:
    with pytest.raises(SaysoError, match=r"no set 'dev'; known: development, crowd, study, family, held_out"):
        list(meaning.run(only="dev"))


def test_own_intents_are_said_in_every_room() -> None:
    own = sets.own_intents()
    assert len(own.labels) == 34
    assert sum(label.wants_a_question for label in own.labels) == 2


@pytest.mark.long("runs a benchmark")
def test_understanding_is_timed_on_one_core() -> None:
    found = list(meaning.run(quick=True, only="time"))
    assert [row.unit for row in found] == ["ms", "ms"]
    assert 0.0 < found[0].value <= found[1].value
