"""Quantiles of the conformal sets from interactions with known meanings, measured on held-out ones."""

from __future__ import annotations

import math
import random
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from sayso.domain import Domain
from sayso.errors import SaysoError
from sayso.intent import IntentClassifier
from sayso.selection import ActionSelector
from sayso.selection.calibration import Calibration, Level, key_of
from sayso.selection.conformal import ConformalSet, is_clear, quantile
from sayso.training.intents.evaluation import transcript_of
from sayso.training.selection.interactions import Interaction, interactions, parts, sayings, without
from sayso.training.selection.meanings import Goal, goal_of
from sayso.training.selection.person import goals_of, is_meant
from sayso.types import Action, ActionBelief, FloatArray, IntentBelief

EPSILONS = (0.01, 0.05, 0.1)
PER_TEMPLATE = 40
FEWEST = 40  # interactions in a half: with fewer even 5 % cannot be estimated
Progress = Callable[[str, float], None]  # the current work, and its progress (0 … 1)


@dataclass(frozen=True, slots=True)
class Known:
    """A posterior, and its entries that were meant."""

    p: FloatArray  # (G,) of each possible goal
    meant: tuple[int, ...]  # indices that are right, or become right once missing arguments are given; empty: not among the candidates


def known(domain: Domain, interaction: Interaction, belief: ActionBelief) -> Known:
    """The selector's posterior for an interaction."""
    goals, p = goals_of(domain, belief)
    return Known(p, tuple(index for index, goal in enumerate(goals) if is_meant(domain, goal, interaction.meaning, loosely=True)))


def generated(domain: Domain, number: int, seed: int, progress: Progress) -> Iterator[list[tuple[Interaction, IntentBelief]]]:
    """Interactions with sentences from held-out templates, and how a classifier understands each.

    The templates that encoder and tagger have not seen are split into two halves; each is classified by a head trained without it.

    Raises:
        SaysoError: the domain has too few examples to hold any back.
    """
    halves = [half for half in parts(domain) if half]
    if not halves:
        raise SaysoError(f"'{domain.name}' has too few examples to hold any back: write more, or calibrate on recordings")
    for part, templates in enumerate(halves):
        pool = sayings(domain, PER_TEMPLATE, seed, templates.__contains__)
        share = number * (part + 1) // len(halves) - number * part // len(halves)
        drawn = list(interactions(domain, pool, share, seed + part))
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
    """The posteriors of generated interactions."""
    select = ActionSelector(domain)
    heard = chain.from_iterable(generated(domain, number, seed, progress))
    return [known(domain, interaction, select(belief, interaction.context)) for interaction, belief in heard]


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
        unclear=round(sum(not is_clear(each.p) for each in every) / len(every), 4),
        missing=round(missing, 4),
        epsilon=epsilon,
        levels=levels,
    )


def fitted_set(fitted: Sequence[Known], epsilon: float) -> ConformalSet:
    """The sets with the quantiles of these interactions."""
    limits = [quantile(np.array([meant_score(each) for each in fitted if is_clear(each.p) == clear]), epsilon) for clear in (True, False)]
    return ConformalSet(epsilon, *map(_rounded_up, limits))


def _rounded_up(limit: float) -> float:
    """Round up to nine digits for readable files; rounding down would exclude ties from the set."""
    return limit if math.isinf(limit) else math.ceil(limit * 1e9) / 1e9


def meant_score(each: Known) -> float:
    """The score of the meant entry; inf if it is not a candidate."""
    return min((1.0 - float(each.p[index]) for index in each.meant), default=math.inf)


def coverage(held_out: Sequence[Known], members: Callable[[FloatArray], NDArray[np.bool_]]) -> float:
    """How often the meant entry is in the set; one that is not a candidate is in no set."""
    return float(np.mean([bool(members(each.p)[list(each.meant)].any()) for each in held_out])) if held_out else 0.0


def level(held_out: Sequence[Known], choose: ConformalSet) -> Level:
    """Coverage and size of the sets on held-out interactions."""
    unclear = [each for each in held_out if not is_clear(each.p)]
    return Level(
        clear=choose.clear,
        unclear=choose.unclear,
        coverage=round(coverage(held_out, choose.unforced), 4),
        offered=round(coverage(unclear, choose), 4),
        size=round(float(np.mean([choose(each.p).sum() for each in unclear])), 3) if unclear else 0.0,
    )


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
