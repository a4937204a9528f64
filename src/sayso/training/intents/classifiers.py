"""Classifiers of labelled sentences, to compare on any data set: ours and the baselines.

A classifier is fitted on the training part; its hyperparameters (ridge, σ, temperature) are chosen on the validation part.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sayso.intent.calibration import temperature
from sayso.intent.kernel_head import KernelHead, fitted_precision
from sayso.intent.linear_head import Float32Array, LinearHead
from sayso.intent.regression import logistic
from sayso.types import FloatArray

Labels = NDArray[np.int64]
RIDGES = (1e-3, 3e-4)  # of |W|²/2 on whitened embeddings; chosen on the validation part
ITERATIONS = 60
SHRINKAGE = 0.3  # of the within-class covariance, towards its mean variance


@dataclass(frozen=True, slots=True)
class LabelledPart:
    """Sentences with numbered labels and their embeddings."""

    texts: tuple[str, ...]
    labels: Labels  # (N,)
    h: Float32Array  # (N, D)


@dataclass(frozen=True, slots=True)
class TextClassifier:
    """Texts and embeddings → logits, divided by a temperature fitted on the validation part."""

    logits: Callable[[Sequence[str], Float32Array], FloatArray]  # (N, K)


def nearest_centroid(train: LabelledPart, valid: LabelledPart, count: int) -> TextClassifier:
    """Cosine to the mean embedding of each class."""
    means = np.stack([train.h[train.labels == k].mean(0) for k in range(count)])
    means /= np.linalg.norm(means, axis=1, keepdims=True)
    return _honest(TextClassifier(lambda _, h: np.asarray(h @ means.T, np.float64)), valid)


def svm_on_words(train: LabelledPart, valid: LabelledPart, count: int) -> TextClassifier:
    """TF-IDF of words and bigrams, linear support vectors, one against the rest (scikit-learn)."""
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.svm import LinearSVC

    words = TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True)
    machine = LinearSVC().fit(words.fit_transform(train.texts), train.labels)

    def logits(texts: Sequence[str], _: Float32Array) -> FloatArray:
        found = machine.decision_function(words.transform(texts))
        if found.ndim == 1:
            found = np.stack([-found, found], axis=1)
        spread = np.full((len(found), count), found.min() - 1)
        spread[:, machine.classes_] = found
        return spread

    return _honest(TextClassifier(logits), valid)


def honest_reader(head: LinearHead | KernelHead, valid: LabelledPart) -> TextClassifier:
    """A head with a temperature fitted on the validation part."""
    return _honest(_reader(head), valid)


def linear_reader(train: LabelledPart, valid: LabelledPart, count: int) -> TextClassifier:
    """`linear_head`, calibrated."""
    return honest_reader(linear_head(train, valid, count), valid)


def kernel_reader(train: LabelledPart, valid: LabelledPart, count: int) -> TextClassifier:
    """`kernel_head`, calibrated."""
    return honest_reader(kernel_head(train, valid, count), valid)


def linear_head(train: LabelledPart, valid: LabelledPart, count: int) -> LinearHead:
    """Multinomial logistic regression on embeddings whitened within the classes, with the ridge of the highest validation accuracy."""
    means = np.stack([train.h[train.labels == k].mean(0) for k in range(count)])
    covariance = np.cov((train.h - means[train.labels]).T)
    values, vectors = np.linalg.eigh(covariance)
    whiten = vectors / np.sqrt(values + SHRINKAGE * values.mean())
    x = (train.h @ whiten).astype(np.float32)
    targets, weights = np.eye(count)[train.labels], np.ones(len(x))
    heads = []
    for ridge in RIDGES:
        Wb = logistic(x, targets, weights, ridge, ITERATIONS)
        heads.append(LinearHead(Wb[:, :-1] @ whiten.T, Wb[:, -1]))
    return max(heads, key=lambda head: _right(_reader(head), valid))


def few_shot_head(train: LabelledPart, ridge: float, count: int) -> TextClassifier:
    """Plain logistic regression with a given ridge, as there is no validation part."""
    Wb = logistic(train.h, np.eye(count)[train.labels], np.ones(len(train.h)), ridge)
    return _reader(LinearHead(Wb[:, :-1], Wb[:, -1]))


def few_shot_kernel(train: LabelledPart, count: int) -> TextClassifier:
    """The Gaussian-kernel head, with σ from classifying every other sentence by the rest."""
    order = np.argsort(train.labels, kind="stable")  # so that both halves have every class
    halves = [LabelledPart((), train.labels[half], train.h[half]) for half in (order[::2], order[1::2])]
    precision = kernel_head(halves[0], halves[1], count).precision
    return _reader(KernelHead(train.h, train.labels, precision))


def kernel_head(train: LabelledPart, valid: LabelledPart, count: int) -> KernelHead:
    """The Gaussian-kernel head (equation 11): every training sentence is a prototype; σ of each class is fitted on the validation part."""
    head = KernelHead(train.h, train.labels, np.ones(count))
    return KernelHead(train.h, train.labels, fitted_precision(head.nearest(valid.h), valid.labels, np.ones(len(valid.labels))))


def accuracy(reader: TextClassifier, part: LabelledPart) -> float:
    """Share of the part classified correctly."""
    return _right(reader, part)


def _reader(head: LinearHead | KernelHead) -> TextClassifier:
    return TextClassifier(lambda _, h: head.logits(h))


def _right(reader: TextClassifier, part: LabelledPart) -> float:
    return float((reader.logits(part.texts, part.h).argmax(1) == part.labels).mean())


def _honest(reader: TextClassifier, valid: LabelledPart) -> TextClassifier:
    raw = reader.logits(valid.texts, valid.h)
    cooler = temperature(lambda t: raw / t, valid.labels, np.ones(len(raw)))
    return TextClassifier(lambda texts, h: reader.logits(texts, h) / cooler)
