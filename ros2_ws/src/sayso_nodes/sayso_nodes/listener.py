"""A client of the running nodes: calls their services and shows what the stages publish."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np
from rcl_interfaces.srv import GetParameters
from rclpy.parameter import Parameter

from sayso.console.stages import StageView
from sayso.errors import RosError
from sayso.types import ActionBelief, Outcome, Transcript
from sayso_nodes.caller import Caller
from sayso_nodes.conversions import from_message
from sayso_nodes.graph import find_topic, interface

RECOGNISED_WITHIN = 15.0  # s after the end of a file
STAGES = ("transcript", "intent_belief", "action_belief", "plan_state", "grounding", "outcome")


class Listener(Caller):
    """A node of its own, for as long as the context lasts."""

    def __init__(self, as_json: bool = False, namespace: str = "") -> None:
        super().__init__(namespace)
        self.view = JsonView() if as_json else TextView()
        self.joined: list[Any] = []
        self.early: list[Any] | None = []  # stages that came before it was known which utterance to follow
        self.utterance_id: str | None = None  # that is followed; "": the next that comes; None: all of them
        self.result: bool | None = None
        for topic in STAGES:
            self.node.create_subscription(interface(topic), topic, self._on_stage, find_topic(topic).qos(subscriber=True))

    def __exit__(self, *_: object) -> None:
        for node in self.joined:
            node.close()
        super().__exit__()

    def use_sim_time(self) -> bool:
        """Do the running nodes go by simulated time?"""
        request = GetParameters.Request(names=["use_sim_time"])
        return bool(self.call("speech_to_text/get_parameters", request, GetParameters).values[0].bool_value)

    def join(self, name: str, parameters: Mapping[str, Any]) -> Any:
        """Let a node of the graph run in this process."""
        from importlib import import_module

        module = import_module(f"sayso_nodes.{name}")
        node_class = next(value for value in vars(module).values() if getattr(value, "NAME", None) == name)
        given = {**parameters, "use_sim_time": self.use_sim_time()}
        overrides = [Parameter(key, value=value) for key, value in given.items()]
        # An embedded simulation in a namespace has its clock there; Gazebo has one for all.
        clock = ["--ros-args", "-r", "/clock:=clock"] if self.node.count_publishers("clock") else []
        node = node_class(context=self.context, namespace=self.node.get_namespace(), parameter_overrides=overrides, cli_args=clock)
        self.joined.append(node)
        self.executor.add_node(node)
        node.start()
        return node

    def follow(self, utterance_id: str, timeout: float, silent: Callable[[], bool] = lambda: False) -> bool:
        """Show the stages of one utterance ("": the next that comes) until it is over; whether the robot has done it, or asked.

        `silent` says when an utterance that has not begun will not come any more.

        Raises:
            RosError: it is not over in time, or does not come.
        """
        self._begin(utterance_id)
        end = time.monotonic() + timeout
        while self.result is None:
            if time.monotonic() > end:
                raise RosError(f"not over after {timeout:g} s")
            if self.utterance_id == "" and silent():
                raise RosError("nothing was heard that sounds like speech")
            self.executor.spin_once(0.1)
        return self.result

    def follow_file(self, player: Any, timeout: float) -> bool:
        """As `follow`, for the sentence in the file that `player` plays."""
        ended: list[float] = []

        def silent() -> bool:
            if player.played and not ended:
                ended.append(time.monotonic())
            return bool(ended) and time.monotonic() - ended[0] > RECOGNISED_WITHIN

        return self.follow("", timeout, silent)

    def follow_all(self) -> None:
        """Show every utterance, until Ctrl-C."""
        self._begin(None)
        while True:
            self.executor.spin_once(0.1)

    def _begin(self, utterance_id: str | None) -> None:
        self.utterance_id, self.result = utterance_id, None
        early, self.early = self.early or [], None
        for stage in early:
            self._take(stage)

    def _on_stage(self, message: Any) -> None:
        stage = from_message(message)
        if self.early is not None:
            self.early.append(stage)
        else:
            self._take(stage)

    def _take(self, stage: Any) -> None:
        if self.utterance_id == "" and isinstance(stage, Transcript | ActionBelief):  # the latched plan_state is an older one's
            self.utterance_id = stage.utterance_id
        if self.utterance_id and isinstance(stage, ActionBelief) and any(self.utterance_id in note for note in stage.notes):
            self.utterance_id = stage.utterance_id  # what was said is an answer: go on with the utterance that had asked
        if self.utterance_id not in (None, stage.utterance_id):
            return
        self.view.show(stage)
        if isinstance(stage, ActionBelief) and stage.decision in ("confirm", "ask"):
            self.result = True
        if isinstance(stage, Outcome):
            self.result = stage.succeeded


class TextView(StageView):
    """The stages for a person."""

    def note(self, text: str, **_: object) -> None:
        """A line besides the stages."""
        self.console.print(text)


class JsonView:
    """The stages for a program: {"stage": …, its fields}."""

    def show(self, stage: Any) -> None:
        """Print one object."""
        print(json.dumps({"stage": type(stage).__name__, **_plain(stage)}), flush=True)  # noqa: T201 - this is the output

    def note(self, _text: str, **values: object) -> None:
        """Print what a person would have been told."""
        print(json.dumps(values), flush=True)  # noqa: T201


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
