"""A simple model of the battery's charge: constant idle power plus energy for driving."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class BatteryModel:
    """A household robot of about 20 kg with 200 Wh: 20 W of computer and sensors, 75 J a metre, a charger of 130 W."""

    idle_hours: float = 10.0  # from full to empty, standing
    metres: float = 9600.0  # from full to empty, by driving alone
    charging_hours: float = 1.5  # from empty to full, in the dock


class Battery:
    """The charge, from 0 to 1; full at the start."""

    def __init__(self, model: BatteryModel | None = None, charge: float = 1.0) -> None:
        self._model = model or BatteryModel()
        self.charge = charge

    def pass_time(self, seconds: float, metres: float, docked: bool) -> None:
        """Update the charge for the time and distance since the last call."""
        used = seconds / 3600 / self._model.idle_hours + metres / self._model.metres
        gained = seconds / 3600 / self._model.charging_hours if docked else 0.0
        self.charge = min(max(self.charge + gained - used * (not docked), 0.0), 1.0)
