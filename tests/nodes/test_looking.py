"""action_selector and planner over DDS: the robot looks first, then decides again; a sentence that needs no motion ends at once."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from rclpy.action import ActionServer
from rclpy.parameter import Parameter

from hand_made import transcript
from loaded import default_classifier
from ros_nodes import Peer, environment
from sayso.domain import load_domain
from sayso.types import ActionBelief, Context, Outcome
from sayso_nodes.conversions import from_message, to_message
from sayso_nodes.graph import interface
from sayso_nodes.nodes.action_selector import ActionSelectorNode
from sayso_nodes.nodes.intent_classifier import IntentClassifierNode
from sayso_nodes.nodes.planner import PlannerNode
from sayso_nodes.nodes.speech_to_text import SpeechToTextNode

pytestmark = pytest.mark.ros
NETWORK = 84
HOME = load_domain()


class Robot(Peer):
    """The nodes that decide and plan, with skills that succeed or fail as told."""

    def __init__(self) -> None:
        super().__init__(NETWORK)
        self.done: list[str] = []  # skills, in order
        self.arguments: list[str] = []  # of the same skills
        self.view: tuple[str, ...] = ()  # what the robot has seen
        self.fails: set[str] = set()
        kind = interface("execute_skill")

        def execute(goal: Any) -> Any:
            call = from_message(goal.request.call)
            name = call.name
            self.done.append(name)
            self.arguments.append(str(call))
            for _ in range(2):  # as the skills do, after the skill too
                self.contexts.publish(to_message(Context(stamp=self.selector.seconds(), place="counter", visible=self.view)))
            succeeded = name not in self.fails
            goal.succeed() if succeeded else goal.abort()
            return kind.Result(succeeded=succeeded, reason="" if succeeded else "not there", seconds=0.1)

        self.skills = ActionServer(self.node, kind, "execute_skill", execute)
        self.nodes: list[Any] = []
        self.start(PlannerNode)
        self.selector = self.start(ActionSelectorNode, agenda="", memory="")
        self.decisions, self.outcomes = self.hear("action_belief"), self.hear("outcome")
        self.intents, self.contexts = self.speaker("intent_belief"), self.speaker("context")
        self.questions = self.hear("question")

    def start(self, kind: Any, **parameters: Any) -> Any:
        node = kind(context=self.context, parameter_overrides=[Parameter(name, value=value) for name, value in parameters.items()])
        self.nodes.append(node)
        self.run(node)
        node.start()
        return node

    def says(self, name: str, text: str) -> None:
        said = replace(default_classifier()(transcript((text, 1.0))), utterance_id=name, stamp=self.selector.seconds())
        self.intents.publish(to_message(said))

    def decided(self, count: int) -> list[ActionBelief]:
        self.until(lambda: len(self.decisions) >= count)
        return [from_message(each) for each in self.decisions]

    def outcome(self, name: str) -> Outcome:
        return from_message(self.until(lambda: next((each for each in self.outcomes if each.utterance_id == name), None)))

    def close(self) -> None:
        for node in self.nodes:
            node.close()
        self.skills.destroy()
        super().close()


@pytest.fixture
def robot() -> Iterator[Robot]:
    made = Robot()
    yield made
    made.close()


def test_after_a_look_the_same_utterance_is_decided_again(robot: Robot) -> None:
    robot.says("u1", "bring me the cup next to the bread")
    look, second = robot.decided(2)[:2]
    assert (look.decision, [str(action) for action in look.chosen]) == ("execute", ["find(theme=bread)"])
    assert look.then == "bring me the cup next to the bread"
    assert second.utterance_id == "u1"
    assert second.then == ""
    assert second.decision in ("execute", "confirm", "ask")
    assert {option.name for option in second.options or second.chosen} == {"bring"}


def test_the_answer_after_a_look_is_carried_out_and_has_the_only_outcome(robot: Robot) -> None:
    robot.fails = {"detect"}
    robot.says("u1", "bring me two things from the kitchen table")
    assert [str(action) for action in robot.decided(1)[0].chosen] == ["survey(goal=kitchen_table)"]
    second = robot.decided(2)[1]
    assert second.then == ""
    if second.decision in ("confirm", "ask"):
        robot.says("u2", "no")
    robot.outcome("u1")
    robot.spin(0.5)
    assert [each.utterance_id for each in robot.outcomes].count("u1") == 1


def test_what_is_on_the_counter_is_told_after_a_look_at_it(robot: Robot) -> None:
    robot.view = ("red_cup", "white_cup")
    robot.says("u1", "tell me how many cups are on the counter")
    look, told = robot.decided(2)[:2]
    assert [str(action) for action in look.chosen] == ["survey(goal=counter)"]
    assert told.decision == "answer"
    assert told.question.startswith("I expect 2 on the counter: the red cup")
    robot.until(lambda: told.question in [each.data for each in robot.questions])
    assert robot.outcome("u1").succeeded


def test_what_a_look_has_shown_is_used_for_the_command(robot: Robot) -> None:
    robot.view = ("lemon",)
    robot.says("u1", "hand me the lemon from the dining table")
    assert robot.outcome("u1").succeeded
    assert robot.arguments[:3] == ["navigate_to(goal=dining_table)", "survey(goal=dining_table)", "pick(theme=lemon)"]


def test_a_command_during_a_look_ends_it(robot: Robot) -> None:
    robot.says("u1", "bring me the cup next to the bread")
    robot.says("u2", "stop")
    robot.outcome("u2")
    assert not robot.outcome("u1").succeeded
    robot.spin(0.5)
    later = [each for each in robot.decided(2) if each.utterance_id == "u1"]
    assert [each.then for each in later] == ["bring me the cup next to the bread"]


@pytest.mark.parametrize(("text", "decision"), [("where is the milk", "answer"), ("go to the kitchen in ten minutes", "defer")])
def test_a_sentence_without_motion_ends_a_client_at_once(robot: Robot, text: str, decision: str) -> None:
    robot.start(SpeechToTextNode)
    robot.start(IntentClassifierNode)
    command = [sys.executable, "-c", "from sayso.cli import main; main()", "say", text]
    env = {**os.environ, **environment(NETWORK)}
    client = subprocess.Popen(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    robot.until(lambda: client.poll() is not None)
    shown = client.communicate()[0]
    assert client.returncode == 0, shown
    assert decision in shown
    assert not robot.done
