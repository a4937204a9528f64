"""The story of an utterance: each stage adds its part, and the question is open until it is answered."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from loaded import default_pipeline
from sayso.domain import load_domain
from sayso.pipeline import Pipeline
from sayso.types import (
    Action,
    ActionBelief,
    ActionCandidate,
    Choice,
    Grounding,
    Outcome,
    PlanState,
    SkillCall,
    Transcript,
    TranscriptAlternative,
)
from sayso.web.stories import KEPT, Stories

BRING = Action("bring", (("recipient", "operator"), ("theme", "red_cup")))
ASK = ActionBelief(
    "u",
    3.0,
    (ActionCandidate(0, BRING, 1.0, 0.5, 0.5, 0.2),),
    "ask",
    "two fit",
    question="Which cup?",
    options=(BRING, Action("bring", (("recipient", "operator"), ("theme", "blue_cup")))),
)


@pytest.fixture(scope="module")
def pipeline() -> Pipeline:
    return default_pipeline()


@pytest.fixture
def stories() -> Stories:
    return Stories(load_domain(None))


def told(stories: Stories, stage: Any) -> dict[str, Any]:
    story = stories.tell(stage)[stage.utterance_id]
    assert story is not None
    return story


def test_each_stage_adds_its_part(stories: Stories, pipeline: Pipeline) -> None:
    understood = pipeline.understand("bring me the red cup")
    heard = Transcript(understood.action_belief.utterance_id, 2.0, (TranscriptAlternative("bring me the red cup", -0.1),), 0.9)
    stories.tell(heard)
    stories.tell(understood.intent_belief)
    story = told(stories, understood.action_belief)
    assert story["heard"]["alternatives"] == [{"text": "bring me the red cup", "p": pytest.approx(math.exp(-0.1))}]
    assert story["meant"]["clauses"][0]["intent"] == "bring"
    assert {(role["role"], role["means"]) for role in story["meant"]["clauses"][0]["roles"]} >= {("theme", "red_cup")}
    assert story["decided"]["decision"] == "execute"
    assert story["decided"]["candidates"][0]["in_words"] == "bring the red cup to you"
    json.dumps(story, allow_nan=False)


def test_what_the_robot_does_and_sees_is_told_without_nan(stories: Stories) -> None:
    stories.tell(
        PlanState("u", 4.0, "bring", "running", (SkillCall("navigate_to", (("goal", "counter"),)),), (SkillCall("pick"),), math.nan)
    )
    stories.tell(Grounding("u", 5.0, "red_cup", "the red cup", np.full((2, 2), 0.25), 1.0, 0.8, found=True))
    story = told(stories, Outcome("u", 6.0, succeeded=False, action="bring", reason="the cup is gone", seconds=math.inf))
    assert (story["plan"]["value"], story["plan"]["bound"]) == (None, None)
    assert story["plan"]["done"] == [{"skill": "navigate_to", "arguments": {"goal": "counter"}}]
    assert story["seen"][0]["point"] == [None, None, None]
    assert story["outcome"] == {"succeeded": False, "reason": "the cup is gone", "seconds": None}
    json.dumps(story, allow_nan=False)


def test_a_question_is_open_until_it_is_answered_or_given_up(stories: Stories) -> None:
    stories.tell(ASK)
    assert stories.question == {"id": "u", "text": "Which cup?", "options": ["bring the red cup to you", "bring the blue cup to you"]}
    stories.tell(replace(ASK, decision="execute", question=""))
    assert stories.question is None
    stories.tell(ASK)
    stories.tell(Outcome("other", 4.0, succeeded=True, action=""))
    assert stories.question is not None
    stories.tell(Outcome("u", 4.0, succeeded=False, action="", reason="lost"))
    assert stories.question is None


def test_nonsense_does_not_take_the_question_away(stories: Stories) -> None:
    stories.tell(ASK)
    stories.tell(replace(ASK, question="I can't use “asdf” here. Which cup?"))
    stories.tell(replace(ASK, utterance_id="asdf", decision="reject", question="", options=()))
    assert stories.question is not None
    assert stories.question["text"] == "I can't use “asdf” here. Which cup?"
    stories.tell(replace(ASK, decision="reject", question="", options=()))  # nobody answered
    assert stories.question is None


def test_a_yes_or_no_question_has_no_options(stories: Stories) -> None:
    stories.tell(replace(ASK, decision="confirm", question="Shall I bring the red cup?", options=(BRING,)))
    assert stories.question == {"id": "u", "text": "Shall I bring the red cup?", "options": []}


def test_a_question_about_words_offers_the_words(stories: Stories) -> None:
    stories.tell(replace(ASK, words=("left", "right")))
    assert stories.question is not None
    assert stories.question["options"] == ["left", "right"]


def test_old_stories_are_forgotten(stories: Stories) -> None:
    changes = [stories.tell(Transcript(str(number), number, (), 0.0)) for number in range(KEPT + 2)]
    assert [[name for name, story in each.items() if story is None] for each in changes] == [[]] * KEPT + [["0"], ["1"]]


def spoken(name: str, text: str, started: float, ended: float) -> Transcript:
    return Transcript(name, ended, (TranscriptAlternative(text, -0.1),), 0.9, started)


def decided(name: str, decision: str = "execute") -> ActionBelief:
    return replace(ASK, utterance_id=name, decision=decision, question="", options=())  # type: ignore[arg-type]


def test_a_sentence_that_goes_on_after_its_early_end_is_told_once(stories: Stories) -> None:
    stories.tell(spoken("first", "go to the kitchen", 1.4, 2.6))
    stories.tell(decided("first"))
    stories.tell(spoken("whole", "go to the kitchen and find the keys", 1.4, 4.0))
    changes = stories.tell(decided("whole"))
    assert changes["first"] is None
    assert changes["whole"] is not None
    assert stories.tell(Outcome("first", 4.1, succeeded=False, action="go", reason="something else was said")) == {}


def test_what_the_robot_goes_on_with_stays_when_the_rest_was_not_understood(stories: Stories) -> None:
    stories.tell(spoken("first", "go to the kitchen", 1.4, 2.6))
    stories.tell(decided("first"))
    stories.tell(spoken("whole", "go to the kitchen hm", 1.4, 3.0))
    assert list(stories.tell(decided("whole", "reject"))) == ["whole"]
    assert "first" in stories.tell(Outcome("first", 9.0, succeeded=True, action="go"))


@pytest.mark.parametrize(
    "second",
    [
        spoken("second", "go to the kitchen", 2.7, 3.9),  # said again
        spoken("second", "go to the kitchen", 0.2, 1.4),  # in a new simulation, whose clock begins at 0
        spoken("second", "go to the kitchen", 2.0, 2.0),  # typed
    ],
)
def test_a_sentence_that_is_said_again_is_another_story(stories: Stories, second: Transcript) -> None:
    stories.tell(spoken("first", "go to the kitchen", 1.4, 2.6))
    stories.tell(decided("first"))
    stories.tell(second)
    assert list(stories.tell(decided("second"))) == ["second"]


def test_things_that_the_robot_sees_are_the_buttons_of_its_question(stories: Stories) -> None:
    seen = tuple(Choice(f"the {side} one", (1.0, 0.0, 0.9)) for side in ("left", "right"))
    stories.tell(replace(ASK, options=(BRING,), choices=seen, words=tuple(each.words for each in seen)))
    assert stories.question == {"id": "u", "text": "Which cup?", "options": ["the left one", "the right one"]}
    story = stories.tell(PlanState("u", 4.0, str(BRING), "asking", choices=seen))["u"]
    assert story is not None
    assert story["plan"]["status"] == "asking"
    stories.tell(Outcome("u", 5.0, succeeded=False, action=""))
    assert stories.question is None
