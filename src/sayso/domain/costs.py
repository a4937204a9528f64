"""What the robot weighs, as the domain file says it: costs of questions and mistakes for the selector, rewards for the planner.

The docstring under a field is its documentation, as in `sayso.domain.model`.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from sayso.yaml_source import StrictModel

Weight = Annotated[float, Field(ge=0.0)]
Positive = Annotated[float, Field(gt=0.0)]


class Decisions(StrictModel):
    """Costs of choosing between execute, confirm, ask and reject; doing the right thing is worth 1."""

    confirm: Weight = 0.15
    """Cost of a yes/no question."""
    ask: Weight = 0.25
    """Cost of an open question, or of a choice."""
    reject: Weight = 0.5
    """Cost of rejecting a real command."""
    options: int = Field(default=3, ge=2)
    """Maximum number of options in a question."""


class Rewards(StrictModel):
    """What the planner maximises (equation 19)."""

    goal: Positive = 10.0
    """Worth of a goal that is reached."""
    hour: Weight = 20.0
    """Cost of an hour of the robot's time. With 10 for a goal, half an hour costs as much as a goal is worth."""
    discount: Annotated[float, Field(gt=0.0, lt=1.0)] = 0.99
    """Worth of what comes one skill later."""
