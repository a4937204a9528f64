"""The robot's belief of the world during a task, and its update after every outcome."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from sayso.domain.model import Domain
from sayso.planning.experience import PRIOR_TRIALS, Experience
from sayso.planning.facts import Fact, Facts, GroundSkill, events, ground_skill, position, surveyed_place, told
from sayso.planning.trials import Tried, place_at, tried
from sayso.planning.where import ELSEWHERE, after_missing, after_putting, after_sighting, expected_places, probability_at
from sayso.types import Action, Context, ObjectBelief, SkillCall, SkillOutcome

__all__ = ["ELSEWHERE", "WorldBelief", "begin"]

TRIES = 3  # failures since the last success after which a call is given up


@dataclass(frozen=True, slots=True)
class WorldBelief:
    """Known facts, P(place) of the relevant objects, and the attempts so far. Immutable: an outcome gives a new belief."""

    domain: Domain = field(repr=False, compare=False)
    facts: Facts
    at: str = ""  # id of the place or person where the robot is; empty: on the way
    xy: tuple[float, float] = (0.0, 0.0)  # m, map frame
    objects: Mapping[str, ObjectBelief] = field(default_factory=dict)
    sighted: Mapping[str, str] = field(default_factory=dict)  # object → place where it was last seen
    misses: Mapping[tuple[str, str], int] = field(default_factory=dict)  # (object, place) → unsuccessful looks
    trials: Mapping[SkillCall, tuple[int, int]] = field(default_factory=dict)  # successes and failures; looks don't count
    failures: Mapping[SkillCall, int] = field(default_factory=dict)  # since the call last succeeded or completed a look
    last_failure: SkillOutcome | None = None
    experience: Experience = field(default_factory=Experience, repr=False, compare=False)  # of earlier tasks

    def after(self, outcome: SkillOutcome) -> WorldBelief:
        """The belief after this outcome; unchanged if the domain lacks the skill."""
        if outcome.call.name not in self.domain.skills:
            return self
        skill = ground_skill(self.domain, outcome.call)
        moved = self._moved(skill, outcome)
        if outcome.choices:  # the words fit several things: no fault of the skill, and no try
            return moved
        failures = dict(self.failures)
        if skill.senses and (outcome.succeeded or not outcome.interrupted):  # an unsuccessful look is not a failure of the skill
            failures.pop(outcome.call, None)
            return replace(moved, failures=failures)._looked(skill, outcome)
        trials = self.trials
        if not skill.senses:
            successes, failed = trials.get(outcome.call, (0, 0))
            trials = {**trials, outcome.call: (successes + outcome.succeeded, failed + (not outcome.succeeded))}
        if outcome.succeeded:
            failures.pop(outcome.call, None)
            return replace(moved, trials=trials, failures=failures)._handled(skill)
        failures[outcome.call] = failures.get(outcome.call, 0) + 1
        return replace(moved, trials=trials, failures=failures, last_failure=outcome)

    def surveyed(self, outcome: SkillOutcome, context: Context) -> WorldBelief:
        """The belief after a look at a place, at which the robot saw what is visible now; unchanged after any other skill."""
        place = surveyed_place(self.domain, outcome.call)
        if not (place and outcome.succeeded):
            return self
        look = self.domain.skills[outcome.call.name]
        seen = [thing for thing in context.visible if thing in self.domain.objects]
        objects, held = dict(self.objects), context.holding
        for thing in self.domain.objects:
            before = objects.get(thing) or expected_places(self.domain, thing, Context())
            if thing != held and (thing in seen or probability_at(before, place) > 0.0):
                updated = after_sighting if thing in seen else after_missing
                objects[thing] = updated(before, place, look.success, look.false_alarm)
        facts = self.facts | {("seen", (thing,)) for thing in seen}
        return replace(self, facts=facts, objects=objects, sighted={**self.sighted, **dict.fromkeys(seen, place)})

    def success(self, skill: GroundSkill, at: str | None = None) -> float:
        """Mean of the Beta posterior of its success: a prior from the experience, and all its trials in this task (equation 20).

        0 if it is given up. `at` is the place where the robot does it; None: where it is.
        """
        if self.failures.get(skill.call, 0) >= TRIES:
            return 0.0
        successes, failed = self.trials.get(skill.call, (0, 0))
        prior = self.experience.expected_success(self._tried(skill, at), skill.success)
        return (prior * PRIOR_TRIALS + successes) / (PRIOR_TRIALS + successes + failed)

    def pace(self, skill: GroundSkill, at: str | None = None) -> float:
        """How many times longer it takes than the domain expects, by the experience (equation 20); `at` as in `success`."""
        return self.experience.pace(self._tried(skill, at))

    def _tried(self, skill: GroundSkill, at: str | None) -> Tried:
        place = self.at if at is None else at
        return tried(self.domain, skill.call, place if place in self.domain.places else "")

    def worth_looking(self, object_id: str, place: str) -> bool:
        """Whether another look can help: one per place, two where the object was seen; repeated looks mostly miss for the same reason."""
        allowed = 2 if self.sighted.get(object_id) == place else 1
        return self.misses.get((object_id, place), 0) < allowed

    def probability(self, object_id: str, place: str) -> float:
        """P(the object is at that place)."""
        return probability_at(self.objects[object_id], place) if object_id in self.objects else 0.0

    def located(self, context: Context) -> WorldBelief:
        """The belief with the robot's position from odometry."""
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
        before = self.objects.get(thing) or expected_places(self.domain, thing, Context())
        if outcome.succeeded:
            belief = after_sighting(before, place, skill.success, skill.false_alarm) if place in self.domain.places else before
            # Looks elsewhere keep their say in the probabilities, but may be repeated: the thing may have been moved.
            other_misses = {key: count for key, count in self.misses.items() if key[0] != thing}
            return replace(self, objects={**self.objects, thing: belief}, sighted={**self.sighted, thing: place}, misses=other_misses)
        misses = {**self.misses, (thing, place): self.misses.get((thing, place), 0) + 1}
        objects = {**self.objects, thing: after_missing(before, place, skill.success, skill.false_alarm)}
        return replace(self, objects=objects, misses=misses, last_failure=outcome)

    def _handled(self, skill: GroundSkill) -> WorldBelief:
        """Update where objects are: an object put on a place is there, one handed over may be anywhere."""
        objects = dict(self.objects)
        for _, arguments in skill.adds:
            things = [argument for argument in arguments if argument in self.domain.objects]
            places = [argument for argument in arguments if argument in self.domain.places]
            for thing in things:
                if places:
                    objects[thing] = after_putting(objects.get(thing) or expected_places(self.domain, thing, Context()), places[0])
                elif len(arguments) > 1:
                    objects.pop(thing, None)
        return replace(self, objects=objects)


def begin(
    domain: Domain, action: Action, context: Context, before: WorldBelief | None = None, experience: Experience | None = None
) -> WorldBelief:
    """The initial belief of an action, from the context, the belief left by the previous action and the experience of earlier tasks.

    Without `before`, the facts come from the context alone. Past events ("said", "waited") and failures are dropped; trials stay.
    """
    past = events(domain)
    facts = frozenset(fact for fact in before.facts if fact[0] not in past) if before else _facts(domain, context)
    at = before.at if before else place_at(domain, context)
    objects = dict(before.objects) if before else {}
    sighted = before.sighted if before else {}
    source = action.argument("source")
    for _, value in action.arguments:
        if value in domain.objects and (value not in objects or (source and value not in sighted)):
            objects[value] = expected_places(domain, value, context, source)
    trials = before.trials if before else {}
    xy = before.xy if before else (context.x, context.y)
    return WorldBelief(domain, facts, at, xy, objects, sighted, trials=trials, experience=experience or Experience())


def _facts(domain: Domain, context: Context) -> Facts:
    facts: set[Fact] = {("robot_at", (place,)) for place in domain.containing(context.place)}
    facts.add(("holding", (context.holding,)) if context.holding else ("hand_empty", ()))
    facts.add(("hears", (context.speaker or domain.speaker,)))  # who speaks to the robot is within earshot
    facts.update(fact for fact in map(told, context.facts) if fact is not None)
    return frozenset(facts)
