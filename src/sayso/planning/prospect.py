"""P(done): how probably the policy brings its goal about, with skills that are given up after some failures, and looks that deceive.

The policy is that of the MDP (equation 19), in which a skill may fail for ever. The events differ in three points, so that P(done) is
computed along the policy instead of in its Markov chain: a call that failed `TRIES` times is not tried again, each failure lowers what is
expected of the next try (equation 20), and what a false alarm shows is not there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
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

    def __call__(self, state: int = 0, failed: Failed = _NEVER) -> float:
        """P(the goal is reached, and truly so) from that state, after these failures."""
        if (state, failed) not in self._known:
            self._known[state, failed] = 0.0  # a way that comes back to where it was reaches nothing
            self._known[state, failed] = self._after(state, failed)
        return self._known[state, failed]

    def _after(self, state: int, failed: Failed) -> float:
        if self._goal <= self._problem.states[state].facts:
            return 1.0
        choice = self._choice(state, failed)
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

    def _choice(self, state: int, failed: Failed) -> int:
        """The best choice; if that call is given up, the best of those that are not."""
        best = self._best[state]
        if not failed or not self._is_given_up(best, counts := dict(failed)):
            return best
        left = (choice for choice in range(self._first[state], self._ends[state]) if not self._is_given_up(choice, counts))
        return max(left, key=self._q.__getitem__)  # to give up is one of them

    @cached_property
    def _q(self) -> list[float]:
        return [float(value) for value in self._problem.mdp.choice_values(self._solution.values)]

    def _is_given_up(self, choice: int, counts: Mapping[int, int]) -> bool:
        taken = self._problem.taken[choice]
        return taken in counts and counts[taken] >= self._experienced(taken)[0]

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
