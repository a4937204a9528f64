"""What a decision makes of times, conditions and standing rules: done now, kept in the agenda, asked about, or dropped."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby

from sayso.agenda import Agenda, DeferredTask, Facts, Now, Observable, Schedule, StandingRule, holds, observable_of, schedule_of, watchable
from sayso.agenda.observing import in_words, turned
from sayso.agenda.wording import actions_in_words, until_in_words, when_in_words
from sayso.domain.model import Domain
from sayso.domain.wording import listed, spoken_action
from sayso.meaning.conditions import is_alternative, is_observable, is_tested_by_acting
from sayso.representation import Modifiers
from sayso.types import Action, ActionBelief, ActionCandidate

NOTE = "against rule "  # of a belief's notes: the person was asked about the rule of that id
REGARDLESS = "regardless: "  # of a belief's notes: the person was asked about a condition that the robot can't notice
LASTING = ("wait", "stop", "follow")  # actions that last until something else is asked for
NO_HABIT = "I can't keep that as a habit: I don't know when to do it."
ALTERNATIVE = "If that fails, I will tell you: then ask me for the other thing."
FULL = "My agenda is full: take a task back first."


@dataclass(frozen=True, slots=True)
class Postponement:
    """When and on which conditions a clause is to be done; the defaults mean now."""

    schedule: Schedule = field(default_factory=Schedule)
    trigger: Observable | None = None
    guards: tuple[Observable, ...] = ()
    problem: str = ""  # why it cannot be kept, a sentence for a person; then nothing of the utterance is done
    doubt: str = ""  # a condition that the robot can't notice or tell, a sentence for a person, who is asked about it
    how: str = "anyway"  # of the doubt: how the robot offers to do it
    end: str = ""  # what ends it, in the robot's words: "you say stop"
    standing: bool = False  # to be done at each such event
    dropped: str = ""  # why the clause is not done at all: its condition does not hold; a sentence

    @property
    def later(self) -> bool:
        """Whether it is for later."""
        return self.schedule.timed or self.trigger is not None


def postponement(modifiers: Modifiers, domain: Domain, now: Now, facts: Facts) -> Postponement:
    """When a clause with these modifiers is to be done.

    An "if" is checked now, or when the task is due, against what the robot knows then. A caller that lets the robot go and look ("if the
    phone is in the bedroom") takes that condition out of the modifiers.
    """
    schedule = schedule_of(modifiers.timings, now)
    if schedule.problem:
        return Postponement(problem=f"I can't do that: {schedule.problem}.")
    triggers: list[Observable] = []
    guards: list[Observable] = []
    for condition in modifiers.conditions:
        looked_for = not schedule.timed and (is_observable(condition) or is_tested_by_acting(condition))  # by the selector, or the task
        if condition.kind == "until" or looked_for:  # "until" ends something
            continue
        if is_alternative(condition):
            return Postponement(dropped=ALTERNATIVE)
        observed = observable_of(condition, domain)
        if observed is None:
            return Postponement(doubt=watchable(condition, domain), how="anyway" if condition.kind in ("if", "unless", "while") else "now")
        if condition.kind == "while" and observed.event:  # "stay put while i get the keys"
            return Postponement(doubt=f"I can't tell how long {in_words(condition, domain)}.", how="now")
        if condition.kind in ("when", "after", "before") or observed.event:
            triggers.append(observed)
        else:
            guards.append(replace(observed, text=f"{condition.kind} {observed.text}"))
    if len(triggers) > 1:
        return Postponement(problem="I can only wait for one thing at a time.")
    habit, repeated = modifiers.mood == "rule", schedule.period > 0.0
    end = next((in_words(each, domain) for each in modifiers.conditions if each.kind == "until" and not repeated), "")
    found = Postponement(schedule, triggers[0] if triggers else None, tuple(guards), standing=habit and bool(triggers), end=end)
    if habit and not found.later:
        return Postponement(doubt=NO_HABIT, how="now")
    return found if found.later else replace(_checked_now(found, domain, facts), end=end)


def restrained(
    domain: Domain, belief: ActionBelief, agenda: Agenda, now: Now, facts: Facts | None = None, at: Mapping[int, float] | None = None
) -> ActionBelief:
    """The belief, unless a standing rule forbids one of its actions: then the question whether to do it all the same. "Yes" does it once.

    Args:
        domain: for the words of the question.
        belief: with the decision to execute; others are returned as they are.
        agenda: has the rules.
        now: for the words of the question, and the time that counts.
        facts: where things are.
        at: clause → s since 1970 when it is to be done, if that is later.
    """
    if belief.decision != "execute":
        return belief
    for index, candidate in _each(chosen_by_clause(belief)):
        when, action = (at or {}).get(index, now.wall), candidate.action
        rule = agenda.forbids(action, when, facts.whereabouts if facts else None, overruled(belief))
        if rule is not None:
            told = " ".join(filter(None, (rule.what, until_in_words(rule, now))))
            question = f"You told me not to {told}. Shall I {_anyway(domain, rule, action)}?"
            notes = (*belief.notes, f"{NOTE}{rule.id}")
            return replace(
                belief, decision="confirm", reason=f"rule {rule.id} forbids {action}", question=question, options=(action,), notes=notes
            )
    return belief


def deferred(
    domain: Domain, belief: ActionBelief, postponed: Mapping[int, Postponement], said: str, agenda: Agenda, now: Now
) -> ActionBelief:
    """The belief without the clauses that are for later, which the agenda keeps; `defer` if none is for now.

    Args:
        domain: for the words of the acknowledgement.
        belief: with the decision to execute; others are returned as they are.
        postponed: clause → when it is to be done; a clause that is not in it is for now.
        said: the text of the utterance.
        agenda: keeps the tasks.
        now: the moment of the decision.
    """
    chosen = chosen_by_clause(belief)
    plans = {index: postponed.get(index, Postponement()) for index in chosen}
    plans = {index: _to_its_end(plan, chosen[index]) for index, plan in plans.items()}
    plans = {index: Postponement() if plan.doubt and _was_asked(belief, plan) else plan for index, plan in plans.items()}
    if belief.decision != "execute" or all(plan == Postponement() for plan in plans.values()):
        return belief
    problem = next((plan.problem for plan in plans.values() if plan.problem), "")
    later = [index for index, plan in plans.items() if plan.later]
    if problem or (later and agenda.full):
        line = problem or FULL
        return replace(belief, decision="reject", reason=line, question=line, options=())
    if doubtful := {index: plan for index, plan in plans.items() if plan.doubt}:
        if line := next((plan.doubt for index, plan in doubtful.items() if _is_its_report(plan, chosen[index])), ""):
            return replace(belief, decision="reject", reason=line, question=line, options=())
        return _doubted(domain, belief, [*doubtful.values()])
    tasks = []
    for plan, indices in groupby(later, key=lambda index: plans[index]):
        actions = tuple(candidate.action for index in indices for candidate in chosen[index])
        tasks.append(agenda.add_task(_task(belief, plan, said, now, actions, actions_in_words(domain, actions))))
    immediate = [index for index, plan in plans.items() if not plan.later and not plan.dropped]
    promises = [f"{when_in_words(task, now)} I will {task.what}" for task in tasks]
    acknowledged = f"All right: {listed(promises)}." if promises else ""
    spoken = filter(None, (belief.question, acknowledged, *dict.fromkeys(plan.dropped for plan in plans.values())))
    question = " ".join(spoken)
    notes = (*belief.notes, *(f"kept as task {task.id}: {when_in_words(task, now)}" for task in tasks))
    if immediate:
        candidates = tuple(candidate for candidate in belief.candidates if candidate.clause in immediate)
        return replace(belief, candidates=candidates, question=question, notes=notes)
    reason = "; ".join(promises) or "its condition does not hold"
    return replace(belief, decision="defer" if tasks else "answer", reason=reason, question=question, options=(), notes=notes)


def preceded(belief: ActionBelief, agenda: Agenda, now: Now) -> ActionBelief:
    """The belief with the tasks that a person wanted before one of its actions ("before you charge"), each ahead of that action."""
    if belief.decision != "execute":
        return belief
    found: list[ActionCandidate] = []
    first: list[DeferredTask] = []
    clause = 0
    for index, candidates in chosen_by_clause(belief).items():
        for task in (task for name in dict.fromkeys(each.action.name for each in candidates) for task in agenda.before(name, now)):
            agenda.carry_out(task, now)
            first.append(task)
            for action in task.actions:
                found.append(certain(action, clause))
                clause += 1
        found += [replace(each, clause=clause) for each in belief.candidates if each.clause == index]
        clause += 1
    if not first:
        return belief
    words = listed([task.what for task in first])
    notes = (*belief.notes, *(f"first: task {task.id}, said “{task.text}”" for task in first))
    return replace(belief, candidates=tuple(found), question=f"{belief.question} Before that, I will {words}.".lstrip(), notes=notes)


def chosen_by_clause(belief: ActionBelief) -> dict[int, tuple[ActionCandidate, ...]]:
    """The most probable candidate of each part of each clause, in the order of the clauses and parts."""
    best: dict[tuple[int, int], ActionCandidate] = {}
    for candidate in belief.candidates:
        place = (candidate.clause, candidate.part)
        if place not in best or candidate.probability > best[place].probability:
            best[place] = candidate
    ordered = [best[place] for place in sorted(best)]
    return {index: tuple(group) for index, group in groupby(ordered, key=lambda candidate: candidate.clause)}


def _each(chosen: Mapping[int, tuple[ActionCandidate, ...]]) -> Iterator[tuple[int, ActionCandidate]]:
    yield from ((index, candidate) for index, candidates in chosen.items() for candidate in candidates)


def certain(action: Action, clause: int) -> ActionCandidate:
    """The candidate of an action that is certain to be meant."""
    return ActionCandidate(clause, action, 1.0, 1.0, 1.0, 1.0)


def overruled(belief: ActionBelief) -> tuple[str, ...]:
    """The ids of the rules about which the person was asked already."""
    return tuple(note.removeprefix(NOTE) for note in belief.notes if note.startswith(NOTE))


def _checked_now(found: Postponement, domain: Domain, facts: Facts) -> Postponement:
    for guard in found.guards:
        there = holds(guard, domain, facts)
        if there is None:
            return Postponement(doubt=f"I can't tell {guard.text.replace('unless', 'if', 1).replace('while', 'whether', 1)}.")
        if not there:
            return Postponement(dropped=f"I leave it: you wanted it only {guard.text}.")
    return Postponement()


def _task(belief: ActionBelief, plan: Postponement, said: str, now: Now, actions: tuple[Action, ...], what: str) -> DeferredTask:
    schedule = plan.schedule
    return DeferredTask(
        id="",
        utterance_id=belief.utterance_id,
        text=said,
        what=what,
        actions=actions,
        created=now.wall,
        created_ros=now.ros,
        due=schedule.due,
        clock=schedule.clock,
        period=schedule.period,
        until=schedule.until,
        trigger=plan.trigger,
        guards=plan.guards,
        permitted=overruled(belief),
        standing=plan.standing,
    )


def _to_its_end(plan: Postponement, chosen: Sequence[ActionCandidate]) -> Postponement:
    """The plan without its end, if the actions last by themselves; else with the doubt that the robot stops in time."""
    if plan.end and not plan.doubt and any(each.action.name not in LASTING for each in chosen):
        return Postponement(doubt=f"I can't go on until {plan.end}.", how="once")
    return replace(plan, end="")


def _is_its_report(plan: Postponement, chosen: Sequence[ActionCandidate]) -> bool:
    """Whether it is to tell what it can't notice, "let me know when the post comes": to tell it now makes no sense."""
    messages = [each.action.argument("message") for each in chosen]
    return all(message and turned(message).lower() in plan.doubt.lower() for message in messages)


def _was_asked(belief: ActionBelief, plan: Postponement) -> bool:
    return f"{REGARDLESS}{plan.doubt}" in belief.notes


def _doubted(domain: Domain, belief: ActionBelief, plans: Sequence[Postponement]) -> ActionBelief:
    """The question whether to act although the robot can't tell about a condition. "Yes" does it at once."""
    problem = " ".join(dict.fromkeys(plan.doubt for plan in plans))
    question = f"{problem} Shall I {actions_in_words(domain, belief.chosen)} {plans[0].how}?"
    notes = (*belief.notes, *(f"{REGARDLESS}{plan.doubt}" for plan in plans))
    return replace(belief, decision="confirm", reason=problem, question=question, options=belief.chosen[:1], notes=notes)


def _anyway(domain: Domain, rule: StandingRule, action: Action) -> str:
    words = spoken_action(domain, action)
    return "do it anyway" if words == rule.what else f"{words} anyway"
