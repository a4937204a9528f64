"""What the clauses of recast.yaml say: their patterns over chunks, and the ways in which a sentence falls into such clauses."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from sayso.intent.meaning.chunks import PERSON, PLACE, REFERRED, SOMEBODY, SPEAKER, THERE, THING, Chunk
from sayso.intent.meaning.lists import tables
from sayso.intent.meaning.sentence_words import Reading

COMMAND = "command"
SEPARATORS = frozenset((",", "and", "but", "so", "then", "while", "whereas", "plus", "also", "please"))
_VERB = "V"
_AFTER_COMMAND = frozenset(("same",))  # kinds that may follow a command without a finite verb
_MOST = 60  # readings of a sentence that are tried
_LONGEST = 18  # chunks of a clause


@dataclass(frozen=True, slots=True)
class Pattern:
    """A clause of recast.yaml."""

    kind: str
    says: re.Pattern[str]
    hint: bool  # it only suggests an act
    alone: bool  # it is read so without other clauses too
    bare: bool  # without a verb
    finite: bool  # it may follow a command
    after: str  # the kind of clause that must precede it


@dataclass(frozen=True, slots=True)
class ClauseFrame:
    """A clause of a sentence: what fills its groups."""

    kind: str
    chunks: tuple[Chunk, ...]  # all of them
    groups: dict[str, tuple[Chunk, ...]]
    pattern: Pattern | None = None  # of a command: None

    def group(self, name: str) -> tuple[Chunk, ...]:
        """The chunks of a group; empty if it is absent."""
        return self.groups.get(name, ())


@lru_cache(maxsize=1)
def patterns() -> tuple[Pattern, ...]:
    """The clauses of recast.yaml in their order."""
    loaded = tables("recast.yaml")
    return tuple(_pattern(rule, loaded["patterns"]) for rule in loaded["clauses"])


@lru_cache(maxsize=1)
def _vocabulary() -> frozenset[str]:
    """The words and kinds of chunks that the patterns hold; no other one is in a clause, except for its verb."""
    words = frozenset(word for pattern in patterns() for word in re.findall(r"[a-z']+", pattern.says.pattern))
    return words | frozenset((THING, PLACE, PERSON, REFERRED, SOMEBODY, SPEAKER, THERE, ","))


def _pattern(rule: dict[str, Any], parts: dict[str, str]) -> Pattern:
    says = str(rule["says"])
    for _ in range(3):  # patterns hold patterns
        for name, text in parts.items():
            says = says.replace("{" + name + "}", " ".join(text.split()).replace("| ", "|"))
    flags = {name: bool(rule.get(name)) for name in ("hint", "alone", "bare", "finite")}
    return Pattern(str(rule["kind"]), re.compile(says), **flags, after=str(rule.get("after", "")))


class Parser:
    """Divides the chunks of some neighbouring clauses into frames."""

    def __init__(self, reading: Reading, chunks: Sequence[Chunk], starts: Sequence[int]) -> None:
        """For chunks; `starts` are the indices of the words with which a clause was found to begin."""
        self._reading, self._chunks = reading, tuple(chunks)
        self._tokens = [chunk.kind for chunk in chunks]
        self._starts = frozenset(starts)
        self._matched: dict[tuple[int, int], list[ClauseFrame]] = {}
        self._left = _MOST
        self._dead: set[tuple[int, str]] = set()  # where no division of the rest exists after a clause of that kind

    def __call__(self) -> Iterator[tuple[ClauseFrame, ...]]:
        """The ways to divide the chunks, likeliest first."""
        yield from self._from(self._after_separators(0), ())

    def _from(self, at: int, before: tuple[ClauseFrame, ...]) -> Iterator[tuple[ClauseFrame, ...]]:
        if at >= len(self._chunks):
            self._left -= 1
            yield before
            return
        state = (at, before[-1].kind if before else "")
        if state in self._dead:
            return
        found = False
        for frame, end in self._frames(at, before):
            if self._left <= 0:
                return
            for frames in self._from(self._after_separators(end), (*before, frame)):
                found = True
                yield frames
        if not found:
            self._dead.add(state)

    def _after_separators(self, at: int) -> int:
        while at < len(self._tokens) and self._tokens[at] in SEPARATORS:
            at += 1
        return at

    def _frames(self, at: int, before: tuple[ClauseFrame, ...]) -> Iterator[tuple[ClauseFrame, int]]:
        last = before[-1] if before else None
        known = _vocabulary()
        stop = next((n for n in range(at + 1, min(len(self._tokens), at + _LONGEST)) if self._tokens[n] not in known), None)
        for end in range(min(len(self._tokens), at + _LONGEST) if stop is None else stop, at, -1):
            for frame in self._matching(at, end):
                if frame.pattern is not None and _may_follow(frame.pattern, last):
                    yield frame, end
        for end in self._command_ends(at, last):
            chunks = self._chunks[at:end]
            yield ClauseFrame(COMMAND, chunks, {}), end

    def _matching(self, at: int, end: int) -> list[ClauseFrame]:
        if (at, end) not in self._matched:
            self._matched[at, end] = list(self._read(at, end))
        return self._matched[at, end]

    def _read(self, at: int, end: int) -> Iterator[ClauseFrame]:
        chunks, tokens = self._chunks[at:end], self._tokens[at:end]
        texts = [" ".join(tokens)] if tokens[0] in _vocabulary() else []
        if chunks[0].at[0] in self._starts and self._reading.verb(chunks[0].at[0]):
            texts.append(" ".join([_VERB, *tokens[1:]]))
        for pattern in patterns():
            for text in texts:
                if match := pattern.says.fullmatch(text):
                    yield ClauseFrame(pattern.kind, chunks, _groups(text, match, chunks), pattern)

    def _command_ends(self, at: int, last: ClauseFrame | None) -> Iterator[int]:
        """Where a command that begins there may end: at the next clause, or before a link."""
        first = self._chunks[at].at[0]
        after_topic = last is not None and last.kind != COMMAND and self._reading.imperative(first)
        linked = at > 0 and self._tokens[at - 1] in SEPARATORS
        if not (first in self._starts or after_topic or linked) or not self._reading.request(first):
            return
        for end in range(at + 1, len(self._chunks) + 1):
            begins = end < len(self._chunks) and self._chunks[end].at[0] in self._starts
            same = end < len(self._chunks) and any(frame.kind == "same" for frame in self._matching(end, len(self._chunks)))
            if end == len(self._chunks) or begins or same or self._tokens[end] in SEPARATORS:
                yield end
            if begins:
                return


def _may_follow(pattern: Pattern, last: ClauseFrame | None) -> bool:
    """Whether a clause of that pattern may follow."""
    if last is not None and last.kind == COMMAND and not (pattern.finite or pattern.kind in _AFTER_COMMAND):
        return False
    if last is not None and last.kind == "topic" and pattern.bare and pattern.kind == "put":
        return False  # "there's a cup in the sink and a plate on the desk" speaks of both
    return not pattern.after or (last is not None and last.kind == pattern.after)


def _groups(text: str, match: re.Match[str], chunks: Sequence[Chunk]) -> dict[str, tuple[Chunk, ...]]:
    """The chunks of each group."""
    found: dict[str, tuple[Chunk, ...]] = {}
    for name, said in match.groupdict().items():
        if said is not None:
            first = text[: match.start(name) + len(said) - len(said.lstrip())].count(" ")
            found[name] = tuple(chunks[first : first + len(said.split())])
    return found
