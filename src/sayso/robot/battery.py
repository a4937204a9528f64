"""The battery's charge: as it was last read, less what the model says was used since."""

from __future__ import annotations

import math

from sayso.domain.battery import DOCK, BatteryModel
from sayso.domain.model import Domain

DOCKED = 0.15  # m from the dock's pose


class Battery:
    """The charge, from 0 to 1; full at the start if no other charge is given."""

    def __init__(self, domain: Domain, charge: float = 1.0) -> None:
        """A home that says nothing of the battery has that of `BatteryModel`."""
        self.charge = charge
        self._model = domain.battery or BatteryModel()
        dock = domain.places.get(DOCK)
        self._dock = dock.pose[:2] if dock else None
        self._before: tuple[float, tuple[float, float]] | None = None

    def read(self, charge: float) -> None:
        """Take over what was measured. NaN, and what is no share of a full battery, says nothing."""
        if 0.0 <= charge <= 1.0:
            self.charge = charge

    def spend(self, now: float, xy: tuple[float, float]) -> None:
        """Use charge for the time (ROS time, s) and the way (m, map frame) since the last call, or gain it at the dock."""
        then, start = self._before or (now, xy)
        self._before = now, xy
        seconds = max(now - then, 0.0)
        if self._dock is not None and math.dist(xy, self._dock) <= DOCKED:
            change = seconds / 3600 / self._model.charging_hours
        else:
            change = -self._model.use(seconds, math.dist(start, xy))
        self.charge = min(max(self.charge + change, 0.0), 1.0)
