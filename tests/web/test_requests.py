"""What a page asks for: done, or refused with one line."""

from __future__ import annotations

import asyncio
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from page_robot import PageRobot
from sayso.web.requests import LONGEST, OFTEN, Requests


def asked(requests: Requests, page: object | None = None, **request: Any) -> dict[str, Any]:
    return asyncio.run(requests.answer(request, page))


def test_a_typed_sentence_is_handed_over() -> None:
    robot = PageRobot()
    assert asked(Requests(robot), do="say", text="  bring me\nthe cup ") == {"ok": True, "message": "", "utterance_id": "u1"}
    assert robot.calls == [("say", "bring me the cup")]


def test_a_question_is_answered_by_its_button() -> None:
    robot = PageRobot()
    assert asked(Requests(robot), do="answer", text="2", utterance_id="u1")["ok"]
    assert robot.calls == [("answer", "2", "u1")]


def test_a_task_is_taken_back() -> None:
    robot = PageRobot()
    assert asked(Requests(robot), do="tasks", command="take_back", entry="3")["entries"][0]["what"] == "go to the kitchen"
    assert robot.calls == [("tasks", "take_back", "3")]


def test_what_the_robot_refuses_is_said() -> None:
    robot = PageRobot()
    robot.refusal = "nobody serves 'say'"
    assert asked(Requests(robot), do="say", text="go") == {"ok": False, "message": "nobody serves 'say'"}


@pytest.mark.parametrize(
    ("request_", "why"),
    [
        ({"do": "fly"}, "no request 'fly'"),
        ({"do": None}, "no request"),
        ({"do": ["say"]}, "no request"),
        ({}, "no request"),
        ({"do": "say"}, "'text' is missing"),
        ({"do": "say", "text": 7}, "'text' is missing"),
        ({"do": "say", "text": "\x00\x1b"}, "'text' is missing"),
        ({"do": "say", "text": "a" * (LONGEST + 1)}, "more than"),
        ({"do": "cancel"}, "'utterance_id' is missing"),
        ({"do": "talk", "held": True}, "no request 'talk'"),  # by POST, without a page that could go on talking
    ],
)
def test_a_request_that_makes_no_sense_is_refused_in_one_line(request_: dict[str, Any], why: str) -> None:
    robot = PageRobot()
    answer = asked(Requests(robot), **request_)
    assert not answer["ok"]
    assert why in answer["message"]
    assert "\n" not in answer["message"]
    assert robot.calls == []


@given(
    st.dictionaries(
        st.sampled_from(["do", "text", "utterance_id", "entry", "command", "held"]),
        st.none() | st.booleans() | st.text() | st.lists(st.text()),
    )
)
def test_no_request_breaks_the_server(request: dict[str, Any]) -> None:
    assert isinstance(asked(Requests(PageRobot()), **request)["ok"], bool)


def test_a_flood_is_refused_and_stop_is_not() -> None:
    robot, now = PageRobot(), [0.0]
    requests = Requests(robot, clock=lambda: now[0])
    answers = [asked(requests, do="say", text="go")["ok"] for _ in range(OFTEN + 5)]
    assert answers == [True] * OFTEN + [False] * 5
    assert asked(requests, do="stop")["ok"]
    now[0] += 10.0
    assert asked(requests, do="say", text="go")["ok"]


def test_a_page_that_only_shows_can_stop_and_do_nothing_else() -> None:
    robot = PageRobot()
    requests = Requests(robot, read_only=True)
    for do in ("say", "answer", "resume", "cancel", "tasks", "talk"):
        assert "--read-only" in asked(requests, object(), do=do, text="go", held=True)["message"]
    assert asked(requests, do="stop")["ok"]
    assert robot.calls == [("stop",)]


def test_one_page_talks_at_a_time() -> None:
    robot, (anna, ben) = PageRobot(), (object(), object())
    requests = Requests(robot)
    assert asked(requests, anna, do="talk", held=True)["ok"]
    assert asked(requests, ben, do="talk", held=True)["message"] == "somebody else is talking to the robot"
    requests.hear(ben, np.ones(4, np.int16))
    requests.hear(anna, np.full(4, 2, np.int16))
    assert robot.sound.tolist() == [2, 2, 2, 2]
    asked(requests, ben, do="talk", held=False)  # is not hers to end
    requests.hear(anna, np.full(1, 3, np.int16))
    assert robot.sound.tolist() == [2, 2, 2, 2, 3]
    assert robot.calls == [("press", True)]


def test_what_a_page_was_saying_is_lost_when_it_goes_away() -> None:
    robot, (anna, ben) = PageRobot(), (object(), object())
    requests = Requests(robot)
    asked(requests, anna, do="talk", held=True)
    requests.gone(ben)
    requests.gone(anna)
    assert robot.calls == [("press", True), ("lose",)]
    assert asked(requests, ben, do="talk", held=True)["ok"]


def test_nobody_talks_while_the_robots_own_microphone_is_on() -> None:
    robot = PageRobot()
    robot.deaf = "the robot's own microphone is on"
    assert asked(Requests(robot), object(), do="talk", held=True) == {"ok": False, "message": robot.deaf}
    assert robot.calls == []
