"""Turns a home by 90° to the left."""

from __future__ import annotations

from typing import Any

Data = dict[str, Any]
Pose = tuple[float, float, float]  # x, y (m), yaw (degrees)


def turned(scene: Data, poses: dict[str, Pose], depth: float) -> tuple[Data, dict[str, Pose]]:
    """The scene file's data and the places' poses, turned about the origin and moved by `depth` (m along y before) to x, y ≥ 0."""

    def point(x: float, y: float) -> list[float]:
        return [round(depth - y, 3), x]

    def placed(things: Data) -> Data:
        return {name: {**thing, "at": point(*thing["at"]), "yaw": (thing.get("yaw", 0.0) + 90) % 360} for name, thing in things.items()}

    def area(x0: float, y0: float, x1: float, y1: float) -> list[float]:
        return [round(depth - y1, 3), x0, round(depth - y0, 3), x1]

    x, y, z = scene["light"]["direction"]
    result = {
        **scene,
        "rooms": {name: {**room, "area": area(*room["area"])} for name, room in scene["rooms"].items()},
        "walls": [{**wall, "start": point(*wall["start"]), "end": point(*wall["end"])} for wall in scene["walls"]],
        **{section: placed(scene[section]) for section in ("furniture", "decor", "people")},
        "robot": {"at": point(*scene["robot"]["at"]), "yaw": (scene["robot"]["yaw"] + 90) % 360},
        "light": {**scene["light"], "direction": [-y, x, z]},
    }
    return result, {name: (*point(x, y), (yaw + 90) % 360) for name, (x, y, yaw) in poses.items()}  # type: ignore[misc]
