"""Which of several things that the robot sees is meant: the question in the course of an errand, and what the answer picks.

The planner holds the errand meanwhile. The decision after the answer has the thing that was picked first, and then the others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from sayso.domain.model import Domain
from sayso.domain.wording import called, listed
from sayso.meaning.naming import ORDINALS
from sayso.selection.dialogue.corrections import correction
from sayso.selection.replies import kind_of, plain
from sayso.types import ActionBelief, Choice, PlanState
from sayso.yaml_source import read_plain

ROLE = "theme"  # of the skill: the thing that is looked for


@dataclass(frozen=True, slots=True)
class Picked:
    """What an answer does to the question."""

    among: tuple[Choice, ...]  # what may still be meant; one thing settles it, none declines
    repeats: bool = False  # the question is asked again as it was
    why: str = ""  # what to say before that


def which_one(domain: Domain, running: ActionBelief, state: PlanState) -> ActionBelief:
    """The question which thing is meant, of a command that is being carried out.

    Args:
        domain: of the home.
        running: the decision that is carried out.
        state: of its plan, with the status "asking".
    """
    thing = called(domain, state.ahead[0].argument(ROLE)) if state.ahead else "it"
    action = next((each for each in running.chosen if str(each) == state.action), running.chosen[0])
    asked = replace(running, decision="ask", options=(action,), choices=state.choices, reason=f"{len(state.choices)} things may be {thing}")
    return _asking(asked, f"I see {len(state.choices)} things that may be {thing}.")


def picked(domain: Domain, belief: ActionBelief, text: str) -> Picked | None:
    """What the answer picks of `belief.choices`; None if it is no answer to that question."""
    choices, reply = belief.choices, plain(text)
    kind = kind_of(reply)
    if kind == "any" or reply in _words().indifferent:
        return Picked((max(choices, key=lambda each: each.probability),))
    if kind in ("no", "never_mind"):
        return Picked(())
    if kind == "both":
        return Picked(choices, repeats=True, why="I can take only one of them.")
    if kind == "again":
        return Picked(choices, repeats=True)
    names = _names(domain, belief)
    change = correction(reply)
    if change is not None and not change.instead:
        out = _fitting(choices, change.ruled_out, names)
        return Picked(tuple(each for each in choices if each not in out)) if out else None
    found = _fitting(choices, change.instead if change is not None else reply, names)
    return Picked(found) if found else None


def settled_on(belief: ActionBelief, among: Sequence[Choice]) -> ActionBelief:
    """The decision once these things may be meant: to go on with the only one, or the question among them."""
    others = tuple(each for each in belief.choices if each not in among)
    if len(among) == 1:
        reason = f"{among[0].words}: {belief.reason}"
        return replace(belief, decision="execute", question="", options=(), words=(), choices=(*among, *others), reason=reason)
    return _asking(replace(belief, choices=tuple(among)), "")


def _asking(belief: ActionBelief, introduction: str) -> ActionBelief:
    words = tuple(each.words for each in belief.choices)
    return replace(belief, words=words, question=f"{introduction} Do you mean {listed(words, 'or')}?".strip())


def _fitting(choices: tuple[Choice, ...], phrase: str, names: frozenset[str]) -> tuple[Choice, ...]:
    """The things that every word of the phrase fits: by what the robot calls them, by their order, or by their side of the row."""
    words = [word for word in map(_as_said, plain(phrase).split()) if word not in names]
    if words in (["one"], ["1"]):
        return choices[:1]
    telling = [word for word in words if word not in _words().around]
    if not telling:
        return ()
    by_name = tuple(each for each in choices if set(telling) <= set(map(_as_said, each.words.split())))
    if by_name:
        return by_name
    order = [ORDINALS[word] for word in telling if word in ORDINALS]
    sides = [word for word in telling if word in ("left", "right")]
    if len(order) + len(sides) != len(telling) or len(order) > 1 or len(sides) > 1:
        return ()
    row = choices[::-1] if sides == ["right"] else choices  # they are named from left to right
    at = order[0] if order else 0
    return (row[at],) if at < len(row) else ()


def _names(domain: Domain, belief: ActionBelief) -> frozenset[str]:
    """The words for the thing itself: "cup", "mug"."""
    things = [domain.objects[value] for _, value in belief.options[0].arguments if value in domain.objects]
    telling = {_as_said(word) for each in belief.choices for word in each.words.split()}
    return frozenset(word for thing in things for name in (*thing.names, thing.category) for word in name.lower().split()) - telling


@dataclass(frozen=True, slots=True)
class _Wordings:
    indifferent: frozenset[str]
    around: frozenset[str]
    alike: Mapping[str, str]  # what people say → what the robot says


@lru_cache(maxsize=1)
def _words() -> _Wordings:
    held = read_plain(Path(__file__).with_suffix(".yaml"))
    alike = {said: word for word, others in held["alike"].items() for said in others}
    return _Wordings(frozenset(held["indifferent"]), frozenset(held["around"]), alike)


def _as_said(word: str) -> str:
    return _words().alike.get(word, word)
