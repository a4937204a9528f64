"""Markers, and arrays of markers that replace everything shown before."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from typing import Any

from geometry_msgs.msg import Point, Pose, Quaternion, Vector3
from std_msgs.msg import ColorRGBA, Header
from visualization_msgs.msg import Marker, MarkerArray

from sayso_nodes.conversions import MAP

Color = tuple[float, float, float]  # in [0, 1]
INK: Color = (0.13, 0.14, 0.16)


def marker(
    kind: str,
    name: str,
    at: tuple[float, float, float],
    size: tuple[float, float, float],
    color: Color,
    *,
    alpha: float = 1.0,
    yaw: float = 0.0,
    frame: str = MAP,
) -> Any:
    """One marker.

    Args:
        kind: "CUBE", "SPHERE", "CYLINDER", "ARROW" or "TEXT_VIEW_FACING".
        name: its namespace, which a viewer can switch off.
        at: its centre, m in `frame`.
        size: m; for a text, the last one is the height of its letters.
        color: red, green, blue in [0, 1].
        alpha: in [0, 1].
        yaw: rad.
        frame: a marker in another frame than the map moves with that frame.
    """
    return Marker(
        header=Header(frame_id=frame),  # no stamp: the newest transform counts
        ns=name,
        type=getattr(Marker, kind),
        action=Marker.ADD,
        pose=Pose(
            position=Point(x=float(at[0]), y=float(at[1]), z=float(at[2])),
            orientation=Quaternion(z=math.sin(yaw / 2), w=math.cos(yaw / 2)),
        ),
        scale=Vector3(x=float(size[0]), y=float(size[1]), z=float(size[2])),
        color=ColorRGBA(r=float(color[0]), g=float(color[1]), b=float(color[2]), a=float(alpha)),
        frame_locked=frame != MAP,
    )


def label(name: str, text: str, at: tuple[float, float, float], height: float, color: Color = INK, *, frame: str = MAP) -> Any:
    """A text that faces the viewer; `height` of its letters in m."""
    made = marker("TEXT_VIEW_FACING", name, at, (0.0, 0.0, height), color, frame=frame)
    made.text = text
    return made


def instead(markers: Iterable[Any]) -> Any:
    """An array that replaces what its topic has shown before. Ids count up within each namespace."""
    array = MarkerArray(markers=[Marker(header=Header(frame_id=MAP), action=Marker.DELETEALL)])
    array.markers[0].pose.orientation.w = 1.0
    counted: Counter[str] = Counter()
    for one in markers:
        one.id = counted[one.ns]
        counted[one.ns] += 1
        array.markers.append(one)
    return array
