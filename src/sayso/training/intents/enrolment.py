"""The balance of enrolled and trained intents, fitted and measured by leaving out each intent and enrolling it from five examples."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sayso.intent.calibration import scope_scale
from sayso.intent.enrolment import enrolled_features, usual
from sayso.intent.fitting import Fitted
from sayso.intent.head import Enrolling
from sayso.intent.kernel_head import KernelHead, kernel_logits
from sayso.intent.linear_head import log_sum_exp, softmax
from sayso.intent.regression import logistic
from sayso.intent.scope import out_of_scope
from sayso.types import FloatArray

SHOTS = 5  # examples for enrolling an intent
DRAWS = 3  # random choices of the examples, for each intent
ACCEPTED = 0.95  # share of an enrolled intent's sentences in scope; lower than for trained intents, with five examples instead of thirty


@dataclass(frozen=True, slots=True)
class LeftOut:
    """One intent that was left out and enrolled again; rows are indices into the material."""

    intent: int
    rows: NDArray[np.int64]  # (N,) the commands, without those used for enrolling
    own: NDArray[np.bool_]  # (N,) whether each is of this intent
    odds: FloatArray  # (N,) kernel log-odds of the intent to all the others
    features: FloatArray  # (N, F) of `enrolment.FEATURES`
    outside_features: FloatArray  # (C, F) of sentences that are not commands


def leave_outs(parts: Fitted, seed: int = 0) -> list[LeftOut]:
    """Each intent, left out and enrolled from five templates, several times; other intents are scored by the heads of other folds."""
    material, density = parts.material, kernel_logits(parts.readings.nearest, parts.kernel.precision)
    templates, chance = np.unique(material.groups), np.random.default_rng(seed)
    result = []
    for intent in range(material.count):
        own = material.labels == intent
        known = log_sum_exp(np.delete(density, intent, axis=1))
        for _ in range(DRAWS):
            possible = np.unique(material.groups[own])
            shown = chance.choice(possible, min(SHOTS, len(possible) - 1), replace=False)
            prototypes = parts.kernel.prototypes[np.searchsorted(templates, shown)]
            rows = np.flatnonzero(~np.isin(material.groups, shown))
            new = KernelHead(prototypes, np.zeros(len(prototypes), np.int64), np.array([usual(parts.kernel)]))
            features = enrolled_features(new, material.h, parts.readings.surroundings[:, 1])
            outside = enrolled_features(new, material.outside, parts.outside.surroundings[:, 1])
            result.append(LeftOut(intent, rows, own[rows], (features[:, 0] - known)[rows], features[rows], outside))
    return result


def fitted_enrolling(parts: Fitted, left_out: list[LeftOut]) -> Enrolling:
    """The odds that maximise the likelihood of the left-out intents, and the threshold that accepts their sentences."""
    odds = np.concatenate([each.odds for each in left_out])
    own = np.concatenate([each.own for each in left_out])
    weights = np.concatenate([parts.material.weights[each.rows] for each in left_out])
    two = logistic(odds[:, None], np.stack([~own, own], 1).astype(np.float64), weights, 1e-6)
    inside = np.concatenate([each.features[each.own] for each in left_out])
    outside = np.concatenate([each.outside_features for each in left_out])
    return Enrolling(two[1] - two[0], scope_scale(inside, outside, weights[own], ACCEPTED))


def enrolment_measures(parts: Fitted, enrolling: Enrolling, left_out: list[LeftOut]) -> dict[str, float]:
    """Shares of correct sentences: of the enrolled intents, and of the others before and after.

    The other intents' rows of W were trained together with the intent that is left out.
    """
    taken: dict[str, list[float]] = {name: [] for name in MEASURES}
    for each in left_out:
        logits = np.delete(parts.readings.linear[each.rows], each.intent, axis=1)
        best = logits.argmax(1) + (logits.argmax(1) >= each.intent)
        p_new = 1 / (1 + np.exp(-(enrolling.odds[0] * each.odds + enrolling.odds[1])))
        is_new = p_new > (1 - p_new) * softmax(logits).max(1)
        right, weights = best == parts.material.labels[each.rows], parts.material.weights[each.rows]
        outside = out_of_scope(each.outside_features, enrolling.scale) <= 0
        for name, values, use in (
            ("enrolled from five examples: accuracy on its other sentences", is_new, each.own),
            ("the other intents: accuracy before", right, ~each.own),
            ("the other intents: accuracy after", right & ~is_new, ~each.own),
            ("enrolled: in scope", out_of_scope(each.features, enrolling.scale) <= 0, each.own),
        ):
            taken[name].append(float(np.average(values[use], weights=weights[use])))
        taken["enrolled: chatter taken for it"].append(float(outside.mean()))
    return {name: float(np.mean(values)) for name, values in taken.items()}


MEASURES = (
    "enrolled from five examples: accuracy on its other sentences",
    "the other intents: accuracy before",
    "the other intents: accuracy after",
    "enrolled: in scope",
    "enrolled: chatter taken for it",
)
