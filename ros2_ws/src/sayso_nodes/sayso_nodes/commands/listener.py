"""A client of the running nodes: calls their services and shows the stages that they publish."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from typing import Any, Protocol

import numpy as np
from rcl_interfaces.srv import GetParameters
from rclpy.parameter import Parameter
from rclpy.qos import QoSProfile
from std_msgs.msg import Bool

from sayso.console.stages import StageView
from sayso.errors import RosError
from sayso.types import ActionBelief, Outcome, Transcript
from sayso_nodes.caller import Caller
from sayso_nodes.commands.stage_order import StageOrder
from sayso_nodes.conversions import from_message
from sayso_nodes.graph import find_topic, interface
from sayso_nodes.states import StateQuestions

MET_WITHIN = 3.0  # s until a node in MET has been discovered; after that, assume that it was left out
ANSWERS_WITHIN = 10.0  # s for the answer of a discovered one: a busy computer takes its time
KEPT = 50  # messages of a topic while this process is busy: plan_state itself keeps one
RECOGNISED_WITHIN = 15.0  # s after the end of a file
MET = ("speech_to_text", "intent_classifier", "action_selector", "planner")  # they publish a stage of every utterance
STAGES = ("transcript", "intent_belief", "action_belief", "plan_state", "grounding", "outcome")


class Listener(Caller):
    """A node of its own, for as long as the context lasts."""

    def __init__(self, as_json: bool = False, namespace: str = "") -> None:
        super().__init__(namespace)
        self.view: ClientView = JsonView() if as_json else TextView()
        self.joined: list[Any] = []
        self.early: list[Any] = []  # stages that came before the utterance to follow was known
        self.utterance_id: str | None = ""  # to follow; "": not known yet; None: all of them
        self.result: bool | None = None
        self.order = StageOrder()
        for topic in STAGES:
            self.node.create_subscription(interface(topic), topic, self._on_stage, _qos(topic))

    def __exit__(self, *_: object) -> None:
        for node in self.joined:
            node.close()
        super().__exit__()

    def meet(self) -> None:
        """Wait until the nodes that publish stages know this one; until then, they would send it nothing.

        A node that answers has learnt of the subscriptions to its stages: DDS announces endpoints in the order of their creation.
        """
        if not self._find(lambda: len(self.node.get_node_names()) > 1):
            return
        questions, silent, began = StateQuestions(self.node, MET), set(MET), time.monotonic()
        while silent and time.monotonic() - began < (MET_WITHIN if silent.isdisjoint(self.node.get_node_names()) else ANSWERS_WITHIN):
            silent -= {name for name in silent if questions.state(name) is not None}
            self.executor.spin_once(0.01)

    def use_sim_time(self) -> bool:
        """True if the running nodes use simulated time."""
        request = GetParameters.Request(names=["use_sim_time"])
        return bool(self.call("speech_to_text/get_parameters", request, GetParameters).values[0].bool_value)

    def join(self, name: str, parameters: Mapping[str, Any]) -> Any:
        """Run a node of the graph in this process."""
        from importlib import import_module

        module = import_module(f"sayso_nodes.nodes.{name}")
        node_class = next(value for value in vars(module).values() if getattr(value, "NAME", None) == name)
        given = {**parameters, "use_sim_time": self.use_sim_time()}
        overrides = [Parameter(key, value=value) for key, value in given.items()]
        # An embedded simulation in a namespace has its clock there; Gazebo has one for all robots.
        clock = ["--ros-args", "-r", "/clock:=clock"] if self.node.count_publishers("clock") else []
        node = node_class(context=self.context, namespace=self.node.get_namespace(), parameter_overrides=overrides, cli_args=clock)
        self.joined.append(node)
        self.executor.add_node(node)
        node.start()
        return node

    def follow(self, utterance_id: str, timeout: float) -> bool:
        """Show the stages of an utterance until it ends. True: the robot has done it, keeps it for later, answers or asks.

        Raises:
            RosError: it did not end in time.
        """
        self._adopt(utterance_id, Transcript)
        return self._until_over(timeout)

    def follow_answer(self, timeout: float) -> bool:
        """As `follow`, for the utterance whose question was answered: the one of the next decision."""
        return self._until_over(timeout, ActionBelief)

    def follow_file(self, player: Any, timeout: float) -> bool:
        """As `follow`, for the sentence in the file that `player` plays."""
        ended: list[float] = []

        def silent() -> bool:
            if player.played and not ended:
                ended.append(time.monotonic())
            return bool(ended) and time.monotonic() - ended[0] > RECOGNISED_WITHIN

        return self._until_over(timeout, Transcript, silent)

    def follow_all(self, pressed: Callable[[], str] = lambda: "") -> None:
        """Show every utterance, until Ctrl-C. The space bar, if `pressed` gives keys, presses and releases the button for talking."""
        self._adopt(None, Transcript)
        button = self.node.create_publisher(interface("talk_button"), "talk_button", find_topic("talk_button").qos())
        talks = False
        try:
            while True:
                for _ in range(pressed().count(" ")):
                    talks = not talks
                    button.publish(Bool(data=talks))
                    self.view.note("listens until the next press" if talks else "listens no longer", talk_button=talks)
                self._spin()
        finally:
            if talks:
                button.publish(Bool(data=False))

    def _until_over(self, timeout: float, first: type = Transcript, silent: Callable[[], bool] = lambda: False) -> bool:
        """Follow until the end. If no utterance was adopted yet, adopt the one of the next stage of type `first`.

        `silent` says that no utterance will begin any more.
        """
        end = time.monotonic() + timeout
        while self.result is None:
            if time.monotonic() > end:
                raise RosError(f"not over after {timeout:g} s")
            if self.utterance_id == "":
                begun: Any = next((stage for stage in self.early if isinstance(stage, first)), None)
                if begun is not None:
                    self._adopt(begun.utterance_id, first)
                elif silent():
                    raise RosError("nothing was heard that sounds like speech")
            self._spin()
        return self.result

    def _adopt(self, utterance_id: str | None, first: type) -> None:
        """Follow that utterance, which begins with the stage `first`."""
        self.utterance_id = utterance_id
        if utterance_id:
            self.order.begin(utterance_id, first)
        early, self.early = self.early, []
        for stage in early:
            self._take(stage)

    def _spin(self) -> None:
        """Take a message, and show the stages that are complete."""
        self.executor.spin_once(0.02)
        for stage in self.order.release(time.monotonic()):
            self.view.show(stage)
            if isinstance(stage, ActionBelief) and stage.decision in ("confirm", "ask", "defer", "answer"):
                self.result = True
            if isinstance(stage, Outcome):
                self.result = stage.succeeded

    def _on_stage(self, message: Any) -> None:
        self._take(from_message(message))

    def _take(self, stage: Any) -> None:
        if self.utterance_id == "":
            self.early.append(stage)
            return
        if self.utterance_id and isinstance(stage, ActionBelief) and any(self.utterance_id in note for note in stage.notes):
            self.utterance_id = stage.utterance_id  # this utterance is an answer: follow the one that had asked
            self.order.begin(stage.utterance_id, ActionBelief)
        if self.utterance_id in (None, stage.utterance_id):
            self.order.add(stage, time.monotonic())


def _qos(topic: str) -> QoSProfile:
    """The graph's, with a longer queue."""
    profile = find_topic(topic).qos(subscriber=True)
    profile.depth = max(profile.depth, KEPT)
    return profile


class ClientView(Protocol):
    """Where a client shows stages and messages."""

    def show(self, stage: Any) -> None:
        """A stage's result."""

    def note(self, text: str, **fields: object) -> None:
        """A message: its text for a person, its fields for a program."""


class TextView:
    """The stages for a person."""

    def __init__(self) -> None:
        self._stages = StageView()

    def show(self, stage: Any) -> None:
        """Print a block."""
        self._stages.show(stage)

    def note(self, text: str, **_: object) -> None:
        """Print a line."""
        self._stages.console.print(text)


class JsonView:
    """The stages for a program: {"stage": …, its fields}."""

    def show(self, stage: Any) -> None:
        """Print one object."""
        print(json.dumps({"stage": type(stage).__name__, **_plain(stage)}), flush=True)  # noqa: T201 - this is the output

    def note(self, text: str, **fields: object) -> None:  # noqa: ARG002 - the text is for a person
        """Print the fields."""
        print(json.dumps(fields), flush=True)  # noqa: T201


def _plain(value: Any) -> Any:
    """As JSON has it: NaN and infinities are null."""
    if is_dataclass(value):
        return {field.name: _plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, np.ndarray):
        return _plain(value.tolist())
    if isinstance(value, tuple | list):
        return [_plain(item) for item in value]
    if isinstance(value, float) and not np.isfinite(value):
        return None
    return value
