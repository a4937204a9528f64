"""What the robot has learnt about its skills (equation 20): how well and how fast each works, with what and where; where drives end.

Success is a Beta posterior, duration a Gamma posterior of its ratio to what the domain expects. Both are conjugate, so that their mean is
the prior's mean and the trials', weighted by their numbers (Diaconis & Ylvisaker 1979). Where there are few trials of just this object at
just this place, the other trials of the place, of the object and of the skill are the prior, and the domain's constants are theirs.
Each trial counts at one level alone, so that none counts twice.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from math import hypot

from sayso.domain.model import Domain
from sayso.planning.trials import DRIVE, SkillTrial, Tried, expected_seconds, tried

PRIOR_TRIALS = 3.0  # weight of what is more general: three trials of one's own count as much, so that one bad day is not a rule
HALF_LIFE = 30.0  # later trials of the same kind after which a trial counts half: some weeks of use; a repaired arm is trusted again
KEPT = 0.5 ** (1.0 / HALF_LIFE)  # share of its weight that a trial keeps when the next one of its kind comes
SHAPE = 4.0  # of the Gamma distribution of one duration: its standard deviation is half its mean
ANY = "*"
NEAR = 0.1  # m: a drive that ends this near to the place ends there


@dataclass(frozen=True, slots=True)
class TrialTally:
    """Trials of one kind, the older ones with less weight."""

    successes: float = 0.0
    failures: float = 0.0
    time: float = 0.0  # time that they took, in units of what the domain expects of one trial
    work: float = 0.0  # what the domain expects of them, in the same units

    @property
    def trials(self) -> float:
        """Number of trials that tell about success."""
        return self.successes + self.failures

    @property
    def shared(self) -> TrialTally:
        """What they tell about trials of another kind: n trials of one kind count as n / (1 + (n − 1) / (PRIOR_TRIALS + 1)).

        That is the design effect of clusters (Kish 1965), whose correlation is 1 / (PRIOR_TRIALS + 1) if each kind has a success drawn from
        Beta(PRIOR_TRIALS · m, PRIOR_TRIALS · (1 − m)): a hundred failures at one place are one bad place.
        """
        of_success, of_time = (1.0 / (1.0 + max(0.0, n - 1.0) / (PRIOR_TRIALS + 1.0)) for n in (self.trials, self.work))
        return TrialTally(of_success * self.successes, of_success * self.failures, of_time * self.time, of_time * self.work)

    def __add__(self, other: TrialTally) -> TrialTally:
        return TrialTally(self.successes + other.successes, self.failures + other.failures, self.time + other.time, self.work + other.work)

    def without(self, *others: TrialTally) -> TrialTally:
        """The trials that are in none of the others."""
        rest = self
        for other in others:
            rest = rest + other.weighted(-1.0)
        return TrialTally(max(0.0, rest.successes), max(0.0, rest.failures), max(0.0, rest.time), max(0.0, rest.work))

    def weighted(self, weight: float) -> TrialTally:
        """The same trials with another weight."""
        return TrialTally(weight * self.successes, weight * self.failures, weight * self.time, weight * self.work)


NOTHING = TrialTally()


@dataclass(frozen=True, slots=True)
class Displacement:
    """By how much drives to one place end beside it, in sum, the older ones with less weight."""

    drives: float = 0.0
    x: float = 0.0  # m, map frame
    y: float = 0.0

    def after(self, x: float, y: float) -> Displacement:
        """With one more drive."""
        return Displacement(KEPT * self.drives + 1.0, KEPT * self.x + x, KEPT * self.y + y)

    @property
    def mean(self) -> tuple[float, float]:
        """(x, y) m, of least expected squared distance to the next end; PRIOR_TRIALS drives that ended right are the prior."""
        return self.x / (PRIOR_TRIALS + self.drives), self.y / (PRIOR_TRIALS + self.drives)


@dataclass(frozen=True, slots=True)
class Posterior:
    """Beta(α, β) of a probability."""

    alpha: float
    beta: float

    @property
    def mean(self) -> float:
        """The expected probability."""
        return self.alpha / (self.alpha + self.beta)


@dataclass(frozen=True, slots=True)
class Experience:
    """Trials by skill, object and place, and ends of drives by place. Immutable: a trial gives a new experience."""

    tallies: Mapping[Tried, TrialTally] = field(default_factory=dict)
    ends: Mapping[str, Displacement] = field(default_factory=dict)  # by place
    _sums: Mapping[Tried, TrialTally] = field(init=False, repr=False, compare=False)  # of what they share, over every object or place (ANY)

    def __post_init__(self) -> None:
        sums: dict[Tried, TrialTally] = defaultdict(TrialTally)
        for (skill, thing, place), tally in self.tallies.items():
            for key in (Tried(skill, thing, ANY), Tried(skill, ANY, place), Tried(skill, ANY, ANY)):
                sums[key] += tally.shared
        object.__setattr__(self, "_sums", dict(sums))

    @classmethod
    def of(cls, domain: Domain, trials: Iterable[SkillTrial]) -> Experience:
        """What these trials teach, oldest first; those of another home, or of skills that this one lacks, teach nothing."""
        tallies: dict[Tried, TrialTally] = {}
        ends: dict[str, Displacement] = {}
        for trial in trials:
            if trial.home == domain.name and trial.call.name in domain.skills:
                _count(domain, trial, tallies, ends)
        return cls(tallies, ends)

    def after(self, domain: Domain, trial: SkillTrial) -> Experience:
        """The experience after one more trial."""
        tallies, ends = dict(self.tallies), dict(self.ends)
        _count(domain, trial, tallies, ends)
        return Experience(tallies, ends)

    def displaced(self, domain: Domain) -> Domain:
        """The domain with its places where drives to them end; the same one if they end within NEAR of each."""
        moved = {}
        for name, displacement in self.ends.items():
            x, y = displacement.mean
            place = domain.places.get(name)
            if place is not None and hypot(x, y) > NEAR:
                moved[name] = place.model_copy(update={"pose": (place.pose[0] + x, place.pose[1] + y, place.pose[2])})
        return domain.model_copy(update={"places": {**domain.places, **moved}}) if moved else domain

    def success(self, what: Tried, prior: float) -> Posterior:
        """The posterior of a skill's success; `prior` is the domain's. Without any trial of the skill, its mean is the prior itself."""
        own, place, thing, others = self._levels(what)
        general = _mean(prior, others.successes, others.trials)
        at_place = _mean(general, place.successes, place.trials)
        with_thing = _mean(general, thing.successes, thing.trials)
        mean = _pooled(general, (at_place, place.trials), (with_thing, thing.trials))
        return Posterior(PRIOR_TRIALS * mean + own.successes, PRIOR_TRIALS * (1.0 - mean) + own.failures)

    def expected_success(self, what: Tried, prior: float) -> float:
        """Mean of `success`; the prior to the last bit if no trial tells about the skill."""
        return self.success(what, prior).mean if self._sums.get(Tried(what.skill, ANY, ANY), NOTHING).trials else prior

    def duration(self, what: Tried) -> Posterior:
        """(α, β) of the inverse Gamma posterior of how many times longer it takes than the domain expects."""
        own, place, thing, others = self._levels(what)
        general = _mean(1.0, others.time, others.work)
        at_place, with_thing = _mean(general, place.time, place.work), _mean(general, thing.time, thing.work)
        mean = _pooled(general, (at_place, place.work), (with_thing, thing.work))
        return Posterior(SHAPE * (PRIOR_TRIALS + own.work) + 1.0, SHAPE * (PRIOR_TRIALS * mean + own.time))

    def pace(self, what: Tried) -> float:
        """How many times longer it takes than the domain expects, the mean; 1 if no trial tells."""
        if not self._sums.get(Tried(what.skill, ANY, ANY), NOTHING).work:
            return 1.0
        posterior = self.duration(what)
        return posterior.beta / (posterior.alpha - 1.0)

    def _levels(self, what: Tried) -> tuple[TrialTally, TrialTally, TrialTally, TrialTally]:
        """The trials of just this, of other objects at the place, of the object elsewhere, and of other objects elsewhere."""
        own, sums = self.tallies.get(what, NOTHING), self._sums
        place, thing = sums.get(what._replace(thing=ANY), NOTHING), sums.get(what._replace(place=ANY), NOTHING)
        everything = sums.get(Tried(what.skill, ANY, ANY), NOTHING)
        place, thing = place.without(own.shared), thing.without(own.shared)
        return own, place, thing, everything.without(own.shared, place, thing)


def tally_of(domain: Domain, trial: SkillTrial) -> TrialTally:
    """One trial. A look that finds nothing says nothing about the camera: of skills that look, only the duration is learnt."""
    skill = domain.skills[trial.call.name]
    one = expected_seconds(skill, DRIVE)
    work = expected_seconds(skill, trial.metres) / one if trial.seconds > 0.0 else 0.0
    known = 0.0 if skill.senses else 1.0
    return TrialTally(known * trial.succeeded, known * (not trial.succeeded), trial.seconds / one, work)


def _count(domain: Domain, trial: SkillTrial, tallies: dict[Tried, TrialTally], ends: dict[str, Displacement]) -> None:
    """Add one more trial."""
    key, place = tried(domain, trial.call, trial.place), domain.places.get(trial.place)
    tallies[key] = tallies.get(key, NOTHING).weighted(KEPT) + tally_of(domain, trial)
    if trial.ended is not None and place is not None:
        (x, y), before = trial.ended, ends.get(trial.place, Displacement())
        ends[trial.place] = before.after(x - place.pose[0], y - place.pose[1])


def _mean(prior: float, total: float, trials: float) -> float:
    """The posterior mean: the prior counts as PRIOR_TRIALS trials."""
    return (PRIOR_TRIALS * prior + total) / (PRIOR_TRIALS + trials)


def _pooled(general: float, *means: tuple[float, float]) -> float:
    """The mean of several means, each weighted by its trials; `general` if there are none."""
    trials = sum(weight for _, weight in means)
    return sum(mean * weight for mean, weight in means) / trials if trials else general
