"""The battery, as the domain file describes it: what it gives, and how much of it must be left.

The docstring under a field is its documentation, as in `sayso.domain.model`.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from sayso.domain.costs import Positive
from sayso.yaml_source import StrictModel

DOCK = "dock"  # id of the place where the robot charges
DOCKED = "docked()"  # effect of the skill that goes there


class BatteryModel(StrictModel):
    """The battery's use. The defaults are a household robot of about 20 kg with 200 Wh: 20 W standing, 75 J a metre, a charger of 130 W."""

    idle_hours: Positive = 10.0
    """Hours from full to empty, standing."""
    metres: Positive = 9600.0
    """Metres from full to empty, by driving alone."""
    charging_hours: Positive = 1.5
    """Hours from empty to full, at the dock."""
    reserve: Annotated[float, Field(ge=0.0, lt=1.0)] = 0.05
    """Charge, from 0 to 1, that must be left when it is back at the dock. A command that takes more is declined, or ended on the way."""

    def use(self, seconds: float, metres: float) -> float:
        """The charge that so much time and driving takes, as a share of a full battery."""
        return seconds / 3600 / self.idle_hours + metres / self.metres
