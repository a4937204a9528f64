"""Sentences of the RoboCup@Home grammars with their meanings, from benchmarks/meaning/gpsr.yaml, which explains the rules."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import yaml

from _meaning_actions import reduced
from _meaning_labels import Expression, Label, LabelledAct, as_label
from sayso.domain import Domain
from sayso.intent.gazetteer import CONTRASTS

HERE = Path(__file__).parent / "meaning"
_SYMBOL = re.compile(r"\$(\w+)|\{(\w+)\}")
_PRONOUN = re.compile(r"=(it|him)\b")
DRAWS = 400  # random sentences for each form
TRIES = 20  # derivations, if the home lacks what a rule speaks of
PER_TEMPLATE = 4
_TWO_WAYS = {"accompany": ("follow", "guide"), "retrieve": ("pick_up", "bring")}
Rules = Mapping[str, Sequence[Any]]
SlotNames = Mapping[str, Mapping[str, str]]  # slot → words → value


@dataclass(frozen=True, slots=True)
class GrammarPhrase:
    """What a rule became: words and their meaning."""

    text: str
    template: str  # with verbs and slots not filled
    value: str
    do: tuple[str, ...] = ()
    or_do: tuple[tuple[str, ...], ...] = ()
    keep: tuple[str, ...] = ()
    question: tuple[str, ...] = ()
    slots: Mapping[str, str] = field(default_factory=dict)  # slot → id
    used: frozenset[tuple[str, int]] = frozenset()  # (rule, alternative)


@dataclass(frozen=True, slots=True)
class _RandomDerivation:
    """Random sentences of one grammar."""

    rules: Rules
    names: SlotNames
    chance: Random

    def possible(self, rule: str) -> GrammarPhrase | None:
        """A random phrase of the rule that the home has names for; None if none was found."""
        for _ in range(TRIES):
            try:
                return self.phrase(rule)
            except IndexError:  # no name is left for a slot
                continue
        return None

    def phrase(self, rule: str) -> GrammarPhrase:
        """A random phrase of the rule."""
        sides = self.rules[rule]
        index = self.chance.randrange(len(sides))
        side = sides[index] if isinstance(sides[index], dict) else {"say": sides[index]}
        inner: dict[str, GrammarPhrase] = {}
        slots: dict[str, str] = {}
        texts: dict[str, str] = {}
        for match in _SYMBOL.finditer(str(side["say"])):
            name, slot = match.groups()
            if name:
                inner[name] = self.phrase(name if name in self.rules else name.rstrip("0123456789"))
            else:
                texts[slot], slots[slot] = self._drawn(slot, texts)
        everything = {key: value for each in inner.values() for key, value in each.slots.items()} | slots
        fill = _SlotFilling(inner, everything)
        text = _SYMBOL.sub(lambda m: inner[m[1]].text if m[1] else texts[m[2]], str(side["say"]))
        template = _SYMBOL.sub(lambda m: self._form(m[1], inner[m[1]]) if m[1] else m[0], str(side["say"]))
        do = fill.acts(side["do"]) if "do" in side else tuple(act for each in inner.values() for act in each.do)
        return GrammarPhrase(
            text=text,
            template=template,
            value=fill(side["as"]) if "as" in side else _inner_value(str(side["say"]), inner, text),
            do=do,
            or_do=tuple(fill.acts(each) for each in side.get("or_do", ())) or tuple(alt for each in inner.values() for alt in each.or_do),
            keep=(*map(fill, side.get("keep", ())), *(keep for each in inner.values() for keep in each.keep)),
            question=(*map(fill, side.get("question", ())), *(one for each in inner.values() for one in each.question)),
            slots=everything,
            used=frozenset({(rule, index)}).union(*(each.used for each in inner.values())),
        )

    def _drawn(self, slot: str, taken: Mapping[str, str]) -> tuple[str, str]:
        names = self.names[slot if slot in self.names else slot.rstrip("0123456789")]
        words = self.chance.choice([each for each in names if each not in taken.values()])
        return words, names[words]

    def _form(self, name: str, inner: GrammarPhrase) -> str:
        """The template of an inner phrase; rules of words alone, such as verbs, keep their name."""
        sides = self.rules[name if name in self.rules else name.rstrip("0123456789")]
        return f"${name}" if all(isinstance(side, str) and "$" not in side for side in sides) else inner.template


def _inner_value(say: str, inner: Mapping[str, GrammarPhrase], text: str) -> str:
    """The value of a rule that is only another rule's name; else its words."""
    return inner[say[1:]].value if say[1:] in inner else text


@dataclass(frozen=True, slots=True)
class _SlotFilling:
    """Replaces slots and rules in a meaning."""

    inner: Mapping[str, GrammarPhrase]
    slots: Mapping[str, str]

    def __call__(self, text: str) -> str:
        return _SYMBOL.sub(lambda m: self.inner[m[1]].value if m[1] else self.slots[m[2]], str(text))

    def acts(self, texts: Sequence[str]) -> tuple[str, ...]:
        found: list[str] = []
        for text in texts:
            held = self.inner.get(text[1:]) if text.startswith("$") else None
            found += held.do if held else [self(text)]
        return tuple(found)


def gpsr_labels(domain: Domain, per_form: int, seed: int = 0) -> list[Label]:
    """For each form of both grammars up to `per_form` sentences, of as many templates as there are; `about` is the form."""
    found: list[Label] = []
    for grammar, form, phrases in gpsr_phrases(domain, seed):
        seen: Counter[str] = Counter()
        ranked = []
        for phrase in {each.text: each for each in phrases}.values():
            if seen[phrase.template] < PER_TEMPLATE:
                ranked.append((seen[phrase.template], len(ranked), phrase))
            seen[phrase.template] += 1
        found += [gpsr_label(phrase, f"{grammar} {form}") for _, _, phrase in sorted(ranked, key=lambda each: each[:2])[:per_form]]
    return found


def gpsr_phrases(
    domain: Domain, seed: int = 0, names: SlotNames | None = None, draws: int = DRAWS
) -> Iterator[tuple[str, str, list[GrammarPhrase]]]:
    """(grammar, form, random phrases): the forms are the alternatives of `task`.

    `names`: of the home, by slot; None: those of gpsr_home.yaml. Where a slot has none, phrases with it are left out.
    """
    content = yaml.safe_load((HERE / "gpsr.yaml").read_text(encoding="utf-8"))
    names = names or _names(domain, content["slots"])
    for grammar in ("gpsr", "egpsr"):
        rules = content["common"] | content[grammar]
        chance = Random(f"{seed} {grammar}")
        derive = _RandomDerivation(rules, names, chance)
        for form in rules["task"]:
            phrases = [_polite(phrase, derive) for _ in range(draws) if (phrase := derive.possible(form[1:])) is not None]
            yield grammar, form[1:], phrases


def is_unseen(template: str) -> bool:
    """Whether the template is one of the fourth that nobody looks at."""
    return hashlib.sha256(template.encode()).digest()[0] % 4 == 0


def _polite(phrase: GrammarPhrase, derive: _RandomDerivation) -> GrammarPhrase:
    """With a polite word before it, or after it in the extended grammar."""
    words = derive.phrase("polite").text if derive.chance.random() < 0.5 else ""
    return replace(phrase, text=f"{words} {phrase.text}".strip())


def gpsr_label(phrase: GrammarPhrase, about: str) -> Label:
    """The meaning of a phrase; `about` is its form."""
    entry: dict[str, Any] = {"say": phrase.text, "about": about, "keep": list(phrase.keep), "question": list(phrase.question)}
    entry["do"] = _resolved(_two_ways(phrase, phrase.do))
    entry["or_do"] = [_resolved(_two_ways(phrase, each)) for each in phrase.or_do]
    label = as_label(entry, phrase.template)
    everything = [_with_plurals(phrase, sequence) for sequence in label.do]
    if not any(plural for _, plural in everything):
        return label
    return replace(label, do=tuple(each for sequences, _ in everything for each in sequences), keep=(*label.keep, Expression("all")))


def _two_ways(phrase: GrammarPhrase, acts: Sequence[str]) -> list[str]:
    """The acts of verbs that mean either of two, as both: "accompany" (to follow, to guide), "retrieve" (to take, to bring)."""
    found = list(acts)
    for verb, (one, other) in _TWO_WAYS.items():
        for at, act in enumerate(acts):
            theme = re.search(r"theme=([^,)]+)", act)
            said = f"{verb} the {theme[1].split('|')[-1].replace('_', ' ')}" if theme else verb
            if act.startswith(f"{one}(") and said in phrase.text:
                found[at] = f"{one}|{other}{act.removeprefix(one)}"
    return found


def _with_plurals(phrase: GrammarPhrase, sequence: Sequence[LabelledAct]) -> tuple[list[tuple[LabelledAct, ...]], bool]:
    """The acts with "the drinks" as any number of drinks, since all are meant that are there; and whether there is such a plural.

    "It" after "the drinks" is as many of them.
    """
    acts = reduced(sequence)
    plural = dict.fromkeys(values for act in acts if (values := act.values("theme")) and _is_plural(phrase.text, values))
    found = []
    for counts in product(*(range(1, len(values)) for values in plural)):
        times = dict(zip(plural, counts, strict=True))
        found.append(tuple(act for act in acts for _ in range(times.get(act.values("theme"), 1))))
    return found, bool(plural)


def _is_plural(text: str, values: Sequence[str]) -> bool:
    """Whether the text speaks of all of a category: "the drinks", "the red drinks"; not "the biggest drinks", "the cutlery"."""
    word, colours = values[-1], "|".join(sorted(CONTRASTS))
    return len(values) > 1 and word.endswith("s") and re.search(rf"\bthe (?:(?:{colours}) )?{word}\b", text) is not None


def _resolved(acts: Sequence[str]) -> list[str]:
    """The acts with "it" and "him" replaced by the last thing and person."""
    last: dict[str, str] = {}
    found = []
    for act in acts:
        text = _PRONOUN.sub(lambda match: f"={last.get(match[1], '?')}", act)
        for roles, value in re.findall(r"([\w|]+)=([^,)]+)", text):
            if "recipient" in roles:
                last["him"] = value
            elif roles == "theme":
                last["it"] = last["him"] = value
        found.append(text)
    return found


def members_of(word: str, things: Sequence[str]) -> str:
    """The value of a category's word: any of its things, or the word itself."""
    return "|".join([*things, word])


def _names(domain: Domain, slots: Mapping[str, Any]) -> dict[str, dict[str, str]]:
    """Slot → words → the value in a meaning; for a category any of its things, or the word itself."""
    things = {each.spoken(name): (name, each.category) for name, each in domain.objects.items()}
    places = {each.spoken(name): (name, each) for name, each in domain.places.items()}
    members = {word: members_of(word, [name for name, kind in things.values() if kind == kept]) for word, kept in slots["category"].items()}

    def of(*categories: str) -> dict[str, str]:
        return {words: name for words, (name, category) in things.items() if category in categories}

    every = {words: name for words, (name, _) in things.items()}
    return {
        "object": every,
        "aobject": of("fruit"),
        "kobject": {words: name for words, name in every.items() if name not in of("fruit", "container").values()},
        "sobject": of("container"),
        "drink": of("drink"),
        "tableware": of("tableware"),
        "cutlery": of("cutlery"),
        "category": members,
        "room": {words: name for words, (name, place) in places.items() if place.kind == "room"},
        "placement": {words: name for words, (name, place) in places.items() if place.surface and name not in slots["storage"]},
        "name": {each.spoken(name): name for name, each in domain.people.items() if name != domain.speaker},
        "gesture": {each: each for each in slots["gesture"]},
        **{slot: {domain.entity(name).spoken(name): name for name in slots[slot]} for slot in ("beacon", "storage", "bowl")},  # type: ignore[union-attr]
    }
