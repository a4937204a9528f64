"""Quantiles of the conformal sets from interactions with known meanings, measured on held-out ones."""

from __future__ import annotations

import math
import random
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

from sayso.domain import Domain
from sayso.errors import SaysoError
from sayso.intent import IntentClassifier
from sayso.selection import ActionSelector
from sayso.selection.choosing.calibration import Calibration, Level, key_of
from sayso.selection.choosing.conformal import ConformalSet, Kind, kind_of, others, quantile
from sayso.training.intents.evaluation import transcript_of
from sayso.training.selection.interactions import Interaction, interactions, parts, sayings, without
from sayso.training.selection.meanings import Goal, goal_of
from sayso.training.selection.person import goals_of, is_meant
from sayso.training.selection.strange_words import with_strange_words
from sayso.types import Action, ActionBelief, FloatArray, IntentBelief

EPSILONS = (0.01, 0.05, 0.1)
PER_TEMPLATE = 40
FEWEST = 40  # interactions in a half: with fewer even 5 % cannot be estimated
Progress = Callable[[str, float], None]  # the current work, and its progress (0 … 1)
Change = Callable[[Iterator[Interaction]], list[Interaction]]


@dataclass(frozen=True, slots=True)
class Known:
    """A posterior, and its entries that were meant."""

    p: FloatArray  # (G,) of each possible goal; the rest to 1 is something else
    meant: tuple[int, ...]  # indices that are right, or become right once missing arguments are given; empty: something else was meant


def known(domain: Domain, interaction: Interaction, belief: ActionBelief) -> Known:
    """The selector's posterior for an interaction."""
    goals, p = goals_of(domain, belief)
    return Known(p, tuple(index for index, goal in enumerate(goals) if is_meant(domain, goal, interaction.meaning, loosely=True)))


def has_set(heard: IntentBelief, belief: ActionBelief) -> bool:
    """Whether a question may be about it: the robot neither answers it nor takes it for talk."""
    return bool(belief.candidates) and heard.clauses[0].out_of_scope <= 0.0 and not belief.then


def generated(
    domain: Domain, number: int, seed: int, progress: Progress, change: Change = list
) -> Iterator[list[tuple[Interaction, IntentBelief]]]:
    """Interactions with sentences from held-out templates, and how a classifier understands each.

    The templates that the encoder has not seen are split into two halves; each is classified by a head trained without it.
    `change` may change the interactions that were drawn.

    Raises:
        SaysoError: the domain has too few examples to hold any back.
    """
    halves = [half for half in parts(domain) if half]
    if not halves:
        raise SaysoError(f"'{domain.name}' has too few examples to hold any back: write more, or calibrate on recordings")
    for part, templates in enumerate(halves):
        pool = sayings(domain, PER_TEMPLATE, seed, templates.__contains__)
        share = number * (part + 1) // len(halves) - number * part // len(halves)
        drawn = change(interactions(domain, pool, share, seed + part))
        texts = list(dict.fromkeys(interaction.text for interaction in drawn))
        progress(f"training the intents without {len(templates)} of the examples", part / len(halves))
        classify = IntentClassifier(without(domain, templates), lm_weight=0.0)
        beliefs: dict[str, IntentBelief] = {}
        for at, text in enumerate(texts):
            progress(f"classifying {len(texts)} sentences made from them", (part + at / len(texts)) / len(halves))
            beliefs[text] = classify(transcript_of(text))
        yield [(interaction, beliefs[interaction.text]) for interaction in drawn]
    progress("done", 1.0)


def on_generated(domain: Domain, number: int, seed: int, progress: Progress) -> list[Known]:
    """The posteriors of generated interactions, some of them with words that the robot doesn't know, if a question may be about them."""
    select = ActionSelector(domain)
    heard = chain.from_iterable(generated(domain, number, seed, progress, lambda drawn: with_strange_words(domain, drawn, seed)))
    decided = ((interaction, belief, select(belief, interaction.context)) for interaction, belief in heard)
    return [known(domain, interaction, found) for interaction, belief, found in decided if has_set(belief, found)]


def calibrated(domain: Domain, every: Sequence[Known], source: str, epsilon: float, seed: int = 0) -> Calibration:
    """The quantiles from a random half of the interactions, and the coverage of their sets on the other.

    Raises:
        SaysoError: there are too few interactions.
    """
    if len(every) < 2 * FEWEST:
        raise SaysoError(f"{len(every)} interactions are too few to calibrate on: {2 * FEWEST} are needed, some hundreds are better")
    shuffled = random.Random(seed).sample(every, len(every))
    half = len(every) // 2
    fitted, held_out = shuffled[:half], shuffled[half:]
    levels = {each: level(held_out, fitted_set(fitted, each)) for each in sorted({*EPSILONS, epsilon})}
    missing = sum(not each.meant for each in every) / len(every)
    return Calibration(
        key=key_of(domain),
        domain=domain.name,
        source=source,
        n=half,
        held_out=len(held_out),
        unclear=round(sum(kind_of(each.p) != "clear" for each in every) / len(every), 4),
        missing=round(missing, 4),
        epsilon=epsilon,
        levels=levels,
    )


def fitted_set(fitted: Sequence[Known], epsilon: float) -> ConformalSet:
    """The sets with the quantiles of these interactions."""
    kinds: tuple[Kind, ...] = ("clear", "unclear", "doubtful")
    scores = [np.array([meant_score(each) for each in fitted if kind_of(each.p) == kind]) for kind in kinds]
    return ConformalSet(epsilon, *(_rounded_up(quantile(score, epsilon)) for score in scores))


def _rounded_up(limit: float) -> float:
    """Round up to four digits: what equals the limit belongs to the set, although another processor computes it a millionth higher."""
    return limit if math.isinf(limit) else math.ceil(limit * 1e4) / 1e4


def meant_score(each: Known) -> float:
    """The score of what was meant; if that is no candidate, of something else."""
    return min((1.0 - float(each.p[index]) for index in each.meant), default=float(1.0 - others(each.p)[0]))


def holds(choose: ConformalSet, each: Known, *, forced: bool = False) -> bool:
    """Whether what was meant is in the set; `forced`: with the most probable action."""
    if not each.meant:
        return choose.holds_others(each.p)
    return bool((choose(each.p) if forced else choose.unforced(each.p))[list(each.meant)].any())


def level(held_out: Sequence[Known], choose: ConformalSet) -> Level:
    """Coverage and size of the sets on held-out interactions."""
    asked = [each for each in held_out if kind_of(each.p) != "clear"]
    return Level(
        clear=choose.clear,
        unclear=choose.unclear,
        doubtful=choose.doubtful,
        coverage=_share(holds(choose, each) for each in held_out),
        offered=_share(holds(choose, each, forced=True) for each in asked),
        size=round(float(np.mean([choose(each.p).sum() for each in asked])), 3) if asked else 0.0,
        others=_share(choose.holds_others(each.p) for each in asked),
    )


def _share(found: Iterable[bool]) -> float:
    every = list(found)
    return round(sum(every) / len(every), 4) if every else 0.0


def as_known(domain: Domain, meant: Sequence[str], posterior: Sequence[tuple[str, float]]) -> Known:
    """A recorded posterior over actions as text, and the meant ones.

    Raises:
        SaysoError: an action is not of the form name(role=value, …), or the domain does not know it.
    """
    wanted = {goal_of(domain, _action(domain, text)) for text in meant}
    mass: dict[Goal, float] = {}
    for text, p in posterior:
        goal = goal_of(domain, _action(domain, text))
        mass[goal] = mass.get(goal, 0.0) + p
    return Known(np.array(list(mass.values()), np.float64), tuple(index for index, goal in enumerate(mass) if goal in wanted))


def _action(domain: Domain, text: str) -> Action:
    match = re.fullmatch(r"\s*(\w+)\((.*)\)\s*", text)
    pairs = [pair.partition("=") for pair in match[2].split(", ") if pair] if match else []
    if match is None or match[1] not in domain.actions or not all(sign for _, sign, _ in pairs):
        raise SaysoError(f"'{text}' is not an action of '{domain.name}': name(role=value, …) is expected")
    return Action(match[1], tuple(sorted((role.strip(), value.strip()) for role, _, value in pairs)))
