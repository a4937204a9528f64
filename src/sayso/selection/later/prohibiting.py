"""What a decision makes of "don't …": tasks are taken back, and a prohibition that stays becomes a standing rule."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from sayso.agenda import Agenda, DeferredTask, Now, StandingRule, observable_of, watchable
from sayso.agenda.observing import in_words
from sayso.agenda.times import end_of
from sayso.agenda.wording import actions_in_words, forbidden_in_words, until_in_words, when_in_words
from sayso.domain.model import Domain
from sayso.domain.wording import called, listed
from sayso.selection.answering.going_to_see import GO_TO
from sayso.selection.choosing.questions import shall_i
from sayso.selection.later.deferring import FULL, chosen_by_clause
from sayso.types import Action, ActionBelief, ActionCandidate, Clause, IntentBelief, Role

# "Don't let anyone into the study": what others do is not the robot's to promise.
LETS = re.compile(r"\b(?:let|allow)\b(?! me\b)")
NOT_OTHERS = "I can't keep others from anything: I can only promise what I do myself."
ALIKE = 0.5  # of the most probable action's probability, from which another one is forbidden with it
TOUCH = re.compile(r"\b(touch|handle|use|disturb|mess)\b")  # "don't touch the vase" forbids more than one action


def prohibited(domain: Domain, belief: ActionBelief, utterance: IntentBelief, agenda: Agenda, now: Now) -> ActionBelief:
    """The belief about "don't …": takes back what was to be done later, and keeps a prohibition that stays as a standing rule.

    Of a sentence that also wants something done, only the decision to execute it is changed: the prohibited actions leave it.
    """
    best, clauses = chosen_by_clause(belief), utterance.clauses
    prohibitions = [index for index, clause in enumerate(clauses) if is_prohibition(clause)]
    only = len(prohibitions) == len(clauses)
    if prohibitions and not utterance.rejected and not only and belief.decision == "confirm":
        return _with_doubtful_way(domain, utterance, belief, [index for index in prohibitions if index in best])
    if not prohibitions or utterance.rejected or not (only or belief.decision == "execute"):
        return belief
    if any(LETS.search(clauses[index].text) for index in prohibitions if clauses[index].out_of_scope <= 0.0):
        return replace(belief, decision="reject", reason="a prohibition for others", question=NOT_OTHERS, options=())
    forbidding = [index for index in prohibitions if index in best]  # the others forbid acts that the robot does not have
    if not forbidding or any(clauses[index].out_of_scope > 0.0 for index in forbidding):
        return replace(belief, decision="reject") if forbidding and belief.decision == "execute" else belief
    found = _forbid_all(domain, utterance, {index: _meant(belief, best[index]) for index in forbidding}, agenda, now)
    if found.problem:
        return replace(belief, decision="reject", reason=found.problem, question=found.problem, options=())
    notes = [*belief.notes, *found.notes]
    reason = "; ".join(dict.fromkeys(found.promises))
    spoken = f"All right: {reason}." if reason else ""
    if not only:
        left = tuple(candidate for candidate in belief.candidates if candidate.clause not in forbidding)
        careful = _with_doubtful_way(domain, utterance, replace(belief, notes=tuple(notes)), forbidding)
        done = replace(belief, candidates=left, question=spoken, notes=tuple(notes))
        return careful if careful.decision == "confirm" else done
    if reason:
        return replace(belief, decision="defer", reason=reason, question=spoken, options=(), notes=tuple(notes))
    if belief.decision == "reject":
        return belief
    said = actions_in_words(domain, tuple(candidate.action for index in forbidding for candidate in best[index]))
    return replace(belief, decision="reject", reason=f"told not to {said}", question=f"All right, I won't {said}.", options=())


def _lasting(rules: Sequence[StandingRule], now: Now) -> list[str]:
    """What the robot promises not to do, for how long."""
    kept: dict[str, dict[str, None]] = {}
    for rule in rules:
        kept.setdefault(until_in_words(rule, now), {})[rule.what] = None
    return [
        " ".join(filter(None, ("" if until else "from now on", f"I won't {listed([*what], 'or')}", until))) for until, what in kept.items()
    ]


def _meant(belief: ActionBelief, best: Sequence[ActionCandidate]) -> tuple[Action, ...]:
    """The actions that a clause forbids: with "the cup", of three, each of them that is meant nearly as probably as another."""
    found = [chosen.action for chosen in best]
    for chosen in best:
        rivals = [each for each in belief.candidates if (each.clause, each.part) == (chosen.clause, chosen.part) and each.probability > 0.0]
        found += [
            each.action for each in rivals if each.action.name == chosen.action.name and each.probability >= ALIKE * chosen.probability
        ]
    return tuple(dict.fromkeys(found))


def _with_doubtful_way(domain: Domain, utterance: IntentBelief, belief: ActionBelief, forbidding: Sequence[int]) -> ActionBelief:
    """The belief, which asks whether to go all the same if a prohibition is about the way; once, then the person has said yes."""
    best = chosen_by_clause(belief)
    ways = (
        candidate.action for index in forbidding for candidate in best[index] if _on_the_way(domain, utterance.clauses[index], candidate)
    )
    doubt = next((f"I can't promise to keep out of {called(domain, way.argument('goal'))} on the way." for way in ways), "")
    if not doubt or doubt in belief.notes:
        return belief
    wanted = tuple(candidate.action for index, group in best.items() if index not in forbidding for candidate in group)
    question = f"{doubt} {shall_i(domain, wanted)}"
    return replace(belief, decision="confirm", reason=doubt, question=question, options=wanted, notes=(*belief.notes, doubt))


def _on_the_way(domain: Domain, clause: Clause, candidate: ActionCandidate) -> bool:
    """Whether it is a room that the robot may cross on its way, since ways are planned without regard to what was said of rooms."""
    goal = domain.places.get(candidate.action.argument("goal"))
    return clause.modifiers.mood == "prohibition" and candidate.action.name == GO_TO and goal is not None and goal.kind == "room"


@dataclass(frozen=True, slots=True)
class _Forbidden:
    """What prohibitions have changed."""

    promises: tuple[str, ...] = ()  # "I won't go to the bedroom at 8"
    rule: StandingRule | None = None  # of one prohibition, kept from now on; its promise is made with those of its like
    notes: tuple[str, ...] = ()
    problem: str = ""  # why it cannot be kept, a sentence


def _forbid_all(domain: Domain, utterance: IntentBelief, forbidden: Mapping[int, Sequence[Action]], agenda: Agenda, now: Now) -> _Forbidden:
    """What the prohibitions change, by clause, up to one that cannot be kept."""
    found: list[_Forbidden] = []
    for index, actions in forbidden.items():
        for action in actions:
            found.append(_forbid(domain, utterance, utterance.clauses[index], action, agenda, now))
            if found[-1].problem:
                return found[-1]
    promises = (*(promise for each in found for promise in each.promises), *_lasting([each.rule for each in found if each.rule], now))
    return _Forbidden(promises, notes=tuple(note for each in found for note in each.notes))


def _forbid(domain: Domain, utterance: IntentBelief, clause: Clause, action: Action, agenda: Agenda, now: Now) -> _Forbidden:
    rule = _rule(domain, utterance, clause, action, now) if _stays(clause) else None
    if isinstance(rule, str) or (rule is not None and agenda.full):
        return _Forbidden(problem=rule if isinstance(rule, str) else FULL)
    taken_back = [task for task in agenda.take_back(action, f"told: {utterance.text}") if isinstance(task, DeferredTask)]
    promises = [f"I won't {task.what} {when_in_words(task, now)}" for task in taken_back]
    notes = [f"task {task.id} was taken back" for task in taken_back]
    if rule is not None:
        rule = agenda.add_rule(rule)
        notes.append(f"kept as rule {rule.id}")
    return _Forbidden(tuple(promises), rule, tuple(notes))


def is_prohibition(clause: Clause) -> bool:
    """Whether the clause says what not to do, now or always; "always …" and "whenever …" are habits to keep."""
    return clause.negated or clause.modifiers.mood == "prohibition"


def not_understood(clause: Clause) -> Role | None:
    """The first filler that was said and is not known: "him" or "there" of nobody and nowhere, but not "anything"."""
    unknown = (role for role in clause.roles if role.kind in ("object", "place", "person") and not role.entity)
    return next((role for role in unknown if role.description is None or role.description.quantity != "any"), None)


def _stays(clause: Clause) -> bool:
    """Whether the prohibition holds for longer than this moment."""
    modifiers = clause.modifiers
    ends = [*(timing.kind for timing in modifiers.timings), *(condition.kind for condition in modifiers.conditions)]
    return modifiers.mood == "rule" or TOUCH.search(clause.text) is not None or not {"today", "until", "for"}.isdisjoint(ends)


def _rule(domain: Domain, utterance: IntentBelief, clause: Clause, action: Action, now: Now) -> StandingRule | str:
    """The rule of a clause, or why there can be none: a sentence."""
    named = [role.name for role in clause.roles if role.entity or role.kind not in ("object", "place", "person", "")]
    said = {name for name in named if action.argument(name)}
    spec = domain.intents.get(clause.intent)
    if spec is not None and not said and any(role.required for role in spec.roles.values()):  # "don't touch that": it would forbid all
        return "I don't know what you mean by that."
    if (lost := not_understood(clause)) is not None:  # "never give the cup to him": without him, it would forbid to give it to anybody
        return f"I don't know what you mean by “{lost.text}”."
    until, problem = end_of(clause.modifiers.timings, now)
    if problem:
        return f"I can't do that: {problem}."
    ends = None
    # "While anna's working", "after ten": the rule is kept without them, and the question before it is broken names them.
    limits = [timing.text for timing in clause.modifiers.timings if timing.kind in ("at", "every", "in")]
    for condition in clause.modifiers.conditions:
        if condition.kind != "until":
            limits.append(f"{condition.kind} {in_words(condition, domain)}")
            continue
        ends = observable_of(condition, domain)
        if ends is None:
            return watchable(condition, domain)
    arguments = tuple(pair for pair in action.arguments if pair[0] in said)
    name = "" if arguments and TOUCH.search(clause.text) else action.name
    what = " ".join((forbidden_in_words(domain, Action(name, arguments)), *limits))
    return StandingRule("", utterance.utterance_id, utterance.text, what, name, arguments, now.wall, until, ends)
