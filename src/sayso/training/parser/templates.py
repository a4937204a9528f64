"""Marked sentences drawn from templates.yaml, whose head explains how a template is written."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import accumulate
from pathlib import Path
from random import Random

from sayso.errors import SaysoError
from sayso.training.parser.marks import MarkedSentence, read_marks
from sayso.yaml_source import read_plain

FILE = Path(__file__).with_name("templates.yaml")
_SLOT = re.compile(r"\{(?P<name>\w+)(?::(?P<label>\w+))?(?:<(?P<opener>\w+))?\}")
_WEIGHTED = re.compile(r"(?P<weight>\d+)\*\s*(?P<template>.*)")
_INTENT = re.compile(r"\[[a-z_]+(?= )")
_ARTICLE = re.compile(
    r"\b([aA])(?=(?: \[[a-z_:]+)* (?:[aei]|o(?!ne\b)|u(?!ni|s)|hour))"
)  # "an hour", "a uniform", "an [attribute old] cup"
_SPACES = re.compile(r"\s+(?=[ ,.?!\]])")
_TRIES = 50  # draws for a slot that must differ from another


@dataclass(frozen=True)
class Alternatives:
    """Templates that may stand for one name, some more often than others."""

    templates: tuple[str, ...]
    weights: tuple[int, ...]
    sums: tuple[int, ...] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "sums", tuple(accumulate(self.weights)))

    @classmethod
    def of(cls, lines: Sequence[str]) -> Alternatives:
        """From lines, of which some begin with their weight: "3* go to {place}"."""
        found = [_WEIGHTED.fullmatch(line) for line in lines]
        templates = tuple(weighted["template"] if weighted else line for weighted, line in zip(found, lines, strict=True))
        return cls(templates, tuple(int(weighted["weight"]) if weighted else 1 for weighted in found))

    def drawn(self, random: Random) -> str:
        """One of them."""
        return random.choices(self.templates, cum_weights=self.sums)[0]


@dataclass(frozen=True)
class Templates:
    """The names that slots may have, and the templates of whole sentences by group."""

    named: Mapping[str, Alternatives]
    sentences: Mapping[str, Alternatives]
    groups: Alternatives  # names of groups of sentences

    @classmethod
    def read(cls, path: Path) -> Templates:
        """Read a file.

        Raises:
            SaysoError: it cannot be read, or a template has a slot with an unknown name.
        """
        content = read_plain(path)
        named = {name: Alternatives.of([word.strip() for word in words.split(",")]) for name, words in content["words"].items()}
        named |= {name: Alternatives.of(_lines(text)) for name, text in content["phrases"].items()}
        sentences = {group: Alternatives.of(_lines(each["templates"])) for group, each in content["sentences"].items()}
        for choice in (*named.values(), *sentences.values()):
            for template in choice.templates:
                _check_names(template, named, path)
        return cls(named, sentences, Alternatives(tuple(sentences), tuple(int(each["weight"]) for each in content["sentences"].values())))

    def drawn(self, random: Random) -> MarkedSentence:
        """A sentence.

        Raises:
            SaysoError: its template has brackets that do not match, or an unknown tag.
        """
        group = self.groups.drawn(random)
        template = self.sentences[group].drawn(random)
        line = _SPACES.sub("", _ARTICLE.sub(r"\1n", self._expanded(template, random))).strip()
        try:
            return read_marks(line, f"templates:{group}")
        except ValueError as malformed:
            raise SaysoError(f"{FILE.name}: “{template}”: {malformed}") from None

    def _expanded(self, template: str, random: Random) -> str:
        """The template with all slots filled. Slots with the same name and label are filled alike, those with another label differently."""
        held: dict[str, dict[str, str]] = {}

        def filled(slot: re.Match[str]) -> str:
            name, label, opener = slot["name"], slot["label"], slot["opener"]
            labelled = held.setdefault(name, {})
            words = labelled[label] if label in labelled else self._other_than(set(labelled.values()), name, random)
            if label:
                labelled[label] = words
            if opener:
                words = _INTENT.sub(lambda intent: f"{intent[0]} {self._filled(opener, random)}", words, count=1)
            return words

        return _SLOT.sub(filled, template)

    def _filled(self, name: str, random: Random) -> str:
        return self._expanded(self.named[name].drawn(random), random)

    def _other_than(self, taken: set[str], name: str, random: Random) -> str:
        words = self._filled(name, random)
        for _ in range(_TRIES):
            if words not in taken:
                break
            words = self._filled(name, random)
        return words


@lru_cache(maxsize=1)
def shipped() -> Templates:
    """Those of templates.yaml."""
    return Templates.read(FILE)


def generate(count: int, seed: int) -> Iterator[MarkedSentence]:
    """That many sentences, the same for the same seed.

    Raises:
        SaysoError: templates.yaml has a mistake; the message names the template.
    """
    random = Random(seed)
    templates = shipped()
    for _ in range(count):
        yield templates.drawn(random)


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]


def _check_names(template: str, named: Mapping[str, Alternatives], path: Path) -> None:
    """Raises SaysoError for a slot whose name is in no list."""
    for slot in _SLOT.finditer(template):
        for name in (slot["name"], slot["opener"]):
            if name and name not in named:
                raise SaysoError(f"{path.name}: “{template}” names {{{name}}}, which is neither in words nor in phrases")
    rest = _SLOT.sub("", template)
    if "{" in rest or "}" in rest:
        raise SaysoError(f"{path.name}: “{template}” has a malformed slot; write {{name}}, {{name:label}} or {{name<opener}}")
