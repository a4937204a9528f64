"""Where the people of a simulation walk: along the free floor to the places of their home."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from sayso.domain import Domain
from sayso.errors import SimulationError
from sayso.robot import PathPlanner, RobotMap, SkillFailed
from sayso.robot.geometry import Point2
from sayso.scene.scene import Scene
from sayso.sim.people import Walkers
from sayso.types import FloatArray


class Ways:
    """Paths for people, as wide as the robot. The map has no people: they are where they walk."""

    def __init__(self, scene: Scene, domain: Domain) -> None:
        self._domain = domain
        self._planner = PathPlanner(RobotMap.from_scene(scene.model_copy(update={"people": {}}), domain))

    def __call__(self, start: Point2, places: Iterable[str]) -> FloatArray:
        """(N, 2) m: from there to these places of the domain, one after the other.

        Raises:
            SimulationError: the domain does not have such a place, or there is no way.
        """
        legs, at = [np.array([start])], start
        for place in places:
            if place not in self._domain.places:
                raise SimulationError(f"nobody can walk to '{place}': the domain file has no such place")
            try:
                legs.append(self._planner(at, self._domain.places[place].pose[:2]))
            except SkillFailed as blocked:
                raise SimulationError(f"nobody can walk to '{place}': {blocked}") from blocked
            at = float(legs[-1][-1, 0]), float(legs[-1][-1, 1])
        return np.concatenate(legs)


def set_out(people: Walkers, scene: Scene, domain: Domain) -> None:
    """Let those people walk for whom the scene says so, round and round.

    Raises:
        SimulationError: there is no way to one of their places.
    """
    strollers = {name: figure for name, figure in scene.people.items() if figure.walks}
    if not strollers:
        return
    ways = Ways(scene, domain)
    for name, figure in strollers.items():
        first, *others = figure.walks
        there = ways(people.places()[name], [first])
        at = float(there[-1, 0]), float(there[-1, 1])
        people.walk(name, there, then=ways(at, [*others, first]))
