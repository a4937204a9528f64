"""Sentences with their structure marked inline, in sentences/*.txt; the README beside them explains the marks."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from sayso.errors import SaysoError
from sayso.intent.grammar import word_set
from sayso.intent.normalise import normalise
from sayso.intent.structure import LAYERS
from sayso.intent.tags import Span, tags_of

FOLDER = Path(__file__).with_name("sentences")
MOODS = ("aside", "call", "retract", "old", "never", "always", "talk", "question")
CONDITIONS = ("if", "unless", "until", "when", "before", "after", "while", "time", "every", "for", "times")
ROLES = ("theme", "goal", "source", "recipient", "direction", "extent", "message", "state")
RESTRICTIONS = word_set(
    "on in under next_to left_of right_of behind in_front_of between with from not order quantity owner attribute purpose"
)
JOINTS = ("and", "and then", "then", ", then", ",", ", and", "and after that", "")
_PIECE = re.compile(r"\[(?P<tag>[^\s\]\[]+)\s|(?P<end>\])|(?P<words>[^\[\]]+)")
_PUNCTUATION = ".,;:!?"


@dataclass(frozen=True, slots=True)
class Marked:
    """A sentence and its spans, a tuple for each of LAYERS; spans of a layer do not overlap."""

    words: tuple[str, ...]
    layers: tuple[tuple[Span, ...], ...]

    def tags(self, labels: Sequence[Sequence[str]]) -> list[list[int]]:
        """The tag of each word in each layer."""
        return [tags_of(spans, names, len(self.words)) for spans, names in zip(self.layers, labels, strict=True)]

    def without_commas(self) -> Marked:
        """The sentence as a recogniser writes it."""
        kept = [at for at, word in enumerate(self.words) if word != ","]
        place = {old: new for new, old in enumerate(kept)}

        def moved(span: Span) -> Span | None:
            inside = [place[at] for at in range(span.first, span.last + 1) if at in place]
            return Span(span.label, inside[0], inside[-1]) if inside else None

        layers = tuple(tuple(filter(None, map(moved, spans))) for spans in self.layers)
        return Marked(tuple(self.words[at] for at in kept), layers)

    def joined(self, other: Marked, joint: str) -> Marked:
        """Both sentences in one, with those words between them."""
        between = _split(joint)
        by = len(self.words) + len(between)
        layers = tuple((*mine, *(span.moved(by) for span in theirs)) for mine, theirs in zip(self.layers, other.layers, strict=True))
        return Marked((*self.words, *between, *other.words), layers)


def marked(line: str) -> Marked:
    """Read one line.

    Raises:
        ValueError: the brackets do not match.
    """
    words: list[str] = []
    spans: list[tuple[int, str, Span]] = []  # (depth, layer, span)
    opened: list[tuple[str, int]] = []
    for piece in _PIECE.finditer(line):
        if piece["tag"]:
            opened.append((piece["tag"].partition(":")[0], len(words)))
        elif piece["end"]:
            if not opened:
                raise ValueError(f"a bracket closes that was not opened: {line}")
            tag, first = opened.pop()
            last = len(words) - 1 - (bool(words) and words[-1] == ",")
            if last >= first and tag not in RESTRICTIONS:
                spans.append((len(opened), _layer(tag), Span(tag, first, last)))
        else:
            words += _words(piece["words"])
    if opened:
        raise ValueError(f"a bracket does not close: {line}")
    return Marked(tuple(words), tuple(_flat(layer, spans) for layer in LAYERS))


def read_sentences(paths: Sequence[Path] = ()) -> Iterator[Marked]:
    """The sentences of those files; default: all.

    Raises:
        SaysoError: a file cannot be read, or a line is malformed.
    """
    for path in paths or sorted(FOLDER.glob("*.txt")):
        try:
            lines = path.read_text(encoding="utf-8").splitlines()
        except (OSError, UnicodeDecodeError) as unreadable:
            raise SaysoError(f"{path} cannot be read: {unreadable}") from None
        for number, line in enumerate(lines, start=1):
            if line.strip() and not line.startswith("#"):
                try:
                    yield marked(line.strip())
                except ValueError as malformed:
                    raise SaysoError(f"{path.name}:{number}: {malformed}") from None


def varied(sentences: Sequence[Marked], chance: Random, pairs: float) -> list[Marked]:
    """The sentences with and without commas, and requests joined in pairs: that many for each sentence."""
    requests = [each for each in sentences if _is_request(each)]
    joined = [chance.choice(requests).joined(chance.choice(requests), chance.choice(JOINTS)) for _ in range(int(pairs * len(sentences)))]
    found = [*sentences, *(each.without_commas() for each in (*sentences, *joined))]
    return [each for each in dict.fromkeys(found) if each.words]  # "um" has none


def _is_request(sentence: Marked) -> bool:
    acts, moods, conditions, _ = sentence.layers
    return bool(acts) and not conditions and all(span.label == "call" for span in moods)


def _words(text: str) -> list[str]:
    """The normalised words, with commas at the edges, where pieces of a sentence meet."""
    before = [","] if text.strip()[:1] in _PUNCTUATION and text.strip() else []
    after = [","] if text.strip()[-1:] in _PUNCTUATION and len(text.strip()) > 1 else []
    return [*before, *_split(normalise(text)), *after]


def _split(text: str) -> tuple[str, ...]:
    """The words of a normalised text; commas are words."""
    return tuple(text.replace(",", " , ").split())


def _layer(tag: str) -> str:
    for layer, labels in (("moods", MOODS), ("conditions", CONDITIONS), ("roles", ROLES)):
        if tag in labels:
            return layer
    return "acts"


def _flat(layer: str, spans: Sequence[tuple[int, str, Span]]) -> tuple[Span, ...]:
    """The spans of a layer without overlaps: of nested acts the inner ones count, of others the outer ones."""
    own = sorted(((depth, span) for depth, kind, span in spans if kind == layer), key=lambda pair: pair[0], reverse=layer == "acts")
    taken: set[int] = set()
    kept = []
    for _, span in own:
        places = set(range(span.first, span.last + 1))
        if not places & taken:
            kept.append(span)
            taken |= places
    return tuple(sorted(kept, key=lambda span: span.first))
