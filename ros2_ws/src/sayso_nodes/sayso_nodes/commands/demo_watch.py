"""Watches the running graph for the demo: shows every stage as it happens, and keeps the ground truth to judge by."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import rclpy
from rcl_interfaces.msg import Parameter, ParameterType, ParameterValue
from rcl_interfaces.srv import SetParameters
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor
from rclpy.signals import SignalHandlerOptions

from sayso.bags.messages import CONVERTERS, GroundTruth
from sayso.console.stages import RobotSpeech, SkillProgress, Stage, StageView, block
from sayso.errors import RosError
from sayso.types import ActionBelief, ObjectBelief, Outcome, PlanState, SkillCall, SkillOutcome, Transcript
from sayso_nodes.conversions import from_message
from sayso_nodes.environment import set_client_defaults
from sayso_nodes.graph import find_topic, interface

STAGES = ("transcript", "intent_belief", "action_belief", "plan_state", "grounding", "object_belief", "outcome")
SPOKEN = ("speech", "question")
PROGRESS_ON_PIPES = 5.0  # s between lines of progress that cannot overwrite each other
CHANGED = 0.05  # of a probability: smaller changes are not shown


@dataclass
class UtteranceProgress:
    """The stages of one utterance so far."""

    transcript: Transcript | None = None
    actions: ActionBelief | None = None
    outcome: Outcome | None = None


class Watch:
    """A node in this process that shows stages and keeps what the judge needs. Use it as a context manager."""

    def __init__(self, view: StageView, domain_id: int, check: Callable[[], None] = lambda: None) -> None:
        """`check` is called in every wait, and may raise."""
        self._check = check
        self.view, self.heard = view, UtteranceProgress()
        self.world: GroundTruth | None = None
        self.seconds = 0.0  # ROS time, by the clock of the simulation
        self._progress_shown = 0.0
        self._call = SkillCall("", ())  # the running one
        self._plan: tuple[float, PlanState] | None = None  # the last one, and when it came
        self._beliefs: dict[str, ObjectBelief] = {}
        self._status = view.console.status("") if view.console.is_terminal else None
        set_client_defaults()  # before this process opens a socket
        self._context = Context()
        # Python handles Ctrl-C: it unwinds the demo, which ends all nodes.
        rclpy.init(args=[], context=self._context, domain_id=domain_id, signal_handler_options=SignalHandlerOptions.NO)
        self.node = rclpy.create_node("demo", context=self._context, start_parameter_services=False, enable_rosout=False)
        self._executor = SingleThreadedExecutor(context=self._context)
        self._executor.add_node(self.node)
        self._player = self.node.create_client(SetParameters, "wav_player/set_parameters")
        for topic in STAGES:
            self._subscribe(topic, lambda message: self._on_stage(from_message(message)))
        for topic in SPOKEN:
            self._subscribe(topic, lambda message: self._show(RobotSpeech(message.data)))
        self._subscribe("world_state", self._on_world)
        self._subscribe("/clock", self._on_clock)
        feedback = interface("execute_skill").Impl.FeedbackMessage
        self.node.create_subscription(feedback, "execute_skill/_action/feedback", self._on_feedback, 10)

    def __enter__(self) -> Watch:
        return self

    def __exit__(self, *_: object) -> None:
        self.rest()
        self._executor.shutdown()
        self.node.destroy_node()
        self._context.try_shutdown()

    def wait(self, until: Callable[[], bool], what: str, deadline: float, meanwhile: Callable[[], None] = lambda: None) -> None:
        """Take messages until a condition holds.

        Raises:
            RosError: it does not hold by `deadline` (monotonic s).
        """
        while not until():
            if time.monotonic() > deadline:
                raise RosError(f"timed out while waiting for {what}")
            self._check()
            meanwhile()
            self._executor.spin_once(0.1)

    def linger(self, seconds: float, deadline: float) -> None:
        """Take messages for some seconds of simulated time."""
        end = self.seconds + seconds
        self.wait(lambda: self.seconds >= end, "simulated time to pass", deadline)

    def is_heard_by(self, node: str, topic: str) -> bool:
        """True if that node listens to the topic."""
        return any(node == info.node_name for info in self.node.get_subscriptions_info_by_topic(self.node.resolve_topic_name(topic)))

    def play(self, file: str, deadline: float) -> None:
        """Let the running wav_player play a sound file."""
        self.heard = UtteranceProgress()
        self.wait(self._player.service_is_ready, "wav_player", deadline)
        value = ParameterValue(type=ParameterType.PARAMETER_STRING_ARRAY, string_array_value=[file])
        future = self._player.call_async(SetParameters.Request(parameters=[Parameter(name="files", value=value)]))
        self.wait(future.done, "wav_player to take the file", deadline)
        (result,) = future.result().results
        if not result.successful:
            raise RosError(f"wav_player does not play {file}: {result.reason}")

    def rest(self) -> None:
        """Remove the line of progress."""
        if self._status is not None:
            self._status.stop()

    def _subscribe(self, topic: str, callback: Callable[[Any], None]) -> None:
        self.node.create_subscription(interface(topic), topic, callback, find_topic(topic).qos(subscriber=True))

    def _on_stage(self, stage: Any) -> None:
        heard = self.heard
        if isinstance(stage, Transcript):
            heard.transcript = heard.transcript or stage
        elif isinstance(stage, ObjectBelief):
            if not self._is_news(stage):
                return
        elif isinstance(stage, ActionBelief) and self._is_ours(stage.utterance_id):
            heard.actions = stage
        elif isinstance(stage, Outcome) and self._is_ours(stage.utterance_id):
            heard.outcome = stage
        if isinstance(stage, PlanState):
            self._show_failure(stage)
            self._plan, self._call = (self.seconds, stage), stage.ahead[0] if stage.ahead else SkillCall("", ())
        self._show(stage)

    def _show_failure(self, plan: PlanState) -> None:
        """Show that a skill failed: the plan goes on without it among the done ones."""
        if self._plan is None or self._plan[1].utterance_id != plan.utterance_id or not self._plan[1].ahead:
            return
        began, before = self._plan
        if before.status == "running" and len(plan.done) == len(before.done):
            self._show(SkillOutcome(before.ahead[0], succeeded=False, seconds=self.seconds - began))

    def _is_ours(self, utterance_id: str) -> bool:
        return self.heard.transcript is not None and self.heard.transcript.utterance_id == utterance_id

    def _is_news(self, belief: ObjectBelief) -> bool:
        before = self._beliefs.get(belief.object_id)
        self._beliefs[belief.object_id] = belief
        if before is None or before.places != belief.places:
            return True
        return float(np.abs(before.probabilities - belief.probabilities).max()) > CHANGED

    def _show(self, stage: Stage) -> None:
        self.rest()
        heard = self.heard.transcript
        self.view.show(stage, None if heard is None else max(self.seconds - heard.stamp, 0.0))

    def _on_feedback(self, message: Any) -> None:
        progress = SkillProgress(self._call, float(message.feedback.progress), message.feedback.status)
        if self._status is not None:
            self._status.update(block(progress))
            self._status.start()
        elif time.monotonic() - self._progress_shown > PROGRESS_ON_PIPES:
            self._progress_shown = time.monotonic()
            self._show(progress)

    def _on_world(self, message: Any) -> None:
        self.world = CONVERTERS["world_state"](message)

    def _on_clock(self, message: Any) -> None:
        self.seconds = message.clock.sec + message.clock.nanosec * 1e-9
