"""What all nodes share: parameters, life cycle, diagnostics, and failing stages."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest
from lifecycle_msgs.msg import Transition
from lifecycle_msgs.srv import ChangeState, GetState
from rcl_interfaces.srv import DescribeParameters
from rclpy.parameter import Parameter as Given

from patience import PATIENCE
from ros_nodes import Peer, peer
from sayso.errors import RosError
from sayso.intent.discourse import Discourse, RecentMentions
from sayso.types import IntentBelief, Transcript, TranscriptAlternative
from sayso_nodes.conversions import to_message
from sayso_nodes.graph import interface
from sayso_nodes.lifecycle_node import SaysoNode
from sayso_nodes.nodes.intent_classifier import IntentClassifierNode
from sayso_nodes.parameters import Parameter
from sayso_nodes.states import StateQuestions
from sayso_nodes.worker import Worker

pytestmark = pytest.mark.ros
DOMAIN = 65


class Fragile(IntentClassifierNode):
    """A real node whose stage fails on some sentences."""

    PARAMETERS = (
        *IntentClassifierNode.PARAMETERS,
        Parameter("speed", 1.0, "a dynamic number", 0.0, 2.0, dynamic=True),
        Parameter("count", 3, "a number that stays", 0, 9),
        Parameter("names", (), "some names"),
        Parameter("mood", "good", "a choice", choices=("good", "bad")),
    )
    set_to = 1.0

    def open(self) -> None:
        self.classify = self.fail_on_trouble
        self.discourse = Discourse()
        self.beliefs = self.publisher("intent_belief")
        self.subscription("transcript", self.on_transcript)

    def on_change(self, name: str, value: Any) -> None:
        self.set_to = value

    def fail_on_trouble(self, transcript: Transcript, _: RecentMentions) -> IntentBelief:
        if transcript.text == "trouble":
            raise ZeroDivisionError("a stage that divides by nothing")
        return IntentBelief(transcript.utterance_id, transcript.stamp, transcript.text, (), ())


@pytest.fixture
def made() -> Iterator[Peer]:
    with peer(DOMAIN) as one:
        yield one


@pytest.fixture
def node(made: Peer) -> Iterator[Fragile]:
    fragile = Fragile(context=made.context)
    made.run(fragile)
    yield fragile
    fragile.close()


def message(text: str) -> Any:
    return to_message(Transcript(text, 1.0, (TranscriptAlternative(text, 0.0),), 1.0))


def test_a_failing_stage_becomes_a_rejection_and_the_node_lives_on(made: Peer, node: Fragile) -> None:
    node.start()
    beliefs, health, transcripts = made.hear("intent_belief"), made.hear("/diagnostics"), made.speaker("transcript")
    transcripts.publish(message("trouble"))
    made.until(lambda: beliefs)
    assert beliefs[0].rejected == "intent_classifier failed: a stage that divides by nothing"
    made.until(lambda: health and health[-1].status[0].level == b"\x02")
    assert "divides by nothing" in health[-1].status[0].message
    transcripts.publish(message("go on"))
    made.until(lambda: len(beliefs) == 2)
    assert (beliefs[1].text, beliefs[1].rejected) == ("go on", "")


@pytest.mark.timed
def test_diagnostics_come_each_second_with_state_calls_and_latency(made: Peer, node: Fragile) -> None:
    health = made.hear("/diagnostics")
    made.until(lambda: health)
    assert {entry.key: entry.value for entry in health[-1].status[0].values}["state"] == "unconfigured"
    node.start()
    transcripts = made.speaker("transcript")
    transcripts.publish(message("hello"))
    made.until(lambda: {entry.key: entry.value for entry in health[-1].status[0].values}["calls"] == "1")
    values = {entry.key: entry.value for entry in health[-1].status[0].values}
    assert values["state"] == "active"
    assert float(values["last call (ms)"]) >= 0.0
    assert float(values["processor (%)"]) >= 0.0
    assert health[-1].status[0].name == "sayso: intent_classifier"
    count, began = len(health), time.monotonic()
    made.until(lambda: len(health) >= count + 2)
    assert time.monotonic() - began < 3.5


def test_the_life_cycle_is_ros_own(made: Peer, node: Fragile) -> None:
    def state() -> str:
        return made.call("intent_classifier/get_state", kind=GetState).current_state.label

    def change(transition: int) -> bool:
        return made.call("intent_classifier/change_state", ChangeState.Request(transition=Transition(id=transition)), ChangeState).success

    assert state() == "unconfigured"
    assert change(Transition.TRANSITION_CONFIGURE)
    assert change(Transition.TRANSITION_ACTIVATE)
    assert state() == "active"
    assert change(Transition.TRANSITION_DEACTIVATE)
    beliefs, transcripts = made.hear("intent_belief"), made.speaker("transcript")
    transcripts.publish(message("no subscriber"))
    made.spin(0.3)
    assert beliefs == []
    assert change(Transition.TRANSITION_CLEANUP)
    assert state() == "unconfigured"
    assert made.node.count_publishers("intent_belief") in (0, 1)  # on its way out of the graph
    assert change(Transition.TRANSITION_CONFIGURE)


def test_the_state_of_a_node_that_answers_late_is_known_all_the_same(made: Peer) -> None:
    answers: list[float] = []

    def slow(_request: Any, response: Any) -> Any:
        time.sleep(1.3)  # longer than the pause between two questions
        answers.append(time.monotonic())
        response.current_state.label = "active"
        return response

    with peer(DOMAIN) as busy:
        busy.node.create_service(GetState, "busy/get_state", slow)
        spinning = threading.Thread(target=busy.spin, args=(8.0,))
        spinning.start()
        questions = StateQuestions(made.node, ("busy",))
        made.until(lambda: questions.state("busy") == "active")
        questions.close("busy")
        spinning.join()
    assert answers


def test_what_keeps_a_node_from_starting_is_said_in_one_line(made: Peer) -> None:
    class Hopeless(Fragile):
        def open(self) -> None:
            self.publisher("intent_belief")
            raise RosError("the model is missing: make setup")

    hopeless = Hopeless(context=made.context)
    with pytest.raises(RosError, match=r"^intent_classifier: the model is missing: make setup$"):
        hopeless.start()
    hopeless.close()


def test_a_parameter_is_described_with_its_range(made: Peer, node: Fragile) -> None:
    request = DescribeParameters.Request(names=["speed", "count", "mood"])
    speed, count, mood = made.call("intent_classifier/describe_parameters", request, DescribeParameters).descriptors
    assert (speed.description, speed.read_only, speed.floating_point_range[0].to_value) == ("a dynamic number", False, 2.0)
    assert (count.read_only, count.integer_range[0].to_value) == (True, 9)
    assert mood.additional_constraints == "one of good, bad"


def test_a_dynamic_parameter_takes_effect_and_a_wrong_value_does_not(node: Fragile) -> None:
    node.start()
    assert node.set_parameters([Given("speed", value=2.0)])[0].successful
    assert node.set_to == 2.0
    refused = node.set_parameters([Given("speed", value=2.5)])[0]
    assert not refused.successful
    assert "out of range" in refused.reason
    assert not node.set_parameters([Given("count", value=4)])[0].successful
    assert (node.value("speed"), node.value("count")) == (2.0, 3)


@pytest.mark.parametrize(
    ("name", "value", "complaint"),
    [
        ("mood", "ugly", "'ugly' is none of good, bad"),
        ("count", 2.5, "2.5 is not a int"),
        ("speed", float("nan"), "nan is not in"),
        ("count", True, "True is not a int"),
        ("names", ["a", "b"], ""),
        ("speed", 2, ""),
    ],
)
def test_given_values_are_checked_before_anything_starts(made: Peer, name: str, value: Any, complaint: str) -> None:
    given = [Given(name, value=value)]
    if complaint:
        with pytest.raises(RosError, match=complaint):
            Fragile(context=made.context, parameter_overrides=given)
    else:
        fragile = Fragile(context=made.context, parameter_overrides=given)
        assert fragile.value(name) == (tuple(value) if isinstance(value, list) else value)
        fragile.close()


def test_a_node_cannot_open_what_the_graph_does_not_allow_it(made: Peer, node: Fragile) -> None:
    with pytest.raises(RosError, match="intent_classifier publishes 'cmd_vel', which the graph does not allow it"):
        node.publisher("cmd_vel")


def test_every_node_describes_itself() -> None:
    """Name, parameters with descriptions, and a module that runs: for each node of each variant."""
    from importlib import import_module

    from sayso_nodes.graph import VARIANTS, load_graph

    for variant in VARIANTS:
        graph = load_graph(variant)
        for node in (*graph.nodes.values(), *graph.on_demand.values()):
            module = import_module(node.module)
            (node_class,) = [v for v in vars(module).values() if isinstance(v, type) and issubclass(v, SaysoNode) and v is not SaysoNode]
            assert node.name == node_class.NAME
            assert callable(module.main)
            assert all(parameter.description for parameter in node_class.PARAMETERS)
            assert node.domain == ("domain" in {parameter.name for parameter in node_class.PARAMETERS})
            for parameter in node_class.PARAMETERS:
                assert parameter.checked(parameter.default, node.name) == parameter.default
    assert interface("transcript").__name__ == "Transcript"


def test_a_worker_keeps_the_order_and_drops_the_oldest() -> None:
    worker = Worker("test", capacity=2)
    began, go, done = threading.Event(), threading.Event(), []
    worker.submit(lambda: (began.set(), go.wait(PATIENCE), done.append(0)))
    assert began.wait(PATIENCE)
    for number in (1, 2, 3):
        worker.submit(lambda number=number: done.append(number))
    finished = threading.Event()
    assert worker.waiting == 2
    go.set()
    while worker.waiting:
        time.sleep(0.001)
    worker.submit(finished.set)
    assert finished.wait(PATIENCE)
    assert done == [0, 2, 3]
    assert worker.dropped == 1
    worker.close()
