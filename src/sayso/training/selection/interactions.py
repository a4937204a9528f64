"""Interactions generated from a domain: sentences of its templates, their contexts and meanings.

The wanted action is drawn from the domain's P(a|ctx), times the caller's `habits`, and the sentence evenly from the templates,
independently of any classifier. `without` removes templates from a domain, to train a classifier that has not seen them.
"""

from __future__ import annotations

import hashlib
import random
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from sayso.domain import Domain
from sayso.domain.sentences import Sentence, sentences
from sayso.intent.learning import kept_for_calibration
from sayso.selection.choosing.priors import prior
from sayso.selection.choosing.table import CandidateTable
from sayso.training.selection.meanings import Meaning, able, meanings, same_said
from sayso.types import Action, Context, FloatArray, Role

PER_CONTEXT = 8  # interactions in one context
HANDS_FULL = 0.35  # of the contexts
BATTERY_LOW = 0.1
ENOUGH = 3  # examples that an intent must keep
DAY = 1_760_000_000.0  # s, any day
_TWO = re.compile(r"\}.* and ")  # "drive up to the {place} and stay there" has two requests
Habits = Callable[[CandidateTable, Context], FloatArray]  # (N,) a person's factors on the prior


@dataclass(frozen=True, slots=True)
class Saying:
    """A sentence with one of its possible meanings."""

    sentence: Sentence
    meaning: Meaning


@dataclass(frozen=True, slots=True)
class Interaction:
    """A sentence to the robot with its context and meaning."""

    text: str
    intent: str
    template: str
    context: Context
    meaning: Meaning


def parts(domain: Domain) -> tuple[frozenset[str], frozenset[str]]:
    """Two halves of the templates held out from the encoder; each intent keeps at least ENOUGH examples."""
    found: tuple[set[str], set[str]] = (set(), set())
    for spec in domain.intents.values():
        kept = [example for example in spec.examples if kept_for_calibration(example)]
        for template in kept[: max(0, len(spec.examples) - ENOUGH)]:
            found[_half(template)].add(template)
    return frozenset(found[0]), frozenset(found[1])


def without(domain: Domain, templates: frozenset[str]) -> Domain:
    """The domain without these templates."""
    intents = {
        name: spec.model_copy(update={"examples": tuple(example for example in spec.examples if example not in templates)})
        for name, spec in domain.intents.items()
    }
    return domain.model_copy(update={"name": f"{domain.name}, without {len(templates)} examples", "intents": intents})


def _half(template: str) -> int:
    return hashlib.sha256(template.encode()).digest()[1] % 2


def sayings(domain: Domain, per_template: int, seed: int = 0, use: Callable[[str], bool] = lambda _: True) -> list[Saying]:
    """The sentences of the selected templates, each with every possible meaning."""
    chance = random.Random(f"{seed} actions")
    as_well = same_said(domain)
    found: list[Saying] = []
    for sentence in sentences(domain, per_template, seed):
        if (
            not use(sentence.template)
            or _TWO.search(sentence.template)
            or (any(slot.text == "me" for slot in sentence.slots) and "me" not in sentence.template.split())
        ):
            continue  # avoids "me needs the cup": templates that fit the speaker contain "me"
        spec = domain.intents[sentence.intent]
        possible = spec.meant(sentence.text.split())
        action = chance.choices(possible, [spec.actions[each] for each in possible])[0]
        more = tuple(as_well[sentence.intent, slot.entity] for slot in sentence.slots if (sentence.intent, slot.entity) in as_well)
        found += [Saying(sentence, replace(each, actions=each.actions + more)) for each in meanings(domain, sentence, action)]
    marked = able(domain, [saying.meaning for saying in found])
    return [replace(saying, meaning=meaning) for saying, meaning in zip(found, marked, strict=True)]


def interactions(domain: Domain, pool: Sequence[Saying], number: int, seed: int = 0, habits: Habits | None = None) -> Iterator[Interaction]:
    """Draw from the pool: a context, then the action from P(a|ctx) times the person's `habits`, then the sentence."""
    rng = np.random.default_rng(seed)
    chance = random.Random(f"{seed} contexts")
    spoken = [saying.sentence.text for saying in pool]
    ways = _ways(pool)
    for start in range(0, number, PER_CONTEXT):
        context = drawn_context(domain, chance)
        meant = [_in_context(saying.meaning, context) for saying in pool]
        table = CandidateTable.of(domain, [meaning.actions[0] for meaning in meant])
        weight = prior(domain, table, context).p / ways
        if habits is not None:
            weight = weight * habits(table, context)
        if not context.holding:
            weight = weight * np.array([not saying.meaning.in_hand for saying in pool])
        for index in rng.choice(len(pool), min(PER_CONTEXT, number - start), p=weight / weight.sum()):
            yield Interaction(spoken[index], pool[index].sentence.intent, pool[index].sentence.template, context, meant[index])


def drawn_context(domain: Domain, chance: random.Random) -> Context:
    """A random context of a robot in that home."""
    place = chance.choice(list(domain.places))
    x, y, yaw = domain.places[place].pose
    near = [name for name, thing in domain.objects.items() if any(domain.room_of(at) == domain.room_of(place) for at in thing.usual)]
    return Context(
        stamp=DAY + chance.uniform(0.0, 86_400.0),
        x=x,
        y=y,
        yaw=yaw,
        place=place,
        holding=chance.choice(list(domain.objects)) if domain.objects and chance.random() < HANDS_FULL else "",
        battery=chance.uniform(0.05, 0.2) if chance.random() < BATTERY_LOW else chance.uniform(0.2, 1.0),
        visible=tuple(chance.sample(near, min(len(near), chance.randint(0, 4)))),
        last_action=chance.choice(["", *domain.actions]),
    )


def _ways(pool: Sequence[Saying]) -> FloatArray:
    """(N,) divisors that make all templates of an action equally likely."""
    kinds = [(saying.meaning.actions[0].name, saying.sentence.template) for saying in pool]
    names, groups = ([kind[0] for kind in kinds], kinds)
    of_group, of_name = _counts(groups), {name: len({kind for kind in kinds if kind[0] == name}) for name in set(names)}
    share = np.array([of_group[kind] * of_name[kind[0]] for kind in kinds], np.float64)
    per_name = _counts(names)
    return np.asarray(share / np.array([per_name[name] for name in names], np.float64))


def _counts(kinds: Sequence[object]) -> dict[object, int]:
    found: dict[object, int] = {}
    for kind in kinds:
        found[kind] = found.get(kind, 0) + 1
    return found


def _in_context(meaning: Meaning, context: Context) -> Meaning:
    """The meaning with the held thing as its theme, if the words leave the theme to the context."""
    if not meaning.in_hand or not context.holding:
        return meaning
    actions = tuple(Action(each.name, tuple(sorted((*each.arguments, ("theme", context.holding))))) for each in meaning.actions)
    roles = meaning.roles if any(role.name == "theme" for role in meaning.roles) else (*meaning.roles, Role("theme", "it", 0, 0))
    return replace(meaning, actions=actions, roles=roles)
