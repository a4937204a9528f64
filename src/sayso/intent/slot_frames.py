"""Where an intent's examples put the fillers of its roles: after which prepositions, bare, or after a noun of the act.

"Get the eggs out of the {room}" shows that "from" marks the room, and that an unmarked noun ("the eggs") is not the room.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sayso.domain import Domain
from sayso.domain.intents import IntentSpec
from sayso.domain.sentences import SLOT
from sayso.intent.by_intent import ByIntent
from sayso.intent.grammar import DETERMINERS, FUNCTION_WORDS, PREPOSITIONS
from sayso.intent.normalise import normalise

KINDS = {"object": "object", "category": "object", "person": "person"} | dict.fromkeys(
    ("place", "room", "furniture", "spot", "surface"), "place"
)
_LONGEST = max(len(preposition.split()) for preposition in PREPOSITIONS)
_SLOT = "zqslot"  # stands for a slot in the normalised words


@dataclass(frozen=True, slots=True)
class SlotFrames:
    """What the examples of one intent show; prepositions are classes of grammar.PREPOSITIONS, "" for none."""

    marks: frozenset[tuple[str, str]]  # (role, preposition before its slot)
    after_noun: frozenset[tuple[str, str]]  # likewise, of slots after a noun of the act: "sweep the floor in the {room}"

    nouns: frozenset[tuple[str, str]]  # (preposition, word of the act after it): "knock at the door" has ("at", "door")

    def may_be_bare(self, role: str) -> bool:
        """Whether an unknown noun without a preposition may name the role's filler: not if the examples always mark it."""
        shown = {preposition for name, preposition in self.marks if name == role}
        return not shown or "" in shown

    def marked_by(self, preposition: str) -> tuple[str, ...]:
        """The roles that the examples mark with the preposition."""
        return tuple(sorted(role for role, mark in self.marks if mark == preposition and mark))


def slot_frames(domain: Domain) -> Mapping[str, SlotFrames]:
    """The frames of each intent. A slot counts if only one role can take it, or if the example ties it to a role."""
    return ByIntent(domain, _frames_of)


def _frames_of(spec: IntentSpec) -> SlotFrames:
    marks, after_noun, nouns = set(), set(), set()
    for example in spec.wordings:
        roles = [_role_of(spec, match["slot"], match["role"] or "") for match in SLOT.finditer(example)]
        words = normalise(SLOT.sub(_SLOT, example)).split()
        nouns |= {(_preposition_before(words, at)[0], word) for at, word in enumerate(words) if not word.startswith(_SLOT)}
        at_slots = [at for at, word in enumerate(words) if word.startswith(_SLOT)]
        for role, at in zip(roles, at_slots, strict=False):
            if not role:
                continue
            preposition, start = _preposition_before(words, at)
            marks.add((role, preposition))
            if preposition and _ends_with_noun(words[:start]):
                after_noun.add((role, preposition))
    return SlotFrames(frozenset(marks), frozenset(after_noun), frozenset(nouns))


def _role_of(spec: IntentSpec, slot: str, tied: str) -> str:
    kind = KINDS.get(slot)
    able = [name for name, role in spec.roles.items() if kind in role.kinds]
    return tied or (able[0] if len(able) == 1 else "")


def _preposition_before(words: Sequence[str], at: int) -> tuple[str, int]:
    """The class of the preposition before the noun phrase that ends at that index, and its first word's index."""
    while at and words[at - 1] in DETERMINERS:
        at -= 1
    for size in range(min(_LONGEST, at), 0, -1):
        preposition = " ".join(words[at - size : at])
        if preposition in PREPOSITIONS:
            return PREPOSITIONS[preposition], at - size
    return "", at


def _ends_with_noun(words: Sequence[str]) -> bool:
    """Whether the words end with a determiner and a noun: "sweep up the shavings"."""
    at = len(words)
    while at and words[at - 1] not in FUNCTION_WORDS | DETERMINERS | PREPOSITIONS.keys() and not words[at - 1].startswith(_SLOT):
        at -= 1
    return at < len(words) and bool(at) and words[at - 1] in DETERMINERS
