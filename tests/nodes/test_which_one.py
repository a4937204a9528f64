"""Over DDS: the robot sees two things that may be meant, asks, and goes on with the one that was chosen, or ends with a clear outcome."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from rclpy.action import ActionServer
from rclpy.parameter import Parameter
from sayso_msgs.srv import Answer, Cancel
from std_msgs.msg import Bool

from hand_made import transcript
from loaded import default_classifier
from patience import PATIENCE
from ros_nodes import Peer
from sayso.bags.messages import GroundTruth
from sayso.domain import load_domain
from sayso.types import Choice, Context, Outcome
from sayso_nodes.commands.answering import Answering
from sayso_nodes.commands.demo_watch import UtteranceProgress
from sayso_nodes.conversions import from_message, to_message
from sayso_nodes.graph import interface
from sayso_nodes.nodes.action_selector import ActionSelectorNode
from sayso_nodes.nodes.planner import PlannerNode
from sayso_nodes.nodes.skill_client import choices_of
from sayso_nodes.nodes.utterance_watch import UtteranceWatchNode

pytestmark = pytest.mark.ros
DOMAIN = 97
HOME = load_domain()
CUPS = tuple(Choice(f"the {side} one", (1.0, y, 0.9), (1e-4,) * 9, probability=0.5) for side, y in (("left", 0.2), ("right", -0.2)))
SEEN = "I see 2 things that may be the red cup: the left one, 1.0 m away or the right one, 1.0 m away"
QUESTION = "I see 2 things that may be the red cup. Do you mean the left one or the right one?"


class Robot(Peer):
    """The nodes that decide, plan and watch, with skills that see two cups until one of them is chosen."""

    def __init__(self, answer_within: float = PATIENCE) -> None:
        """`answer_within`: how long its question stays open, s."""
        super().__init__(DOMAIN)
        self.done: list[tuple[str, tuple[str, ...]]] = []  # skills, with the words of what was chosen for each, in order
        self.ambiguous: set[str] = set()  # descriptions that fit both
        kind = interface("execute_skill")

        def execute(goal: Any) -> Any:
            call, chosen = from_message(goal.request.call), tuple(each.words for each in goal.request.choices)
            self.done.append((call.name, chosen))
            self.contexts.publish(to_message(Context(stamp=self.selector.seconds(), place="counter")))
            if call.name == "look_for" and (not chosen or chosen[0] in self.ambiguous):
                goal.abort()
                return kind.Result(reason=SEEN, interrupted=True, choices=[to_message(each) for each in CUPS])
            goal.succeed()
            return kind.Result(succeeded=True)

        self.skills = ActionServer(self.node, kind, "execute_skill", execute)
        self.nodes: dict[str, Any] = {}
        self.start(PlannerNode, memory="")
        self.selector = self.start(ActionSelectorNode, agenda="", memory="", answer_within=answer_within)
        self.start(UtteranceWatchNode, journal="")
        self.decisions, self.outcomes, self.questions = map(self.hear, ("action_belief", "outcome", "question"), (1, 2, 1))
        self.states, self.spoken = self.hear("plan_state"), self.hear("speech", 2)
        self.intents, self.contexts = self.speaker("intent_belief"), self.speaker("context", 2)
        self.stopped = self.speaker("stopped", 2)

    def start(self, kind: Any, **parameters: Any) -> Any:
        node = kind(context=self.context, parameter_overrides=[Parameter(name, value=value) for name, value in parameters.items()])
        self.nodes[node.NAME] = node
        self.run(node)
        node.start()
        return node

    def kill(self, name: str) -> None:
        self.nodes.pop(name).close()

    def says(self, name: str, text: str) -> None:
        said = replace(default_classifier()(transcript((text, 1.0))), utterance_id=name, stamp=self.selector.seconds())
        self.intents.publish(to_message(said))

    def asked(self) -> str:
        """The robot is told to bring the red cup, and asks which one."""
        self.says("u1", "bring me the red cup")
        self.until(lambda: self.questions)  # on a busy machine the planner sends its first goal again after 5 s
        self.until(lambda: self.states and self.states[-1].status == "asking")
        return str(self.questions[-1].data)

    def outcome(self, name: str) -> Outcome:
        return from_message(self.until(lambda: next((each for each in self.outcomes if each.utterance_id == name), None)))

    def looks(self) -> int:
        return [name for name, _ in self.done].count("look_for")

    def close(self) -> None:
        for node in self.nodes.values():
            node.close()
        self.skills.destroy()
        super().close()


@pytest.fixture(autouse=True)
def _nobody_is_frozen(monkeypatch: pytest.MonkeyPatch) -> None:
    """The nodes share this process and its thread: on a busy machine each may wait for longer than a frozen one would."""
    monkeypatch.setattr("sayso_nodes.nodes.planner.PLANNER_AWAY", PATIENCE)


@pytest.fixture
def robot() -> Iterator[Robot]:
    made = Robot()
    yield made
    made.close()


@pytest.fixture
def impatient() -> Iterator[Robot]:
    made = Robot(answer_within=6.0)
    yield made
    made.close()


def test_the_robot_asks_which_one_waits_and_goes_on_with_the_chosen_one(robot: Robot) -> None:
    assert robot.asked() == QUESTION
    before = list(robot.done)
    robot.spin(1.0)
    assert robot.done == before, "it tries nothing without the answer"
    assert [each.words for each in robot.states[-1].choices] == ["the left one", "the right one"]
    asked = from_message(robot.decisions[-1])
    assert (asked.decision, asked.words) == ("ask", ("the left one", "the right one"))
    robot.says("u2", "the right one")
    assert robot.outcome("u1").succeeded
    after = robot.done[len(before) :]
    assert after[0] == ("look_for", ("the right one", "the left one"))
    assert ("pick", ("the right one", "the left one")) in after
    assert [name for name, _ in robot.done].count("navigate_to") == [name for name, _ in before].count("navigate_to")
    assert [each.utterance_id for each in robot.outcomes] == ["u1"]


@pytest.mark.parametrize(("at", "succeeds"), [(CUPS[1].point, True), ((4.0, 4.0, 0.9), False)])
def test_the_person_of_a_benchmark_answers_with_the_thing_that_it_really_is(
    robot: Robot, at: tuple[float, float, float], succeeds: bool
) -> None:
    robot.asked()
    heard = UtteranceProgress(transcript(("bring me the red cup", 1.0)), from_message(robot.decisions[-1]))
    watch = SimpleNamespace(node=robot.node, heard=heard, world=GroundTruth(0.0, 0.0, 0.0, 0.0, {}, {"red_cup": at}))
    with Answering(watch, lambda _: "") as person:
        robot.until(lambda: person.over() or robot.outcomes)
        assert robot.outcome("u1").succeeded == succeeds
    assert succeeds == (("pick", ("the right one", "the left one")) in robot.done)


def test_a_button_of_the_page_or_a_number_answers(robot: Robot) -> None:
    robot.asked()
    answered = robot.call("answer", Answer.Request(text="2", utterance_id="u1"))
    assert (answered.accepted, answered.message) == (True, "understood")
    assert robot.outcome("u1").succeeded
    assert ("pick", ("the right one", "the left one")) in robot.done


@pytest.mark.parametrize(("said", "reason"), [("never mind", "the answer was “never mind”"), ("no", "the answer was “no”")])
def test_who_declines_ends_the_errand(robot: Robot, said: str, reason: str) -> None:
    robot.asked()
    robot.says("u2", said)
    assert (robot.outcome("u1").succeeded, robot.outcome("u1").reason) == (False, reason)
    assert robot.looks() == 1
    robot.until(lambda: robot.states[-1].status == "cancelled")


def test_silence_ends_the_errand_when_the_time_for_an_answer_is_up(impatient: Robot) -> None:
    robot = impatient
    robot.asked()
    asking = from_message(robot.states[-1])
    outcome = robot.outcome("u1")
    assert outcome.stamp - asking.stamp > 5.0, "a waiting errand is not lost"
    assert outcome.reason == "no answer within 6 s"
    assert robot.questions[-1].data == "Nobody answered, so I leave it."
    assert robot.looks() == 1


def test_what_fits_no_thing_makes_the_robot_ask_again(robot: Robot) -> None:
    robot.asked()
    robot.says("u2", "the purple elephant")
    robot.until(lambda: len(robot.questions) > 1)
    assert robot.questions[-1].data.endswith(QUESTION)
    robot.says("u3", "left")
    assert robot.outcome("u1").succeeded
    assert ("pick", ("the left one", "the right one")) in robot.done


def test_a_description_is_looked_for_and_the_same_question_may_come_again(robot: Robot) -> None:
    robot.asked()
    robot.ambiguous.add("the cup next to the bread")
    robot.says("u2", "the cup next to the bread")
    robot.until(lambda: len(robot.questions) > 1)
    assert robot.questions[-1].data == QUESTION
    assert robot.done[-1] == ("look_for", ("the cup next to the bread",))
    robot.says("u3", "the left one")
    assert robot.outcome("u1").succeeded
    assert ("pick", ("the left one", "the right one")) in robot.done


def test_a_stop_ends_the_errand_at_once(robot: Robot) -> None:
    robot.asked()
    robot.stopped.publish(Bool(data=True))
    assert "stop" in robot.outcome("u1").reason
    robot.says("u2", "the left one")
    robot.spin(1.0)
    assert robot.looks() == 1


def test_a_new_command_replaces_the_errand(robot: Robot) -> None:
    robot.asked()
    robot.says("u2", "go to the kitchen")
    assert robot.outcome("u2").succeeded
    assert not robot.outcome("u1").succeeded
    assert robot.looks() == 1


def test_a_program_can_cancel_the_errand_that_waits(robot: Robot) -> None:
    robot.asked()
    assert robot.call("cancel", Cancel.Request(utterance_id="u1")).running
    assert robot.outcome("u1").reason == "cancelled"
    robot.until(lambda: robot.selector.dialogue.open is None)


def test_a_planner_that_dies_while_it_waits_ends_the_errand_and_the_question(robot: Robot) -> None:
    robot.asked()
    robot.kill("planner")
    robot.start(PlannerNode, memory="")
    assert robot.outcome("u1").reason.startswith("lost, please say it again")
    robot.until(lambda: robot.selector.dialogue.open is None)
    robot.says("u2", "the left one")
    robot.spin(1.0)
    assert robot.looks() == 1


def test_a_selector_that_dies_while_its_question_is_open_ends_the_errand(robot: Robot) -> None:
    robot.asked()
    robot.kill("action_selector")
    robot.selector = robot.start(ActionSelectorNode, agenda="", memory="")
    assert robot.outcome("u1").reason.startswith("lost, please say it again")
    robot.until(lambda: robot.states[-1].status == "cancelled")
    assert robot.looks() == 1


def test_without_anybody_who_asks_the_errand_ends_with_what_was_seen(robot: Robot) -> None:
    robot.selector.ask_which = lambda state: None
    robot.says("u1", "bring me the red cup")
    assert robot.outcome("u1").reason == SEEN
    robot.until(lambda: f"That did not work: {SEEN}." in [each.data for each in robot.spoken])
    assert robot.looks() == 1


@pytest.mark.parametrize(
    ("names", "kept"),
    [
        (("the left one", "the right one"), ("the left one", "the right one")),
        (("the left one",), ()),
        (("the left one", "The  Left one", ""), ()),
        (("a" * 100, "b\nc", "", "b c"), ("a" * 60, "b c")),
        (tuple(f"thing {number}" for number in range(50)), tuple(f"thing {number}" for number in range(10))),
    ],
)
def test_what_a_foreign_skill_server_offers_is_taken_only_if_it_can_be_told_apart(names: tuple[str, ...], kept: tuple[str, ...]) -> None:
    result = interface("execute_skill").Result(choices=[to_message(replace(CUPS[0], words=name)) for name in names])
    assert tuple(each.words for each in choices_of(result)) == kept
