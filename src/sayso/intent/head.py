"""The trained intent heads behind one interface: calibrated posteriors and an out-of-scope score."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from sayso.errors import ModelError
from sayso.intent.kernel_head import KernelHead
from sayso.intent.linear_head import Float32Array, LinearHead, softmax
from sayso.intent.scope import FEATURES, Surroundings, out_of_scope, scope_features
from sayso.types import FloatArray

Kind = Literal["linear", "kernel"]
KINDS: tuple[Kind, ...] = ("linear", "kernel")


class Head(Protocol):
    """Two outputs per sentence: a calibrated posterior and an out-of-scope score."""

    @property
    def intents(self) -> tuple[str, ...]:
        """(K,) names."""

    @property
    def p_train(self) -> FloatArray:
        """(K,) P_train(k): the prior in the training data, to be divided out wherever a better prior is known."""

    def probabilities(self, h: Float32Array) -> FloatArray:
        """(N, D) embeddings → (N, K) P(k|t); rows sum to 1."""

    def out_of_scope(self, h: Float32Array) -> FloatArray:
        """(N, D) → (N,) nats, above 0 is out of scope: the log-odds of being out of scope, minus the threshold."""

    def distances(self, h: Float32Array) -> FloatArray:
        """(N, D) → (N, K) ‖h − e‖ to the nearest prototype of each intent; infinite if it has none."""


@dataclass(frozen=True, slots=True)
class Enrolling:
    """Parameters for enrolling new intents, fitted by leaving out learnt ones. See `enrolment`."""

    odds: FloatArray  # (2,) slope and offset of ln P(new intent) / P(learnt intents)
    scale: FloatArray  # (4,) weights of `enrolment.FEATURES` and the threshold, for the scope score of new intents


@dataclass(frozen=True, slots=True)
class IntentHead:
    """Both heads for K intents, and the choice between them. D is the encoder's dimension."""

    intents: tuple[str, ...]
    key: str  # hash of the training data
    p_train: FloatArray  # (K,)
    linear: LinearHead  # divided by its temperature
    kernel: KernelHead  # likewise; a prototype is the mean embedding of an example template
    around: Surroundings
    scales: Mapping[Kind, FloatArray]  # (F + 1,) per head: feature weights for the log-odds of being in scope, then the threshold
    templates: tuple[str, ...] = ()  # hash of each prototype's template, then of the chatter's; see `learning.mark`
    enrolling: Enrolling | None = None
    kind: Kind = "linear"  # the head in use

    def logits(self, h: Float32Array) -> FloatArray:
        """(N, D) embeddings → (N, K) logits of the head in use."""
        return (self.linear if self.kind == "linear" else self.kernel).logits(h)

    def probabilities(self, h: Float32Array) -> FloatArray:
        """See `Head`."""
        return softmax(self.logits(h))

    def out_of_scope(self, h: Float32Array) -> FloatArray:
        """See `Head`."""
        density = self.kernel.logits(h)
        logits = density if self.kind == "kernel" else self.logits(h)
        return out_of_scope(scope_features(logits, density, self.around(h, self.kernel.prototypes)), self.scales[self.kind])

    def distances(self, h: Float32Array) -> FloatArray:
        """See `Head`."""
        return np.asarray(np.sqrt(self.kernel.nearest(h).min(2)), np.float64)

    def reading(self, kind: Kind) -> IntentHead:
        """A copy that uses the given head."""
        return replace(self, kind=kind)

    def only(self, rows: NDArray[np.int64], chatter: Float32Array) -> IntentHead:
        """A copy with only these intents, in this order; the prototypes of the others and the (C, D) `chatter` become chatter."""
        others = self.kernel.prototypes[~np.isin(self.kernel.owners, rows)]
        around = Surroundings(np.concatenate([self.around.chatter, others, chatter]), self.around.u)
        return replace(
            self,
            intents=tuple(self.intents[row] for row in rows),
            p_train=self.p_train[rows] / self.p_train[rows].sum(),
            linear=self.linear.with_only(rows),
            kernel=self.kernel.with_only(rows),
            around=around,
            templates=(),
        )

    @property
    def is_consistent(self) -> bool:
        """Whether the shapes belong together, and every number is finite."""
        k, (m, d), owners = len(self.intents), self.kernel.prototypes.shape, self.kernel.owners
        shapes: list[tuple[NDArray[np.generic], tuple[int, ...]]] = [
            (self.p_train, (k,)),
            (self.linear.W, (k, d)),
            (self.linear.b, (k,)),
            (self.kernel.precision, (k,)),
            (owners, (m,)),
            (self.kernel.prototypes, (m, d)),
            (self.around.chatter, (len(self.around.chatter), d)),
            (self.around.u, (d + 1,)),
            *((self.scales[kind], (len(FEATURES) + 1,)) for kind in KINDS),
        ]
        right = all(array.shape == shape and bool(np.isfinite(array).all()) for array, shape in shapes)
        return right and bool(0 <= owners.min() <= owners.max() < k)

    def save(self, path: Path) -> None:
        """Write the head as safetensors, prototypes in half precision."""
        from safetensors.numpy import save_file

        tensors: dict[str, NDArray[np.generic]] = {
            "W": self.linear.W.astype(np.float32),
            "b": self.linear.b.astype(np.float32),
            "p_train": self.p_train,
            "prototypes": self.kernel.prototypes.astype(np.float16),
            "owners": self.kernel.owners.astype(np.int16),
            "precision": self.kernel.precision,
            "chatter": self.around.chatter.astype(np.float16),
            "u": self.around.u.astype(np.float32),
            **{f"scale_{kind}": scale for kind, scale in self.scales.items()},
        }
        if self.enrolling:
            tensors |= {"enrolling_odds": self.enrolling.odds, "enrolling_scale": self.enrolling.scale}
        about = {"intents": json.dumps(self.intents), "key": self.key, "templates": json.dumps(self.templates)}
        partial = path.with_suffix(".partial")
        save_file(tensors, partial, about)
        partial.replace(path)

    @classmethod
    def load(cls, path: Path) -> IntentHead:
        """Read a head from safetensors.

        Raises:
            ModelError: the file is not an intent head.
        """
        from safetensors import SafetensorError, safe_open

        try:
            with safe_open(path, framework="numpy") as file:
                about = file.metadata()
                tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 - not a mapping
            wide = {name: np.asarray(tensor, np.float64) for name, tensor in tensors.items()}
            single = {name: np.asarray(tensors[name], np.float32) for name in ("prototypes", "chatter")}
            enrolling = Enrolling(wide["enrolling_odds"], wide["enrolling_scale"]) if "enrolling_odds" in wide else None
            head = cls(
                tuple(json.loads(about["intents"])),
                about["key"],
                wide["p_train"],
                LinearHead(wide["W"], wide["b"]),
                KernelHead(single["prototypes"], tensors["owners"].astype(np.int64), wide["precision"]),
                Surroundings(single["chatter"], wide["u"]),
                {kind: wide[f"scale_{kind}"] for kind in KINDS},
                tuple(json.loads(about["templates"])),
                enrolling,
            )
            consistent = head.is_consistent
        except (OSError, LookupError, ValueError, TypeError, RecursionError, SafetensorError):
            consistent = False
        if not consistent:
            raise ModelError(f"{path} is not an intent head: recreate it with 'sayso train intents'")
        return head
