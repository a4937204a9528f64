"""Interactions made from a domain: sentences of its templates, the situations they are said in, and what was meant by them.

Which action is wanted is drawn from P(a|ctx) as the domain has it (or as its caller says), and how it is said evenly from the templates.
Nothing here knows how a sentence will be understood. `without` takes templates away from a domain, so that a classifier
can be taught that has never seen them.
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
from sayso.selection.priors import prior
from sayso.selection.table import CandidateTable
from sayso.training.selection.meanings import Meaning, able, meanings, same_said
from sayso.types import Action, Context, FloatArray, Role

PER_CONTEXT = 8  # interactions in one situation
HANDS_FULL = 0.35  # of the situations
BATTERY_LOW = 0.1
ENOUGH = 3  # examples that an intent keeps
DAY = 1_760_000_000.0  # s, any day
_TWO = re.compile(r"\}.* and ")  # "drive up to the {place} and stay there": two requests, whatever the example is for
Habits = Callable[[CandidateTable, Context], FloatArray]  # (N,) how much more often than usual a person wants each


@dataclass(frozen=True, slots=True)
class Saying:
    """A sentence with one of the meanings it may have."""

    sentence: Sentence
    meaning: Meaning


@dataclass(frozen=True, slots=True)
class Interaction:
    """Something said to the robot, when, and what was meant."""

    text: str
    intent: str
    template: str
    context: Context
    meaning: Meaning


def parts(domain: Domain) -> tuple[frozenset[str], frozenset[str]]:
    """Two halves of the templates that the encoder and the tagger have not learnt from, as far as each intent keeps enough of its own."""
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
    """The sentences of the templates that are to be used, each with every meaning that it may have."""
    chance = random.Random(f"{seed} actions")
    as_well = same_said(domain)
    found: list[Saying] = []
    for sentence in sentences(domain, per_template, seed):
        if (
            not use(sentence.template)
            or _TWO.search(sentence.template)
            or (any(slot.text == "me" for slot in sentence.slots) and "me" not in sentence.template.split())
        ):
            continue  # "me needs the cup": templates that the speaker fits in say so
        table = domain.intents[sentence.intent].actions
        action = chance.choices(list(table), list(table.values()))[0]
        more = tuple(as_well[sentence.intent, slot.entity] for slot in sentence.slots if (sentence.intent, slot.entity) in as_well)
        found += [Saying(sentence, replace(each, actions=each.actions + more)) for each in meanings(domain, sentence, action)]
    possible = able(domain, [saying.meaning for saying in found])
    return [replace(saying, meaning=meaning) for saying, meaning in zip(found, possible, strict=True)]


def interactions(domain: Domain, pool: Sequence[Saying], number: int, seed: int = 0, habits: Habits | None = None) -> Iterator[Interaction]:
    """Draws from the pool: a situation, then what is wanted in it, P(a|ctx) times the person's `habits`, then how it is said."""
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
    """A situation that a robot in that home may be in."""
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
    """(N,) how many sayings have the sentence's template and meaning's action name: each template of an action is as likely."""
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
    """With what the robot holds for a theme that the words leave to the situation."""
    if not meaning.in_hand or not context.holding:
        return meaning
    actions = tuple(Action(each.name, tuple(sorted((*each.arguments, ("theme", context.holding))))) for each in meaning.actions)
    roles = meaning.roles if any(role.name == "theme" for role in meaning.roles) else (*meaning.roles, Role("theme", "it", 0, 0))
    return replace(meaning, actions=actions, roles=roles)
