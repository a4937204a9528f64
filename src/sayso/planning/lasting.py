"""Skills that have no end of their own, such as following a person: they go on until somebody ends them, and that is their success."""

from __future__ import annotations

from dataclasses import replace

from sayso.domain.model import Domain
from sayso.types import SkillCall, SkillOutcome


def is_endless(domain: Domain, call: SkillCall) -> bool:
    """Whether the skill goes on until told, since no optional argument gives it an end: "follow me", not "follow me to the kitchen"."""
    skill = domain.skills.get(call.name)
    return skill is not None and skill.until_told and not any(call.argument(role) for role in skill.optional)


def ended_as_told(domain: Domain, outcome: SkillOutcome) -> SkillOutcome:
    """The outcome of a skill that a person has ended: a success if it had no other end."""
    return replace(outcome, succeeded=True, reason="", interrupted=False) if is_endless(domain, outcome.call) else outcome
