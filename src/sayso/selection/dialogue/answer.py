"""Interprets answers to the robot's questions and corrections of its actions: updates the belief and decides again."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from sayso.domain.model import Domain
from sayso.domain.numbers import spelt_out
from sayso.domain.sentences import DIRECTIONS
from sayso.domain.wording import arguments_that_differ
from sayso.meaning.naming import changed, kindred, named, option, role_specs, with_argument, with_value
from sayso.selection.choosing.decide import Verdict
from sayso.selection.choosing.outcomes import missing_roles
from sayso.selection.choosing.questions import cannot_tell, only_one
from sayso.selection.dialogue.corrections import Correction, correction
from sayso.selection.dialogue.described import AnswerKnowledge, described
from sayso.selection.dialogue.refining import refined
from sayso.selection.dialogue.settling import place_of, places_in_question, settled, settled_at, together
from sayso.selection.dialogue.which_one import picked, settled_on
from sayso.selection.replies import kind_of, plain
from sayso.selection.utterance import with_verdict
from sayso.types import Action, ActionBelief

How = Literal["confirmed", "chosen", "corrected", "declined", "open", "repeated"]
_ONLY = re.compile(r"^(?:yes )?(?:but )?(?:only|just) ")
MOST_AROUND = 4  # words around those that answer a question about what was said; a longer answer is a command
_COUNTS = {"both": 2, "two": 2, "three": 3}
_NOTHING = AnswerKnowledge()


@dataclass(frozen=True, slots=True)
class Answered:
    """The belief after an answer, and the kind of answer; the robot may learn from confirmed, chosen and corrected."""

    belief: ActionBelief  # with a new decision: execute, reject, or the next question
    # confirmed: yes; chosen: named or completed; corrected: other than understood; declined: no, never mind;
    # open: not settled, another question follows; repeated: the same question again
    how: How
    action: Action | None = None  # the action that the person wants for the clause in question; None: not known yet


def asks(belief: ActionBelief) -> bool:
    """Whether the belief ends in a question that an answer can settle."""
    return belief.decision in ("confirm", "ask") and bool(belief.options)


def answer(domain: Domain, belief: ActionBelief, text: str, known: AnswerKnowledge = _NOTHING) -> Answered | None:
    """The result of an answer to the belief's question; None if the text does not answer it.

    The options of `ask` exclude each other; all options of `confirm` are done together.
    """
    if not asks(belief):
        return None
    return _among_things(domain, belief, text, known) if belief.choices else _among_actions(domain, belief, text, known)


def _among_actions(domain: Domain, belief: ActionBelief, text: str, known: AnswerKnowledge) -> Answered | None:
    reply, single = plain(text), len(belief.options) == 1
    kind, asked = kind_of(reply), belief.options[0]
    if kind == "again":
        return Answered(belief, "repeated")
    if kind in ("no", "never_mind"):
        return Answered(with_verdict(domain, belief, _declined(reply)), "declined")
    if belief.decision == "confirm" and len(places_in_question(belief)) > 1:
        return _of_several(domain, belief, text, known)
    if kind == "both" and not single:
        return _all_options(domain, belief, reply)
    if kind == "any" and not single:  # the person has no preference: nothing to learn
        return Answered(settled(domain, belief, {asked: 1.0}, asked), "chosen")
    change = correction(reply)
    if change is not None:
        return _corrected(domain, belief, asked, change, known)
    if single and missing_roles(domain, asked):
        return _completed(domain, belief, asked, reply, known)
    if single and kind == "yes" and not (asked.argument("direction") and reply in DIRECTIONS):  # "right" to "Should I turn left?"
        return Answered(settled(domain, belief, {asked: 1.0}, asked), "confirmed", asked)
    return _picked(domain, belief, reply.removeprefix("yes "), known)


def corrected(domain: Domain, belief: ActionBelief, text: str, known: AnswerKnowledge = _NOTHING) -> Answered | None:
    """The result of correcting a running command, as in "no, the blue one"; None if the text corrects nothing in it.

    Tries the last clause first.
    """
    change = correction(plain(text))
    if change is None or belief.decision != "execute":
        return None
    found = (_corrected(domain, belief, action, change, known) for action in reversed(belief.chosen))
    return next((answered for answered in found if answered is not None), None)


def insists(domain: Domain, belief: ActionBelief, text: str) -> bool:
    """Whether the text insists on the running command: "I said the red cup"."""
    change = correction(plain(text))
    return change is not None and not change.ruled_out and any(named(domain, [action], change.instead) for action in belief.chosen)


def _among_things(domain: Domain, belief: ActionBelief, text: str, known: AnswerKnowledge) -> Answered | None:
    """The answer to a question about things that the robot sees. Nothing is learnt from it: the action is the same with each."""
    found = picked(domain, belief, text)
    if found is None:
        described_as = refined(domain, belief, plain(text), known.describe)
        return Answered(settled_on(replace(belief, choices=(described_as,)), (described_as,)), "chosen") if described_as else None
    if found.repeats:
        return Answered(replace(belief, question=f"{found.why} {belief.question}".strip()), "repeated")
    if not found.among:
        return Answered(with_verdict(domain, belief, _declined(plain(text))), "declined")
    if len(found.among) == len(belief.choices):
        return Answered(replace(belief, question=cannot_tell(text, belief.question)), "repeated")
    decided = settled_on(belief, found.among)
    return Answered(decided, "chosen" if decided.decision == "execute" else "open")


def _declined(reply: str) -> Verdict:
    return Verdict("reject", 0.0, f"the answer was “{reply}”", "All right, I won't.")


def _of_several(domain: Domain, belief: ActionBelief, text: str, known: AnswerKnowledge) -> Answered | None:
    """The answer to a question about several actions: all of them, or those that the words name, or those that they leave."""
    reply = plain(text)
    in_question = places_in_question(belief)
    whole = " ".join(text.lower().split())  # `plain` takes a leading "just" for hesitation
    if kind_of(reply) in ("yes", "both") and not _ONLY.match(whole):
        return _agreed(domain, belief, set(in_question.values()), "confirmed")
    change = correction(reply)
    asked = list(dict.fromkeys(in_question.values()))
    if change is not None and not change.instead:
        out = _meant_by(domain, asked, change.ruled_out, known)
        return _agreed(domain, belief, set(asked) - out, "corrected") if out else None
    words = _ONLY.sub("", change.instead if change is not None else reply)
    kept = _meant_by(domain, asked, words, known)
    if kept:
        return _agreed(domain, belief, kept, "chosen")
    found = (_corrected(domain, belief, action, change, known) for action in reversed(asked)) if change is not None else ()
    return next((answered for answered in found if answered is not None), None)


def _meant_by(domain: Domain, asked: list[Action], words: str, known: AnswerKnowledge) -> set[Action]:
    """The actions that the words name or describe."""
    likely = described(domain, asked, words, known).p
    return set(named(domain, asked, words)) or {action for action, p in likely.items() if p > 0.5}


def _agreed(domain: Domain, belief: ActionBelief, wanted: set[Action], how: How) -> Answered:
    """The belief with these actions of the question certain, and the others in question not to be done."""
    meant = {place: {action: 1.0} if action in wanted else {} for place, action in places_in_question(belief).items()}
    first = next((action for action in belief.options if action in wanted), None)
    return Answered(settled_at(domain, belief, meant), how if first is not None else "declined", first)


def _all_options(domain: Domain, belief: ActionBelief, reply: str) -> Answered:
    """All options, if they are about different objects and as many as the words say."""
    count = next((number for word, number in _COUNTS.items() if word in reply.split()), len(belief.options))
    if not _are_things(domain, belief.options):
        return Answered(replace(belief, question=only_one(belief.question)), "repeated")
    if count != len(belief.options):
        return Answered(replace(belief, question=f"There are {len(belief.options)}. {belief.question}"), "repeated")
    return Answered(together(domain, belief, belief.options[0], belief.options), "chosen", belief.options[0])


def _are_things(domain: Domain, actions: Sequence[Action]) -> bool:
    """Whether the actions differ only in their object."""
    roles = arguments_that_differ(actions)
    return len({action.name for action in actions}) == len(roles) == 1 and all(
        each.argument(roles[0]) in domain.objects for each in actions
    )


def _picked(domain: Domain, belief: ActionBelief, reply: str, known: AnswerKnowledge) -> Answered | None:
    """The option that the answer names or describes, else another action of that name."""
    asked = belief.options[0]
    pieces = [option(domain, belief.options, (), piece) for piece in reply.split(" and ")]
    several = tuple(dict.fromkeys(piece for piece in pieces if piece is not None))
    if 1 < len(several) == len(pieces) and _are_things(domain, several):
        return Answered(together(domain, belief, asked, several), "chosen", several[0])
    meant = _with_words(belief, reply) or option(domain, belief.options, _alternatives(belief, asked), reply)
    if meant is not None:
        how: How = "confirmed" if belief.options == (meant,) else "chosen" if meant in belief.options else "corrected"
        return Answered(settled(domain, belief, {meant: 1.0}, asked), how, meant)
    if len(belief.options) > 1:
        found = described(domain, belief.options, reply, known)
        if found.unsettled:
            return Answered(replace(belief, question=cannot_tell(reply, belief.question)), "repeated")
        result = _likely(domain, belief, asked, found.p, "chosen") if found.p else None
        if result is not None and result.how == "open" and set(result.belief.options) == set(belief.options):
            result = replace(result, belief=replace(result.belief, question=cannot_tell(reply, result.belief.question)))
        return result
    others = changed(domain, asked, reply)
    return _put_instead(domain, belief, asked, others) if others else _instead_described(domain, belief, asked, reply, known)


def _with_words(belief: ActionBelief, reply: str) -> Action | None:
    """The option of a question about what was said whose words the answer has, and no other's: "grab", "i said the pan"."""
    spelt = spelt_out(reply).split()
    found = [
        option
        for option, words in zip(belief.options, belief.words, strict=False)
        if f" {words.removeprefix('the ')} " in f" {' '.join(spelt)} " and len(spelt) <= len(words.split()) + MOST_AROUND
    ]
    return found[0] if len(found) == 1 else None


def _likely(domain: Domain, belief: ActionBelief, asked: Action, p: Mapping[Action, float], how: How) -> Answered:
    """The belief with that posterior, and the likeliest action if it is clear enough to be executed."""
    decided = settled(domain, belief, p, asked)
    likely = max(p, key=lambda action: p[action])
    return Answered(decided, how, likely) if decided.decision == "execute" else Answered(decided, "open")


def _completed(domain: Domain, belief: ActionBelief, asked: Action, reply: str, known: AnswerKnowledge) -> Answered | None:
    """The action with its missing role filled from the answer; if several entities fit, the next question."""
    missing = missing_roles(domain, asked)[0]
    if all(spec.kinds == ("quantity",) for spec in role_specs(domain, asked, missing)):
        amount = known.describe.amount(asked.name, missing, reply)
        filled = [with_argument(asked, missing, f"{amount:g}")] if math.isfinite(amount) else []
    else:
        filled = with_value(domain, asked, missing, reply)
    if not filled:
        return None
    decided = settled(domain, belief, dict.fromkeys(filled, 1.0 / len(filled)), asked)
    return Answered(decided, "chosen", filled[0]) if len(filled) == 1 else Answered(decided, "open")


def _corrected(domain: Domain, belief: ActionBelief, asked: Action, change: Correction, known: AnswerKnowledge) -> Answered | None:
    """The action with the new value, if the correction names one; else what remains once a value is ruled out."""
    if change.instead:
        if missing_roles(domain, asked):
            completed = _completed(domain, belief, asked, change.instead, known)
            if completed is not None:
                return replace(completed, how="corrected") if completed.action else completed
        if len(belief.options) > 1 and belief.decision == "ask":
            picked = _picked(domain, belief, change.instead, known)
            return replace(picked, how="corrected") if picked and picked.action else picked
        others = changed(domain, asked, change.instead)
        return _put_instead(domain, belief, asked, others) if others else _instead_described(domain, belief, asked, change.instead, known)
    return _without(domain, belief, asked, change.ruled_out, known)


def _put_instead(domain: Domain, belief: ActionBelief, asked: Action, others: list[Action]) -> Answered:
    decided = settled(domain, belief, dict.fromkeys(others, 1.0 / len(others)), asked)
    return Answered(decided, "corrected", others[0]) if len(others) == 1 else Answered(decided, "open")


def _instead_described(domain: Domain, belief: ActionBelief, asked: Action, phrase: str, known: AnswerKnowledge) -> Answered | None:
    """The same action with another object of its category, as described: "no, the one on the table"."""
    found = described(domain, kindred(domain, asked), phrase, known)
    return _likely(domain, belief, asked, found.p, "corrected") if found.p else None


def _without(domain: Domain, belief: ActionBelief, asked: Action, ruled_out: str, known: AnswerKnowledge) -> Answered | None:
    """The other candidates, renormalised, once the named ones are ruled out; if none is left, a question for another value."""
    alternatives = _alternatives(belief, asked)
    among = list(belief.options) if belief.words else alternatives if len(alternatives) > 1 else [asked]
    posterior = {candidate.action: candidate.probability for candidate in belief.candidates}
    refused = _with_words(belief, ruled_out)
    out = dict.fromkeys([refused] if refused else named(domain, among, ruled_out), 1.0) or described(domain, among, ruled_out, known).p
    if not out or (len(belief.options) == 1 and asked not in out):
        return None
    left = {action: p for action in among if (p := posterior[action] * (1.0 - out.get(action, 0.0))) > 0.0}
    if not left:
        return _emptied(domain, belief, asked, ruled_out)
    total = sum(left.values())
    decided = settled(domain, belief, {action: p / total for action, p in left.items()}, asked)
    return Answered(decided, "corrected", next(iter(left))) if len(left) == 1 else Answered(decided, "open")


def _emptied(domain: Domain, belief: ActionBelief, asked: Action, ruled_out: str) -> Answered | None:
    """The action without the value that was ruled out, so that the robot asks for another."""
    for role, _ in asked.arguments:
        bare = replace(asked, arguments=tuple(pair for pair in asked.arguments if pair[0] != role))
        if role in missing_roles(domain, bare) and named(domain, [replace(asked, arguments=((role, asked.argument(role)),))], ruled_out):
            return Answered(settled(domain, belief, {bare: 1.0}, asked), "open")
    return None


def _alternatives(belief: ActionBelief, asked: Action) -> list[Action]:
    """The candidate actions of the same clause and name."""
    place = place_of(belief, asked)
    return [other.action for other in belief.candidates if (other.clause, other.part) == place and other.action.name == asked.name]
