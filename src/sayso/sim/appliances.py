"""The furniture that can be operated: doors and drawers by their joints, appliances by their switches; the truth about both."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np

from sayso.scene.bodies import standing_bodies
from sayso.scene.fittings import Fitting, fittings, switches
from sayso.scene.scene import Point3, Scene

OPEN, SHUT = 0.9, 0.05  # shares from which and up to which a door counts as open and as closed
SHINE = 0.9  # emission of what is lit


class Operated(ABC):
    """The states of doors, drawers and appliances, in any simulator."""

    def __init__(self, scene: Scene) -> None:
        self.fittings = {each.name: each for each in fittings(scene)}
        self.switches = switches(scene)

    @abstractmethod
    def share(self, name: str) -> float:
        """How far that door or drawer is open, 0 to 1."""

    @abstractmethod
    def pull(self, name: str, share: float) -> None:
        """Pull the handle to where it is when the part is open by that share; how far it follows is up to physics."""

    @abstractmethod
    def is_on(self, name: str) -> bool:
        """Whether that appliance is on."""

    @abstractmethod
    def switch(self, name: str, *, on: bool) -> None:
        """Switch that appliance on or off: what is lit shines, in its own colour."""

    @abstractmethod
    def reset(self) -> None:
        """The world begins anew, with everything closed and off."""

    def handle(self, name: str) -> Point3:
        """Where its handle is now, m."""
        return self.fittings[name].handle(self.share(name))

    def nearest_fitting(self, target: Point3, within: float) -> Fitting | None:
        """The door or drawer whose handle is at that point while it is closed, None if there is none within that distance, m."""
        return min(
            (each for each in self.fittings.values() if _distance(each.closed_handle, target) <= within),
            key=lambda each: _distance(each.closed_handle, target),
            default=None,
        )

    def nearest_switch(self, target: Point3, within: float) -> str:
        """The appliance whose switch is at that point, empty if there is none within that distance, m."""
        near = {name: _distance(point, target) for name, point in self.switches.items()}
        return min((name for name, away in near.items() if away <= within), key=near.__getitem__, default="")

    def facts(self) -> tuple[str, ...]:
        """What is true of them, as literals: open(fridge), closed(sideboard), powered(lamp). A half open door is neither."""
        found = []
        for name in self.fittings:
            share = self.share(name)
            found += [f"open({name})"] if share >= OPEN else [f"closed({name})"] if share <= SHUT else []
        return (*found, *(f"powered({name})" if self.is_on(name) else f"unpowered({name})" for name in self.switches))


class OperatedInMujoco(Operated):
    """The joints and lights of a compiled scene."""

    def __init__(self, scene: Scene, model: Any, data: Any) -> None:
        super().__init__(scene)
        self._model, self._data = model, data
        self._powered: set[str] = set()
        self._joint = {name: int(model.joint(f"{name}/opens").qposadr[0]) for name in self.fittings}
        self._motor = {name: int(model.actuator(f"{name}/opens").id) for name in self.fittings}
        self._lit = [
            (body.name, model.geom(f"{body.name}/{index}").id, piece.rgba, piece.lit)
            for body in standing_bodies(scene)
            if body.name in self.switches
            for index, piece in enumerate(body.pieces)
            if piece.lit is not None
        ]

    def share(self, name: str) -> float:
        """From its joint."""
        return float(self._data.qpos[self._joint[name]]) / self.fittings[name].travel

    def pull(self, name: str, share: float) -> None:
        """With the joint's motor."""
        self._data.ctrl[self._motor[name]] = share * self.fittings[name].travel

    def is_on(self, name: str) -> bool:
        """As it was switched last."""
        return name in self._powered

    def switch(self, name: str, *, on: bool) -> None:
        """Change the colours of what is lit."""
        (self._powered.add if on else self._powered.discard)(name)
        for owner, geom, dark, lit in self._lit:
            if owner == name:
                self._model.geom_rgba[geom] = lit if on else dark
                self._model.mat_emission[self._model.geom_matid[geom]] = SHINE if on else 0.0

    def reset(self) -> None:
        """Switch everything off; positions are MuJoCo's state."""
        for name in tuple(self._powered):
            self.switch(name, on=False)


def _distance(one: Point3, other: Point3) -> float:
    return float(np.linalg.norm(np.subtract(one, other)))
