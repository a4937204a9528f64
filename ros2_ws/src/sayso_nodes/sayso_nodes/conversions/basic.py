"""What the converters share: dispatch by type, times, points, arguments."""

from __future__ import annotations

from collections.abc import Iterable
from functools import singledispatch
from typing import Any

from builtin_interfaces.msg import Time
from geometry_msgs.msg import Point
from sayso_msgs import msg
from std_msgs.msg import Header

from sayso import types

MAP = "map"


def to_time(seconds: float) -> Time:
    """Seconds of ROS time → Time; what lies before 0 is 0."""
    nanoseconds = max(0, round(seconds * 1e9))
    return Time(sec=nanoseconds // 1_000_000_000, nanosec=nanoseconds % 1_000_000_000)


def from_time(time: Time) -> float:
    """Time → seconds of ROS time."""
    return float(time.sec + time.nanosec * 1e-9)


def header(seconds: float, frame: str = "") -> Header:
    """A header with that stamp."""
    return Header(stamp=to_time(seconds), frame_id=frame)


def point(xyz: Iterable[float]) -> Point:
    """(x, y, z) → Point."""
    x, y, z = (float(value) for value in xyz)
    return Point(x=x, y=y, z=z)


def from_point(value: Point) -> tuple[float, float, float]:
    """Point → (x, y, z)."""
    return value.x, value.y, value.z


@singledispatch
def to_message(stage: Any) -> Any:
    """The message of a stage's result."""
    raise TypeError(f"no message for {type(stage).__name__}")


@singledispatch
def from_message(message: Any) -> Any:
    """The stage's result in a message."""
    raise TypeError(f"no dataclass for {type(message).__name__}")


def arguments_of(call: types.Action | types.SkillCall) -> dict[str, list[str]]:
    """The fields of a message that hold a call's arguments."""
    return {"argument_names": [name for name, _ in call.arguments], "argument_values": [value for _, value in call.arguments]}


def from_arguments(message: msg.ActionCandidate | msg.SkillCall) -> tuple[tuple[str, str], ...]:
    """Those fields → (role, value) pairs."""
    return tuple(zip(message.argument_names, message.argument_values, strict=True))
