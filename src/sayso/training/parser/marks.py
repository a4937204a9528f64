"""Marked sentences: words, and labelled spans that nest.

`[tag words]` or `[tag:value words]` marks a span; marks/README.md explains the tags.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from sayso.errors import SaysoError
from sayso.intent.normalise import normalise
from sayso.intent.parser.chart import Structure
from sayso.intent.parser.labels import OTHER, VALUED, chain_of, group_of
from sayso.paths import config_dir
from sayso.yaml_source import read_plain

_PIECE = re.compile(r"\[(?P<tag>[a-z_]+(?::[^\s\]\[]+)?)(?=[\s\]\[])|(?P<end>\])|(?P<words>[^\[\]]+)")
_PUNCTUATION = ".,;:!?"


@dataclass(frozen=True, slots=True)
class MarkedSpan:
    """Words that mean something together."""

    label: str
    first: int  # word
    last: int
    value: str = ""  # of an act or a hint: the intent; of a question: its kind

    def moved(self, by: int) -> MarkedSpan:
        """The same span that many words later."""
        return replace(self, first=self.first + by, last=self.last + by)


@dataclass(frozen=True, slots=True)
class MarkedSentence:
    """Words and their spans; of spans with the same words, the outer one comes first."""

    words: tuple[str, ...]
    spans: tuple[MarkedSpan, ...]
    source: str = ""

    @property
    def structure(self) -> Structure:
        """(first, last) → chain of labels."""
        chains: dict[tuple[int, int], list[str]] = {}
        for span in self.spans:
            chains.setdefault((span.first, span.last), []).append(span.label)
        return {place: chain_of(labels) for place, labels in chains.items()}

    def values(self, label: str) -> dict[tuple[int, int], str]:
        """The values of the spans with that label."""
        return {(span.first, span.last): span.value for span in self.spans if span.label == label}

    def kept(self, keep: Callable[[int], bool]) -> MarkedSentence:
        """The sentence without some of its words; a span that loses all words goes with them."""
        places = [at for at in range(len(self.words)) if keep(at)]
        new = {old: at for at, old in enumerate(places)}
        spans = []
        for span in self.spans:
            inside = [new[at] for at in range(span.first, span.last + 1) if at in new]
            if inside:
                spans.append(replace(span, first=inside[0], last=inside[-1]))
        return replace(self, words=tuple(self.words[at] for at in places), spans=tuple(spans))

    def without_commas(self) -> MarkedSentence:
        """As a recogniser writes it."""
        return self.kept(lambda at: self.words[at] != ",")

    def followed_by(self, other: MarkedSentence, between: Sequence[str] = ()) -> MarkedSentence:
        """Both sentences in one."""
        by = len(self.words) + len(between)
        return replace(self, words=(*self.words, *between, *other.words), spans=(*self.spans, *(span.moved(by) for span in other.spans)))


@lru_cache(maxsize=1)
def intents() -> frozenset[str]:
    """The intents that a mark may name as a tag: the robot's own, and OTHER."""
    return frozenset((*read_plain(config_dir() / "intents.yaml")["intents"], OTHER))


def read_marks(line: str, source: str = "") -> MarkedSentence:
    """Read one line; words outside of all spans are `polite`, unless they only join.

    Raises:
        ValueError: the brackets do not match, or a tag is unknown.
    """
    words: list[str] = []
    opened: list[tuple[str, int, int]] = []  # tag, first word, place in `found`
    found: list[MarkedSpan | None] = []
    bare: list[tuple[int, int]] = []
    for piece in _PIECE.finditer(line):
        if piece["tag"]:
            opened.append((piece["tag"], len(words), len(found)))
            found.append(None)
        elif piece["end"]:
            if not opened:
                raise ValueError(f"a bracket closes that was not opened: {line}")
            tag, first, place = opened.pop()
            first, last = _without_edges(words, first)
            if last >= first:
                label, value = _label(tag)
                found[place] = MarkedSpan(label, first, last, value)
        else:
            new = _words(piece["words"])
            if not opened and any(word not in _JOINING for word in new):
                bare.append((len(words), len(words) + len(new) - 1))
            words += new
    if opened:
        raise ValueError(f"a bracket does not close: {line}")
    while words and words[-1] == ",":
        words.pop()
    spans = [*(span for span in found if span is not None), *(_courtesy(words, *each) for each in bare)]
    return MarkedSentence(tuple(words), tuple(sorted(spans, key=lambda span: (span.first, -span.last))), source)


def _courtesy(words: Sequence[str], first: int, last: int) -> MarkedSpan:
    """The span of words that nothing marks, without joining words at its edges."""
    inside = [at for at in range(first, min(last + 1, len(words))) if words[at] not in _JOINING]
    return MarkedSpan("polite", inside[0], inside[-1])


_JOINING = frozenset(("and", "then", "or", "but", "so", ","))


def read_files(paths: Sequence[Path]) -> Iterator[MarkedSentence]:
    """The sentences of those files, a line each; lines that begin with # are remarks.

    Raises:
        SaysoError: a file cannot be read, or a line is malformed.
    """
    for path in paths:
        try:
            lines = path.read_text(encoding="utf-8").splitlines()
        except (OSError, UnicodeDecodeError) as unreadable:
            raise SaysoError(f"{path} cannot be read: {unreadable}") from None
        for number, line in enumerate(lines, start=1):
            if line.strip() and not line.startswith("#"):
                try:
                    sentence = read_marks(line.strip(), f"{path.stem}:{number}")
                except ValueError as malformed:
                    raise SaysoError(f"{path.name}:{number}: {malformed}") from None
                if sentence.words:
                    yield sentence


def _label(tag: str) -> tuple[str, str]:
    """The label and value of a tag. The things of a home that roles of older marks name are left out: the parser knows no home.

    Raises:
        ValueError: there is no such tag.
    """
    name, _, value = tag.partition(":")
    if name in intents():
        return "act", name
    if name not in group_of():
        raise ValueError(f"no tag “{tag}”")
    return name, value.partition("=")[0] if name in VALUED else ""


def _without_edges(words: Sequence[str], first: int) -> tuple[int, int]:
    """The first and last word of a span that began there, without commas at its edges."""
    last = len(words) - 1
    while last >= first and words[last] == ",":
        last -= 1
    while first <= last and words[first] == ",":
        first += 1
    return first, last


def _words(text: str) -> list[str]:
    """The normalised words, with commas at the edges, where pieces of a sentence meet."""
    before = [","] if text.strip()[:1] in _PUNCTUATION and text.strip() else []
    after = [","] if text.strip()[-1:] in _PUNCTUATION and len(text.strip()) > 1 else []
    return [*before, *normalise(text).replace(",", " , ").split(), *after]
