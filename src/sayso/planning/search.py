"""Compiles a goal, the relevant skills and the belief to an MDP over the robot's knowledge after each outcome."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from sayso.planning.belief import WorldBelief
from sayso.planning.facts import Facts, GroundSkill, position, travel_seconds
from sayso.planning.mdp import MDP
from sayso.planning.relevant import hiding_places

GOAL = 10.0  # reward for the goal
PER_SECOND = GOAL / 1800.0  # half an hour of the robot's time costs as much as the goal is worth
DISCOUNT = 0.99  # γ per skill
GIVE_UP = -1  # instead of a skill's index

Spot = tuple[str, str]  # (object, place where it may be)


class State(NamedTuple):
    """The robot's knowledge: its place, the facts, spots searched without success, and where it saw the object."""

    at: str
    facts: Facts
    missed: frozenset[Spot] = frozenset()
    sighted: Spot | None = None


Branch = tuple[float, State, bool]  # (probability, next state, whether the skill succeeded)
Numbered = tuple[float, int, bool]  # a Branch with the state's index


@dataclass(frozen=True, slots=True)
class Problem:
    """An MDP and the meaning of its indices."""

    mdp: MDP
    states: tuple[State, ...]  # [0] is now
    skills: tuple[GroundSkill, ...]
    taken: tuple[int, ...]  # (C,) skill index of each choice, or GIVE_UP
    outcomes: tuple[tuple[Numbered, ...], ...]  # (C,) outcomes of each choice


class Compiler:
    """Enumerates the states reachable from the belief with these skills."""

    def __init__(self, goal: Facts, skills: tuple[GroundSkill, ...], belief: WorldBelief) -> None:
        relevant = goal.union(*(skill.requires for skill in skills)) if skills else goal
        self._goal, self._skills, self._belief, self._relevant = goal, skills, belief, relevant
        self._success = [belief.success(skill) for skill in skills]
        self._adds = {skill.call: skill.adds & relevant for skill in skills}
        self._effects: dict[tuple[Facts, int, bool], Facts] = {}
        sensed = {skill.senses for skill in skills if skill.senses}
        self._spots = frozenset((thing, place) for thing in sensed for place in hiding_places(thing, belief))
        places = {skill.destination for skill in skills if skill.destination} | {belief.at}
        self._xy = {place: position(belief.domain, place) for place in places}
        self._xy[belief.at] = belief.xy

    def problem(self) -> Problem:
        """The MDP whose state 0 is the belief."""
        start = State(self._belief.at, self._belief.facts & self._relevant)
        index, states = {start: 0}, [start]
        first: list[int] = []
        taken: list[int] = []
        outcomes: list[tuple[Numbered, ...]] = []
        rewards: list[float] = []
        for state in states:  # grows during the loop
            first.append(len(taken))
            for skill, branches in self._choices(state):
                for _, following, _ in branches:
                    if following not in index:
                        index[following] = len(states)
                        states.append(following)
                taken.append(skill)
                outcomes.append(tuple((p, index[following], succeeded) for p, following, succeeded in branches))
                rewards.append(self._reward(state, skill, branches))
        mdp = _arrays(first, outcomes, rewards, end=len(states))
        return Problem(mdp, tuple(states), self._skills, tuple(taken), tuple(outcomes))

    def _choices(self, state: State) -> list[tuple[int, list[Branch]]]:
        """The useful skills in a state with their outcomes, and giving up, which is terminal."""
        choices: list[tuple[int, list[Branch]]] = []
        if self._goal <= state.facts:
            return [(GIVE_UP, [])]
        for number, skill in enumerate(self._skills):
            if self._success[number] <= 0.0 or not skill.requires <= state.facts or not self._useful(state, skill):
                continue
            branches = self._sensing(state, number) if skill.senses else self._doing(state, number)
            if branches:
                choices.append((number, branches))
        choices.append((GIVE_UP, []))
        return choices

    def _useful(self, state: State, skill: GroundSkill) -> bool:
        """Whether the skill would add a relevant fact, or bring the robot to where the object may be."""
        if skill.destination == state.at and skill.destination:
            return False
        if self._adds[skill.call] - state.facts:
            return True
        if state.sighted:
            return state.sighted[1] == skill.destination
        return bool(skill.destination) and any(spot[1] == skill.destination and spot not in state.missed for spot in self._spots)

    def _after(self, facts: Facts, number: int, *, success: bool) -> Facts:
        """The relevant facts after the skill; cached, since many states share their facts."""
        key = (facts, number, success)
        if key not in self._effects:
            skill = self._skills[number]
            self._effects[key] = (skill.succeed(facts) if success else skill.fail(facts)) & self._relevant
        return self._effects[key]

    def _doing(self, state: State, number: int) -> list[Branch]:
        skill, success = self._skills[number], self._success[number]
        done = State(skill.destination or state.at, self._after(state.facts, number, success=True), state.missed, state.sighted)
        # A failed drive is modelled as no movement; if it happens, the planner replans from the actual position.
        left = state.facts if skill.destination else self._after(state.facts, number, success=False)
        failed = State(state.at, left, state.missed, state.sighted)
        return [branch for branch in ((success, done, True), (1.0 - success, failed, False)) if branch[0] > 0.0]

    def _sensing(self, state: State, number: int) -> list[Branch]:
        skill = self._skills[number]
        spot = (skill.senses, state.at)
        if spot not in self._spots or spot in state.missed:
            return []
        p = skill.success * self._probability(state, spot)
        found = State(state.at, self._after(state.facts, number, success=True), frozenset(), spot)
        missed = State(state.at, self._after(state.facts, number, success=False), state.missed | {spot}, None)
        return [(p, found, True), (1.0 - p, missed, False)]

    def _probability(self, state: State, spot: Spot) -> float:
        """P(the object is there | not found at `missed`), by Bayes' rule."""
        thing, _ = spot
        if state.sighted and state.sighted[0] == thing:
            return 1.0 if state.sighted == spot else 0.0
        look = next(skill for skill in self._skills if skill.senses == thing)
        excluded = 1.0 - (1.0 - look.success) / (1.0 - look.false_alarm)  # of P(place), by a miss there
        seen = sum(self._belief.probability(thing, place) * excluded for other, place in state.missed if other == thing)
        return self._belief.probability(*spot) / (1.0 - seen)

    def _seconds(self, state: State, skill: GroundSkill) -> float:
        if not skill.destination:
            return skill.seconds
        return skill.seconds + travel_seconds(self._xy.get(state.at), self._xy[skill.destination], skill.speed)

    def _reward(self, state: State, skill: int, branches: list[Branch]) -> float:
        """Σ P(s'|s,a) R(s,a,s'): the reward for reaching the goal, minus the cost of time."""
        if skill == GIVE_UP:
            return 0.0
        reached = sum(p for p, after, _ in branches if self._goal <= after.facts)
        return GOAL * reached - PER_SECOND * self._seconds(state, self._skills[skill])


def _arrays(first: list[int], outcomes: list[tuple[Numbered, ...]], rewards: list[float], end: int) -> MDP:
    width = max(1, *(len(branches) for branches in outcomes))
    following = np.full((len(outcomes), width), end, dtype=np.int64)
    probability = np.zeros((len(outcomes), width))
    for choice, branches in enumerate(outcomes):
        for branch, (p, state, _) in enumerate(branches):
            following[choice, branch] = state
            probability[choice, branch] = p
        if not branches:
            probability[choice, 0] = 1.0
    return MDP(np.array(first, dtype=np.int64), following, probability, np.array(rewards), DISCOUNT)
