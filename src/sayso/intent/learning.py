"""From a domain's examples to an IntentHead: its sentences as people and recognisers have them, embedded, and heads fitted to them."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sayso.domain import Domain
from sayso.domain.sentences import Sentence, chatter, sentences
from sayso.intent.fitting import Fitted, Material, fitted
from sayso.intent.grammar import DETERMINERS
from sayso.intent.head import IntentHead
from sayso.intent.linear_head import Float32Array
from sayso.intent.normalise import normalise
from sayso.intent.plain import PlainText
from sayso.types import FloatArray

Encode = Callable[[Sequence[str]], Float32Array]
Progress = Callable[[str, float], None]  # what is being done, and how much of it is (0 … 1)

RECIPE = "5"  # changes whenever a head from the same examples would come out otherwise
PER_TEMPLATE = 5
ENOUGH = 200  # examples to calibrate on; where fewer were kept from the encoder, all are used, as if held out from the head alone
BEFORE = ("please", "robot", "hey robot", "okay robot", "and", "now", "then please", "so")
AFTER = ("please", "now", "robot", "for me", "thank you", "right now", "will you")
# Names that no domain need have, so that the head learns to look past the names.
STRANGERS = {
    "object": "hammer,scarf,yellow box,notebook,sandwich,tray,jacket,candle,screwdriver,tissue,camera,basket,spoon,tea pot,letter,shoes,"
    "wallet,guitar,blanket,plant,chocolate,bag,charger cable,hat,cookies,lamp,tomato,big green box,salt,knife",
    "place": "garage,balcony,garden,window,stairs,cellar,shelf,workbench,lab,elevator,meeting room,garden table,fireplace,reception,"
    "corner,gym",
    "person": "peter,mary,john,susan,my mother,the doctor,grandpa,lisa,the guest,my wife,tom,professor miller,mister smith,michael",
}  # fmt: skip
STRANGERS["surface"] = "shelf,workbench,stool,chair,window sill,table,garden table,tray,floor,bench,rack,cabinet"


@dataclass(frozen=True, slots=True)
class Example:
    """A sentence to learn from."""

    text: str
    intent: str  # empty for what is no command
    template: str
    weight: float = 1.0


def key_of(domain: Domain) -> str:
    """A hash of what the head depends on: the intents' names and examples, and the chatter; not the names of things."""
    digest = hashlib.sha256(RECIPE.encode())
    for intent, spec in domain.intents.items():
        digest.update(repr((intent, spec.examples)).encode())
    digest.update(repr(domain.chatter).encode())
    return digest.hexdigest()[:24]


def examples_of(domain: Domain, seed: int = 0) -> list[Example]:
    """The expanded, normalised examples of every intent and the chatter, some politer, some as a recogniser would have them."""
    return _unique([*(Example(text, "", text) for text in gibberish(seed)), *_as_said(domain, seed)])


def examples_like(domain: Domain, wanted: Container[str], seed: int = 0) -> list[Example]:
    """Those of the templates alone whose mark is wanted; chatter's too."""
    return _unique(list(_as_said(domain, seed, wanted)))


def _as_said(domain: Domain, seed: int, wanted: Container[str] | None = None) -> Iterator[Example]:
    plain = PlainText(domain)
    for sentence in (*sentences(domain, PER_TEMPLATE, seed), *chatter(domain, PER_TEMPLATE, seed)):
        if wanted is not None and mark(sentence.intent, sentence.template) not in wanted:
            continue
        if any(slot.text == "me" for slot in sentence.slots) and "me" not in sentence.template.split():
            continue  # "me needs the cup": templates that the speaker fits in say so
        chance = random.Random(f"{seed} {sentence.text}")
        yield Example(plain(normalise(sentence.text)), sentence.intent, sentence.template)
        for text in (_strange(sentence, chance), _spoken(sentence.text, chance, bool(sentence.intent))):
            yield Example(plain(normalise(text)), sentence.intent, sentence.template, 0.5)


def _unique(examples: Sequence[Example]) -> list[Example]:
    unique = {(example.text, example.intent): example for example in reversed(examples) if example.text}
    return list(reversed(unique.values()))


def kept_for_calibration(template: str) -> bool:
    """Whether the encoder was never tuned on a template, so that temperature and threshold may be fitted on it: one in six."""
    return hashlib.sha256(template.encode()).digest()[0] % 6 == 0


def gibberish(seed: int = 0, count: int = 80) -> list[str]:
    """Words of no language: what comes out of keyboards and of recognisers that heard noise."""
    chance = random.Random(f"{seed} gibberish")
    result = []
    for _ in range(count):
        letters = chance.choice(("abcdefghijklmnopqrstuvwxyz", "aeioulnrst", "qwertasdfzxcv"))
        result.append(" ".join("".join(chance.choices(letters, k=chance.randint(1, 8))) for _ in range(chance.randint(1, 6))))
    return result


def _strange(sentence: Sentence, chance: random.Random) -> str:
    """With other names in its slots."""
    text = sentence.text
    for slot in sorted(sentence.slots, key=lambda slot: -slot.start):
        names = STRANGERS.get({"room": "place", "furniture": "surface", "spot": "place", "category": "object"}.get(slot.name, slot.name))
        if names and slot.text != "me":
            determiner = slot.text.split()[0] + " " if slot.text.split()[0] in DETERMINERS else ""
            text = text[: slot.start] + determiner + chance.choice(names.split(",")) + text[slot.end :]
    return text


def _spoken(text: str, chance: random.Random, command: bool) -> str:
    """Politer, or without its articles, as people and recognisers have it."""
    draw = chance.random()
    if draw < 0.4:
        return " ".join(word for word in text.split() if word not in {"the", "a", "an"})
    if not command:
        return f"{chance.choice(('well', 'you know', 'oh', 'and'))} {text}"
    return f"{chance.choice(BEFORE)} {text}" if draw < 0.7 else f"{text} {chance.choice(AFTER)}"


def learn(domain: Domain, encode: Encode, background: Float32Array, progress: Progress, seed: int = 0) -> tuple[IntentHead, Fitted]:
    """The head of a domain, and what it is made of.

    Args:
        domain: whose intents and chatter to learn.
        encode: the sentence encoder.
        background: (B, D) embeddings of more sentences that are no commands; may have no rows.
        progress: told how far it is.
        seed: same seed, same head.
    """
    examples = examples_of(domain, seed)
    material = _material(examples, _embedded(examples, encode, progress), tuple(domain.intents), background)
    parts = fitted(material, lambda share: progress("learning", 0.8 + 0.2 * share))
    p_train = np.bincount(material.labels, material.weights, material.count)
    templates = dict.fromkeys(mark(example.intent, example.template) for example in sorted(examples, key=lambda one: not one.intent))
    head = IntentHead(
        tuple(domain.intents),
        key_of(domain),
        p_train / p_train.sum(),
        parts.linear,
        parts.kernel,
        parts.around,
        parts.scales,
        tuple(templates),
    )
    progress("done", 1.0)
    return head, parts


def mark(intent: str, template: str) -> str:
    """A hash of an example, by which a head knows what it has learnt."""
    return hashlib.sha256(f"{intent} {template}".encode()).hexdigest()[:12]


def _material(examples: Sequence[Example], h: Float32Array, intents: tuple[str, ...], background: Float32Array) -> Material:
    number = {intent: index for index, intent in enumerate(intents)}
    inside = np.array([bool(example.intent) for example in examples])
    labels = np.array([number.get(example.intent, -1) for example in examples])
    groups = _groups(examples)
    kept = np.array([kept_for_calibration(example.template) for example in examples])
    return Material(
        h[inside],
        labels[inside],
        _balanced(examples)[inside],
        groups[inside],
        kept[inside] if kept[inside].sum() >= ENOUGH else np.ones(inside.sum(), bool),
        np.concatenate([h[~inside], background.astype(np.float32)]),
        np.concatenate([groups[~inside], groups.max() + 1 + np.arange(len(background))]),
        np.concatenate([kept[~inside] | (kept[inside].sum() < ENOUGH), np.ones(len(background), bool)]),
        len(intents),
    )


def _embedded(examples: Sequence[Example], encode: Encode, progress: Progress) -> Float32Array:
    rows = []
    for at in range(0, len(examples), 64):
        progress("reading the examples", 0.8 * at / len(examples))
        rows.append(encode([example.text for example in examples[at : at + 64]]))
    return np.concatenate(rows)


def _groups(examples: Sequence[Example]) -> NDArray[np.int64]:
    ordered = dict.fromkeys((example.intent, example.template) for example in examples)
    templates = {template: index for index, template in enumerate(ordered)}
    return np.array([templates[example.intent, example.template] for example in examples], np.int64)


def _balanced(examples: Sequence[Example]) -> FloatArray:
    """(N,) weights of mean 1 with which each intent counts the same, and within it each template."""
    by_template: dict[tuple[str, str], float] = {}
    for example in examples:
        place = (example.intent, example.template)
        by_template[place] = by_template.get(place, 0.0) + example.weight
    templates: dict[str, int] = {}
    for intent, _ in by_template:
        templates[intent] = templates.get(intent, 0) + 1
    weights = np.array([one.weight / by_template[one.intent, one.template] / templates[one.intent] for one in examples])
    return np.asarray(weights / weights.mean(), np.float64)
