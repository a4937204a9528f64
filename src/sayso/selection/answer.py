"""What an answer to the robot's question means: the belief once the answer is known, with the decision that follows."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from sayso.domain.model import Domain, EntityKind
from sayso.domain.wording import ARTICLES, arguments_that_differ, called, spoken_action
from sayso.selection.decide import Verdict, decide, utility_of_executing
from sayso.selection.deeds import missing_roles
from sayso.selection.replies import NEVER_MIND, NO, YES, plain
from sayso.selection.selector import concluded, most_careful
from sayso.types import Action, ActionBelief

ORDINALS = {"first": 0, "one": 0, "1": 0, "second": 1, "two": 1, "2": 1, "third": 2, "three": 2, "3": 2, "fourth": 3, "four": 3, "4": 3,
            "fifth": 4, "five": 4, "5": 4, "last": -1}  # fmt: skip
_FILLERS = re.compile(r"\b(?:the|a|an|please|number|option|i mean|i meant|i want|from|on|onto|in|into|to|at|it|put|bring|me)\b")


How = Literal["confirmed", "chosen", "corrected", "declined", "open"]


@dataclass(frozen=True, slots=True)
class Answered:
    """What an answer made of the belief that asked, and how: what was confirmed, chosen or corrected may be learnt from."""

    belief: ActionBelief  # decided anew: execute, reject, or the next question
    how: How  # confirmed: yes; chosen: named or completed; corrected: something else than was asked about; open: not settled yet
    action: Action | None = None  # what the person now is known to want of the clause that was asked about; None: declined, open


def answer(domain: Domain, belief: ActionBelief, text: str) -> Answered | None:
    """What becomes of the belief after that answer; None where the text does not answer the question."""
    if belief.decision not in ("confirm", "ask") or not belief.options:
        return None
    said = plain(text)
    if said in NEVER_MIND or said in NO:
        verdict = Verdict("reject", 0.0, f"the answer was “{said}”", "All right, I won't.")
        return Answered(concluded(domain, belief, verdict), "declined")
    if len(belief.options) == 1 and missing_roles(domain, belief.options[0]):
        return _completed(domain, belief, belief.options[0], said)
    if said in YES and len(belief.options) == 1:
        return Answered(_settled(domain, belief, {belief.options[0]: 1.0}), "confirmed", belief.options[0])
    meant = _option(domain, belief, said)
    return Answered(_settled(domain, belief, {meant: 1.0}), "chosen", meant) if meant else None


def _settled(domain: Domain, belief: ActionBelief, meant: Mapping[Action, float], instead_of: Action | None = None) -> ActionBelief:
    """The clause that was asked about now has the posterior `meant`; the other clauses keep theirs, and all are decided again."""
    asked = instead_of or next(iter(meant))
    clause = next(candidate.clause for candidate in belief.candidates if candidate.action == asked)
    clauses = sorted({candidate.clause for candidate in belief.candidates})
    table = {index: [candidate for candidate in belief.candidates if candidate.clause == index] for index in clauses}
    held = {candidate.action: candidate for candidate in table[clause]}
    worth = utility_of_executing(domain, tuple(meant), tuple(meant.values()))
    settled = [
        replace(held.get(action, held[asked]), action=action, probability=p, utility=utility)
        for (action, p), utility in zip(meant.items(), worth, strict=True)
    ]
    others = [held[action] for action in held if action not in meant and action != instead_of]
    ruled_out = [replace(other, probability=0.0, utility=-domain.actions[other.action.name].wrong) for other in others]
    table[clause] = [*settled, *ruled_out]
    candidates = tuple(candidate for index in clauses for candidate in table[index])
    verdict = most_careful([decide(domain, table[index]) for index in clauses])
    return concluded(domain, replace(belief, candidates=candidates), verdict)


def _option(domain: Domain, belief: ActionBelief, said: str) -> Action | None:
    """The option, or else the candidate of the same clause, that the answer names: by order, by name, or by what sets it apart."""
    words = _words(said)
    order = [word for word in words if word not in ("one", "ones")] or words
    if len(order) == 1 and order[0] in ORDINALS and len(belief.options) > 1:
        index = ORDINALS[order[0]]
        return belief.options[index] if index < len(belief.options) else None
    first = next(candidate for candidate in belief.candidates if candidate.action == belief.options[0])
    kin = [other.action for other in belief.candidates if other.clause == first.clause and other.action.name == first.action.name]
    for among in (belief.options, kin):
        fitting = [action for action in among if set(order) and set(order) <= _known_by(domain, action, among)]
        if len(fitting) == 1:
            return fitting[0]
    return None


def _known_by(domain: Domain, action: Action, among: Sequence[Action]) -> set[str]:
    """The words by which a person can tell this option from the others."""
    words = set(_words(spoken_action(domain, action))) if len({option.name for option in among}) > 1 else set()
    for role in arguments_that_differ(among):
        value = action.argument(role)
        entity = domain.entity(value)
        names = (*entity.names, called(domain, value)) if entity else (value,)
        words.update(word for name in names for word in _words(name.lower()))
        if value in domain.objects:
            words.update(domain.objects[value].attributes.values(), _words(domain.objects[value].category))
    return words


def _completed(domain: Domain, belief: ActionBelief, action: Action, said: str) -> Answered | None:
    """The action with what was missing filled in from the answer; several things of that name make the next question."""
    role = missing_roles(domain, action)[0]
    values = _values(domain, action, role, said)
    if not values:
        return None
    filled = [replace(action, arguments=tuple(sorted((*action.arguments, (role, value))))) for value in values]
    settled = _settled(domain, belief, dict.fromkeys(filled, 1.0 / len(filled)), instead_of=action)
    return Answered(settled, "chosen", filled[0]) if len(filled) == 1 else Answered(settled, "open")


def _values(domain: Domain, action: Action, role: str, said: str) -> list[str]:
    """The entities of the right kind that bear the longest name in the answer, or are of the category it names."""
    specs = [intent.roles[role] for intent in domain.intents.values() if action.name in intent.actions and role in intent.roles]
    kinds = {kind for spec in specs for kind in spec.kinds}
    if kinds <= {"words"}:
        return [said] if said else []
    surface = any(spec.surface for spec in specs)
    found: dict[str, list[str]] = {}
    for entity_id, names in _names(domain, kinds):
        if surface and entity_id in domain.places and not domain.places[entity_id].surface:
            continue
        for name in names:
            rest, named = re.subn(rf"\b{re.escape(name)}\b", " ", said)
            if named and not _words(rest):  # more words than that are a sentence of their own, not an answer
                found.setdefault(name, []).append(entity_id)
    return list(dict.fromkeys(found[max(found, key=len)])) if found else []


def _names(domain: Domain, kinds: set[EntityKind]) -> Iterable[tuple[str, tuple[str, ...]]]:
    if "place" in kinds:
        yield from ((place, entity.names or (entity.spoken(place),)) for place, entity in domain.places.items())
    if "person" in kinds:
        yield from ((person, entity.names or (entity.spoken(person),)) for person, entity in domain.people.items())
    if "object" in kinds:
        yield from ((thing, (*entity.names, entity.category)) for thing, entity in domain.objects.items())


def _words(text: str) -> list[str]:
    for article in ARTICLES:
        text = text.removeprefix(article)
    return _FILLERS.sub(" ", text).split()
