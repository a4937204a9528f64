"""Laplace posterior of the linear head, P(θ|D) (equation 15): how uncertain its logits are for a sentence unlike the training ones.

The posterior of W is Gaussian around its maximum; its precision is the generalised Gauss-Newton matrix of the cross-entropy, in Kronecker
factors (Ritter et al. 2018), plus the ridge of the fit (Daxberger et al. 2021).

`sayso train intents` reports what it would change. The classifier does not use it: models/encoder.md has the comparison.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sayso.intent.calibration import temperature
from sayso.intent.fitting import FOLDS, RIDGE, Fitted
from sayso.intent.linear_head import Float32Array, softmax
from sayso.intent.scope import out_of_scope
from sayso.training.scores import auroc
from sayso.types import FloatArray


@dataclass(frozen=True, slots=True)
class LaplacePosterior:
    """Precision of vec(W) ≈ A ⊗ G + τ I with A = Σ w x xᵀ and G = Σ w (diag p − p pᵀ) / Σ w, kept as their eigenvectors and eigenvalues."""

    inputs: FloatArray  # (D, D) eigenvectors of A in columns
    input_sizes: FloatArray  # (D,) eigenvalues of A
    classes: FloatArray  # (K, K) eigenvectors of G in columns
    class_sizes: FloatArray  # (K,) eigenvalues of G
    prior: float  # τ, precision of the prior

    @classmethod
    def fit(cls, x: FloatArray, p: FloatArray, weights: FloatArray, ridge: float) -> LaplacePosterior:
        """The posterior at a fitted head.

        Args:
            x: (N, D) inputs of the head, with a column of ones for its bias.
            p: (N, K) its probabilities for them.
            weights: (N,) of the sentences.
            ridge: weight of |W|²/2 per sentence in the fit.
        """
        A = x.T @ (weights[:, None] * x)
        G = (np.diag(weights @ p) - p.T @ (weights[:, None] * p)) / weights.sum()
        input_sizes, inputs = np.linalg.eigh(A)
        class_sizes, classes = np.linalg.eigh(G)
        return cls(inputs, np.maximum(input_sizes, 0.0), classes, np.maximum(class_sizes, 0.0), ridge * float(weights.sum()))

    def variances(self, x: FloatArray) -> FloatArray:
        """(N, D) → (N, K) the variance of each logit."""
        along = (x @ self.inputs) ** 2  # (N, D)
        spread = 1.0 / (self.input_sizes[:, None] * self.class_sizes + self.prior)  # (D, K) in the eigenbases
        return np.asarray((along @ spread) @ (self.classes**2).T, np.float64)

    def probit_logits(self, logits: FloatArray, x: FloatArray) -> FloatArray:
        """(N, K) logits and (N, D) inputs → (N, K) logits / √(1 + π σ² / 8): their softmax approximates the mean over W (MacKay 1992)."""
        return np.asarray(logits / np.sqrt(1.0 + np.pi / 8.0 * self.variances(x)), np.float64)


def doubt_measures(parts: Fitted) -> dict[str, float]:
    """AUROC of three measures of doubt, between held-out templates and sentences that are not commands."""
    material, kept, far = parts.material, parts.material.kept, parts.material.outside_kept
    if not far.any():
        return {}
    cooler = temperature(lambda t: parts.readings.linear[kept] / t, material.labels[kept], material.weights[kept])
    logits, outside = parts.readings.linear / cooler, parts.outside.linear / cooler
    x, folds = _with_one(material.h), material.groups % FOLDS  # the folds of `fitted`
    moderated = np.zeros_like(logits)
    for fold in range(FOLDS):
        use = folds != fold
        posterior = LaplacePosterior.fit(x[use], softmax(logits[use]), material.weights[use], RIDGE)
        moderated[~use] = posterior.probit_logits(logits[~use], x[~use])
    posterior = LaplacePosterior.fit(x, softmax(logits), material.weights, RIDGE)
    moderated_outside = posterior.probit_logits(outside, _with_one(material.outside))
    held_out, scale = parts.held_out["linear"], parts.scales["linear"]
    return {
        "auroc, largest P": auroc(softmax(logits[kept]).max(1), softmax(outside[far]).max(1)),
        "auroc, largest P under the posterior": auroc(softmax(moderated[kept]).max(1), softmax(moderated_outside[far]).max(1)),
        "auroc, scope score": auroc(-out_of_scope(held_out.features, scale), -out_of_scope(held_out.outside_features, scale)),
    }


def _with_one(h: Float32Array) -> FloatArray:
    return np.concatenate([h, np.ones((len(h), 1))], axis=1).astype(np.float64)
