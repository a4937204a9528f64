"""A simulated classifier with a given accuracy, calibrated under its own training prior.

Intent k is observed as c = e_k + σ z, z ~ N(0, I), in K dimensions; with b = 1/σ then ln P(c|k) = b c_k / σ + const, and
P(k|c) ∝ P_train(k) P(c|k) is exact. The larger b, the more accurate.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from sayso.intent.linear_head import softmax
from sayso.training.selection.interactions import Interaction
from sayso.types import Clause, FloatArray, IntentBelief

TRIALS = 4_000  # for setting the accuracy


class SimulatedClassifier:
    """Interaction → IntentBelief, with correct roles."""

    def __init__(self, p_train: Mapping[str, float], accuracy: float, seed: int = 0) -> None:
        """`accuracy`: of the most probable intent, for intents drawn from `p_train`."""
        self.intents = tuple(p_train)
        self._p_train = np.array(list(p_train.values()), np.float64)
        self._log_p = np.log(self._p_train)
        self._rng = np.random.default_rng(seed)
        self._sharpness = self._sharp_enough(accuracy)

    def __call__(self, interaction: Interaction) -> IntentBelief:
        """One clause, with new noise at every call."""
        noise = self._rng.standard_normal((1, len(self.intents)))
        p = softmax(self._heard(np.array([self.intents.index(interaction.intent)]), noise, self._sharpness))[0]
        text = interaction.text
        clause = Clause(text, 0, len(text), self.intents[int(p.argmax())], p, interaction.meaning.roles, -1.0)
        return IntentBelief("", 0.0, text, self.intents, (clause,), p_train=self._p_train)

    def _heard(self, labels: NDArray[np.int64], noise: FloatArray, sharpness: float) -> FloatArray:
        """(N, K) logits of N intents."""
        logits = sharpness * noise + self._log_p
        logits[np.arange(len(labels)), labels] += sharpness**2
        return np.asarray(logits)

    def _sharp_enough(self, accuracy: float) -> float:
        labels = self._rng.choice(len(self.intents), TRIALS, p=np.exp(self._log_p) / np.exp(self._log_p).sum())
        noise = self._rng.standard_normal((TRIALS, len(self.intents)))
        low, high = 0.0, 12.0
        for _ in range(30):
            middle = (low + high) / 2
            if (self._heard(labels, noise, middle).argmax(1) == labels).mean() < accuracy:
                low = middle
            else:
                high = middle
        return high
