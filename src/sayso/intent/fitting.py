"""Trains both heads on embedded examples and calibrates them by cross-fitting.

Folds hold out whole templates, not single expansions, because "bring me the red cup" reveals too much about "bring me the blue cup".
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
RIDGE = 5e-5  # weight of |W|²/2 per sentence; chosen on held-out templates


@dataclass(frozen=True, slots=True)
class Material:
    """Embedded examples, and which of them to calibrate on."""

    h: Float32Array  # (N, D) embeddings of commands
    labels: NDArray[np.int64]  # (N,)
    weights: FloatArray  # (N,) equal totals for all intents, and for all templates of an intent
    groups: NDArray[np.int64]  # (N,) template
    kept: NDArray[np.bool_]  # (N,) not used to tune the encoder
    outside: Float32Array  # (C, D) embeddings of other sentences
    outside_groups: NDArray[np.int64]  # (C,)
    outside_kept: NDArray[np.bool_]  # (C,)
    count: int  # K


@dataclass(frozen=True, slots=True)
class HeadOutputs:
    """Uncalibrated outputs of both heads for N sentences."""

    linear: FloatArray  # (N, K) logits
    nearest: FloatArray  # (N, K, NEAREST) squared distances to prototypes
    surroundings: FloatArray  # (N, 3), see scope.py

    def only(self, use: NDArray[np.bool_]) -> HeadOutputs:
        """The outputs for the selected sentences."""
        return HeadOutputs(self.linear[use], self.nearest[use], self.surroundings[use])

    def calibrated(self, kind: Kind, temperature: float, precision: FloatArray) -> tuple[FloatArray, FloatArray]:
        """(N, K) logits and (N, F) features; `temperature` is the linear head's, the kernel's is part of its precision."""
        density = kernel_logits(self.nearest, precision)
        logits = self.linear / temperature if kind == "linear" else density
        return logits, scope_features(logits, density, self.surroundings)


@dataclass(frozen=True, slots=True)
class Fitted:
    """Calibrated heads, and their outputs for held-out templates."""

    material: Material
    linear: LinearHead
    kernel: KernelHead
    around: Surroundings
    scales: Mapping[Kind, FloatArray]
    held_out: Mapping[Kind, HeldOut]
    readings: HeadOutputs  # for every command, by the heads of the other folds
    outside: HeadOutputs  # for all other sentences, likewise


def fitted(material: Material, progress: Callable[[float], None]) -> Fitted:
    """Train on all examples, calibrate on held-out ones; `progress` receives a fraction of 1."""
    inside, outside = _cross_fit(material, progress)
    linear, prototypes, owners, around = _trained(material, np.ones(len(material.h), bool), np.ones(len(material.outside), bool))
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


def _cross_fit(material: Material, progress: Callable[[float], None]) -> tuple[HeadOutputs, HeadOutputs]:
    # Consecutive templates belong to one intent, so the modulus puts every intent into every fold.
    fold, outside_fold = material.groups % FOLDS, material.outside_groups % FOLDS
    inside, outside = _empty_outputs(len(material.h), material.count), _empty_outputs(len(material.outside), material.count)
    for index in range(FOLDS):
        progress(index / FOLDS)
        linear, prototypes, owners, around = _trained(material, fold != index, outside_fold != index)
        kernel = KernelHead(prototypes, owners, np.ones(material.count))
        for h, rows, readings in ((material.h, fold == index, inside), (material.outside, outside_fold == index, outside)):
            readings.linear[rows] = linear.logits(h[rows])
            readings.nearest[rows] = kernel.nearest(h[rows])
            readings.surroundings[rows] = around(h[rows], prototypes)
    return inside, outside


def _empty_outputs(sentences: int, count: int) -> HeadOutputs:
    return HeadOutputs(np.zeros((sentences, count)), np.zeros((sentences, count, NEAREST)), np.zeros((sentences, 3)))


def _trained(
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
    """(N, D) → (groups, D): the mean of each group, normalised to length 1, in the order of the groups."""
    if not len(h):
        return h
    _, index = np.unique(groups, return_inverse=True)
    sums = np.zeros((index.max() + 1, h.shape[1]), np.float32)
    np.add.at(sums, index, h)
    return np.asarray(sums / np.linalg.norm(sums, axis=1, keepdims=True), np.float32)
