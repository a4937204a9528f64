"""How many examples a property test draws: all that it asks for, or at most so many in `make test`."""

from __future__ import annotations

from typing import Any

from hypothesis import settings

GATE = 25  # examples of a property in `make test`


def examples(number: int, **others: Any) -> settings:
    """The settings of a property that wants so many examples; `others` are settings of Hypothesis."""
    return settings(max_examples=min(number, GATE) if in_gate() else number, deadline=None, **others)


def in_gate() -> bool:
    """Whether `make test` runs it."""
    return settings.get_current_profile_name() == "gate"
