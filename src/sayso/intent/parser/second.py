"""A second opinion: how probable it is, by the parser, that a sentence says what its clauses say.

The clauses come from the stage's first reader, which shares only the normalised text with the parser. Both are reduced to what
can be compared: the acts that are asked for, what restrains them, and the head of each role. The opinion is the share of the parser's
mass whose readings say the same.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from sayso.intent.grammar import PERSON_PRONOUNS, SPEAKER, THING_PRONOUNS
from sayso.intent.parser.labels import group_of
from sayso.intent.parser.tree import ParsedSentence, SpanNode
from sayso.types import Clause, Role
from sayso.yaml_source import read_plain

ROLES = ("theme", "goal", "source", "via", "recipient", "direction", "extent", "message")
POINTING = THING_PRONOUNS | PERSON_PRONOUNS | SPEAKER | {"there", "here", "you"}
# Nothing within is asked for.
WITHOUT_ACTS = (
    "old",
    "never",
    "fact",
    "talk",
    "answers",
    "unclear",
    "hint",
    "aside",
    "where_it_is",
    "call",
    "message",
)  # nothing within is asked for


@dataclass(frozen=True, slots=True)
class Gist:
    """What can be compared of a reading."""

    acts: Counter[str]  # kinds of deeds, "question"
    restraints: Counter[str]  # conditions, times, rules
    heads: frozenset[tuple[str, str]]  # (role, last word of its phrase without restrictions)
    phrases: tuple[tuple[str, frozenset[str]], ...]  # (role, its words)


def p_gist(readings: Sequence[ParsedSentence], clauses: Sequence[Clause]) -> float:
    """P(the sentence says about what these clauses say): the mass of those readings that do."""
    own = _of_clauses(clauses)
    found = 0.0
    for reading in readings:
        other = _of_reading(reading)
        restrained = set(other.restraints) <= set(own.restraints)  # what restrains more than was said does no harm
        found += reading.p * (restrained and _same_acts(own, other) and _same_roles(own, other))
    return found


def _same_acts(own: Gist, other: Gist) -> bool:
    """Whether they are the same deeds, or the other's are but steps of them. How often is for the roles: a list may be several acts."""
    explained = set(other.acts) | {whole for step, whole in _steps() if other.acts[step]}
    return set(_merged(own.acts + other.acts)) == set(own.acts) <= explained


def _same_roles(own: Gist, other: Gist) -> bool:
    """Whether each head of a role stands in a phrase of that role on the other side, in both directions."""
    return all(_met(own.heads, other.phrases)) and all(_met(other.heads, own.phrases))


def _met(heads: Iterable[tuple[str, str]], phrases: Sequence[tuple[str, frozenset[str]]]) -> Iterator[bool]:
    for role, head in heads:
        alike = _alike().get(role, role)
        yield any(_alike().get(name, name) == alike and head in words for name, words in phrases)


def _of_clauses(clauses: Sequence[Clause]) -> Gist:
    acts: Counter[str] = Counter()
    restraints: Counter[str] = Counter()
    phrases: list[tuple[str, frozenset[str]]] = []
    heads: set[tuple[str, str]] = set()
    for clause in clauses:
        modifiers = clause.modifiers
        if modifiers.mood == "retracted":
            continue
        forbidden = modifiers.mood in ("rule", "prohibition") or clause.negated
        if forbidden:
            restraints["never"] += 1
        elif modifiers.mood == "hint":
            acts["hint"] += 1
        else:
            acts["question" if modifiers.mood == "question" else _deed(clause.intent)] += 1
        restraints.update(condition.kind for condition in modifiers.conditions)
        restraints.update(_kind_of_time(timing.kind) for timing in modifiers.timings)
        if modifiers.repeat > 1:
            restraints["times"] += 1
        for role in () if forbidden else clause.roles:  # as in the other reading: what is not to be done has no roles to compare
            if role.name in ROLES and role.text and role.end > role.start:
                described = _parts(role)
                phrases.append((role.name, frozenset(word for text, _ in described for word in text.split())))
                heads |= {(role.name, _head(text.split(), noun)) for text, noun in described if not _points(text.split())}
    return Gist(_merged(acts), restraints, frozenset(heads), tuple(phrases))


def _parts(role: Role) -> list[tuple[str, str]]:
    """(words as said, noun) of each thing of a role."""
    description = role.description
    if description is None:
        return [(role.text, "")]
    return [(part.text, part.head) for part in description.parts or (description,)]


def _points(words: Sequence[str]) -> bool:
    """Whether they only point at something that was said or seen: nothing to compare."""
    return len(words) == 1 and words[0] in POINTING


def _head(words: Sequence[str], noun: str) -> str:
    """The word as said that a description has in the singular."""
    last = noun.split()[-1:] or [""]
    return next((word for word in words if last[0] and word.startswith(last[0])), words[-1])


def _of_reading(reading: ParsedSentence) -> Gist:
    acts: Counter[str] = Counter()
    restraints: Counter[str] = Counter()
    phrases: list[tuple[str, frozenset[str]]] = []
    heads: set[tuple[str, str]] = set()
    for node in _asked(reading.nodes):
        if node.label in ("act", "question", "hint"):
            acts["question" if node.label == "question" else "hint" if node.label == "hint" else _deed(node.value)] += 1
        elif group_of()[node.label] in ("condition", "time", "alternative") or node.label == "never":
            restraints[_kind_of_time(node.label)] += 1
        elif node.label in ROLES:
            phrases.append((node.label, frozenset(reading.words[node.first : node.last + 1])))
            if node.label not in ("message", "extent"):
                heads |= {(node.label, _last_own_word(reading, part)) for part in _members(node)}
    known = frozenset((role, head) for role, head in heads if not _points([head]))
    return Gist(_merged(acts), restraints, known, tuple(phrases))


def _members(node: SpanNode) -> tuple[SpanNode, ...]:
    """The parts of a coordination, or the phrase itself."""
    return tuple(child for child in node.children if group_of()[child.label] == "part") or (node,)


def _asked(nodes: Sequence[SpanNode]) -> Iterator[SpanNode]:
    """The nodes that count, outer ones first: none within what is taken back, forbidden or only said, none but roles in conditions."""
    for node in nodes:
        yield node
        if node.label in WITHOUT_ACTS or group_of()[node.label] == "condition":
            continue
        inside = node.children
        if node.label in ("act", "question"):
            inside = tuple(child for child in inside if child.label not in ("question", "act"))
        yield from _asked(inside)


def _last_own_word(reading: ParsedSentence, node: SpanNode) -> str:
    """The head of a phrase: its last word that no restriction holds."""
    held = {at for child in node.children if group_of()[child.label] == "restriction" for at in range(child.first, child.last + 1)}
    own = [at for at in range(node.first, node.last + 1) if at not in held] or [node.last]
    return reading.words[own[-1]]


def _merged(acts: Counter[str]) -> Counter[str]:
    """The deeds, without those that are a step of another one: “take the cup and bring it to me” is one."""
    found = Counter(acts)
    for first, second in _steps():
        while found[first] and found[second]:
            found[first] -= 1
    return +found


def _deed(intent: str) -> str:
    return str(_tables()["deeds"].get(intent, intent))


def _kind_of_time(kind: str) -> str:
    return str(_tables()["times"].get(kind, kind))


def _alike() -> dict[str, str]:
    return dict(_tables()["roles"])


def _steps() -> list[tuple[str, str]]:
    return [(str(first), str(second)) for first, second in _tables()["steps"]]


@lru_cache(maxsize=1)
def _tables() -> dict[str, Any]:
    return dict(read_plain(Path(__file__).with_name("second.yaml")))
