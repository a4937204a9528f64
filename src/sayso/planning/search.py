"""Compiles a goal, the relevant skills and the belief to an MDP over the robot's knowledge after each outcome."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from sayso.planning.belief import WorldBelief
from sayso.planning.facts import Facts, GroundSkill, position, travel_seconds
from sayso.planning.mdp import MDP
from sayso.planning.rows import rows

GIVE_UP, LOOK_FURTHER = -1, -2  # instead of a skill's index

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
    states: tuple[State, ...]  # those that it begins with come first
    skills: tuple[GroundSkill, ...]
    taken: tuple[int, ...]  # (C,) skill index of each choice, GIVE_UP or LOOK_FURTHER
    outcomes: tuple[tuple[Numbered, ...], ...]  # (C,) outcomes of each choice


class Compiler:
    """Enumerates the states reachable from the belief with these skills."""

    def __init__(
        self,
        goal: Facts,
        skills: tuple[GroundSkill, ...],
        belief: WorldBelief,
        spots: frozenset[Spot],
        further: Callable[[str], float] | None = None,
        *,
        sure: bool = False,
    ) -> None:
        """Prepare.

        Args:
            goal: the facts to reach.
            skills: the skill calls to choose from.
            belief: what is known.
            spots: where to look for which object.
            further: the value of looking at other places, from that place of the robot, once all spots were searched in vain.
            sure: whether an object that was found is always found again at the same place.
        """
        self._rewards = belief.domain.rewards
        relevant = goal.union(*(skill.requires for skill in skills)) if skills else goal
        self._goal, self._skills, self._belief, self._relevant = goal, skills, belief, relevant
        self._success = [belief.success(skill) for skill in skills]
        self._learnt: dict[tuple[int, str], tuple[float, float]] = {}
        self._adds = {skill.call: skill.adds & relevant for skill in skills}
        self._effects: dict[tuple[Facts, int, bool], Facts] = {}
        self._spots, self._further, self._sure = spots, further, sure
        places = {skill.destination for skill in skills if skill.destination} | {belief.at}
        self._xy = {place: position(belief.domain, place) for place in places}
        self._xy[belief.at] = belief.xy
        self._always = tuple(number for number, skill in enumerate(skills) if self._adds[skill.call])
        self._drives: dict[str, list[int]] = {}
        for number, skill in enumerate(skills):
            if skill.destination:
                self._drives.setdefault(skill.destination, []).append(number)

    @property
    def now(self) -> State:
        """The state of the belief."""
        return State(self._belief.at, self._belief.facts & self._relevant)

    def found(self, thing: str, place: str) -> State | None:
        """The state after driving to that place and finding the object there; None if no skills do that."""
        drive = next(iter(self._drives.get(place, ())), None)
        look = next((number for number, skill in enumerate(self._skills) if skill.senses == thing), None)
        if look is None or (drive is None and place != self.now.at):
            return None
        facts = self.now.facts if drive is None or place == self.now.at else self._after(self.now.facts, drive, success=True)
        return State(place, self._after(facts, look, success=True), frozenset(), (thing, place))

    def problem(self, starts: tuple[State, ...] = ()) -> Problem:
        """The MDP that begins with these states, or with the belief."""
        states = list(starts or (self.now,))
        index = {state: number for number, state in enumerate(states)}
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
        mdp = _arrays(first, outcomes, rewards, len(states), self._rewards.discount)
        return Problem(mdp, tuple(states), self._skills, tuple(taken), tuple(outcomes))

    def _choices(self, state: State) -> list[tuple[int, list[Branch]]]:
        """The useful skills in a state with their outcomes, and giving up, which is terminal."""
        choices: list[tuple[int, list[Branch]]] = []
        if self._goal <= state.facts:
            return [(GIVE_UP, [])]
        for number in self._useful(state):
            skill = self._skills[number]
            if self._success[number] <= 0.0 or not skill.requires <= state.facts:
                continue
            branches = self._sensing(state, number) if skill.senses else self._doing(state, number)
            if branches:
                choices.append((number, branches))
        choices.append((GIVE_UP, []))
        if self._further is not None and state.missed >= self._spots and not state.sighted:
            choices.append((LOOK_FURTHER, []))
        return choices

    def _useful(self, state: State) -> list[int]:
        """The skills that would add a relevant fact, or bring the robot to where the object may be, in their order."""
        looked_at = [state.sighted[1]] if state.sighted else [place for _, place in self._spots - state.missed]
        useful = {number for number in self._always if self._adds[self._skills[number].call] - state.facts}
        useful.update(number for place in looked_at for number in self._drives.get(place, ()))
        return sorted(number for number in useful if not self._is_in_vain(self._skills[number], state))

    @staticmethod
    def _is_in_vain(skill: GroundSkill, state: State) -> bool:
        """Whether it drives to where the robot is, for nothing new: to follow somebody, it need not be elsewhere first."""
        return bool(skill.destination) and skill.destination == state.at and skill.adds <= state.facts

    def _after(self, facts: Facts, number: int, *, success: bool) -> Facts:
        """The relevant facts after the skill; cached, since many states share their facts."""
        key = (facts, number, success)
        if key not in self._effects:
            skill = self._skills[number]
            self._effects[key] = (skill.succeed(facts) if success else skill.fail(facts)) & self._relevant
        return self._effects[key]

    def _doing(self, state: State, number: int) -> list[Branch]:
        skill, (success, _) = self._skills[number], self._success_and_pace(number, state.at)
        done = State(skill.destination or state.at, self._after(state.facts, number, success=True), state.missed, state.sighted)
        # A failed drive is modelled as no movement; if it happens, the planner replans from the actual position.
        left = state.facts if skill.destination else self._after(state.facts, number, success=False)
        failed = State(state.at, left, state.missed, state.sighted)
        return [branch for branch in ((success, done, True), (1.0 - success, failed, False)) if branch[0] > 0.0]

    def _sensing(self, state: State, number: int) -> list[Branch]:
        skill = self._skills[number]
        spot = (skill.senses, state.at)
        if (spot not in self._spots and spot != state.sighted) or spot in state.missed:
            return []
        p = 1.0 if self._sure and spot == state.sighted else skill.success * self._probability(state, spot)
        found = State(state.at, self._after(state.facts, number, success=True), frozenset(), spot)
        missed = State(state.at, self._after(state.facts, number, success=False), state.missed | {spot}, None)
        return [branch for branch in ((p, found, True), (1.0 - p, missed, False)) if branch[0] > 0.0]

    def _probability(self, state: State, spot: Spot) -> float:
        """P(the object is there | not found at `missed`), by Bayes' rule."""
        thing, _ = spot
        if state.sighted and state.sighted[0] == thing:
            return 1.0 if state.sighted == spot else 0.0
        look = next(skill for skill in self._skills if skill.senses == thing)
        seen = sum(self._belief.probability(thing, place) * look.excluded for other, place in state.missed if other == thing)
        return self._belief.probability(*spot) / (1.0 - seen)

    def _success_and_pace(self, number: int, at: str) -> tuple[float, float]:
        """P(success) of the skill if the robot is there, and its duration as a multiple of the domain's."""
        if (number, at) not in self._learnt:
            skill = self._skills[number]
            self._learnt[number, at] = self._belief.success(skill, at), self._belief.pace(skill, at)
        return self._learnt[number, at]

    def _seconds(self, state: State, number: int) -> float:
        skill, (_, pace) = self._skills[number], self._success_and_pace(number, state.at)
        if not skill.destination:
            return pace * skill.seconds
        return pace * (skill.seconds + travel_seconds(self._xy.get(state.at), self._xy[skill.destination], skill.speed))

    def _reward(self, state: State, skill: int, branches: list[Branch]) -> float:
        """Σ P(s'|s,a) R(s,a,s'): the reward for reaching the goal, minus the cost of time."""
        if skill == LOOK_FURTHER:
            return self._further(state.at) if self._further else 0.0
        if skill == GIVE_UP:
            return 0.0
        reached = sum(p for p, after, _ in branches if self._goal <= after.facts)
        return self._rewards.goal * reached - self._rewards.hour / 3600.0 * self._seconds(state, skill)


def _arrays(first: list[int], outcomes: list[tuple[Numbered, ...]], rewards: list[float], states: int, discount: float) -> MDP:
    branches = [(p, state) for each in outcomes for p, state, _ in each]
    begins = np.cumsum([0, *(len(each) for each in outcomes)])
    probability, following = np.array([p for p, _ in branches]), np.array([state for _, state in branches], dtype=np.int64)
    transition = rows(probability, following, begins, (len(outcomes), states))
    return MDP(np.array(first, dtype=np.int64), transition, np.array(rewards), discount)
