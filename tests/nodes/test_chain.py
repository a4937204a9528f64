"""All nodes together, as a user runs them: a simulated robot executes, asks about or ignores sentences."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile
from action_msgs.msg import GoalStatus
from sayso_msgs.srv import Answer, Say

from patience import PATIENCE
from ros_nodes import Peer, environment
from sayso.domain import load_domain
from sayso.types import SkillCall
from sayso_nodes.conversions import to_message
from sayso_nodes.graph import interface
from sayso_nodes.running.processes import RunningGraph

pytestmark = [pytest.mark.ros, pytest.mark.end_to_end]
DOMAIN = 67
SPEED = 2.0
SENTENCE = Path(__file__).resolve().parents[2] / "config" / "sentences" / "go_to_the_kitchen.flac"
NODES = (
    "simulation",
    "motion_gate",
    "stop_spotter",
    "speech_to_text",
    "intent_classifier",
    "action_selector",
    "planner",
    "skills",
    "speech_output",
    "utterance_watch",
    "command_server",
)


class User(Peer):
    """Says sentences and records what follows."""

    def __init__(self, domain_id: int) -> None:
        super().__init__(domain_id)
        self.outcomes, self.decisions, self.velocities = (
            self.hear("outcome", publishers=2),
            self.hear("action_belief"),
            self.hear("cmd_vel"),
        )
        self.states, self.worlds, self.plans = self.hear("stopped"), self.hear("world_state"), self.hear("plan_state")

    def say(self, text: str) -> str:
        self.velocities.clear()  # before the words: on a busy machine the robot may have driven all its way before the answer is here
        answer = self.call("say", Say.Request(text=text))
        assert answer.accepted
        return answer.utterance_id

    def decision(self, utterance_id: str) -> Any:
        return self.until(lambda: next((each for each in reversed(self.decisions) if each.utterance_id == utterance_id), None))

    def outcome(self, utterance_id: str) -> Any:
        return self.until(lambda: next((each for each in self.outcomes if each.utterance_id == utterance_id), None))

    def until_driving(self) -> None:
        """Until it drives or has driven since the last words, or since the test began."""
        self.until(lambda: any(velocity.linear.x > 0.05 for velocity in self.velocities))


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningGraph]:
    log = tmp_path_factory.mktemp("log")
    with RunningGraph(
        "sim", nodes=NODES, env=environment(DOMAIN), log_dir=log, parameters={"simulation": {"real_time_factor": SPEED}}
    ) as running:
        running.wait_active(PATIENCE)
        yield running


@pytest.fixture
def user(graph: RunningGraph) -> Iterator[User]:
    made = User(DOMAIN)
    try:
        made.call("stop")  # what an earlier test has begun
    except AssertionError:  # on a busy machine DDS may lose a reply before both sides know each other; stopping twice is harmless
        made.call("stop")
    made.until(lambda: made.velocities and made.velocities[-1].linear.x == 0.0)
    made.until(lambda: not made.plans or made.plans[-1].status != "running")
    made.call("resume")
    made.until(lambda: made.states and not made.states[-1].data)
    made.velocities.clear()
    yield made
    made.close()


def distance_to(user: User, place: str) -> float:
    user.worlds.clear()
    user.until(lambda: user.worlds)
    x, y, _ = load_domain().places[place].pose
    return math.hypot(user.worlds[-1].x - x, user.worlds[-1].y - y)


def test_drives_to_the_place_and_reports_it_only_on_arrival(user: User) -> None:
    utterance = user.say("go to the sofa")
    user.until_driving()
    assert not user.outcomes
    outcome = user.outcome(utterance)
    assert outcome.succeeded, outcome.reason
    assert outcome.action == "go_to(goal=sofa)"
    assert distance_to(user, "sofa") < 0.4
    user.until(lambda: user.plans[-1].status != "running")  # of another topic than the outcome, and so before or after it
    assert user.plans[-1].status == "succeeded"


def test_a_recorded_sentence_is_heard_through_the_audio_topic(graph: RunningGraph, user: User) -> None:
    transcripts = user.hear("transcript")
    graph.start("wav_player", {"files": [str(SENTENCE)], "leave": True})
    user.until(lambda: transcripts)
    assert transcripts[0].alternatives[0].text == "go to the kitchen"
    assert transcripts[0].header.stamp.sec > 0
    assert user.decision(transcripts[0].utterance_id).decision == "execute"
    user.until_driving()
    user.call("stop")
    assert not user.outcome(transcripts[0].utterance_id).succeeded
    assert graph.processes["wav_player"].process.wait(PATIENCE) == 0


def test_stop_ends_the_task_and_nothing_moves_until_go_on(user: User) -> None:
    utterance = user.say("go to the bedroom")
    user.until_driving()
    user.say("stop")
    outcome = user.outcome(utterance)
    assert (outcome.succeeded, outcome.reason) == (False, "the robot was told to stop; it moves again when told to go on")
    user.until(lambda: user.states[-1].data)
    refused = user.outcome(user.say("go to the study"))
    # A second call of the same stop may come after these words: then they are dropped for having been said before it.
    assert not refused.succeeded
    assert refused.reason in (outcome.reason, "that was said before the robot was told to stop")
    user.velocities.clear()
    user.spin(0.5)
    assert user.velocities
    assert all(velocity.linear.x == velocity.angular.z == 0.0 for velocity in user.velocities)
    assert user.outcome(user.say("resume")).succeeded
    user.until(lambda: not user.states[-1].data)


def test_the_spoken_stop_ends_the_task_and_its_transcript_finds_the_robot_stopped(graph: RunningGraph, user: User) -> None:
    transcripts, health = user.hear("transcript"), user.hear("/diagnostics")
    # The player needs some seconds to start, which are twice as many for the robot: its way must be long, and it is started first.
    graph.start("wav_player", {"files": [str(SENTENCE.with_name("stop.flac"))], "leave": True})
    utterance = user.say("go to the kitchen")
    user.until_driving()
    outcome = user.outcome(utterance)
    assert (outcome.succeeded, outcome.reason) == (False, "the robot was told to stop; it moves again when told to go on")
    user.until(lambda: transcripts and transcripts[-1].alternatives[0].text == "stop")
    assert user.outcome(transcripts[-1].utterance_id).succeeded
    assert user.states[-1].data
    # At twice the speed the transcript may come before the spotter's stop, which would then follow the "go on" below.
    user.until(lambda: any(pair.key == "last stop" for each in health for status in each.status for pair in status.values))
    assert user.outcome(user.say("go on")).succeeded
    user.until(lambda: not user.states[-1].data)
    user.velocities.clear()
    user.spin(0.5)
    assert all(velocity.linear.x == velocity.angular.z == 0.0 for velocity in user.velocities)  # the dropped task does not continue


def test_a_new_command_takes_the_place_of_the_present_one(user: User) -> None:
    first = user.say("go to the bathroom")
    user.until_driving()
    second = user.say("turn left")
    assert user.outcome(first).reason == "replaced by another command"
    assert user.outcome(second).succeeded


def test_asks_which_cup_and_does_nothing_after_never_mind(user: User) -> None:
    utterance = user.say("bring me the cup")
    decision = user.decision(utterance)
    assert decision.decision == "ask"
    assert len(decision.options) == 3
    refused = user.call("answer", Answer.Request(text="the green elephant"))
    assert not refused.accepted
    assert "does not answer" in refused.message
    assert user.call("answer", Answer.Request(text="never mind")).accepted
    assert not user.outcome(utterance).succeeded
    assert not user.call("answer", Answer.Request(text="yes")).accepted  # no question is open any more


def test_a_spoken_answer_decides(user: User) -> None:
    utterance = user.say("bring me the cup")
    assert user.decision(utterance).decision == "ask"
    user.say("the blue one")
    decision = user.until(lambda: next((d for d in user.decisions if d.utterance_id == utterance and d.decision == "execute"), None))
    assert dict(zip(decision.candidates[0].argument_names, decision.candidates[0].argument_values, strict=True))["theme"] == "blue_cup"
    user.until(lambda: any(plan.utterance_id == utterance and plan.ahead for plan in user.plans))


def test_a_correction_takes_the_place_of_what_is_being_done(user: User) -> None:
    first = user.say("go to the bathroom")
    user.until_driving()
    second = user.say("no, I said the sofa")
    assert user.outcome(first).reason == "replaced by another command"
    outcome = user.outcome(second)
    assert (outcome.succeeded, outcome.action) == (True, "go_to(goal=sofa)"), outcome.reason


def test_what_is_taken_back_is_done_no_longer_and_has_one_outcome(user: User) -> None:
    first = user.say("go to the bathroom")
    user.until_driving()
    question = user.say("not the bathroom")
    assert user.outcome(first).reason == "corrected: not the bathroom"
    assert (user.decision(question).decision, user.decision(question).question) == ("ask", "Where should I go?")
    user.until(lambda: user.velocities[-1].linear.x == user.velocities[-1].angular.z == 0.0)
    assert user.call("answer", Answer.Request(text="never mind", utterance_id=question)).accepted
    user.outcome(question)
    assert [outcome.utterance_id for outcome in user.outcomes] == [first, question]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", ""),
        ("word " * 10_000, ""),
        ("vacuum the carpet", "I can't clean floors"),
        ("don't go to the kitchen", "told not to"),
    ],
)
def test_what_is_no_order_leaves_the_robot_unmoved(user: User, text: str, reason: str) -> None:
    outcome = user.outcome(user.say(text))
    assert not outcome.succeeded
    assert outcome.reason
    assert reason in outcome.reason
    user.velocities.clear()
    user.spin(0.3)
    assert all(velocity.linear.x == 0.0 for velocity in user.velocities)


def test_sound_that_is_no_order_leaves_the_robot_unmoved_and_every_node_alive(graph: RunningGraph, user: User, tmp_path: Path) -> None:
    noise = np.random.default_rng(0).normal(0.0, 0.2, (88_200, 2))
    soundfile.write(tmp_path / "noise.wav", noise, 44_100)
    soundfile.write(tmp_path / "silence.wav", np.zeros(32_000, np.int16), 16_000)
    unrelated = SENTENCE.with_name("oov_volunteers_are_cleaning_the_beach_this_morning.flac")
    transcripts = user.hear("transcript")
    begun = len(user.decisions)
    files = [str(tmp_path / "silence.wav"), str(tmp_path / "noise.wav"), str(unrelated)]
    player = graph.start("wav_player", {"files": files, "leave": True}).process
    user.until(lambda: player.poll() == 0 and transcripts)
    user.spin(1.0)
    assert all(transcript.rejected for transcript in transcripts)
    assert all(decision.decision == "reject" for decision in user.decisions[begun:])
    assert all(velocity.linear.x == velocity.angular.z == 0.0 for velocity in user.velocities[-20:])
    assert [name for name in NODES if graph.processes[name].process.poll() is not None] == []


def test_a_program_follows_its_command_to_the_outcome_and_can_cancel_it(user: User) -> None:
    kind = interface("execute_command")
    client = user.action_client("execute_command")
    feedback: list[Any] = []
    sent = client.send_goal_async(kind.Goal(text="turn right"), feedback_callback=lambda message: feedback.append(message.feedback))
    user.until(sent.done)
    result = sent.result().get_result_async()
    user.until(result.done)
    assert result.result().result.outcome.succeeded
    assert {"speech_to_text", "action_selector"} <= {each.stage for each in feedback}

    sent = client.send_goal_async(kind.Goal(text="go to the study"))
    user.until(sent.done)
    user.until_driving()
    cancelled = sent.result().cancel_goal_async()
    user.until(cancelled.done)
    result = sent.result().get_result_async()
    user.until(result.done)
    assert (result.result().result.outcome.succeeded, result.result().result.outcome.reason) == (False, "cancelled")
    client.destroy()


@pytest.mark.parametrize("text", ["vacuum the carpet", "turn left"])
def test_say_shows_every_stage_in_its_order_each_time(user: User, text: str) -> None:
    rejected = ["Transcript", "IntentBelief", "ActionBelief", "Outcome"]
    expected = rejected if "carpet" in text else [*rejected[:3], "PlanState", "PlanState", "Outcome"]
    for _ in range(2):
        say = [sys.executable, "-c", "from sayso.cli import main; main()", "say", "--json", text]
        done = subprocess.run(say, env={**os.environ, **environment(DOMAIN)}, capture_output=True, text=True, timeout=PATIENCE, check=False)
        assert [json.loads(line)["stage"] for line in done.stdout.splitlines()] == expected, done.stdout + done.stderr


def test_a_look_that_is_cancelled_says_that_it_was_interrupted(user: User) -> None:
    kind = interface("execute_skill")
    client = user.action_client("execute_skill")
    goal = kind.Goal()
    goal.call = to_message(SkillCall("look_for", (("theme", "toy_car"),)))
    sent = client.send_goal_async(goal)
    user.until(sent.done)
    result = sent.result().get_result_async()
    cancelled = sent.result().cancel_goal_async()
    user.until(cancelled.done)
    user.until(result.done)
    assert (result.result().status, result.result().result.interrupted) == (GoalStatus.STATUS_CANCELED, True)
    client.destroy()


def test_a_skill_is_refused_while_another_runs(user: User) -> None:
    user.say("go to the bathroom")
    user.until_driving()
    kind = interface("execute_skill")
    client = user.action_client("execute_skill")
    goal = kind.Goal()
    goal.call.name = "dock"
    sent = client.send_goal_async(goal)
    user.until(sent.done)
    assert not sent.result().accepted
    client.destroy()
