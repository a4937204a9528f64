"""Needs that name nothing: "i'm thirsty" → "bring me something to drink", by the nearest example in the encoder's space."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path

import numpy as np

from sayso.intent.linear_head import Float32Array
from sayso.yaml_source import read_plain

CLOSE = 0.75  # least cosine to an example; how probable it is that there is a need at all, the parser says


class Needs:
    """Words of a need → the command that would help. Embeds its examples at the first need."""

    def __init__(self, encode: Callable[[Sequence[str]], Float32Array]) -> None:
        self._encode = encode

    def __call__(self, words: str) -> str:
        """The command; empty if no example is close."""
        commands, h = self._embedded
        cosines = h @ self._encode([words])[0]
        best = int(cosines.argmax())
        return commands[best] if cosines[best] >= CLOSE else ""

    @cached_property
    def _embedded(self) -> tuple[tuple[str, ...], Float32Array]:
        """(N,) commands and (N, D) rows of length 1."""
        held = read_plain(Path(__file__).with_name("needs.yaml"))
        pairs = [(str(command), str(example)) for command, examples in held.items() for example in examples]
        return tuple(command for command, _ in pairs), np.concatenate([self._encode([example]) for _, example in pairs])
