"""Sentences with described people and things, made from the home's examples: "follow the woman in the red coat".

The examples of the intents have names in their slots. Here a slot for a person or an object takes a description instead, as the rules of
describing.yaml make it from the words of english.yaml and of the home. People also ask for several things in one sentence.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path

from sayso.domain.english import WORDS, PeopleNouns, Phrases, english
from sayso.domain.model import Domain
from sayso.domain.sentences import expanded
from sayso.domain.wording import plural
from sayso.looks import COLOURS
from sayso.yaml_source import StrictModel, read_yaml

PER_EXAMPLE, PER_PARAPHRASE, PER_RULE = 24, 3, 320
JOINED = 16_000  # sentences of two or three clauses
THREE = 0.5  # share of these that has three
MORE_LINKS = ("and", "and", "then", "and then", "")  # before the last clause; "" is a comma, of which a recogniser hears a pause at most
_RULES = Path(__file__).with_name("describing.yaml")
_CHOICE = re.compile(r"\(([^()<>]*(?:<[a-z]+>[^()<>]*)*)\)")
_RULE = re.compile(r"<([a-z]+)>")
_PERSON = re.compile(r"\{person\}")
_OBJECT = re.compile(r"(?:\b(?:the|an?|my|your) )?\{object(?::[a-z]+)?\}")
_COUNTED = re.compile(r"(many|which|what|number of) $")


def described(domain: Domain, seed: int = 0) -> Iterator[str]:
    """Single commands with descriptions, then commands of several clauses with names and descriptions."""
    chance = random.Random(f"{seed} described")
    rules = _Rules(domain, chance)
    single = [text for text in _single(domain, rules, chance) if text]
    yield from single
    if not single:
        return
    named = [text for intent, template in _templates(domain) for text in _filled(domain, intent, template, chance)]
    for _ in range(JOINED):
        count = 3 if chance.random() < THREE else 2
        clauses = [chance.choice(named if chance.random() < 0.5 else single) for _ in range(count)]
        yield _joined(clauses, chance)


def _single(domain: Domain, rules: _Rules, chance: random.Random) -> Iterator[str]:
    for intent, spec in domain.intents.items():
        for templates, number in ((spec.examples, PER_EXAMPLE), (spec.paraphrases, PER_PARAPHRASE)):
            for template in templates:
                slots = bool(_PERSON.search(template) or _OBJECT.search(template))
                for _ in range(number if slots else 1):
                    yield from _filled(domain, intent, rules.described(template), chance)
        for template in _written().sentences.get(intent, ()):
            for _ in range(PER_RULE):
                yield from _filled(domain, intent, rules.drawn(template), chance)


def _templates(domain: Domain) -> list[tuple[str, str]]:
    return [(intent, template) for intent, spec in domain.intents.items() for template in spec.examples]


def _filled(domain: Domain, intent: str, template: str, chance: random.Random) -> Iterator[str]:
    return (sentence.text for sentence in expanded(domain, intent, template, 1, chance))


def _joined(clauses: Sequence[str], chance: random.Random) -> str:
    text = clauses[0]
    for index, clause in enumerate(clauses[1:], 2):
        link = chance.choice(MORE_LINKS) if index == len(clauses) else chance.choice(("", "", "and"))
        text += f" {link} {clause}" if link else f" {clause}"
    return text


def sources() -> tuple[Path, ...]:
    """The files with rules and words."""
    return (_RULES, WORDS)


class _Rules:
    """Draws phrases by the rules, with the words of a home."""

    def __init__(self, domain: Domain, chance: random.Random) -> None:
        self._chance = chance
        self._lines = {**_written().rules, **_words_of(domain)}

    def lines(self, rule: str) -> Sequence[str]:
        """The alternatives of a rule; none if the home has no words for it."""
        return self._lines.get(rule, ())

    def described(self, template: str) -> str:
        """An example with descriptions instead of names of people and things."""
        template = _PERSON.sub(lambda _: self.drawn("<who>"), template)
        return _OBJECT.sub(lambda found: self.drawn("<things>" if _COUNTED.search(template[: found.start()]) else "<what>"), template)

    def drawn(self, text: str) -> str:
        """The text with alternatives and rules chosen; empty if a rule has no words here."""
        while found := _CHOICE.search(text) or _RULE.search(text):
            lines = found[1].split("|") if text[found.start()] == "(" else self.lines(found[1])
            if not lines:
                return ""
            text = text[: found.start()] + self._chance.choice(lines) + text[found.end() :]
        return " ".join(text.split())


class _Written(StrictModel):
    """describing.yaml: `sentences` of an intent, and the rules."""

    sentences: dict[str, Phrases]
    rules: dict[str, Phrases]


@lru_cache(maxsize=1)
def _written() -> _Written:
    return read_yaml(_RULES, "how people describe people and things").checked(_Written)


def _words_of(domain: Domain) -> dict[str, Phrases]:
    """The rules that english.yaml and the home fill."""
    words = english()
    kinds = tuple(dict.fromkeys(thing.category for thing in domain.objects.values()))
    uses = {use for thing in domain.objects.values() for use in thing.uses}
    being: list[PeopleNouns] = list(words.being.values())
    return {
        "anybody": words.anybody.one,
        "everybody": words.anybody.many,
        "man": tuple(noun for each in being for noun in each.one),
        "men": tuple(noun for each in being for noun in each.many),
        "doing": tuple(phrase for phrases in words.doing.values() for phrase in phrases),
        "garment": tuple(name for names in words.garments.values() for name in names if "-" not in name),
        "colour": (*COLOURS, *words.colours),
        "superlative": tuple(word for each in words.superlatives.values() for word in each),
        "kind": kinds,
        "kinds": tuple(map(plural, kinds)),
        "use": tuple(sorted(uses)),
        "uses": tuple(noun for verb, nouns in sorted(words.purposes.items()) if verb in uses for noun in nouns),
    }
