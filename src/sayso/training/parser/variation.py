"""Variations of marked sentences: fillers exchanged (after Jia & Liang 2016), requests joined, commas dropped, words around them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from random import Random

from sayso.intent.parser.labels import JOIN, group_of
from sayso.training.parser.marks import MarkedSentence, MarkedSpan
from sayso.yaml_source import read_plain

EXCHANGED = ("role", "condition", "time", "part")  # groups of spans that may change places with another of their label
LONGEST_JOINED = 14  # words of a request that another one may follow


@dataclass(frozen=True, slots=True)
class Chances:
    """How often a sentence is varied in each way."""

    exchange: float
    join: float
    no_commas: float
    around: float
    condition: float


@dataclass(frozen=True, slots=True)
class _Filler:
    """A span with its words and what lies within, counted from its first word."""

    words: tuple[str, ...]
    spans: tuple[MarkedSpan, ...]


class Variation:
    """Sentences → endless variations of them; the same chance gives the same ones."""

    def __init__(self, sentences: Sequence[MarkedSentence], chances: Chances) -> None:
        """Draw fillers, requests and conditions from these sentences."""
        self._chances = chances
        self._requests = [each for each in sentences if _is_request(each)]
        self._pieces: dict[tuple[str, str], list[_Filler]] = defaultdict(list)
        for sentence in sentences:
            for span in _exchangeable(sentence):
                piece = _cut(sentence, span)
                self._pieces[span.label, _act_around(sentence, span)].append(piece)
                self._pieces[span.label, ""].append(piece)

    def __call__(self, sentence: MarkedSentence, chance: Random) -> MarkedSentence:
        """One variation."""
        if chance.random() < self._chances.exchange:
            sentence = self._exchanged(sentence, chance)
            if chance.random() < 0.4:
                sentence = self._exchanged(sentence, chance)
        if _is_request(sentence) and len(sentence.words) < LONGEST_JOINED:
            if chance.random() < self._chances.join:
                sentence = self._joined(sentence, chance)
            if chance.random() < self._chances.condition and not any(group_of()[span.label] == "condition" for span in sentence.spans):
                sentence = self._conditioned(sentence, chance)
        if chance.random() < self._chances.no_commas:
            sentence = sentence.without_commas()
        if sentence.words and chance.random() < self._chances.around and _is_request(sentence):
            sentence = _surrounded(sentence, chance)
        return sentence

    def _exchanged(self, sentence: MarkedSentence, chance: Random) -> MarkedSentence:
        """Another filler of the same label, mostly one of the same intent."""
        spans = list(_exchangeable(sentence))
        if not spans:
            return sentence
        span = chance.choice(spans)
        own = self._pieces.get((span.label, _act_around(sentence, span)), [])
        pool = own if own and chance.random() < 0.8 else self._pieces.get((span.label, ""), [])
        return _replaced(sentence, span, chance.choice(pool)) if pool else sentence

    def _joined(self, sentence: MarkedSentence, chance: Random) -> MarkedSentence:
        other = chance.choice(self._requests)
        joint = chance.choice(_wordings()["joints"])
        marked = (
            [MarkedSpan("join", len(sentence.words), len(sentence.words) + len(joint.split()) - 1)]
            if joint in _wordings()["marked_joints"]
            else []
        )
        joined = sentence.followed_by(other, joint.split()) if len(other.words) < LONGEST_JOINED else sentence
        return replace(joined, spans=(*joined.spans, *marked)) if joined is not sentence else joined

    def _conditioned(self, sentence: MarkedSentence, chance: Random) -> MarkedSentence:
        """A condition or a time in front or behind."""
        label = chance.choice([name for name in group_of() if group_of()[name] in ("condition", "time") and name != "times"])
        pool = self._pieces.get((label, ""), [])
        if not pool:
            return sentence
        piece = chance.choice(pool)
        part = MarkedSentence(piece.words, piece.spans)
        if chance.random() < 0.5 and label not in ("until", "for"):
            return part.followed_by(sentence, [","] if chance.random() < 0.5 else [])
        return sentence.followed_by(part, [","] if chance.random() < 0.2 else [])


def _is_request(sentence: MarkedSentence) -> bool:
    """Whether other requests may follow: acts alone, with nothing around that would change their meaning."""
    outer = [span.label for span in sentence.spans if not any(_holds(other, span) for other in sentence.spans)]
    return "act" in outer and all(label in ("act", "polite", "join") for label in outer)


def _holds(outer: MarkedSpan, inner: MarkedSpan) -> bool:
    return (
        outer is not inner
        and outer.first <= inner.first
        and inner.last <= outer.last
        and (outer.first, outer.last) != (inner.first, inner.last)
    )


def _exchangeable(sentence: MarkedSentence) -> Iterable[MarkedSpan]:
    chains = sentence.structure
    return (span for span in sentence.spans if group_of()[span.label] in EXCHANGED and JOIN not in chains[span.first, span.last])


def _act_around(sentence: MarkedSentence, span: MarkedSpan) -> str:
    """The intent of the innermost act around a span."""
    acts = [(each.last - each.first, each.value) for each in sentence.spans if each.label == "act" and _holds(each, span)]
    return min(acts)[1] if acts else "-"


def _cut(sentence: MarkedSentence, span: MarkedSpan) -> _Filler:
    inside = tuple(each.moved(-span.first) for each in sentence.spans if span.first <= each.first and each.last <= span.last)
    return _Filler(sentence.words[span.first : span.last + 1], inside)


def _replaced(sentence: MarkedSentence, span: MarkedSpan, piece: _Filler) -> MarkedSentence:
    """The sentence with another piece in the place of a span."""
    by = len(piece.words) - (span.last - span.first + 1)
    spans = []
    for each in sentence.spans:
        if span.first <= each.first and each.last <= span.last:
            continue
        first = each.first + (by if each.first > span.last else 0)
        last = each.last + (by if each.last >= span.last else 0)
        spans.append(replace(each, first=first, last=last))
    spans += [each.moved(span.first) for each in piece.spans]
    words = (*sentence.words[: span.first], *piece.words, *sentence.words[span.last + 1 :])
    return replace(sentence, words=words, spans=tuple(sorted(spans, key=lambda each: (each.first, -each.last))))


def _surrounded(sentence: MarkedSentence, chance: Random) -> MarkedSentence:
    """Words of politeness, an address or a hesitation, in front or behind."""
    label, wording = chance.choice([(label, each) for label in ("polite", "filler", "call") for each in _wordings()[label]])
    words = tuple(wording.split())
    extra = MarkedSentence(words, (MarkedSpan(label, 0, len(words) - 1),))
    if label == "polite" and chance.random() < 0.6:
        return sentence.followed_by(extra)
    return extra.followed_by(sentence)


@lru_cache(maxsize=1)
def _wordings() -> dict[str, list[str]]:
    return dict(read_plain(Path(__file__).with_name("variation.yaml")))
