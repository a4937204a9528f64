"""The families of topics in Gazebo, one topic for each thing, part, motor or joint."""

from __future__ import annotations

from collections.abc import Iterable

from sayso.gazebo.parts import part_names
from sayso.gazebo.people import AXES, motor, walkers
from sayso.gazebo.topics import ARM
from sayso.scene.scene import Scene


def members(scene: Scene, robots: Iterable[str] = ()) -> dict[str, tuple[str, ...]]:
    """The members of each family, by its name: "object" → ("red_cup", …); "part" has a pose of its own, "motor" a position to go to.

    Args:
        scene: of the world.
        robots: the names of the other robots in it.
    """
    parts, people = part_names(scene), walkers(scene)
    motors = (*parts, *(motor(person, axis) for person in people for axis in AXES))
    return {"object": tuple(scene.objects), "part": (*parts, *people, *robots), "motor": motors, "joint": ARM}
