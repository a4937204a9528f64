"""From a domain's examples to an IntentHead: regularised multinomial logistic regression, calibrated on templates that it has not seen.

Held out are whole templates, never single expansions of one: "bring me the red cup" tells too much about "bring me the blue cup".
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from sayso.domain import Domain
from sayso.domain.sentences import Sentence, chatter, sentences
from sayso.intent.grammar import DETERMINERS
from sayso.intent.head import FEATURES, Float32Array, IntentHead, log_sum_exp, scope_features
from sayso.intent.normalise import normalise
from sayso.intent.plain import PlainText
from sayso.intent.regression import logistic
from sayso.types import FloatArray

Encode = Callable[[Sequence[str]], Float32Array]
Progress = Callable[[str, float], None]  # what is being done, and how much of it is (0 … 1)

RECIPE = "4"  # changes whenever a head from the same examples would come out otherwise
PER_TEMPLATE = 5
FOLDS = 5
RIDGE = 2e-4  # of |W|²/2 per sentence; chosen on held-out templates
ENOUGH = 200  # examples to calibrate on; where fewer were kept from the encoder, all are used, as if held out from the head alone
ACCEPTED = 0.99  # of the commands of held-out templates are in scope: what fixes the threshold
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


@dataclass(frozen=True, slots=True)
class HeldOut:
    """What the heads of the other folds say of each example that the encoder was not tuned on either."""

    logits: FloatArray  # (N, K)
    features: FloatArray  # (N, F)
    outside_logits: FloatArray  # (C, K)
    outside_features: FloatArray  # (C, F)
    labels: NDArray[np.int64]  # (N,)
    weights: FloatArray  # (N,)

    def only(self, inside: NDArray[np.bool_], outside: NDArray[np.bool_]) -> HeldOut:
        """Those examples alone."""
        return HeldOut(
            self.logits[inside],
            self.features[inside],
            self.outside_logits[outside],
            self.outside_features[outside],
            self.labels[inside],
            self.weights[inside],
        )


def key_of(domain: Domain) -> str:
    """A hash of what the head depends on: the intents' names and examples, and the chatter; not the names of things."""
    digest = hashlib.sha256(RECIPE.encode())
    for intent, spec in domain.intents.items():
        digest.update(repr((intent, spec.examples)).encode())
    digest.update(repr(domain.chatter).encode())
    return digest.hexdigest()[:24]


def examples_of(domain: Domain, seed: int = 0) -> list[Example]:
    """The expanded, normalised examples of every intent and the chatter, some politer, some as a recogniser would have them."""
    result: list[Example] = [Example(text, "", text) for text in gibberish(seed)]
    plain = PlainText(domain)
    for sentence in (*sentences(domain, PER_TEMPLATE, seed), *chatter(domain, PER_TEMPLATE, seed)):
        if any(slot.text == "me" for slot in sentence.slots) and "me" not in sentence.template.split():
            continue  # "me needs the cup": templates that the speaker fits in say so
        chance = random.Random(f"{seed} {sentence.text}")
        result.append(Example(plain(normalise(sentence.text)), sentence.intent, sentence.template))
        result.extend(
            Example(plain(normalise(text)), sentence.intent, sentence.template, 0.5)
            for text in (_strange(sentence, chance), _spoken(sentence.text, chance, bool(sentence.intent)))
        )
    unique = {(example.text, example.intent): example for example in reversed(result) if example.text}
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


def learn(domain: Domain, encode: Encode, background: Float32Array, progress: Progress, seed: int = 0) -> tuple[IntentHead, HeldOut]:
    """The head of a domain, and what it made of the templates while each was held out.

    Args:
        domain: whose intents and chatter to learn.
        encode: the sentence encoder.
        background: (B, D) embeddings of more sentences that are no commands; may have no rows.
        progress: told how far it is.
        seed: same seed, same head.
    """
    examples = examples_of(domain, seed)
    h = _embedded(examples, encode, progress)
    intents = tuple(domain.intents)
    number = {intent: index for index, intent in enumerate(intents)}
    inside = np.array([bool(example.intent) for example in examples])
    labels = np.array([number.get(example.intent, -1) for example in examples])
    weights = _balanced(examples)
    groups = _groups(examples)
    outside = np.concatenate([h[~inside], background.astype(np.float32)])
    outside_groups = np.concatenate([groups[~inside], groups.max() + 1 + np.arange(len(background))])
    material = _Material(h[inside], labels[inside], weights[inside], groups[inside], outside, outside_groups, len(intents))
    held_out = _cross_fitted(material, progress)
    kept = np.array([kept_for_calibration(example.template) for example in examples])
    kept_outside = np.concatenate([kept[~inside], np.ones(len(background), bool)])
    if kept[inside].sum() >= ENOUGH:
        held_out = held_out.only(kept[inside], kept_outside)
    temperature = _temperature(held_out.logits, held_out.labels, held_out.weights)
    held_out = _cooled(held_out, temperature)
    scale = _scope_scale(held_out)
    W, b, prototypes, chatter_prototypes, u = _fitted(material, np.ones(len(material.h), bool), np.ones(len(outside), bool))
    p_train = np.array([material.weights[material.labels == k].sum() for k in range(len(intents))])
    W, b, p_train = W / temperature, b / temperature, p_train / p_train.sum()
    head = IntentHead(intents, key_of(domain), W, b, p_train, prototypes, chatter_prototypes, u, scale)
    progress("done", 1.0)
    return head, held_out


@dataclass(frozen=True, slots=True)
class _Material:
    h: Float32Array  # (N, D) commands
    labels: NDArray[np.int64]  # (N,)
    weights: FloatArray  # (N,) every intent has the same total, every template of an intent too
    groups: NDArray[np.int64]  # (N,) template
    outside: Float32Array  # (C, D) no commands
    outside_groups: NDArray[np.int64]  # (C,)
    count: int  # K


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


def _cross_fitted(material: _Material, progress: Progress) -> HeldOut:
    # Consecutive templates are of one intent: dealing them out leaves every intent in every fold.
    fold, outside_fold = material.groups % FOLDS, material.outside_groups % FOLDS
    logits, outside_logits = (np.zeros((len(h), material.count)) for h in (material.h, material.outside))
    features, outside_features = (np.zeros((len(h), len(FEATURES))) for h in (material.h, material.outside))
    for index in range(FOLDS):
        progress("learning", 0.8 + 0.03 * index)
        W, b, near, far, u = _fitted(material, fold != index, outside_fold != index)
        for h, rows, raw, into in (
            (material.h, fold == index, logits, features),
            (material.outside, outside_fold == index, outside_logits, outside_features),
        ):
            raw[rows] = h[rows] @ W.T + b
            into[rows] = scope_features(raw[rows], h[rows], near, far, u)
    return HeldOut(logits, features, outside_logits, outside_features, material.labels, material.weights)


def _fitted(
    material: _Material, use: NDArray[np.bool_], use_outside: NDArray[np.bool_]
) -> tuple[FloatArray, FloatArray, Float32Array, Float32Array, FloatArray]:
    h, outside = material.h[use], material.outside[use_outside]
    Wb = logistic(h, np.eye(material.count)[material.labels[use]], material.weights[use], RIDGE)
    both = np.concatenate([h, outside])
    is_command = np.concatenate([np.ones(len(h)), np.zeros(len(outside))])
    weights = np.concatenate([material.weights[use] / material.weights[use].sum(), np.full(len(outside), 1 / max(len(outside), 1))])
    two = logistic(both, np.stack([1 - is_command, is_command], 1), weights * len(both) / 2, RIDGE)
    prototypes, chatter_prototypes = _means(h, material.groups[use]), _means(outside, material.outside_groups[use_outside])
    return Wb[:, :-1], Wb[:, -1], prototypes, chatter_prototypes, two[1] - two[0]


def _means(h: Float32Array, groups: NDArray[np.int64]) -> Float32Array:
    """The mean embedding of each template, of length 1."""
    if not len(h):
        return h
    _, index = np.unique(groups, return_inverse=True)
    sums = np.zeros((index.max() + 1, h.shape[1]), np.float32)
    np.add.at(sums, index, h)
    return np.asarray(sums / np.linalg.norm(sums, axis=1, keepdims=True), np.float32)


def _temperature(logits: FloatArray, labels: NDArray[np.int64], weights: FloatArray) -> float:
    """What the logits are to be divided by for the held-out examples to be likeliest (Guo et al. 2017)."""
    from scipy.optimize import minimize_scalar

    def loss(log_t: float) -> float:
        scaled = logits / np.exp(log_t)
        return float(weights @ (log_sum_exp(scaled) - scaled[np.arange(len(labels)), labels]))

    return float(np.exp(minimize_scalar(loss, bounds=(-3.0, 3.0), method="bounded").x))


def _cooled(held_out: HeldOut, temperature: float) -> HeldOut:
    """With the temperature divided in, as in the finished head."""
    logits, features, outside = held_out.logits / temperature, held_out.features.copy(), held_out.outside_features.copy()
    features[:, 0] = log_sum_exp(logits)
    features[:, 1] /= temperature
    outside[:, 0] = log_sum_exp(held_out.outside_logits / temperature)
    outside[:, 1] /= temperature
    return replace(held_out, logits=logits, features=features, outside_features=outside)


def _scope_scale(held_out: HeldOut) -> FloatArray:
    """(F + 1,) weights of the features and the threshold, for log-odds that accept ACCEPTED of the held-out commands."""
    inside, outside, weights = held_out.features, held_out.outside_features, held_out.weights
    if not len(outside):
        return np.array([0.0, 1.0, 0.0, 0.0, 0.0, -_quantile(inside[:, 1], weights, 1 - ACCEPTED)])
    both = np.concatenate([inside, outside])
    mean, deviation = both.mean(0), both.std(0) + 1e-9
    targets = np.zeros((len(both), 2))
    targets[: len(inside), 1], targets[len(inside) :, 0] = 1.0, 1.0
    share = np.concatenate([weights / weights.sum(), np.full(len(outside), 1 / len(outside))])
    two = logistic((both - mean) / deviation, targets, share, 1e-3)
    slope = (two[1] - two[0])[:-1] / deviation
    return np.append(slope, -_quantile(inside @ slope, weights, 1 - ACCEPTED))


def _quantile(values: FloatArray, weights: FloatArray, share: float) -> float:
    order = np.argsort(values)
    return float(values[order][np.searchsorted(np.cumsum(weights[order]) / weights.sum(), share)])
