"""What a user gets for a question: the time, where things are and why the robot believes it, what it did and why it asked."""

from __future__ import annotations

import math
import re
from datetime import datetime

import numpy as np
import pytest

from loaded import default_pipeline
from sayso.agenda import Now
from sayso.pipeline import Pipeline, Understanding
from sayso.selection import Diary, LastSeen, Recollection, WorldView
from sayso.types import Context, ObjectBelief, Outcome, PlanState

AFTERNOON = datetime(2026, 5, 5, 15, 5).astimezone().timestamp()
NOW = Now(ros=AFTERNOON, wall=AFTERNOON)
SITUATION = Context(stamp=AFTERNOON, place="desk", battery=0.42)


@pytest.fixture(scope="module")
def pipeline() -> Pipeline:
    return default_pipeline()


def told(
    pipeline: Pipeline,
    question: str,
    recent: Recollection | None = None,
    beliefs: dict[str, ObjectBelief] | None = None,
    context: Context = SITUATION,
) -> str:
    understood = pipeline.understand(question, context, WorldView.of(context, beliefs, recent or Recollection(NOW)))
    assert understood.decision == "answer", (question, understood.action_belief)
    return understood.question


def at(thing: str, place: str, p: float) -> dict[str, ObjectBelief]:
    return {thing: ObjectBelief(thing, (place, "elsewhere"), np.array([p, 1.0 - p]))}


def seen(thing: str, place: str, seconds_ago: float) -> Recollection:
    return Recollection(NOW, {thing: LastSeen(place, NOW.ros - seconds_ago)})


@pytest.mark.parametrize(
    "question", ["what time is it", "tell me the time", "could you give me the time please", "what does the clock say"]
)
def test_the_time_is_that_of_the_clock(pipeline: Pipeline, question: str) -> None:
    assert told(pipeline, question) == "It is 3:05 pm."


def test_the_date_is_that_of_the_clock(pipeline: Pipeline) -> None:
    assert told(pipeline, "what day is it today") == "It is Tuesday, 5 May 2026."


def test_without_a_clock_the_robot_says_so(pipeline: Pipeline) -> None:
    assert "clock is not set" in told(pipeline, "what time is it", Recollection(None, {}))


@pytest.mark.parametrize(
    "said",
    [
        "what time is it in london",
        "what is the date of last monday",
        "what is my name",
        "could you tell me my name",
    ],
)
def test_what_is_no_question_about_the_robot_or_the_home_stays_unanswered(pipeline: Pipeline, said: str) -> None:
    assert pipeline.understand(said).decision == "reject"


def test_the_place_of_a_thing_that_was_never_seen_is_only_probable(pipeline: Pipeline) -> None:
    assert told(pipeline, "where are the keys") == "The keys are probably on the hallway shelf (90%). I have not seen them."
    assert told(pipeline, "are the keys on the hallway shelf").startswith("Probably:")


def test_a_thing_was_last_seen_there_some_time_ago(pipeline: Pipeline) -> None:
    answer = told(pipeline, "where are the keys", seen("keys", "hallway_shelf", 125.0), at("keys", "hallway_shelf", 0.97))
    assert answer == "The keys are on the hallway shelf: 97% sure. I last saw them there 2 minutes ago."


def test_a_thing_that_was_seen_elsewhere_is_said_to_have_been_there(pipeline: Pipeline) -> None:
    answer = told(pipeline, "where is the phone", seen("phone", "sofa", 7300.0), at("phone", "desk", 0.7))
    assert answer == "The phone is probably on the desk (71%). I last saw it on the sofa 2 hours ago."


def test_without_a_likely_place_the_robot_does_not_know(pipeline: Pipeline) -> None:
    assert told(pipeline, "where is the milk").startswith("I don't know where the milk is: perhaps ")


def test_a_piece_of_furniture_of_another_room_is_not_taken_for_the_one_in_question(pipeline: Pipeline) -> None:
    assert told(pipeline, "where is the door to the bathroom") in (
        "I know of none in the bathroom. The front door is in the hallway.",
        "I know no door to the bathroom, only the front door.",
    )
    assert told(pipeline, "where is the door") == "The front door is in the hallway."


def test_what_is_in_the_hand_is_nowhere_else(pipeline: Pipeline) -> None:
    holding = Context(stamp=AFTERNOON, place="desk", holding="keys")
    assert told(pipeline, "where are the keys", context=holding) == "I am holding the keys."
    assert told(pipeline, "what are you holding", context=holding) == "I am holding the keys."
    assert "keys" not in told(pipeline, "what is on the hallway shelf", context=holding)


def test_lists_say_how_probable_each_thing_is(pipeline: Pipeline) -> None:
    answer = told(pipeline, "what is on the sideboard")
    assert answer.startswith("Probably on the sideboard: the green bottle (90%)")
    assert "Perhaps also" in answer


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("what colour is the towel", "The towel is blue."),
        ("is the ball red", "The ball is red."),
        ("how big is the vase", "The vase is about 30 cm at its longest."),
        ("count the cups", "I know of 3: the red cup, the blue cup and the white cup."),
        ("what's your name", "I am Sayso's robot."),
        ("where are you", "I am at the desk, in the study."),
        ("are you in the kitchen", "No: I am at the desk, in the study."),
        ("how full is your battery", "My battery is at 42%."),
        ("what are you holding", "My hand is empty."),
        ("what did you just do", "I have done nothing yet."),
        ("why did you ask", "I have not asked anything."),
        ("what are you doing", "Nothing at the moment."),
    ],
)
def test_plain_questions_get_plain_answers(pipeline: Pipeline, question: str, answer: str) -> None:
    assert told(pipeline, question) == answer


def test_a_robot_that_has_no_reading_of_its_battery_says_so(pipeline: Pipeline) -> None:
    unknown = Context(stamp=AFTERNOON, place="desk", battery=math.nan)
    assert told(pipeline, "how full is your battery", context=unknown) == "I don't know: I have no reading of my battery."


def test_a_description_names_colour_size_and_whereabouts(pipeline: Pipeline) -> None:
    answer = told(pipeline, "describe the vase")
    assert answer.startswith("The vase is purple and about 30 cm.")
    assert "probably on the sideboard" in answer


def test_what_the_robot_sees_is_what_came_into_view_and_what_it_expects(pipeline: Pipeline) -> None:
    context = Context(stamp=AFTERNOON, place="desk", visible=("pen",))
    answer = told(pipeline, "what do you see", context=context)
    assert answer.startswith("Within the last minute I saw the pen. On the desk I expect ")


class Robot:
    """Notes what it understands, as the node does."""

    def __init__(self, pipeline: Pipeline) -> None:
        self.pipeline, self.diary = pipeline, Diary(pipeline.domain)

    def hears(self, said: str) -> Understanding:
        understood = self.pipeline.understand(said, SITUATION, WorldView.of(SITUATION, recent=self.diary.recollection(NOW)))
        self.diary.heard(understood.intent_belief)
        self.diary.decided(understood.action_belief, NOW.ros - 60.0)
        return understood

    def begins(self, understood: Understanding) -> None:
        self.diary.planned(PlanState(understood.transcript.utterance_id, NOW.ros - 50.0, "", "running"))

    def ends(self, understood: Understanding, reason: str = "") -> None:
        self.diary.concluded(Outcome(understood.transcript.utterance_id, NOW.ros - 30.0, not reason, "", reason))


@pytest.fixture
def robot(pipeline: Pipeline) -> Robot:
    return Robot(pipeline)


def test_the_robot_says_what_it_is_doing_and_has_done(robot: Robot) -> None:
    command = robot.hears("bring me the lemon")
    robot.begins(command)
    assert robot.hears("what are you doing").question == "I am busy: I bring the lemon to you."
    assert robot.hears("what did you just do").question == "I am still at it: bring the lemon to you."
    robot.ends(command)
    assert robot.hears("what are you doing").question == "Nothing at the moment."
    assert robot.hears("what did you just do").question == "I did this less than a minute ago: bring the lemon to you."
    assert robot.hears("where is the lemon").question.startswith("I gave the lemon to you less than a minute ago. I don't know where")


def test_the_robot_says_why_it_failed(robot: Robot) -> None:
    command = robot.hears("bring me the lemon")
    robot.ends(command, "the way is blocked")
    assert robot.hears("did that work").question.endswith("It was not done: the way is blocked.")
    assert robot.hears("why didn't you do it").question == "I could not bring the lemon to you: the way is blocked."


def test_the_robot_says_why_it_did_something(robot: Robot) -> None:
    robot.ends(robot.hears("go to the kitchen"))
    told = robot.hears("why did you do that").question
    assert re.fullmatch(r"You said “go to the kitchen”\. I was 9\d% sure that I should go to the kitchen\.", told), told


def test_the_robot_says_why_it_asked(robot: Robot) -> None:
    assert robot.hears("bring me the cup").decision == "ask"
    answer = robot.hears("why do you ask").question
    assert answer.startswith("You said “bring me the cup”, and I was not sure what you meant: bring the ")
    assert all(cup in answer for cup in ("red cup", "blue cup", "white cup"))


def test_what_was_decided_and_never_begun_is_not_said_to_be_done(robot: Robot) -> None:
    robot.hears("bring me the lemon")
    assert robot.hears("what did you just do").question == "I decided this, and know of no result: bring the lemon to you."


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("which blorks are on the desk", "blorks"),
        ("tell me which are the three blorks on the coffee table", "the 3 blorks"),
        ("describe the blorks on the desk", "the blorks"),
    ],
)
def test_a_kind_of_thing_that_the_home_does_not_know_is_said_and_not_answered_with_all_things(
    pipeline: Pipeline, question: str, kind: str
) -> None:
    assert told(pipeline, question) == f"I don't know “{kind}”."


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("which is heavier, the vase or the laptop", "I can't compare things."),
        ("which of the books is the biggest", "I know no book bigger than another."),
        ("which books are the newest", "I don't know which book is the newest."),
    ],
)
def test_what_it_cannot_compare_it_says(pipeline: Pipeline, question: str, answer: str) -> None:
    assert told(pipeline, question) == answer


def test_an_act_in_a_long_form_that_it_lacks_is_repeated_as_it_was_said(pipeline: Pipeline) -> None:
    said = "would it be possible for you to turn the lamp down"
    assert pipeline.understand(said).question == f"I can't do that: “{said}”."
