"""Trials: what became of single skills, and what may be learnt from them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

from sayso.domain.model import Domain, Skill
from sayso.planning.facts import ground_skill, momentary, position
from sayso.types import Context, SkillCall, SkillOutcome

DRIVE = 4.0  # m: a drive of this length counts as one trial of its speed, a shorter one as less; the next room is about that far
AT_PLACE = 0.75  # m from a place's pose within which the robot is at the place
THINGS = frozenset(("object", "place", "person"))


class Tried(NamedTuple):
    """What kind of trial it is: of which skill, with what, where."""

    skill: str
    thing: str  # object; empty: none
    place: str  # place or person; empty: none, or unknown


@dataclass(frozen=True, slots=True)
class SkillTrial:
    """One skill that ran to its end."""

    utterance_id: str  # of the command for which it ran
    stamp: int  # ms, ROS time at its beginning
    call: SkillCall  # only the arguments that are objects, places and people: no words
    place: str  # the place or person of its arguments, else the place where the robot was; empty: unknown
    metres: float  # straight-line distance to where it drives; 0 for a skill that does not
    succeeded: bool
    seconds: float  # that it took; 0: unknown
    reason: str = ""  # why it failed
    home: str = ""  # name of its domain
    time: float = 0.0  # s since 1970, wall clock
    id: int = 0  # row in the file; 0: not written
    ended: tuple[float, float] | None = None  # (x, y) where a drive to a place ended, m, map frame; None: unknown, or no such drive

    @property
    def key(self) -> tuple[str, int]:
        """Command and beginning, unique in the file."""
        return self.utterance_id, self.stamp


def tried(domain: Domain, call: SkillCall, at: str = "") -> Tried:
    """What a trial of that call at a place is a trial of; the call's own place or person comes before `at`."""
    kinds = domain.skills[call.name].arguments
    thing = next((value for role, value in call.arguments if kinds.get(role) == "object"), "")
    place = next((value for role, value in call.arguments if kinds.get(role) in ("place", "person")), "")
    return Tried(call.name, thing, place or (at if kinds else ""))


def place_at(domain: Domain, context: Context) -> str:
    """The place where the robot is; empty if it is on the way."""
    place = domain.places.get(context.place)
    return context.place if place and math.dist(place.pose[:2], (context.x, context.y)) <= AT_PLACE else ""


def expected_seconds(skill: Skill, metres: float) -> float:
    """How long the domain expects it to take, s."""
    return skill.seconds + (metres / skill.speed if skill.speed else 0.0)


def teaches(domain: Domain, outcome: SkillOutcome) -> bool:
    """Whether something may be learnt from an outcome.

    Nothing from a skill that was interrupted (stopped, replaced, cancelled, its server lost) or that somebody ends: this says nothing about
    the skill. Nothing from one whose duration depends on the words or the quantity that were asked for, and from "stop" and its kind.
    """
    skill = domain.skills.get(outcome.call.name)
    if skill is None or outcome.interrupted or skill.until_told:
        return False
    kinds = set(skill.arguments.values())
    return kinds <= THINGS and (bool(kinds) or outcome.call.name not in momentary(domain))


def trial_of(
    domain: Domain,
    outcome: SkillOutcome,
    at: str,
    xy: tuple[float, float],
    begun: tuple[str, float],
    after: Context | None = None,
) -> SkillTrial | None:
    """The trial that an outcome is; None if it teaches nothing.

    Args:
        domain: the home.
        outcome: of the skill.
        at: the place where the robot was at its beginning; empty: at none.
        xy: (x, y) where it was, m, map frame.
        begun: for which utterance_id, and when it began, s, ROS time.
        after: the newest situation at its end; one of before its beginning tells nothing, as None does.
    """
    if not teaches(domain, outcome):
        return None
    skill = domain.skills[outcome.call.name]
    call = SkillCall(outcome.call.name, tuple(each for each in outcome.call.arguments if each[0] in skill.arguments))
    to = position(domain, ground_skill(domain, call).destination) if skill.speed else None
    metres = math.dist(xy, to) if to is not None else 0.0
    place = tried(domain, call, at if at in domain.places else "").place
    seconds = outcome.seconds if math.isfinite(outcome.seconds) and outcome.seconds > 0.0 else 0.0
    utterance_id, began = begun
    arrived = bool(skill.speed) and outcome.succeeded and place in domain.places
    ended = (after.x, after.y) if arrived and after is not None and after.stamp >= began else None
    ended = ended if ended is not None and all(map(math.isfinite, ended)) else None
    return SkillTrial(
        utterance_id, round(1e3 * began), call, place, metres, outcome.succeeded, seconds, outcome.reason, domain.name, ended=ended
    )
