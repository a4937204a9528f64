"""Dispatch by type, and what the converters share: times, points, arguments."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import singledispatch
from typing import Any

from builtin_interfaces.msg import Time
from geometry_msgs.msg import Point
from sayso_msgs import msg
from std_msgs.msg import Header

from sayso import types
from sayso.bags import messages, sight

MAP = "map"

_CONVERTERS: Mapping[type, Callable[[Any], Any]] = {
    msg.AudioChunk: messages.audio_chunk,
    msg.Transcript: messages.transcript,
    msg.Role: messages.role,
    msg.Clause: messages.clause,
    msg.Hearing: messages.hearing,
    msg.IntentBelief: messages.intent_belief,
    msg.ActionCandidate: messages.action_candidate,
    msg.ActionBelief: messages.action_belief,
    msg.Context: messages.context,
    msg.Grounding: messages.grounding,
    msg.Choice: sight.choice,
    msg.People: messages.people_seen,
    msg.ObjectBelief: messages.object_belief,
    msg.SkillCall: messages.skill_call,
    msg.PlanState: messages.plan_state,
    msg.Outcome: messages.outcome,
    msg.AgendaEntry: messages.agenda_entry,
}


def to_time(seconds: float) -> Time:
    """Seconds of ROS time → Time; negative values become 0."""
    nanoseconds = max(0, round(seconds * 1e9))
    return Time(sec=nanoseconds // 1_000_000_000, nanosec=nanoseconds % 1_000_000_000)


def header(seconds: float, frame: str = "") -> Header:
    """A header with that stamp."""
    return Header(stamp=to_time(seconds), frame_id=frame)


def point(xyz: Iterable[float]) -> Point:
    """(x, y, z) → Point."""
    x, y, z = (float(value) for value in xyz)
    return Point(x=x, y=y, z=z)


@singledispatch
def to_message(stage: Any) -> Any:
    """The message of a stage's result."""
    raise TypeError(f"no message for {type(stage).__name__}")


def from_message(message: Any) -> Any:
    """The stage's result in a message."""
    converter = _CONVERTERS.get(type(message))
    if converter is None:
        raise TypeError(f"no dataclass for {type(message).__name__}")
    return converter(message)


def arguments_of(call: types.Action | types.SkillCall) -> dict[str, list[str]]:
    """The fields of a message that hold a call's arguments."""
    return {"argument_names": [name for name, _ in call.arguments], "argument_values": [value for _, value in call.arguments]}
