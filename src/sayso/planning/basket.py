"""The basket on the robot: what is in it, whether there is room, and which calls of its skills are worth a thought."""

from __future__ import annotations

from sayso.domain.model import Domain
from sayso.domain.vocabulary import parse_literal
from sayso.planning.facts import Facts
from sayso.types import SkillCall

STOWED, HOLDING = "stowed", "holding"  # the predicates for things in the basket and in the gripper


def stowed(facts: Facts) -> frozenset[str]:
    """The things in the basket."""
    return frozenset(arguments[0] for predicate, arguments in facts if predicate == STOWED)


def held(facts: Facts) -> str:
    """The thing in the gripper, empty for none."""
    return next((arguments[0] for predicate, arguments in facts if predicate == HOLDING), "")


def room(domain: Domain, facts: Facts) -> int:
    """How many more things fit into the basket."""
    return max(0, domain.basket - len(stowed(facts)))


def is_sensible(domain: Domain, call: SkillCall, facts: Facts) -> bool:
    """Whether a plan should have the call: what is in the hand can go into a basket with room, and only what is in there can come out.

    A plan for one goal needs no more, and searching it stays as fast as without a basket. The capacity is kept here: no fact counts.
    """
    skill, theme = domain.skills[call.name], call.argument("theme")
    if any(parse_literal(effect)[0] == STOWED for effect in skill.effects):
        return theme == held(facts) and room(domain, facts) > 0
    comes_out = any(parse_literal(required)[0] == STOWED for required in skill.requires)
    taken = any(parse_literal(effect)[0] == HOLDING for effect in skill.effects)
    return not (comes_out or taken) or comes_out == (theme in stowed(facts))


def stow_call(domain: Domain, thing: str) -> SkillCall:
    """The call that puts the thing from the hand into the basket.

    Raises:
        StopIteration: the robot has no such skill.
    """
    effect = f"{STOWED}(theme)"
    return SkillCall(next(name for name, skill in domain.skills.items() if effect in skill.effects), (("theme", thing),))
