"""Answers about people whom the robot sees: "tell me the pose of the person at the sofa"."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from sayso.domain.model import Domain
from sayso.domain.wording import called, capitalised, is_or_are, listed
from sayso.looks import AGES, COLOURS, GARMENTS, GENDERS, GESTURES, POSES, look_in_words
from sayso.meaning.looks import looks_of, p_looks
from sayso.meaning.world_view import PlaceBeliefs, WorldView
from sayso.selection.answering.whereabouts import LIKELY, at_place
from sayso.types import Clause

# What is asked of a person → the labels that answer it; none: the name.
_ASPECTS: Mapping[str, tuple[str, ...]] = {
    "pose": POSES,
    "posture": POSES,
    "gesture": GESTURES,
    "gender": GENDERS,
    "age": AGES,
    "name": (),
}
_SPEAKER = frozenset(("", "me", "us"))
_PERSON = frozenset(("person", "man", "woman", "boy", "girl", "child"))
_CLOTHES = tuple(f"{colour}_{garment}" for colour in COLOURS for garment in GARMENTS)


def aspects_asked(clause: Clause) -> tuple[str, ...]:
    """The words of a clause that ask how a person at a place looks, or what their name is: "pose"."""
    words = clause.text.split()
    if not _PERSON & set(words):
        return ()
    before = words[: next(index for index, word in enumerate(words) if word in _PERSON)]
    if "looks" in words[-2:] and {"how", "describe"} & set(words):
        return ("looks",)
    if "describe" in before:
        told = clause.role("recipient")  # somebody else is not told: the robot has no words for that yet
        return ("looks",) if told is None or told.text in _SPEAKER else ()
    return tuple(word for word in before if word in _ASPECTS)


def look_of_somebody(domain: Domain, clause: Clause, place: str, view: WorldView) -> str:
    """What the robot says of the people at the place; empty for a clause that does not ask how a person looks, or not where."""
    asked = aspects_asked(clause)
    if not asked or not place:
        return ""
    where = PlaceBeliefs(domain, view)
    p = {person: where.probability("at", person, (place,)) for person in domain.people if person in view.visible}
    theme = clause.role("theme")
    if theme is not None and theme.description is not None:  # "the person sitting at the sofa"
        p = {person: near * p_looks(theme.description, person, view) for person, near in p.items()}
    there = [person for person in sorted(p, key=lambda each: -p[each]) if p[person] >= LIKELY]
    if not there:
        room = domain.places[place].kind == "room"
        return f"I see nobody {at_place(domain, place) if room else f'at {called(domain, place)}'}."
    return " ".join(f"{capitalised(called(domain, person))} {is_or_are(domain, person)} {_told(person, asked, view)}." for person in there)


def _told(person: str, asked: Iterable[str], view: WorldView) -> str:
    """What is seen of the person, of the aspects that were asked for."""
    seen = looks_of(person, view)
    parts = []
    for aspect in asked:
        kinds = (POSES, GESTURES, _CLOTHES) if aspect == "looks" else (_ASPECTS[aspect],)
        for kind in kinds:
            likely = [look for look in kind if seen.get(look, 0.0) >= LIKELY]
            parts += [f"{look_in_words(look)} ({seen[look]:.0%})" for look in likely if look != "no_gesture" or aspect == "gesture"]
            if not likely and kind and aspect != "looks":
                parts.append(f"somebody whose {aspect} I can't tell")
    return listed(parts) if parts else "there"
