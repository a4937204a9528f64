"""Whatever dies between two stages: each sentence ends in an outcome, and the robot says what it has lost."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from rclpy.parameter import Parameter

from patience import PATIENCE
from ros_nodes import Peer, environment, peer
from sayso import state_file
from sayso.intent.discourse import Discourse, RecentMentions
from sayso.types import Action, ActionBelief, ActionCandidate, IntentBelief, Outcome, PlanState, Transcript, TranscriptAlternative
from sayso.utterances import Followed, Journal
from sayso_nodes.conversions import to_message
from sayso_nodes.nodes.intent_classifier import TOO_MUCH, IntentClassifierNode
from sayso_nodes.nodes.utterance_watch import UtteranceWatchNode
from sayso_nodes.running.processes import RunningGraph
from small_disk import small_disk

pytestmark = pytest.mark.ros
DOMAIN, OTHER = 44, 50
HEARD = Transcript("u", 5.0, (TranscriptAlternative("go to the kitchen", 0.0),), 1.0)
GO = ActionCandidate(0, Action("go_to", (("goal", "kitchen"),)), 1.0, 1.0, 1.0, 1.0)
DECIDED = ActionBelief("u", 5.0, (GO,), "execute", "100% sure")


def heard_now(name: str) -> Any:
    """A transcript of this moment."""
    return to_message(replace(HEARD, utterance_id=name, stamp=time.time()))


class Stages:
    """The stages that still live, in one peer."""

    def __init__(self, made: Peer, graph: RunningGraph) -> None:
        self.peer, self.graph = made, graph
        self.outcomes, self.speech, self.signs = made.hear("outcome"), made.hear("speech"), made.hear("alive", 0)
        self.transcripts, self.plans = made.speaker("transcript"), made.speaker("plan_state")
        made.node.create_timer(0.2, graph.poll)

    def outcome(self, utterance_id: str) -> Any:
        return self.peer.until(lambda: next((each for each in self.outcomes if each.utterance_id == utterance_id), None))


@pytest.fixture
def stages(tmp_path: Path) -> Iterator[Stages]:
    with RunningGraph("robot", nodes=("utterance_watch",), env=environment(DOMAIN), log_dir=tmp_path) as graph, peer(DOMAIN) as made:
        graph.wait_active(PATIENCE)
        yield Stages(made, graph)


def test_a_sentence_that_no_stage_takes_up_ends_with_an_outcome_and_an_apology(stages: Stages) -> None:
    stages.transcripts.publish(heard_now("u"))
    outcome = stages.outcome("u")
    assert (outcome.succeeded, outcome.reason) == (False, "lost, please say it again: intent_classifier did not answer")
    stages.peer.until(lambda: stages.speech)
    assert [said.data for said in stages.speech] == ["I lost that, please say it again."]


@pytest.mark.long("kills, freezes or starves processes")
def test_a_watcher_that_dies_knows_afterwards_what_was_on_its_way(stages: Stages) -> None:
    for name in ("runs", "lost"):
        stages.transcripts.publish(heard_now(name))
    stages.plans.publish(to_message(PlanState("runs", 5.0, "go_to(goal=kitchen)", "running")))
    stages.peer.spin(1.0)
    stages.graph.processes["utterance_watch"].process.kill()
    assert stages.outcome("lost").reason == "lost, please say it again: it was on its way when nodes were restarted"
    stages.peer.spin(1.0)
    assert [outcome.utterance_id for outcome in stages.outcomes] == ["lost"]


@pytest.mark.long("kills, freezes or starves processes")
def test_what_a_planner_concluded_before_it_died_is_not_lost_for_the_next_watcher(stages: Stages) -> None:
    planner = stages.peer.speaker("outcome", subscribers=2)
    stages.transcripts.publish(heard_now("done"))
    planner.publish(to_message(Outcome("done", time.time(), succeeded=True, action="go_to(goal=kitchen)")))
    stages.outcome("done")
    stages.peer.spin(0.5)
    stages.graph.processes["utterance_watch"].process.kill()
    stages.peer.node.destroy_publisher(planner)  # nobody remembers the outcome
    stages.transcripts.publish(heard_now("lost"))
    stages.outcome("lost")
    stages.peer.spin(1.0)
    assert [outcome.utterance_id for outcome in stages.outcomes] == ["done", "lost"]


@pytest.mark.long("kills, freezes or starves processes")
def test_a_sentence_that_was_said_while_the_watcher_started_is_not_lost_in_silence(stages: Stages) -> None:
    stages.graph.processes["utterance_watch"].process.kill()
    stages.graph.processes["utterance_watch"].process.wait()
    stages.transcripts.publish(heard_now("u"))
    stages.transcripts.publish(to_message(replace(HEARD, utterance_id="old", stamp=time.time() - 600.0)))
    assert stages.outcome("u").reason == "lost, please say it again: intent_classifier did not answer"
    stages.peer.spin(1.0)
    assert [outcome.utterance_id for outcome in stages.outcomes] == ["u"]


def test_what_was_given_up_is_not_executed_even_by_a_planner_that_starts_later(tmp_path: Path) -> None:
    domain = OTHER
    with RunningGraph("robot", nodes=(), env=environment(domain), log_dir=tmp_path) as graph, peer(domain) as made:
        outcomes = made.speaker("outcome", subscribers=0)
        outcomes.publish(to_message(Outcome("u", 9.0, succeeded=False, action="", reason="lost")))
        graph.start("planner", {"patience": 0.5})
        beliefs, heard = made.speaker("action_belief"), made.hear("outcome", publishers=2)
        health = made.hear("/diagnostics")
        made.until(lambda: any(pair.value == "active" for each in health for pair in each.status[0].values))
        made.spin(0.5)
        for name in ("u", "v"):
            beliefs.publish(to_message(replace(DECIDED, utterance_id=name)))
        made.until(lambda: any(outcome.utterance_id == "v" for outcome in heard))
        assert [outcome.utterance_id for outcome in heard] == ["v"]


def test_a_journal_on_a_full_disk_is_a_warning_until_there_is_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(state_file, "RETRY_AFTER", 0.5)
    with small_disk(tmp_path / "disk") as disk, peer(OTHER) as made:
        file = disk.folder / "in_flight.sqlite"
        Journal(file, f"{os.environ.get('ROS_DOMAIN_ID', '0')}/").write(Followed(("earlier",)))
        disk.fill()
        node = UtteranceWatchNode(context=made.context, parameter_overrides=[Parameter("journal", value=str(file))])
        try:
            made.run(node)
            node.start()
            outcomes, transcripts, health = made.hear("outcome"), made.speaker("transcript"), made.hear("/diagnostics")
            made.until(lambda: [outcome.utterance_id for outcome in outcomes] == ["earlier"])
            transcripts.publish(heard_now("u"))
            expected = f"{file} cannot be written (disk I/O error): is there room on the disk?"
            made.until(lambda: health and health[-1].status[0].message == expected)
            made.spin(2.0)  # nothing else happens
            assert health[-1].status[0].message == expected
            disk.empty()
            made.until(lambda: health[-1].status[0].message == "active")
            assert node.journal is not None
            assert node.journal.read() == Followed(("u",), over=("earlier",))
        finally:
            node.close()


class Slow(IntentClassifierNode):
    """A real node whose stage needs half a second for a sentence."""

    def open(self) -> None:
        self.discourse = Discourse()
        self.beliefs = self.publisher("intent_belief")
        self.subscription("transcript", self.on_transcript)

    def classify(self, transcript: Transcript, _: RecentMentions) -> IntentBelief:
        time.sleep(0.1)
        return IntentBelief(transcript.utterance_id, transcript.stamp, transcript.text, (), ())


def test_a_flood_of_sentences_gets_as_many_answers() -> None:
    with peer(OTHER) as made:
        node = Slow(context=made.context)
        made.run(node)
        node.start()
        beliefs, transcripts = made.hear("intent_belief"), made.speaker("transcript")
        sent = [str(number) for number in range(3 * node.QUEUE)]
        for name in sent:
            transcripts.publish(to_message(replace(HEARD, utterance_id=name)))
            made.spin(0.002)
        made.until(lambda: len(beliefs) == len(sent))
        assert sorted(belief.utterance_id for belief in beliefs) == sorted(sent)
        answered = [belief for belief in beliefs if not belief.rejected]
        assert {belief.rejected for belief in beliefs} == {"", TOO_MUCH}
        assert len(answered) >= node.QUEUE
        node.close()


def test_a_planner_that_starts_while_the_robot_is_stopped_knows_it(tmp_path: Path) -> None:
    domain = OTHER
    with RunningGraph("robot", nodes=("motion_gate",), env=environment(domain), log_dir=tmp_path) as graph, peer(domain) as made:
        graph.wait_active(PATIENCE)
        made.call("stop")
        graph.start("planner", {"after": ["late"]})
        beliefs, outcomes = made.speaker("action_belief"), made.hear("outcome")
        made.spin(1.0)  # `stopped` comes while the planner still waits for the other node
        from lifecycle_msgs.srv import ChangeState

        request = ChangeState.Request()
        request.transition.id = request.transition.TRANSITION_ACTIVATE
        assert made.call("planner/change_state", request, ChangeState).success
        beliefs.publish(to_message(replace(DECIDED, stamp=time.time() + 0.2)))
        made.until(lambda: outcomes)
        assert outcomes[0].reason == "the robot was told to stop; it moves again when told to go on"
