"""Finds the intent head of a domain: the shipped one, a cached one, the shipped one with enrolled intents, or a newly trained one."""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np

from sayso.domain import Domain
from sayso.encoder import SentenceEncoder
from sayso.errors import ModelError
from sayso.intent.enrolment import enrol, enrollable
from sayso.intent.head import Head, IntentHead, Kind
from sayso.intent.learning import key_of, learn
from sayso.intent.linear_head import Float32Array
from sayso.models import model_path

SHIPPED = "intents.safetensors"


def head_of(domain: Domain, encode: SentenceEncoder, *, shipped: bool = True, kind: Kind = "linear") -> Head:
    """The head for exactly this domain's intents; training a new one is reported on stderr.

    Args:
        domain: provides the intents.
        encode: the sentence encoder.
        shipped: whether it is the shipped encoder, which the shipped head needs.
        kind: which head to use.

    Raises:
        ModelError: the shipped head is missing or altered.
    """
    known = IntentHead.load(model_path(SHIPPED)).reading(kind) if shipped else None
    if known and known.key == key_of(domain):
        return known
    # chatter is the same in every home
    background: Float32Array = known.around.chatter if known else np.zeros((0, len(encode(["stop"])[0])), np.float32)
    path = cached(domain, encode, background)
    try:
        own = IntentHead.load(path)  # trained by command, or at an earlier start
        if own.kernel.prototypes.shape[1] != background.shape[1] or not set(own.intents) <= set(domain.intents):
            raise ModelError(f"{path} is a head of another home or encoder")
        return own.reading(kind)
    except ModelError:
        if known and enrollable(domain, known):
            return enrol(domain, known, encode)
        return _trained(domain, encode, background, path).reading(kind)


def cached(domain: Domain, encode: SentenceEncoder, background: Float32Array) -> Path:
    """The cache file for the head of this domain and encoder."""
    from platformdirs import user_cache_path

    embedding = encode(["stop"])  # identifies the encoder
    kind = hashlib.sha256(embedding.tobytes() + background.tobytes() + str(background.shape).encode()).hexdigest()[:8]
    return user_cache_path("sayso") / "intents" / f"{key_of(domain)}-{kind}.safetensors"


def _trained(domain: Domain, encode: SentenceEncoder, background: Float32Array, path: Path) -> IntentHead:
    from rich.console import Console

    console = Console(stderr=True)
    title = f"training the intents of '{domain.name}' (only once)"
    with console.status(title) as status:
        head, _ = learn(domain, encode, background, lambda step, share: status.update(f"{title}: {step}, {share:.0%}"))
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        head.save(path)
        console.print(f"trained the intents of '{domain.name}'; saved in {path}", highlight=False)
    except OSError as unwritable:
        console.print(f"the intents of '{domain.name}' cannot be saved and will be trained again next time: {unwritable}", highlight=False)
    return head
