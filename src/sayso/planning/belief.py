"""What the robot holds true of the world while it carries something out, and how every outcome changes that."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from sayso.domain.model import Domain
from sayso.planning.facts import Fact, Facts, GroundSkill, containing, events, ground_skill, position
from sayso.planning.where import ELSEWHERE, after_finding, after_missing, expected_places, probability_at
from sayso.types import Action, Context, ObjectBelief, SkillCall, SkillOutcome

__all__ = ["ELSEWHERE", "WorldBelief", "begin"]

AT_PLACE = 0.75  # m: so near to a place's pose the robot stands at it
TRIES = 3  # a call that failed so often since it last succeeded is not tried again
PRIOR_TRIALS = 3.0  # how many trials the domain's `success` counts for, against those of this task


@dataclass(frozen=True, slots=True)
class WorldBelief:
    """Known facts, P(place) of the objects that matter, and what was tried so far. Immutable: an outcome makes a new one."""

    domain: Domain = field(repr=False, compare=False)
    facts: Facts
    at: str = ""  # id of the place or person the robot stands at; empty: on the way
    xy: tuple[float, float] = (0.0, 0.0)  # m, map frame
    objects: Mapping[str, ObjectBelief] = field(default_factory=dict)
    sighted: Mapping[str, str] = field(default_factory=dict)  # object → place where it was last seen
    misses: Mapping[tuple[str, str], int] = field(default_factory=dict)  # (object, place) → looks in vain
    failures: Mapping[SkillCall, int] = field(default_factory=dict)  # since the call last succeeded, or was a look in vain
    last_failure: SkillOutcome | None = None

    def after(self, outcome: SkillOutcome) -> WorldBelief:
        """The belief once this outcome is known; an outcome of a skill that the domain lacks teaches nothing."""
        if outcome.call.name not in self.domain.skills:
            return self
        skill = ground_skill(self.domain, outcome.call)
        moved = self._moved(skill, outcome)
        failures = dict(self.failures)
        if outcome.succeeded or (skill.senses and not outcome.interrupted):  # a look in vain was a look
            failures.pop(outcome.call, None)
            done = replace(moved, failures=failures)
            return done._looked(skill, outcome) if skill.senses else done._handled(skill)
        failures[outcome.call] = failures.get(outcome.call, 0) + 1
        return replace(moved, failures=failures, last_failure=outcome)

    def success(self, skill: GroundSkill) -> float:
        """Mean of the Beta posterior of its success: prior from the domain, its failures of late as trials (equation 20); 0 if given up."""
        failed = self.failures.get(skill.call, 0)
        return 0.0 if failed >= TRIES else skill.success * PRIOR_TRIALS / (PRIOR_TRIALS + failed)

    def worth_looking(self, object_id: str, place: str) -> bool:
        """A second look from the same spot mostly misses for the same reason: once a place, once more where the thing was seen before."""
        allowed = 2 if self.sighted.get(object_id) == place else 1
        return self.misses.get((object_id, place), 0) < allowed

    def probability(self, object_id: str, place: str) -> float:
        """P(the object is at that place)."""
        return probability_at(self.objects[object_id], place) if object_id in self.objects else 0.0

    def located(self, context: Context) -> WorldBelief:
        """With the robot's position as its odometry has it."""
        return replace(self, xy=(context.x, context.y))

    def _moved(self, skill: GroundSkill, outcome: SkillOutcome) -> WorldBelief:
        if not outcome.succeeded:
            return replace(self, facts=skill.fail(self.facts), at="" if skill.destination else self.at)
        facts = skill.succeed(self.facts)
        if not skill.destination:
            left = any(arguments == (self.at,) for _, arguments in self.facts - facts)
            return replace(self, facts=facts, at="" if left else self.at)
        return replace(self, facts=facts, at=skill.destination, xy=position(self.domain, skill.destination) or self.xy)

    def _looked(self, skill: GroundSkill, outcome: SkillOutcome) -> WorldBelief:
        thing, place = skill.senses, self.at
        held = self.objects.get(thing) or expected_places(self.domain, thing, Context())
        if outcome.succeeded:
            belief = after_finding(held, place) if place in self.domain.places else held
            forgotten = {key: count for key, count in self.misses.items() if key[0] != thing}
            return replace(self, objects={**self.objects, thing: belief}, sighted={**self.sighted, thing: place}, misses=forgotten)
        misses = {**self.misses, (thing, place): self.misses.get((thing, place), 0) + 1}
        objects = {**self.objects, thing: after_missing(held, place, skill.success)}
        return replace(self, objects=objects, misses=misses, last_failure=outcome)

    def _handled(self, skill: GroundSkill) -> WorldBelief:
        """What was put on a place is there; what was handed over may be anywhere again."""
        objects = dict(self.objects)
        for _, arguments in skill.adds:
            things = [argument for argument in arguments if argument in self.domain.objects]
            places = [argument for argument in arguments if argument in self.domain.places]
            for thing in things:
                if places:
                    objects[thing] = after_finding(objects.get(thing) or expected_places(self.domain, thing, Context()), places[0])
                elif len(arguments) > 1:
                    objects.pop(thing, None)
        return replace(self, objects=objects)


def begin(domain: Domain, action: Action, context: Context, before: WorldBelief | None = None) -> WorldBelief:
    """The belief with which an action is begun: the situation, and what the actions before it have left and taught.

    Without `before` the facts are the context's alone. Events of before ("said", "waited") are over, failures are forgiven.
    """
    over = events(domain)
    facts = frozenset(fact for fact in before.facts if fact[0] not in over) if before else _facts(domain, context)
    at = before.at if before else _standing(domain, context)
    objects = dict(before.objects) if before else {}
    sighted = before.sighted if before else {}
    source = action.argument("source")
    for _, value in action.arguments:
        if value in domain.objects and (value not in objects or (source and value not in sighted)):
            objects[value] = expected_places(domain, value, context, source)
    return WorldBelief(domain, facts, at, before.xy if before else (context.x, context.y), objects, sighted)


def _facts(domain: Domain, context: Context) -> Facts:
    facts: set[Fact] = {("robot_at", (place,)) for place in containing(domain, context.place)}
    facts.add(("holding", (context.holding,)) if context.holding else ("hand_empty", ()))
    return frozenset(facts)


def _standing(domain: Domain, context: Context) -> str:
    place = domain.places.get(context.place)
    return context.place if place and math.dist(place.pose[:2], (context.x, context.y)) <= AT_PLACE else ""
