"""Where a domain's intent head comes from: shipped, with a few intents enrolled or not, learnt before and kept, or learnt now."""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np

from sayso.domain import Domain
from sayso.errors import ModelError
from sayso.intent.encoder import SentenceEncoder
from sayso.intent.enrolment import enrol, enrollable
from sayso.intent.head import Head, IntentHead, Kind
from sayso.intent.learning import key_of, learn
from sayso.intent.linear_head import Float32Array
from sayso.models import model_path

SHIPPED = "intents.safetensors"


def head_of(domain: Domain, encode: SentenceEncoder, *, shipped: bool = True, kind: Kind = "linear") -> Head:
    """The head for exactly this domain's intents; where one has to be learnt, stderr says so.

    Args:
        domain: whose intents.
        encode: the sentence encoder.
        shipped: whether that is the shipped one, on which the shipped head was learnt.
        kind: which head is to read.

    Raises:
        ModelError: the shipped head is missing or altered.
    """
    background: Float32Array = np.zeros((0, len(encode(["stop"])[0])), np.float32)
    known: IntentHead | None = None
    if shipped:
        known = IntentHead.load(model_path(SHIPPED)).reading(kind)
        if known.key == key_of(domain):
            return known
        background = known.around.chatter  # what is no command in our home is none in another
    path = cached(domain, encode, background)
    try:
        return IntentHead.load(path).reading(kind)  # learnt on purpose, or before
    except ModelError:
        if known and enrollable(domain, known):
            return enrol(domain, known, encode)
        return _learnt(domain, encode, background, path).reading(kind)


def cached(domain: Domain, encode: SentenceEncoder, background: Float32Array) -> Path:
    """The file in the user's cache that the head of that domain, on that encoder, is kept in."""
    from platformdirs import user_cache_path

    read = encode(["stop"])  # tells encoders apart
    kind = hashlib.sha256(read.tobytes() + background.tobytes() + str(background.shape).encode()).hexdigest()[:8]
    return user_cache_path("sayso") / "intents" / f"{key_of(domain)}-{kind}.safetensors"


def _learnt(domain: Domain, encode: SentenceEncoder, background: Float32Array, path: Path) -> IntentHead:
    from rich.console import Console

    console = Console(stderr=True)
    doing = f"learning the intents of '{domain.name}' from their examples, once"
    with console.status(doing) as status:
        head, _ = learn(domain, encode, background, lambda what, share: status.update(f"{doing}: {what}, {share:.0%}"))
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        head.save(path)
        console.print(f"learnt the intents of '{domain.name}', kept in {path}", highlight=False)
    except OSError as unwritable:
        console.print(f"the intents of '{domain.name}' cannot be kept and will be learnt again: {unwritable}", highlight=False)
    return head
