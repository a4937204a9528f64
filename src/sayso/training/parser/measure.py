"""How well structures are read: F1 of labelled spans by group, and the share of sentences whose outline, roles or all spans are right."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from sayso.intent.parser.chart import Structure
from sayso.intent.parser.labels import JOIN, group_of

OUTLINE = ("act", "question", "rule", "alternative", "taken_back", "condition", "time")  # groups whose labels decide what is done
QUIET = ("polite", "filler", "call", "join", "aside", "where_it_is")  # labels without a say in it

Place = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Read:
    """A structure with the values of its acts and questions."""

    structure: Structure
    values: dict[Place, str]  # of acts, questions and hints


def measured(found: Sequence[Read], wanted: Sequence[Read]) -> dict[str, float]:
    """The measures by name; F1 and shares, in [0, 1]."""
    result: dict[str, float] = {}
    for group in ("act", "question", "condition", "role", "restriction"):
        pairs = [(_labelled(here, group), _labelled(there, group)) for here, there in zip(found, wanted, strict=True)]
        total = sum(len(here) + len(there) for here, there in pairs)
        result[f"{group}, F1"] = 2 * sum(len(here & there) for here, there in pairs) / max(total, 1)
    outlines = [outline(here) == outline(there) for here, there in zip(found, wanted, strict=True)]
    result["outline right"] = sum(outlines) / max(len(outlines), 1)
    both = [same and _roles(here) == _roles(there) for same, here, there in zip(outlines, found, wanted, strict=True)]
    result["outline and role spans right"] = sum(both) / max(len(both), 1)
    return result


def outline(read: Read) -> Counter[str]:
    """The acts by intent, questions by kind, and labels of rules, conditions and times: what is asked for, without what fills it."""
    found: Counter[str] = Counter()
    for place, chain in read.structure.items():
        for label in chain.split(JOIN):
            if group_of()[label] in OUTLINE or label in ("talk", "hint", "answers", "unclear"):
                found[f"{label}:{read.values.get(place, '')}" if label in ("act", "question", "hint") else label] += 1
    return found


def _labelled(read: Read, group: str) -> set[tuple[Place, str]]:
    found = set()
    for place, chain in read.structure.items():
        for label in chain.split(JOIN):
            if group_of()[label] == group:
                found.add((place, f"{label}:{read.values.get(place, '')}" if group == "act" else label))
    return found


def _roles(read: Read) -> set[tuple[Place, str]]:
    return _labelled(read, "role") | _labelled(read, "part")
