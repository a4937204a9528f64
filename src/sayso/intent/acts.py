"""The vocabulary of each intent: the words of its examples outside of the slots. They belong to the act: "water" of "water the plants"."""

from __future__ import annotations

import re
from collections.abc import Mapping

from sayso.domain import Domain
from sayso.intent.gazetteer import singular
from sayso.intent.normalise import normalise

_SLOT = re.compile(r"{\w+}")


def act_words(domain: Domain) -> Mapping[str, frozenset[str]]:
    """Intent → the words of its examples outside of the slots, as said and in the singular."""
    return {intent: _words(spec.examples) for intent, spec in domain.intents.items()}


def _words(examples: tuple[str, ...]) -> frozenset[str]:
    words = {word for example in examples for word in normalise(_SLOT.sub(" , ", example)).replace(",", " ").split()}
    return frozenset(words | set(map(singular, words)))
