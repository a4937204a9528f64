"""Both heads from embedded examples, calibrated on templates that they have not learnt (cross-fitting by whole templates).

Held out are whole templates, never single expansions of one: "bring me the red cup" tells too much about "bring me the blue cup".
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sayso.intent.calibration import HeldOut, scope_scale, temperature
from sayso.intent.head import KINDS, Kind
from sayso.intent.kernel_head import NEAREST, KernelHead, fitted_precision, kernel_logits
from sayso.intent.linear_head import Float32Array, LinearHead
from sayso.intent.regression import logistic
from sayso.intent.scope import Surroundings, scope_features
from sayso.types import FloatArray

FOLDS = 5
RIDGE = 2e-4  # of |W|²/2 per sentence; chosen on held-out templates


@dataclass(frozen=True, slots=True)
class Material:
    """Embedded examples, and which of them to calibrate on."""

    h: Float32Array  # (N, D) commands
    labels: NDArray[np.int64]  # (N,)
    weights: FloatArray  # (N,) every intent has the same total, every template of an intent too
    groups: NDArray[np.int64]  # (N,) template
    kept: NDArray[np.bool_]  # (N,) the encoder was not tuned on it
    outside: Float32Array  # (C, D) no commands
    outside_groups: NDArray[np.int64]  # (C,)
    outside_kept: NDArray[np.bool_]  # (C,)
    count: int  # K


@dataclass(frozen=True, slots=True)
class HeadOutputs:
    """What heads say of N sentences before they are calibrated."""

    linear: FloatArray  # (N, K) logits
    nearest: FloatArray  # (N, K, NEAREST) squared distances to prototypes
    surroundings: FloatArray  # (N, 3) of scope.py

    def only(self, use: NDArray[np.bool_]) -> HeadOutputs:
        """Of those sentences."""
        return HeadOutputs(self.linear[use], self.nearest[use], self.surroundings[use])

    def calibrated(self, kind: Kind, cooler: float, precision: FloatArray) -> tuple[FloatArray, FloatArray]:
        """(N, K) logits and (N, F) features; `cooler` is the linear head's temperature, the kernel's is in its precision."""
        density = kernel_logits(self.nearest, precision)
        logits = self.linear / cooler if kind == "linear" else density
        return logits, scope_features(logits, density, self.surroundings)


@dataclass(frozen=True, slots=True)
class Fitted:
    """Calibrated heads, and what the same made of templates while each was held out."""

    material: Material
    linear: LinearHead
    kernel: KernelHead
    around: Surroundings
    scales: Mapping[Kind, FloatArray]
    held_out: Mapping[Kind, HeldOut]
    readings: HeadOutputs  # of every command, by the heads of the other folds
    outside: HeadOutputs  # of everything else, likewise


def fitted(material: Material, progress: Callable[[float], None]) -> Fitted:
    """Learn on everything, calibrate on what was held out; progress is told a share of 1."""
    inside, outside = _cross_fitted(material, progress)
    linear, prototypes, owners, around = _learnt(material, np.ones(len(material.h), bool), np.ones(len(material.outside), bool))
    precision = fitted_precision(inside.nearest, material.labels, material.weights)
    kept, labels, weights = inside.only(material.kept), material.labels[material.kept], material.weights[material.kept]
    cooler = temperature(lambda t: kept.linear / t, labels, weights)
    precision = precision / temperature(lambda t: kernel_logits(kept.nearest, precision / t), labels, weights)
    held_out: dict[Kind, HeldOut] = {}
    for kind in KINDS:
        logits, features = kept.calibrated(kind, cooler, precision)
        _, outside_features = outside.only(material.outside_kept).calibrated(kind, cooler, precision)
        held_out[kind] = HeldOut(logits, features, outside_features, labels, weights)
    scales = {kind: scope_scale(each.features, each.outside_features, weights) for kind, each in held_out.items()}
    return Fitted(material, linear.cooled(cooler), KernelHead(prototypes, owners, precision), around, scales, held_out, inside, outside)


def _cross_fitted(material: Material, progress: Callable[[float], None]) -> tuple[HeadOutputs, HeadOutputs]:
    # Consecutive templates are of one intent: dealing them out leaves every intent in every fold.
    fold, outside_fold = material.groups % FOLDS, material.outside_groups % FOLDS
    inside, outside = _unread(len(material.h), material.count), _unread(len(material.outside), material.count)
    for index in range(FOLDS):
        progress(index / FOLDS)
        linear, prototypes, owners, around = _learnt(material, fold != index, outside_fold != index)
        kernel = KernelHead(prototypes, owners, np.ones(material.count))
        for h, rows, readings in ((material.h, fold == index, inside), (material.outside, outside_fold == index, outside)):
            readings.linear[rows] = linear.logits(h[rows])
            readings.nearest[rows] = kernel.nearest(h[rows])
            readings.surroundings[rows] = around(h[rows], prototypes)
    return inside, outside


def _unread(sentences: int, count: int) -> HeadOutputs:
    return HeadOutputs(np.zeros((sentences, count)), np.zeros((sentences, count, NEAREST)), np.zeros((sentences, 3)))


def _learnt(
    material: Material, use: NDArray[np.bool_], use_outside: NDArray[np.bool_]
) -> tuple[LinearHead, Float32Array, NDArray[np.int64], Surroundings]:
    h, outside, labels = material.h[use], material.outside[use_outside], material.labels[use]
    Wb = logistic(h, np.eye(material.count)[labels], material.weights[use], RIDGE)
    both = np.concatenate([h, outside])
    is_command = np.concatenate([np.ones(len(h)), np.zeros(len(outside))])
    weights = np.concatenate([material.weights[use] / material.weights[use].sum(), np.full(len(outside), 1 / max(len(outside), 1))])
    two = logistic(both, np.stack([1 - is_command, is_command], 1), weights * len(both) / 2, RIDGE)
    _, first = np.unique(material.groups[use], return_index=True)
    around = Surroundings(mean_embeddings(outside, material.outside_groups[use_outside]), two[1] - two[0])
    return LinearHead(Wb[:, :-1], Wb[:, -1]), mean_embeddings(h, material.groups[use]), labels[first], around


def mean_embeddings(h: Float32Array, groups: NDArray[np.int64]) -> Float32Array:
    """(N, D) → (groups, D): the mean of each group, in their order, of length 1."""
    if not len(h):
        return h
    _, index = np.unique(groups, return_inverse=True)
    sums = np.zeros((index.max() + 1, h.shape[1]), np.float32)
    np.add.at(sums, index, h)
    return np.asarray(sums / np.linalg.norm(sums, axis=1, keepdims=True), np.float32)
