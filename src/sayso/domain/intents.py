"""Intents of a domain file: sentences, the roles that they fill, and the actions that they may mean."""

from __future__ import annotations

from collections.abc import Collection

from pydantic import Field

from sayso.domain.costs import Positive
from sayso.domain.vocabulary import EntityKind, Name, Probability
from sayso.yaml_source import StrictModel


class RoleSpec(StrictModel):
    """A role of an intent."""

    kinds: tuple[EntityKind, ...]
    """Kinds of values that can fill it."""
    required: bool = False
    """Whether the robot asks for it when it is missing."""
    default: str = ""
    """The default value: an id, a literal value, or "speaker"."""
    surface: bool = False
    """Whether only places with `surface: true` can fill it."""
    values: tuple[Name, ...] = ()
    """All that can fill a role of kind words: [small, large]. `{size}` in an example stands for any value of the role `size`."""


class IntentSpec(StrictModel):
    """A meaning that a clause can have, learnt from its examples."""

    roles: dict[str, RoleSpec] = Field(default_factory=dict)
    """The roles that its sentences fill: theme, goal, recipient, …"""
    actions: dict[str, Probability] = Field(default_factory=dict)
    """P(a | k): action → probability; sums to 1. Default: the action of the intent's own name."""
    verbs: dict[str, tuple[Name, ...]] = Field(default_factory=dict)
    """Action → words: a clause with one of them means that action; one with none of them means an action without words here."""
    prior: Positive = 1.0
    """Weight of P(k): the frequency of the intent."""
    examples: tuple[str, ...]
    """Sentences as people say them; {object}, {place}, {person}, {surface}, {number}, … stand for any such name."""
    paraphrases: tuple[str, ...] = ()
    """Further wordings. The speech recogniser expects them less than the examples, so that it does not mishear usual sentences."""

    @property
    def wordings(self) -> tuple[str, ...]:
        """All sentences to learn the intent from: examples, then paraphrases."""
        return (*self.examples, *self.paraphrases)

    def meant(self, words: Collection[str]) -> tuple[str, ...]:
        """The actions that a clause of this intent with these words can mean."""
        named = tuple(action for action, verbs in self.verbs.items() if not set(verbs).isdisjoint(words))
        return named or tuple(action for action in self.actions if action not in self.verbs)
