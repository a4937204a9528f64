"""Trains an IntentHead on a domain's examples: expands them with variations, embeds them and fits both heads."""

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
Progress = Callable[[str, float], None]  # current step, and fraction done (0 … 1)

RECIPE = "5"  # increment whenever the same examples would give another head
PER_TEMPLATE = 5
ENOUGH = 200  # examples needed for calibration; if fewer were kept from the encoder's tuning, all examples are used
BEFORE = ("please", "robot", "hey robot", "okay robot", "and", "now", "then please", "so")
AFTER = ("please", "now", "robot", "for me", "thank you", "right now", "will you")
# Names unlikely to be in the domain, so that the head learns to ignore names.
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
    """A training sentence."""

    text: str
    intent: str  # empty for a sentence that is not a command
    template: str
    weight: float = 1.0


def key_of(domain: Domain) -> str:
    """A hash of everything the head depends on: the intents' names and examples, and the chatter, but no entity names."""
    digest = hashlib.sha256(RECIPE.encode())
    for intent, spec in domain.intents.items():
        digest.update(repr((intent, spec.wordings)).encode())
    digest.update(repr(domain.chatter).encode())
    return digest.hexdigest()[:24]


def examples_of(domain: Domain, seed: int = 0) -> list[Example]:
    """The expanded, normalised examples of every intent and the chatter, with variations in names, politeness and articles."""
    return _unique([*(Example(text, "", text) for text in gibberish(seed)), *_expanded(domain, seed)])


def examples_like(domain: Domain, wanted: Container[str], seed: int = 0) -> list[Example]:
    """The examples, including chatter, of the templates whose `mark` is in `wanted`."""
    return _unique(list(_expanded(domain, seed, wanted)))


def _expanded(domain: Domain, seed: int, wanted: Container[str] | None = None) -> Iterator[Example]:
    plain = PlainText(domain)
    for sentence in (*sentences(domain, PER_TEMPLATE, seed, paraphrases=True), *chatter(domain, PER_TEMPLATE, seed)):
        if wanted is not None and mark(sentence.intent, sentence.template) not in wanted:
            continue
        if any(slot.text == "me" for slot in sentence.slots) and "me" not in sentence.template.split():
            continue  # avoids "me needs the cup": templates that fit the speaker say "me" themselves
        chance = random.Random(f"{seed} {sentence.text}")
        yield Example(plain(normalise(sentence.text)), sentence.intent, sentence.template)
        for text in (_with_foreign_names(sentence, chance), _rephrased(sentence.text, chance, bool(sentence.intent))):
            yield Example(plain(normalise(text)), sentence.intent, sentence.template, 0.5)


def _unique(examples: Sequence[Example]) -> list[Example]:
    unique = {(example.text, example.intent): example for example in reversed(examples) if example.text}
    return list(reversed(unique.values()))


def kept_for_calibration(template: str) -> bool:
    """Whether a template is kept from the encoder's tuning, for fitting temperature and threshold: one in six."""
    return hashlib.sha256(template.encode()).digest()[0] % 6 == 0


def gibberish(seed: int = 0, count: int = 80) -> list[str]:
    """Random words, as from a keyboard or from a recogniser on noise."""
    chance = random.Random(f"{seed} gibberish")
    result = []
    for _ in range(count):
        letters = chance.choice(("abcdefghijklmnopqrstuvwxyz", "aeioulnrst", "qwertasdfzxcv"))
        result.append(" ".join("".join(chance.choices(letters, k=chance.randint(1, 8))) for _ in range(chance.randint(1, 6))))
    return result


def _with_foreign_names(sentence: Sentence, chance: random.Random) -> str:
    """The sentence with STRANGERS in its slots."""
    text = sentence.text
    for slot in sorted(sentence.slots, key=lambda slot: -slot.start):
        names = STRANGERS.get({"room": "place", "furniture": "surface", "spot": "place", "category": "object"}.get(slot.name, slot.name))
        if names and slot.text != "me":
            determiner = slot.text.split()[0] + " " if slot.text.split()[0] in DETERMINERS else ""
            text = text[: slot.start] + determiner + chance.choice(names.split(",")) + text[slot.end :]
    return text


def _rephrased(text: str, chance: random.Random, command: bool) -> str:
    """The text with polite words, or without its articles, as people and recognisers produce it."""
    draw = chance.random()
    if draw < 0.4:
        return " ".join(word for word in text.split() if word not in {"the", "a", "an"})
    if not command:
        return f"{chance.choice(('well', 'you know', 'oh', 'and'))} {text}"
    return f"{chance.choice(BEFORE)} {text}" if draw < 0.7 else f"{text} {chance.choice(AFTER)}"


def learn(domain: Domain, encode: Encode, background: Float32Array, progress: Progress, seed: int = 0) -> tuple[IntentHead, Fitted]:
    """Train the head of a domain.

    Args:
        domain: provides the intents and the chatter.
        encode: the sentence encoder.
        background: (B, D) embeddings of further sentences that are not commands; may be empty.
        progress: called with the current step.
        seed: the same seed gives the same head.

    Returns:
        The head, and its parts with their held-out outputs.
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
    """A hash that identifies an example template in a trained head."""
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
    """(N,) weights of mean 1, with equal totals for all intents, and for all templates of an intent."""
    by_template: dict[tuple[str, str], float] = {}
    for example in examples:
        place = (example.intent, example.template)
        by_template[place] = by_template.get(place, 0.0) + example.weight
    templates: dict[str, int] = {}
    for intent, _ in by_template:
        templates[intent] = templates.get(intent, 0) + 1
    weights = np.array([one.weight / by_template[one.intent, one.template] / templates[one.intent] for one in examples])
    return np.asarray(weights / weights.mean(), np.float64)
