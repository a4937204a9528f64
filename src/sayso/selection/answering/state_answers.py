"""Answers to "is the fridge open?" and "is the lamp on?": from what the robot has opened, closed and switched itself.

Its camera does not see whether a door is open or a lamp is on, so that a look would tell nothing: what it does not know, it says it
does not know.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from sayso.domain.model import Ability, Domain
from sayso.domain.states import DOOR, IN_WORDS, OPPOSITE, POWER, acts_for
from sayso.domain.wording import called, listed, spoken_action
from sayso.meaning.world_view import WorldView
from sayso.selection.answering.whereabouts import ago
from sayso.selection.replies import plain
from sayso.types import Clause

# By the last word of the question, which a thing on the desk is not: "is the lamp on" asks for a state, "is the lamp on the desk" does not.
_ASKED = {
    "open": "open",
    "opened": "open",
    "ajar": "open",
    "closed": "closed",
    "shut": "closed",
    "on": "powered",
    "running": "powered",
    "off": "unpowered",
}
_LOCKS = frozenset(("locked", "unlocked", "bolted"))
_AGAIN = frozenset(("now", "already", "again", "still", "yet", "properly", "really", "right", "not"))
MOST = 6  # things in an answer
_GROUPS = re.compile(r"\b(?:lights?|lamps|doors|appliances|any (?:door|lamp|appliance))\b")


def state_answer(domain: Domain, clause: Clause, things: list[str], view: WorldView) -> str:
    """Say whether a door is open or an appliance is on; empty if the clause does not ask for that.

    Args:
        domain: the home.
        clause: a question to be answered by yes or no.
        things: what it is about, by id.
        view: with the facts that the robot knows of its own doing, and its deeds.
    """
    asked = state_asked(clause)
    if not asked or not things or any(thing in domain.people for thing in things):
        return ""
    if asked in _LOCKS:
        return f"I don't know whether {_named(domain, things)} {asked}: I can't see or feel a lock."
    return " ".join(_told(domain, thing, _ASKED[asked], view) for thing in things[:MOST])


def any_state_answer(domain: Domain, clause: Clause, view: WorldView) -> str:
    """Say what is open, or on, as far as the robot knows: "is anything open", "is everything off"; empty if no state is asked for."""
    asked = _ASKED.get(state_asked(clause))
    if asked is None:
        return ""
    every = clause.text.split()[1:2] == ["everything"]
    wanted = OPPOSITE[asked] if every else asked  # "is everything closed" asks what is open
    if asks_of_all(clause):  # of lights and doors people want to know which are on, or open
        wanted = (DOOR if asked in DOOR else POWER)[0]
    things = [thing for thing in domain.places | domain.objects if _known(thing, (wanted,), view)]
    if not things:
        return f"I know of nothing that is {IN_WORDS[wanted]}, but I can't see that, and know only what I did myself."
    return " ".join(_told(domain, thing, asked, view) for thing in things[:MOST])


def asks_of_all(clause: Clause) -> bool:
    """Whether a question asks after the lights, the doors or the appliances of the home."""
    return bool(state_asked(clause)) and _GROUPS.search(clause.text) is not None


def known_state(domain: Domain, thing: str, states: tuple[str, str], view: WorldView) -> str:
    """Say which of two states a thing is in; empty if the robot does not know."""
    known = _known(thing, states, view)
    if known is None:
        return ""
    return f"As far as I know, {called(domain, thing)} is {IN_WORDS[known]}. {_since(domain, known, thing, view)}"


def state_asked(clause: Clause) -> str:
    """The word for the state that a question asks for, "closed"; empty if it asks for none."""
    words, kind = plain(clause.text).split(), clause.modifiers.question
    if kind not in ("yes_no", "which") and not (kind == "what" and "still" in words):  # "what is still on"
        return ""
    while words and words[-1] in _AGAIN:
        words.pop()
    return words[-1] if words and words[-1] in _ASKED.keys() | _LOCKS else ""


def _told(domain: Domain, thing: str, asked: str, view: WorldView) -> str:
    name = called(domain, thing)
    ability: Ability = "opens" if asked in DOOR else "switches"
    if not domain.able(thing, ability):
        return f"I can't tell whether {name} is {IN_WORDS[asked]}: I know of nothing there that {ability}."
    known = _known(thing, (asked, OPPOSITE[asked]), view)
    if known is None:
        return f"I don't know whether {name} is {IN_WORDS[asked]}: I can't see that, and know only what I did myself."
    return f"As far as I know, {'yes' if known == asked else 'no'}: {name} is {IN_WORDS[known]}. {_since(domain, known, thing, view)}"


def _known(thing: str, states: Iterable[str], view: WorldView) -> str | None:
    """The one of these states that the robot knows the thing to be in."""
    facts = view.context.facts if view.context is not None else ()
    return next((state for state in states if f"{state}({thing})" in facts), None)


def _since(domain: Domain, state: str, thing: str, view: WorldView) -> str:
    """When the robot brought that state about, and that it may have changed since."""
    words = {spoken_action(domain, act) for act in acts_for(domain, state, thing)}
    done = [deed for deed in view.recent.deeds if deed.state == "done" and deed.what in words]
    when = f" {ago(view.recent.now.ros - done[-1].stamp)}" if done and view.recent.now is not None else ""
    return f"I left it so{when}, and don't see whether anybody has changed it since."


def _named(domain: Domain, things: list[str]) -> str:
    names = listed([called(domain, thing) for thing in things[:MOST]])
    return f"{names} {'is' if len(things) == 1 else 'are'}"
