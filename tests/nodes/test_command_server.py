"""ExecuteCommand alone: feedback, outcomes and cancellation, with a peer in place of the other nodes."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from action_msgs.msg import GoalStatus
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.task import Future
from sayso_msgs.srv import Cancel

from patience import PATIENCE
from ros_nodes import Peer, environment, peer
from sayso.types import Action, ActionBelief, ActionCandidate, Outcome, PlanState, SkillCall
from sayso_nodes.conversions import to_message
from sayso_nodes.graph import interface
from sayso_nodes.running.processes import RunningGraph

pytestmark = pytest.mark.ros
DOMAIN, OTHER = 87, 56
IMPATIENT = {"planner": {"patience": 0.5}}
GO = ActionCandidate(0, Action("go_to", (("goal", "kitchen"),)), 1.0, 1.0, 1.0, 1.0)
DECIDED = ActionBelief("u", 1.0, (GO,), "execute", "go to the kitchen: 100% sure")
PLANNED = PlanState("u", 1.0, "go_to(goal=kitchen)", "running", ahead=(SkillCall("navigate_to", (("goal", "kitchen"),)),))
ARRIVED = Outcome("u", 2.0, succeeded=True, action="go_to(goal=kitchen)")
CANCELLED = Outcome("u", 2.0, succeeded=False, action="go_to(goal=kitchen)", reason="cancelled")


class Others:
    """The parts of speech_to_text and planner that the server needs."""

    def __init__(self, made: Peer) -> None:
        self.peer = made
        self.early: tuple[Any, ...] = ()  # stages published before `say` answers
        self.numbers, self.utterance_id = itertools.count(), ""
        self.running = False  # what the planner answers to `cancel`
        self.cancelled: list[str] = []
        self.speakers = {kind: made.speaker(topic) for kind, topic in TOPICS.items()}
        made.node.create_service(interface("say"), "say", self.on_say)
        made.node.create_service(interface("cancel"), "cancel", self.on_cancel)
        self.client = made.action_client("execute_command")
        self.feedback: list[tuple[str, str]] = []

    def publish(self, stage: Any) -> None:
        self.speakers[type(stage)].publish(to_message(replace(stage, utterance_id=self.utterance_id)))

    def on_say(self, request: Any, response: Any) -> Any:
        self.utterance_id = f"u{next(self.numbers)}"
        for stage in self.early:
            self.publish(stage)
        response.accepted, response.utterance_id = bool(request.text), self.utterance_id if request.text else ""
        response.message = "" if request.text else "nothing to say"
        return response

    def on_cancel(self, request: Any, response: Any) -> Any:
        self.cancelled.append(request.utterance_id)
        response.running = self.running
        return response

    def send(self, text: str) -> Any:
        """The handle of an accepted goal."""
        self.feedback.clear()
        self.peer.until(lambda: self.peer.node.count_clients("say") and self.peer.node.count_clients("cancel"))
        goal = interface("execute_command").Goal(text=text)
        sent = self.client.send_goal_async(
            goal, feedback_callback=lambda message: self.feedback.append((message.feedback.stage, message.feedback.text))
        )
        self.peer.until(sent.done)
        return sent.result()

    def result(self, goal: Any) -> tuple[int, bool, str]:
        future = goal.get_result_async()
        self.peer.until(future.done)
        outcome = future.result().result.outcome
        return future.result().status, outcome.succeeded, outcome.reason

    def until_stage(self, stage: str) -> None:
        self.peer.until(lambda: any(found == stage for found, _ in self.feedback))


TOPICS = {ActionBelief: "action_belief", PlanState: "plan_state", Outcome: "outcome"}


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Others]:
    log = tmp_path_factory.mktemp("log")
    with (
        RunningGraph("robot", nodes=("command_server",), env=environment(DOMAIN), log_dir=log) as graph,
        peer(DOMAIN) as made,
    ):
        graph.wait_active(PATIENCE)
        others = Others(made)
        made.spin(0.5)
        yield others
        others.client.destroy()


@pytest.fixture
def others(running: Others) -> Others:
    running.early, running.running, running.cancelled = (), False, []
    return running


def test_a_command_that_is_kept_for_later_ends_with_the_acknowledgement(others: Others) -> None:
    goal = others.send("go to the kitchen at six")
    others.until_stage("speech_to_text")
    others.publish(replace(DECIDED, decision="defer", question="All right: at 6 pm I will go to the kitchen."))
    assert others.result(goal) == (GoalStatus.STATUS_SUCCEEDED, True, "All right: at 6 pm I will go to the kitchen.")


def test_each_stage_is_fed_back_and_the_outcome_is_the_result(others: Others) -> None:
    goal = others.send("go to the kitchen")
    others.until_stage("speech_to_text")
    for stage in (DECIDED, PLANNED):
        others.publish(stage)
    others.until_stage("planner")
    others.publish(ARRIVED)
    assert others.result(goal) == (GoalStatus.STATUS_SUCCEEDED, True, "")
    assert others.feedback == [
        ("speech_to_text", "go to the kitchen"),
        ("action_selector", "execute: go_to(goal=kitchen) go to the kitchen: 100% sure"),
        ("planner", "go_to(goal=kitchen): navigate_to(goal=kitchen)"),
    ]


def test_stages_that_come_before_the_utterance_is_known_are_not_lost(others: Others) -> None:
    others.early = (DECIDED, ARRIVED)
    goal = others.send("go to the kitchen")
    assert others.result(goal) == (GoalStatus.STATUS_SUCCEEDED, True, "")


def test_a_sentence_that_is_not_accepted_ends_the_command_with_the_reason(others: Others) -> None:
    assert others.result(others.send("")) == (GoalStatus.STATUS_ABORTED, False, "nothing to say")


def test_a_command_cancelled_before_its_decision_ends_at_once(others: Others) -> None:
    goal = others.send("go to the kitchen")
    others.until_stage("speech_to_text")
    others.peer.until(goal.cancel_goal_async().done)
    assert others.result(goal) == (GoalStatus.STATUS_CANCELED, False, "cancelled")
    assert others.cancelled == [others.utterance_id]


def test_a_command_cancelled_while_it_runs_ends_with_the_outcome_of_the_planner(others: Others) -> None:
    others.running = True
    goal = others.send("go to the kitchen")
    others.until_stage("speech_to_text")
    others.publish(DECIDED)
    others.until_stage("action_selector")
    others.peer.until(goal.cancel_goal_async().done)
    others.peer.until(lambda: others.cancelled)
    result = goal.get_result_async()
    others.peer.spin(0.3)
    assert not result.done()
    others.publish(CANCELLED)
    assert others.result(goal) == (GoalStatus.STATUS_CANCELED, False, "cancelled")


def test_the_planner_does_not_execute_what_was_cancelled_before_it_was_decided(tmp_path: Path) -> None:
    with RunningGraph("robot", nodes=("planner",), env=environment(OTHER), log_dir=tmp_path) as graph, peer(OTHER) as made:
        graph.wait_active(PATIENCE)
        beliefs, outcomes, plans = made.speaker("action_belief"), made.hear("outcome"), made.hear("plan_state")
        assert not made.call("cancel", Cancel.Request(utterance_id="u")).running
        beliefs.publish(to_message(DECIDED))
        made.until(lambda: outcomes)
        assert (outcomes[0].utterance_id, outcomes[0].succeeded, outcomes[0].reason) == ("u", False, "cancelled")
        made.spin(0.3)
        assert not plans


def test_the_same_decision_twice_is_carried_out_once_and_has_one_outcome(tmp_path: Path) -> None:
    domain = OTHER
    with (
        RunningGraph("robot", nodes=("planner",), env=environment(domain), log_dir=tmp_path, parameters=IMPATIENT) as graph,
        peer(domain) as made,
    ):
        graph.wait_active(PATIENCE)
        beliefs, outcomes = made.speaker("action_belief"), made.hear("outcome")
        for belief in (DECIDED, DECIDED, replace(DECIDED, utterance_id="v")):
            beliefs.publish(to_message(belief))
        made.until(lambda: any(outcome.utterance_id == "v" for outcome in outcomes))
        beliefs.publish(to_message(DECIDED))
        beliefs.publish(to_message(replace(DECIDED, utterance_id="w", decision="reject")))
        made.until(lambda: any(outcome.utterance_id == "w" for outcome in outcomes))
        assert [outcome.utterance_id for outcome in outcomes] == ["u", "v", "w"]


@pytest.mark.long("kills, freezes or starves processes")
def test_a_speech_to_text_that_dies_while_it_takes_the_sentence_keeps_no_program_waiting(tmp_path: Path) -> None:
    domain = OTHER

    async def never(_request: Any, response: Any) -> Any:
        await Future()
        return response

    with RunningGraph("robot", nodes=("command_server",), env=environment(domain), log_dir=tmp_path) as graph, peer(domain) as made:
        graph.wait_active(PATIENCE)
        made.node.create_service(interface("say"), "say", never, callback_group=ReentrantCallbackGroup())
        client = made.action_client("execute_command")
        made.until(lambda: made.node.count_clients("say"))
        made.spin(0.5)
        sent = client.send_goal_async(interface("execute_command").Goal(text="go to the kitchen"))
        made.until(sent.done)
        result = sent.result().get_result_async()
        made.until(result.done)
        assert result.result().result.outcome.reason == "speech_to_text did not answer; the sentence may have been heard"
        client.destroy()
