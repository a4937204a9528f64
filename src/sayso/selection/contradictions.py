"""Wishes that exclude each other: opposite states at once, and an act whose means are forbidden."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from sayso.domain.model import Domain, Skill
from sayso.domain.states import OPPOSITE
from sayso.domain.vocabulary import parse_literal
from sayso.domain.wording import spoken_action
from sayso.selection.choosing.decide import Verdict
from sayso.selection.choosing.questions import choice_question, confirm_question
from sayso.selection.later.deferring import chosen_by_clause
from sayso.types import Action, ActionBelief, ActionCandidate, IntentBelief

Ground = tuple[str, tuple[str, ...]]  # ("holding", ("red_cup",))

_AT_ONCE = re.compile(r"\b(?:at once|at the same time|at the same moment|simultaneously)\b")
_LASTING = re.compile(r"^(?:and |but |then |please )*(?:leave|keep)\b")


def without_opposites(domain: Domain, belief: IntentBelief, decided: ActionBelief) -> ActionBelief:
    """The decision; a question which is meant, if the words want a thing in two opposite states at once, or to be left in the other one."""
    if decided.decision not in ("execute", "confirm", "ask"):
        return decided
    chosen = [candidate for parts in chosen_by_clause(decided).values() for candidate in parts]
    for index, later in enumerate(chosen):
        for earlier in chosen[:index]:
            lasting = _LASTING.match(belief.clauses[later.clause].text)
            if (_AT_ONCE.search(belief.text) or lasting) and _opposite(domain, earlier.action, later.action):
                return _either(domain, decided, earlier, later)
    return decided


def _either(domain: Domain, decided: ActionBelief, one: ActionCandidate, other: ActionCandidate) -> ActionBelief:
    """The decision to ask which of the two is meant: they take the place of one act, so that the answer leaves one."""
    places = [(each.clause, each.part) for each in (one, other)]
    rest = tuple(each for each in decided.candidates if (each.clause, each.part) not in places)
    options = (one.action, other.action)
    question = f"It can't be both. {choice_question(domain, options)}"
    candidates = (one, replace(other, clause=one.clause, part=one.part), *rest)
    return replace(
        decided, candidates=candidates, decision="ask", reason="opposite states at once", question=question, options=options, words=()
    )


def forbidden_means(domain: Domain, chosen: Sequence[Action], forbidden: Sequence[Action]) -> tuple[Action, Action] | None:
    """A wish and the prohibition that makes it impossible: to bring the cup, and not to pick it up; None for none."""
    for wish in chosen:
        means = set(_needed(domain, _goals(domain, wish)))
        for act in forbidden:
            goals = _goals(domain, act)
            if act != wish and goals and set(goals) <= means:
                return wish, act
    return None


def at_odds(domain: Domain, wish: Action, act: Action, *, clear: bool) -> Verdict:
    """The verdict on a wish whose means are forbidden: a question whether to do it anyway, if it is `clear` of what."""
    reason = f"its means are forbidden: {act}"
    if not clear:
        return Verdict("reject", 0.0, reason, "You forbid what another part of that needs. Say again what you want.")
    both = f"You want me to {spoken_action(domain, wish)}, and not to {spoken_action(domain, act)}."
    return Verdict("confirm", 0.0, reason, confirm_question(domain, wish), (wish,), doubt=both)


def _opposite(domain: Domain, one: Action, other: Action) -> bool:
    mine, theirs = _goals(domain, one), _goals(domain, other)
    return any((OPPOSITE.get(name), arguments) in theirs and bool(arguments) for name, arguments in mine)


def _goals(domain: Domain, action: Action) -> list[Ground]:
    spec = domain.actions.get(action.name)
    given = dict(action.arguments)
    parsed = [parse_literal(literal) for literal in spec.goal] if spec is not None else []
    return [(name, tuple(given[role] for role in roles)) for name, roles in parsed if all(role in given for role in roles)]


def _needed(domain: Domain, goals: Sequence[Ground]) -> Iterator[Ground]:
    """The facts without which no skill brings the goals about."""
    seen, todo = set(goals), list(goals)
    while todo:
        fact = todo.pop()
        ways = [set(way) for way in _ways(domain, fact)]
        for need in sorted(set.intersection(*ways)) if ways else ():
            if need not in seen:
                seen.add(need)
                todo.append(need)
                yield need


def _ways(domain: Domain, fact: Ground) -> Iterator[Iterator[Ground]]:
    """Of each skill that brings the fact about, what it requires."""
    for skill in domain.skills.values():
        for name, roles in map(parse_literal, skill.effects):
            if name == fact[0] and len(roles) == len(fact[1]):
                yield _required(skill, dict(zip(roles, fact[1], strict=True)))


def _required(skill: Skill, given: Mapping[str, str]) -> Iterator[Ground]:
    for name, roles in map(parse_literal, skill.requires):
        if roles and all(role in given for role in roles):
            yield name, tuple(given[role] for role in roles)
