"""The head on the sentence encoder: P(k|t) = softmax(W h + b), calibrated, and how far a sentence is from all that is in scope."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sayso.errors import ModelError
from sayso.types import FloatArray

Float32Array = NDArray[np.float32]
NEIGHBOURS = 3
FEATURES = ("energy", "largest logit", "nearness to examples", "nearness to chatter", "command log-odds")


@dataclass(frozen=True, slots=True)
class IntentHead:
    """What is learnt from a domain's examples. D is the encoder's dimension, K the number of intents."""

    intents: tuple[str, ...]
    key: str  # hash of what it was learnt from
    W: FloatArray  # (K, D), the temperature divided in (Guo et al. 2017)
    b: FloatArray  # (K,)
    p_train: FloatArray  # (K,) P_train(k): the prior that W and b have learnt, to be divided out by whoever has a better one
    prototypes: Float32Array  # (M, D) mean embedding of each example template, rows of length 1
    chatter: Float32Array  # (C, D) the same of sentences that are no commands
    u: FloatArray  # (D + 1,) log-odds of being a command, u[:-1]·h + u[-1]
    scale: FloatArray  # (F + 1,) log-odds of being in scope from the features, the threshold in the last

    def probabilities(self, h: Float32Array) -> FloatArray:
        """(N, D) embeddings → (N, K) P(k|t), equation 10; rows sum to 1."""
        return softmax(h @ self.W.T + self.b)

    def out_of_scope(self, h: Float32Array) -> FloatArray:
        """(N, D) → (N,) nats, above 0 is out of scope: the log-odds of it less the threshold."""
        features = scope_features(h @ self.W.T + self.b, h, self.prototypes, self.chatter, self.u)
        return np.asarray(-(features @ self.scale[:-1] + self.scale[-1]), np.float64)

    def save(self, path: Path) -> None:
        """As safetensors; prototypes in half precision."""
        from safetensors.numpy import save_file

        tensors = {
            "W": self.W.astype(np.float32),
            "b": self.b.astype(np.float32),
            "p_train": self.p_train,
            "prototypes": self.prototypes.astype(np.float16),
            "chatter": self.chatter.astype(np.float16),
            "u": self.u.astype(np.float32),
            "scale": self.scale,
        }
        partial = path.with_suffix(".partial")
        save_file(tensors, partial, {"intents": json.dumps(self.intents), "key": self.key})
        partial.replace(path)

    @classmethod
    def load(cls, path: Path) -> IntentHead:
        """From safetensors.

        Raises:
            ModelError: the file is no such head.
        """
        from safetensors import SafetensorError, safe_open

        try:
            with safe_open(path, framework="numpy") as file:
                about = file.metadata()
                tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 - not a mapping
            wide = {name: tensors[name].astype(np.float64) for name in ("W", "b", "p_train", "u", "scale")}
            single = {name: tensors[name].astype(np.float32) for name in ("prototypes", "chatter")}
            return cls(tuple(json.loads(about["intents"])), about["key"], **wide, **single)
        except (OSError, KeyError, ValueError, TypeError, SafetensorError):
            raise ModelError(f"{path} is not an intent head: make it anew with 'sayso train intents'") from None


def softmax(logits: FloatArray) -> FloatArray:
    """Over the last axis."""
    shifted = np.exp(logits - logits.max(-1, keepdims=True))
    return np.asarray(shifted / shifted.sum(-1, keepdims=True), np.float64)


def log_sum_exp(logits: FloatArray) -> FloatArray:
    """Over the last axis: the negative energy of Liu et al. 2020."""
    largest = logits.max(-1, keepdims=True)
    return np.asarray(largest[..., 0] + np.log(np.exp(logits - largest).sum(-1)), np.float64)


def scope_features(logits: FloatArray, h: Float32Array, prototypes: Float32Array, chatter: Float32Array, u: FloatArray) -> FloatArray:
    """(N, F) what tells commands from everything else: raw logits, and density as mean cosine to the nearest neighbours (FEATURES)."""
    columns = (log_sum_exp(logits), logits.max(-1), _nearness(h, prototypes), _nearness(h, chatter), h @ u[:-1] + u[-1])
    return np.stack(columns, axis=1).astype(np.float64)


def _nearness(h: Float32Array, others: Float32Array) -> FloatArray:
    cosines = h @ others.T
    count = min(NEIGHBOURS, cosines.shape[1])
    if not count:
        return np.zeros(len(h))
    return np.asarray(np.partition(cosines, -count, axis=1)[:, -count:].mean(1), np.float64)
