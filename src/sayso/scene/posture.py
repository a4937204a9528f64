"""Figures in a pose and with a gesture: the parts of their shape, their extent and their hand, as drawn, before they are stretched.

A shape that is drawn standing tells by `limb` which parts are arms, legs and feet. A person sits on a stool, and lies on the back,
the middle of the body where they would stand. The left arm makes the gesture if it can, so that the right hand can take things.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import acos, asin, atan2, cos, degrees, hypot, radians, sin

from sayso.scene.scene import Figure
from sayso.scene.shapes import Part, Point3, Shape

SHOULDER, UPPER_ARM, FOREARM = (0.0, 0.23, 1.33), 0.3, 0.3  # m, as the shipped person is drawn; y of the left one
SINKS, BACK = 0.43, 0.2  # m that who sits down is lower, and further back
THIGH, SEAT = 0.42, 0.42  # m: length, and height of the stool
THICK = 0.17  # m from the floor to the middle of a body that lies
_ARMS: dict[str, tuple[str, Point3, Point3]] = {  # gesture → arm, directions of its upper arm and its forearm
    "waving": ("left_arm", (0.0, 0.95, 0.3), (0.1, 0.1, 0.99)),
    "raising_left_arm": ("left_arm", (0.05, 0.15, 0.99), (0.05, 0.05, 1.0)),
    "raising_right_arm": ("right_arm", (0.05, -0.15, 0.99), (0.05, -0.05, 1.0)),
    "pointing_left": ("left_arm", (0.15, 0.99, 0.0), (0.15, 0.99, 0.0)),
    "pointing_right": ("right_arm", (0.15, -0.99, 0.0), (0.15, -0.99, 0.0)),
}


def posed_parts(shape: Shape, person: Figure) -> tuple[Part, ...]:
    """The parts of the person's shape in their pose."""
    parts = _with_gesture(shape.parts, person.gesture)
    if person.pose == "sitting":
        return tuple(_seated(parts))
    return tuple(map(_laid, parts)) if person.pose == "lying" else parts


def posed_scale(person: Figure, scale: Point3) -> Point3:
    """The factors of the posed parts along the axes: the length of who lies is along x."""
    return (scale[2], scale[1], scale[0]) if person.pose == "lying" else scale


def posed_size(person: Figure, size: Point3) -> Point3:
    """Depth, width and height in m of a figure that has that size when it stands."""
    depth, width, height = size
    if person.pose == "sitting":
        return depth + THIGH, width, height - SINKS
    return (height, width, depth) if person.pose == "lying" else size


def posed_hand(person: Figure, hand: Point3) -> Point3:
    """The palm of a figure in its pose, m."""
    x, y, z = hand
    if person.pose == "sitting":
        return x - BACK, y, z - SINKS
    return _lying((x, y, z)) if person.pose == "lying" else hand


def _with_gesture(parts: tuple[Part, ...], gesture: str) -> tuple[Part, ...]:
    """The parts with the arm of the gesture straightened; a shape that has no such arm stays as it is."""
    arm, upper, lower = _ARMS.get(gesture, ("", (0.0, 0.0, 1.0), (0.0, 0.0, 1.0)))
    drawn = [part for part in parts if part.limb == arm] if arm else []
    if not drawn:
        return parts
    sleeve, skin = drawn[0].color, drawn[-1].color
    shoulder = SHOULDER[0], SHOULDER[1] if arm == "left_arm" else -SHOULDER[1], SHOULDER[2]
    elbow = _along(shoulder, upper, UPPER_ARM)
    bent = (
        Part(capsule=(0.052, UPPER_ARM - 0.05), at=_along(shoulder, upper, UPPER_ARM / 2), turn=_towards(upper), color=sleeve, limb=arm),
        Part(capsule=(0.042, FOREARM - 0.05), at=_along(elbow, lower, FOREARM / 2), turn=_towards(lower), color=skin, limb=arm),
        Part(sphere=0.05, at=_along(elbow, lower, FOREARM), color=skin, limb=arm),
    )
    return (*(part for part in parts if part.limb != arm), *bent)


def _seated(parts: tuple[Part, ...]) -> Iterator[Part]:
    """The parts on a stool, with each leg bent at the knee."""
    yield Part(cylinder=(0.17, SEAT), at=(-BACK, 0.0, SEAT / 2), color="#83502a")
    for part in parts:
        x, y, z = part.at
        if part.limb == "feet":
            yield part.model_copy(update={"at": (x + THIGH - BACK, y, z)})
        elif part.limb == "legs":
            yield Part(capsule=(0.075, THIGH - 0.05), at=(THIGH / 2 - BACK, y, SEAT + 0.07), turn=(0.0, 90.0, 0.0), color=part.color)
            yield Part(capsule=(0.065, SEAT - 0.1), at=(THIGH - BACK, y, SEAT / 2 + 0.05), color=part.color)
        else:
            yield part.model_copy(update={"at": (x - BACK, y, z - SINKS)})


def _laid(part: Part) -> Part:
    return part.model_copy(update={"at": _lying(part.at), "turn": _laid_turn(part.turn)})


def _lying(point: Point3) -> Point3:
    """A point of who stands, once they are on their back: turned by −90° about y."""
    x, y, z = point
    return 0.86 - z, y, x + THICK


def _laid_turn(turn: Point3) -> Point3:
    """Roll, pitch, yaw (degrees) of a part, turned by −90° about y."""
    roll, pitch, yaw = (radians(angle) for angle in turn)
    cr, sr, cp, sp, cy, sy = cos(roll), sin(roll), cos(pitch), sin(pitch), cos(yaw), sin(yaw)
    rows = (  # Rz(yaw) Ry(pitch) Rx(roll)
        (cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr),
        (sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr),
        (-sp, cp * sr, cp * cr),
    )
    first, second, third = tuple(-each for each in rows[2]), rows[1], rows[0]  # Ry(−90°) times it
    new_pitch = asin(max(-1.0, min(1.0, -third[0])))
    if abs(third[0]) > 1.0 - 1e-9:  # roll and yaw turn about the same axis: let yaw be 0
        return degrees(atan2(-first[1] * third[0], second[1])), degrees(new_pitch), 0.0
    return degrees(atan2(third[1], third[2])), degrees(new_pitch), degrees(atan2(second[0], first[0]))


def _along(start: Point3, direction: Point3, metres: float) -> Point3:
    length = hypot(*direction)
    x, y, z = (at + metres * each / length for at, each in zip(start, direction, strict=True))
    return x, y, z


def _towards(direction: Point3) -> Point3:
    """The turn (degrees) that lays the z axis along a direction."""
    x, y, z = direction
    return 0.0, degrees(acos(z / hypot(x, y, z))), degrees(atan2(y, x))
