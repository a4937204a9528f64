"""P(done): how probably the policy brings its goal about, with skills that are given up after some failures, and looks that deceive.

The policy is that of the MDP (equation 19), in which a skill may fail for ever. The events differ in three points, so that P(done) is
computed along the policy instead of in its Markov chain: a call that failed `TRIES` times is not tried again, each failure lowers what is
expected of the next try (equation 20), and what a false alarm shows is not there.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

from sayso.planning.belief import TRIES, WorldBelief
from sayso.planning.experience import PRIOR_TRIALS
from sayso.planning.facts import Facts, GroundSkill
from sayso.planning.mdp import Solution
from sayso.planning.search import GIVE_UP, LOOK_FURTHER, Problem
from sayso.types import SkillCall

Failed = frozenset[tuple[int, int]]  # (index of a skill, its failures since it last succeeded)
_NEVER: Failed = frozenset()


class Prospect:
    """P(done) from each state of a solved problem."""

    def __init__(
        self, problem: Problem, solution: Solution, goal: Facts, belief: WorldBelief, further: Callable[[str], float] = lambda _: 0.0
    ) -> None:
        """Prepare; `further` is P(done) if it looks at other places, from that place of the robot, once it found nothing at these."""
        self._problem, self._solution, self._goal, self._belief, self._further = problem, solution, goal, belief, further
        self._ends = (*problem.mdp.first[1:].tolist(), len(problem.taken))
        self._first: list[int] = problem.mdp.first.tolist()
        self._best: list[int] = solution.choices.tolist()
        self._known: dict[tuple[int, Failed], float] = {}
        self._experience: dict[int, tuple[int, float]] = {}
        self._hopeful: dict[frozenset[int], set[int]] = {}

    def __call__(self, state: int = 0, failed: Failed = _NEVER) -> float:
        """P(the goal is reached, and truly so) from that state, after these failures."""
        if (state, failed) not in self._known:
            self._known[state, failed] = 0.0  # a way that comes back to where it was reaches nothing
            self._known[state, failed] = self._after(state, failed)
        return self._known[state, failed]

    def _after(self, state: int, failed: Failed) -> float:
        if self._goal <= self._problem.states[state].facts:
            return 1.0
        given_up = frozenset(taken for taken, count in failed if count >= self._experienced(taken)[0])
        if given_up and state not in self._reaching(given_up):
            return 0.0  # most of what is left would be to wander about
        choice = self._choice(state, given_up)
        taken = self._problem.taken[choice]
        if taken == GIVE_UP:
            return 0.0
        if taken == LOOK_FURTHER:
            return self._further(self._problem.states[state].at)
        skill = self._problem.skills[taken]
        if skill.senses:
            seen = sum(p for p, _, succeeded in self._problem.outcomes[choice] if succeeded)
            deceived = false_finds(seen, skill.success, skill.false_alarm)
            return sum(
                (p if succeeded else max(0.0, p - deceived)) * self(following, failed)
                for p, following, succeeded in self._problem.outcomes[choice]
            )
        return self._tried(choice, taken, failed)

    def _choice(self, state: int, given_up: frozenset[int]) -> int:
        """The best choice; if that call is given up, the best of those that are not."""
        best, taken = self._best[state], self._problem.taken
        if taken[best] not in given_up:
            return best
        left = (choice for choice in range(self._first[state], self._ends[state]) if taken[choice] not in given_up)
        return max(left, key=self._q.__getitem__)  # to give up is one of them

    @cached_property
    def _q(self) -> list[float]:
        return [float(value) for value in self._problem.mdp.choice_values(self._solution.values)]

    def _reaching(self, given_up: frozenset[int]) -> set[int]:
        """The states from which a way leads to the goal, or to other places to look at, without these skills."""
        if given_up not in self._hopeful:
            taken, ends = self._problem.taken, (state for state, each in enumerate(self._problem.states) if self._goal <= each.facts)
            found = {*ends, *(state for state, choice in self._ways_out if taken[choice] == LOOK_FURTHER)}
            new = list(found)
            for state in new:  # grows during the loop
                for before, choice in self._ways_to.get(state, ()):
                    if before not in found and taken[choice] not in given_up:
                        found.add(before)
                        new.append(before)
            self._hopeful[given_up] = found
        return self._hopeful[given_up]

    @cached_property
    def _ways_out(self) -> list[tuple[int, int]]:
        """Each choice, with its state before it."""
        bounds = zip(self._first, self._ends, strict=True)
        return [(state, choice) for state, (first, end) in enumerate(bounds) for choice in range(first, end)]

    @cached_property
    def _ways_to(self) -> dict[int, list[tuple[int, int]]]:
        """State → what may lead to it: a state, and a choice there."""
        found: dict[int, list[tuple[int, int]]] = {}
        for state, choice in self._ways_out:
            for _, following, _ in self._problem.outcomes[choice]:
                found.setdefault(following, []).append((state, choice))
        return found

    def _experienced(self, taken: int) -> tuple[int, float]:
        """How many failures more a skill is allowed, and how many trials its probability of success rests on."""
        if taken not in self._experience:  # a call is long to hash, and asked for thousands of times
            call = self._problem.skills[taken].call
            self._experience[taken] = TRIES - self._belief.failures.get(call, 0), _trials(self._belief, call)
        return self._experience[taken]

    def _tried(self, choice: int, taken: int, failed: Failed) -> float:
        """P(done) if a skill is tried that may fail, after its failures until now."""
        count = next((number for each, number in failed if each == taken), 0)
        others = frozenset(each for each in failed if each[0] != taken) if count else failed
        outcomes = self._problem.outcomes[choice]
        trials = self._experienced(taken)[1]
        success = sum(p for p, _, succeeded in outcomes if succeeded) * trials / (trials + count)
        return sum(
            success * self(following, others) if succeeded else (1.0 - success) * self(following, others | {(taken, count + 1)})
            for _, following, succeeded in outcomes
        )


def lowered(belief: WorldBelief, skill: GroundSkill, success: float, failures: int) -> float:
    """P(success) of the next try, if it was `success` before so many failures: the mean of the Beta posterior (equation 20)."""
    trials = _trials(belief, skill.call)
    return success * trials / (trials + failures)


def _trials(belief: WorldBelief, call: SkillCall) -> float:
    return PRIOR_TRIALS + sum(belief.trials.get(call, (0, 0)))


def persistent(belief: WorldBelief, skill: GroundSkill) -> float:
    """P(it succeeds before it is given up)."""
    success, fails = belief.success(skill), 1.0
    for failures in range(TRIES - belief.failures.get(skill.call, 0)):
        fails *= 1.0 - lowered(belief, skill, success, failures)
    return 1.0 - fails


def false_finds(found: float, detection: float, false_alarm: float) -> float:
    """P(a look shows the object and it is not there), if it shows it where it is with probability `found` = detection · P(there)."""
    return false_alarm * max(0.0, 1.0 - found / detection)
