"""Conditions → what the robot can notice; the others are declined in a line that names them."""

from __future__ import annotations

import math

import pytest

from sayso.agenda import Facts, Observable, holds, observable_of, watchable
from sayso.agenda.observing import action_of_verb, turned
from sayso.domain import load_domain
from sayso.representation import Condition, Description, Relation

HOME = load_domain()
YOU, I = (Description(word, 0, 0, pronoun=word) for word in ("you", "i"))


def thing(text: str, *candidates: tuple[str, float] | str, unknown: tuple[str, ...] = ()) -> Description:
    scored = tuple(each if isinstance(each, tuple) else (each, 1.0) for each in candidates)
    return Description(text, 0, 0, head=text.split()[-1], candidates=scored, unknown=unknown)


ANNA, CUP, KITCHEN = thing("anna", "anna"), thing("the red cup", "red_cup"), thing("the kitchen", "kitchen")

DOORBELL, CUPS = thing("the doorbell", unknown=("doorbell",)), thing("a cup", ("red_cup", 0.9), ("blue_cup", 0.9))


def condition(kind: str, text: str, subject: Description | None = None, **fields: object) -> Condition:
    return Condition(kind, f"{kind} {text}", 0, 0, subject, **fields)  # type: ignore[arg-type]


def at(place: Description, name: str = "in", negated: bool = False) -> Relation:
    return Relation(name, (place,), negated)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("said", "found"),
    [
        (condition("when", "anna comes", ANNA, event="come"), Observable("seen", "anna", event=True, text="Anna comes")),
        (condition("when", "anna leaves", ANNA, event="leave"), Observable("seen", "anna", negated=True, event=True, text="Anna leaves")),
        (condition("when", "i come home", I, event="come"), Observable("seen", "operator", event=True, text="you come home")),
        (condition("when", "you see the red cup", CUP, event="see"), Observable("seen", "red_cup", event=True, text="I see the red cup")),
        (
            condition("if", "you see anna", YOU, event="see", relation=at(ANNA, "with")),
            Observable("seen", "anna", event=True, text="I see Anna"),
        ),
        (condition("if", "anna is here", ANNA, attribute="here"), Observable("seen", "anna", text="Anna is here")),
        (condition("unless", "anna is here", ANNA, attribute="here"), Observable("seen", "anna", negated=True, text="Anna is here")),
        (condition("if", "anna is away", ANNA, attribute="away"), Observable("seen", "anna", negated=True, text="Anna is away")),
        (
            condition("when", "you reach the kitchen", YOU, event="reach", relation=at(KITCHEN)),
            Observable("robot_at", "kitchen", event=True, text="I reach the kitchen"),
        ),
        (
            condition("if", "you are in the kitchen", YOU, relation=at(KITCHEN)),
            Observable("robot_at", "kitchen", text="I am in the kitchen"),
        ),
        (
            condition("if", "the red cup is not in the kitchen", CUP, relation=at(KITCHEN), negated=True),
            Observable("object_at", "red_cup", "kitchen", negated=True, text="the red cup is not in the kitchen"),
        ),
        (condition("before", "you charge", YOU, event="charge"), Observable("before", "dock", text="I charge")),
        (condition("before", "charging", event="charge"), Observable("before", "dock", text="charging")),
        (condition("when", "you see anna", YOU, event="see"), Observable("seen", "anna", event=True, text="I see Anna")),
        (condition("when", "done", attribute="done"), Observable("idle", text="I am done")),
        (condition("after", "you charged", YOU, event="charge"), Observable("finished", "dock", event=True, text="I charged")),
        (condition("when", "you are done", YOU, attribute="done"), Observable("idle", text="I am done")),
        (condition("after", "that", Description("that", 0, 0, pronoun="that")), Observable("idle", text="I am done")),
        (
            condition("when", "the battery is low", thing("the battery"), attribute="low"),
            Observable("battery_low", text="the battery is low"),
        ),
        (condition("when", "you are full", YOU, attribute="full"), Observable("battery_full", text="I am full")),
    ],
)
def test_what_the_robot_can_notice(said: Condition, found: Observable) -> None:
    assert observable_of(said, HOME) == found
    assert watchable(said, HOME) == ""


@pytest.mark.parametrize(
    ("said", "line"),
    [
        (condition("when", "the doorbell rings", DOORBELL, event="ring"), "I can't notice when the doorbell rings."),
        (condition("when", "it rains", Description("it", 0, 0, pronoun="it"), event="rain"), "I can't notice when it rains."),
        (condition("before", "anna comes", ANNA, event="come"), "I can't tell beforehand when Anna comes."),
        (condition("if", "anna is hungry", ANNA, attribute="hungry"), "I can't tell whether Anna is hungry."),
        (condition("when", "anna enters it", ANNA, event="enter", relation=at(KITCHEN)), "I can't notice when Anna enters it."),
        (condition("when", "jordan comes", thing("jordan", unknown=("jordan",)), event="come"), "I can't notice when jordan comes."),
        (condition("when", "a cup comes", CUPS, event="come"), "I can't notice when a cup comes."),
        (condition("when", "you see it", YOU, event="see"), "I can't notice when I see it."),
        (condition("when", ""), "I can't notice when that is so."),
    ],
)  # fmt: skip
def test_what_it_cannot_notice_is_said(said: Condition, line: str) -> None:
    assert observable_of(said, HOME) is None
    assert watchable(said, HOME) == line


def test_a_state_holds_or_not_or_is_unknown() -> None:
    nothing, here = Facts(), Facts(place="counter", visible=("anna",), holding="red_cup", battery=0.1, idle=True, finished=("dock",))
    states = {
        Observable("robot_at", "kitchen"): (None, True),
        Observable("robot_at", "study"): (None, False),
        Observable("robot_at", "kitchen", negated=True): (None, False),
        Observable("seen", "anna"): (False, True),
        Observable("seen", "ben", negated=True): (True, True),
        Observable("holding", "red_cup"): (None, True),
        Observable("battery_low"): (None, True),
        Observable("battery_full"): (None, False),
        Observable("idle"): (False, True),
        Observable("finished", "dock"): (False, True),
        Observable("finished", "go_to"): (False, False),
        Observable("before", "dock"): (False, False),
        Observable("object_at", "red_cup", "kitchen"): (None, None),
    }
    assert {state: (holds(state, HOME, nothing), holds(state, HOME, here)) for state in states} == states
    assert holds(Observable("object_at", "red_cup", "kitchen"), HOME, Facts(whereabouts={"red_cup": "counter"}))
    assert math.isnan(nothing.battery)


def test_the_robot_turns_the_pronouns_of_a_condition() -> None:
    said = ("when you see me", "if i am in my study", "as soon as you are there", "once i see you", "if the cups are there", "")
    assert [turned(text) for text in said] == [
        "I see you",
        "you are in your study",
        "I am there",
        "you see me",
        "the cups are there",
        "",
    ]


def test_verbs_mean_the_actions_of_the_examples() -> None:
    assert [action_of_verb(HOME, verb) for verb in ("charge", "dock", "bring", "xyzzy", "a(b")] == ["dock", "dock", "bring", "", ""]
