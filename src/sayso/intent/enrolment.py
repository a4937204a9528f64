"""Enrols a domain's additional intents from a few examples each, without training.

A new intent v has no row in W, but it has prototypes. The kernel head therefore decides between new and learnt intents, and the head in
use distributes the remaining probability among the learnt ones:

    ln P(v|h) / P(learnt|h) = a (g_v − ln Σ_k exp g_k) + c,     g the kernel head's logits, k the learnt intents,

where a and c were fitted by leaving out each shipped intent and enrolling it from five of its examples. New examples of a learnt intent
are enrolled as a second meaning, and the probabilities of both are added.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sayso.domain import Domain
from sayso.errors import ModelError
from sayso.intent.fitting import mean_embeddings
from sayso.intent.head import Enrolling, Head, IntentHead
from sayso.intent.kernel_head import KernelHead
from sayso.intent.learning import Example, examples_like, mark
from sayso.intent.linear_head import Float32Array, log_sum_exp, softmax
from sayso.intent.scope import nearness, out_of_scope
from sayso.types import FloatArray

FEATURES = ("log-density", "nearness to examples", "nearness to chatter")  # for the scope score of the enrolled intents
MOSTLY = 0.6  # least share of the domain's intents that must be learnt; with fewer, training a new head is better


@dataclass(frozen=True, slots=True)
class EnrolledHead:
    """A `Head` of learnt intents, extended by prototypes of enrolled ones."""

    intents: tuple[str, ...]  # (K,) of the domain
    learnt: IntentHead  # of some of them
    learnt_at: NDArray[np.int64]  # index in `intents` of each learnt intent
    new: KernelHead  # of E meanings, with the average width of the learnt intents
    means: NDArray[np.int64]  # (E,) index in `intents` of each meaning
    enrolling: Enrolling

    @property
    def p_train(self) -> FloatArray:
        """(K,) uniform, as for every head made by `learn`."""
        return np.full(len(self.intents), 1 / len(self.intents))

    def probabilities(self, h: Float32Array) -> FloatArray:
        """(N, D) → (N, K); rows sum to 1."""
        odds = self.new.logits(h) - log_sum_exp(self.learnt.kernel.logits(h))[:, None]
        new = self.enrolling.odds[0] * odds + self.enrolling.odds[1]
        shares = softmax(np.concatenate([np.zeros((len(h), 1)), new], axis=1))  # learnt intents together, then each new meaning
        p = np.zeros((len(h), len(self.intents)))
        p[:, self.learnt_at] = shares[:, :1] * self.learnt.probabilities(h)
        np.add.at(p.T, self.means, shares[:, 1:].T)
        return p

    def out_of_scope(self, h: Float32Array) -> FloatArray:
        """(N, D) → (N,) nats, above 0 is out of scope: the smaller of the scores for learnt and new intents."""
        features = enrolled_features(self.new, h, nearness(h, self.learnt.around.chatter))
        return np.minimum(self.learnt.out_of_scope(h), out_of_scope(features, self.enrolling.scale))

    def distances(self, h: Float32Array) -> FloatArray:
        """(N, D) → (N, K) ‖h − e‖ to the nearest prototype of each intent, learnt or enrolled."""
        nearest = np.full((len(h), len(self.intents)), np.inf)
        nearest[:, self.learnt_at] = self.learnt.distances(h)
        np.minimum.at(nearest.T, self.means, np.sqrt(self.new.nearest(h).min(2)).T)
        return nearest


def enrolled_intents(head: Head) -> tuple[str, ...]:
    """The intents that the head knows from a few examples only; none of a trained head."""
    return tuple(dict.fromkeys(head.intents[at] for at in head.means)) if isinstance(head, EnrolledHead) else ()


def usual(kernel: KernelHead) -> float:
    """The geometric mean of 1/2σ², used for intents without a learnt σ."""
    return float(np.exp(np.log(kernel.precision).mean()))


def enrolled_features(new: KernelHead, h: Float32Array, chatter: FloatArray) -> FloatArray:
    """(N, 3) FEATURES, from the new meanings, (N, D) embeddings and their (N,) nearness to chatter."""
    return np.stack([new.logits(h).max(1), nearness(h, new.prototypes), chatter], axis=1).astype(np.float64)


def enrollable(domain: Domain, shipped: IntentHead) -> tuple[str, ...]:
    """The domain's intents that the shipped head learnt from no other examples; none if too few for enrolling the others."""
    learnt = []
    for intent, spec in domain.intents.items():
        if intent in shipped.intents:
            own = np.flatnonzero(shipped.kernel.owners == shipped.intents.index(intent))
            if {shipped.templates[at] for at in own} <= {mark(intent, example) for example in spec.wordings}:
                learnt.append(intent)
    return tuple(learnt) if shipped.enrolling and len(learnt) >= max(2, MOSTLY * len(domain.intents)) else ()


def enrol(domain: Domain, shipped: IntentHead, encode: Callable[[Sequence[str]], Float32Array]) -> EnrolledHead | IntentHead:
    """The shipped head, without intents that the domain lacks and with prototypes of the ones that it adds.

    Raises:
        ModelError: the domain's intents differ too much: see `enrollable`.
    """
    learnt = enrollable(domain, shipped)
    if not learnt or shipped.enrolling is None:
        raise ModelError(f"'{domain.name}' does not have the shipped head's intents and a few more")
    wanted = {mark(intent, example) for intent, spec in domain.intents.items() for example in spec.wordings}
    wanted |= {mark("", sentence) for sentence in domain.chatter}
    examples = examples_like(domain, wanted - set(shipped.templates))
    new = [example for example in examples if example.intent]
    chatter, _ = _prototypes([example for example in examples if not example.intent], encode)
    base = shipped.only(np.array([shipped.intents.index(intent) for intent in learnt]), chatter)
    if not new:
        return base
    meanings = tuple(dict.fromkeys(example.intent for example in new))
    prototypes, owners = _prototypes(new, encode)
    intents = tuple(domain.intents)
    numbers = {intent: number for number, intent in enumerate(intents)}
    return EnrolledHead(
        intents,
        base,
        np.array([numbers[intent] for intent in learnt]),
        KernelHead(prototypes, np.array([meanings.index(intent) for intent in owners]), np.full(len(meanings), usual(base.kernel))),
        np.array([numbers[intent] for intent in meanings]),
        shipped.enrolling,
    )


def _prototypes(examples: Sequence[Example], encode: Callable[[Sequence[str]], Float32Array]) -> tuple[Float32Array, list[str]]:
    """One prototype per template, and its intent."""
    templates = list(dict.fromkeys((example.intent, example.template) for example in examples))
    if not templates:
        return encode(["stop"])[:0], []
    groups = np.array([templates.index((example.intent, example.template)) for example in examples])
    return mean_embeddings(encode([example.text for example in examples]), groups), [intent for intent, _ in templates]
