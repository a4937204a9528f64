"""Laplace posterior of the linear head, P(θ|D) (equation 15): how uncertain its logits are for a sentence unlike the training ones.

The posterior of W is Gaussian around its maximum; its precision is the generalised Gauss-Newton matrix of the cross-entropy, in Kronecker
factors (Ritter et al. 2018), plus the ridge of the fit (Daxberger et al. 2021).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

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
