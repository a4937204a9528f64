"""Answers to "is the fridge open?" and "is the lamp on?": from what the robot has opened, closed and switched itself.

Its camera does not see whether a door is open or a lamp is on, so that a look would tell nothing: what it does not know, it says it
does not know.
"""

from __future__ import annotations

from dataclasses import dataclass

from sayso.domain.model import Ability, Domain
from sayso.domain.wording import called, listed, spoken_action
from sayso.selection.replies import plain
from sayso.selection.whereabouts import ago
from sayso.selection.world_view import WorldView
from sayso.types import Action, Clause


@dataclass(frozen=True, slots=True)
class _TwoWayState:
    word: str  # as it is said: "open"
    fact: str  # the predicate that says so
    opposite: str  # the word of the opposite state
    excluded: str  # the predicate that says the opposite
    ability: Ability  # what a thing with this state can do
    acts: tuple[str, str]  # the action that brings it about, and the one that ends it


_OPEN = _TwoWayState("open", "open", "closed", "closed", "opens", ("open", "close"))
_CLOSED = _TwoWayState("closed", "closed", "open", "open", "opens", ("close", "open"))
_ON = _TwoWayState("on", "powered", "off", "unpowered", "switches", ("switch_on", "switch_off"))
_OFF = _TwoWayState("off", "unpowered", "on", "powered", "switches", ("switch_off", "switch_on"))
# By the last word of the question, which a thing on the desk is not: "is the lamp on" asks for a state, "is the lamp on the desk" does not.
_ASKED = {"open": _OPEN, "opened": _OPEN, "ajar": _OPEN, "closed": _CLOSED, "shut": _CLOSED, "on": _ON, "running": _ON, "off": _OFF}
_LOCKS = frozenset(("locked", "unlocked", "bolted"))
_AGAIN = frozenset(("now", "already", "again", "still", "yet", "properly", "really", "right", "not"))
MOST = 6  # things in an answer


def state_answer(domain: Domain, clause: Clause, things: list[str], view: WorldView) -> str:
    """Say whether a door is open or an appliance is on; empty if the clause does not ask for that.

    Args:
        domain: the home.
        clause: a question to be answered by yes or no.
        things: what it is about, by id.
        view: with the facts that the robot knows of its own doing, and its deeds.
    """
    words = plain(clause.text).split()
    while words and words[-1] in _AGAIN:
        words.pop()
    last = words[-1] if words else ""
    if not things or any(thing in domain.people for thing in things):
        return ""
    if last in _LOCKS:
        return f"I don't know whether {_named(domain, things)} {last}: I can't see or feel a lock."
    state = _ASKED.get(last)
    return " ".join(_told(domain, thing, state, view) for thing in things[:MOST]) if state is not None else ""


def _told(domain: Domain, thing: str, state: _TwoWayState, view: WorldView) -> str:
    name = called(domain, thing)
    if not domain.able(thing, state.ability):
        return f"I can't tell whether {name} is {state.word}: I know of nothing there that {state.ability}."
    facts = view.context.facts if view.context is not None else ()
    if f"{state.fact}({thing})" in facts:
        return f"As far as I know, yes: {name} is {state.word}. {_since(domain, state.acts[0], thing, view)}"
    if f"{state.excluded}({thing})" in facts:
        return f"As far as I know, no: {name} is {state.opposite}. {_since(domain, state.acts[1], thing, view)}"
    return f"I don't know whether {name} is {state.word}: I can't see that, and know only what I did myself."


def _since(domain: Domain, act: str, thing: str, view: WorldView) -> str:
    """When the robot did it, and that it may have changed since."""
    what = spoken_action(domain, Action(act, (("theme", thing),))) if act in domain.actions else ""
    done = [deed for deed in view.recent.deeds if deed.state == "done" and deed.what == what]
    when = f" {ago(view.recent.now.ros - done[-1].stamp)}" if done and view.recent.now is not None else ""
    return f"I left it so{when}, and don't see whether anybody has changed it since."


def _named(domain: Domain, things: list[str]) -> str:
    names = listed([called(domain, thing) for thing in things[:MOST]])
    return f"{names} {'is' if len(things) == 1 else 'are'}"
