"""Applies the agenda to decisions: keeps what is for later, starts what is due, asks before it breaks a rule."""

from __future__ import annotations

import math
from collections.abc import Mapping

from sayso.agenda import Agenda, AgendaEntry, DeferredTask, Facts, Now
from sayso.agenda.file import ALL
from sayso.agenda.wording import agenda_entry
from sayso.domain.model import Domain
from sayso.representation import Modifiers
from sayso.selection.later.deferring import NOTE, certain, deferred, postponement, preceded, restrained
from sayso.selection.later.prohibiting import prohibited
from sayso.types import ActionBelief, Context, IntentBelief, ObjectBelief, Outcome, PlanState

RECENT = 16  # newest utterances whose modifiers are kept until an answer arrives
BEGINS_WITHIN = 10.0  # s after a decision; then assume that no planner carries it out
CERTAIN = 0.9  # probability of a place from which an object is nearly certainly there


class AgendaKeeper:
    """Agenda, decisions and outcomes of one robot. Call it with each decision before it is published."""

    def __init__(self, domain: Domain, agenda: Agenda) -> None:
        self.domain, self.agenda = domain, agenda
        self.stopped = False  # the robot was told to stop, and not yet to go on
        self._utterances: dict[str, IntentBelief] = {}
        self._begun: dict[str, str] = {}  # utterance_id of a task that was started → its id in the agenda
        self._executed: dict[str, tuple[str, ...]] = {}  # utterance_id → names of its actions, until its outcome
        self._executed_at = -math.inf  # s, ROS time of the last decision to execute
        self._running = ""  # utterance_id that the planner carries out
        self._finished: list[str] = []  # names of the actions that have succeeded since the last look
        self.facts = Facts()

    def note(self, utterance: IntentBelief) -> None:
        """Remember an utterance: its times and conditions count after an answer to a question too."""
        self._utterances[utterance.utterance_id] = utterance
        if len(self._utterances) > RECENT:
            del self._utterances[next(iter(self._utterances))]

    def observe(self, context: Context | None, whereabouts: Mapping[str, ObjectBelief], now: Now) -> Facts:
        """The facts of this moment, from the newest messages."""
        places = {name: held.places[int(held.probabilities.argmax())] for name, held in whereabouts.items() if _certain(held)}
        others = {"idle": self.idle(now), "stopped": self.stopped, "finished": tuple(self._finished), "whereabouts": places}
        self.facts = Facts.of(context, **others)
        return self.facts

    def idle(self, now: Now) -> bool:
        """Whether no command is being carried out, or about to be."""
        return not self._running and not (self._executed and 0.0 <= now.ros - self._executed_at < BEGINS_WITHIN)

    def __call__(self, belief: ActionBelief, now: Now) -> ActionBelief:
        """The decision after times, conditions and standing rules."""
        utterance = self._utterances.get(belief.utterance_id)
        if utterance is not None and not belief.then:  # after looking, the decision is made again
            belief = prohibited(self.domain, belief, utterance, self.agenda, now)
        if belief.decision == "execute" and not belief.then:
            belief = self._to_execute(belief, utterance, now)
        if belief.decision == "execute":
            self._executed = {belief.utterance_id: tuple(action.name for action in belief.chosen)}
            self._executed_at = now.ros
        return belief

    def next_task(self, now: Now, facts: Facts) -> ActionBelief | None:
        """The decision to carry out a task that is due, if the robot is free; or to say that one was missed."""
        due = self.agenda.due(now, facts)
        self._finished = []
        if self.agenda.missed:
            return self._missed(self.agenda.missed.pop(0), now)
        if not due or not facts.idle or facts.stopped:
            return None
        task = due[0]
        self.agenda.carry_out(task, now)
        name = f"task-{task.id}-{round(now.wall * 1e3)}"
        self._begun[name] = task.id
        candidates = tuple(certain(action, index) for index, action in enumerate(task.actions))
        notes = (f"due: task {task.id}, said “{task.text}”", *(f"{NOTE}{rule}" for rule in task.permitted))
        return ActionBelief(name, now.ros, candidates, "execute", f"due: {task.what}", f"It is time: I will {task.what}.", notes=notes)

    def rejected(self, belief: ActionBelief) -> None:
        """Note a command that was taken back, or declined in a question: its tasks go too."""
        self.agenda.take_back_utterance(belief.utterance_id, belief.reason)
        self._executed.pop(belief.utterance_id, None)
        if (task_id := self._begun.pop(belief.utterance_id, "")) and belief.reason:
            self.agenda.not_done(task_id, belief.reason)

    def planned(self, state: PlanState) -> None:
        """Note the state of the plan."""
        if not state.is_over:
            self._running = state.utterance_id
        elif state.utterance_id == self._running:
            self._running = ""

    def concluded(self, outcome: Outcome) -> None:
        """Note an outcome."""
        if outcome.utterance_id == self._running:
            self._running = ""
        names = self._executed.pop(outcome.utterance_id, ())
        task_id = self._begun.pop(outcome.utterance_id, "")
        if outcome.succeeded:
            self._finished += names
        elif task_id:
            self.agenda.not_done(task_id, outcome.reason)

    def entries(self, now: Now, everything: bool = False) -> tuple[AgendaEntry, ...]:
        """The open tasks and rules in words, oldest first; `everything`: also those that are over."""
        return tuple(agenda_entry(entry, now) for entry in self.agenda.stored.all() if entry.open or everything)

    def requested(self, command: str, entry_id: str, now: Now) -> tuple[bool, str, tuple[AgendaEntry, ...]]:
        """The answer to a program: whether it succeeded, one line for a person, and the entries listed or taken back."""
        self.agenda.stored.refresh()
        if command in ("list", "list_all"):
            entries = self.entries(now, everything=command == "list_all")
            return True, f"{len(entries)} tasks and rules", entries
        if command != "take_back":
            return False, f"no command '{command}': list, list_all, take_back", ()
        before = {entry.id: entry for entry in self.entries(now)}
        taken = [entry.id for entry in self.agenda.take_back(entry_id, "taken back by a program")]
        self.agenda.stored.catch_up()
        if not taken and entry_id != ALL:
            return False, f"no open task or rule has the id '{entry_id}'", ()
        return True, f"taken back: {len(taken)}", tuple(before[each] for each in taken)

    def _to_execute(self, belief: ActionBelief, utterance: IntentBelief | None, now: Now) -> ActionBelief:
        modifiers: dict[int, Modifiers] = {}
        if utterance is not None:
            modifiers = {index: clause.modifiers for index, clause in enumerate(utterance.clauses)}
        postponed = {index: postponement(each, self.domain, now, self.facts) for index, each in modifiers.items()}
        at = {index: now.wall + plan.schedule.due - now.on(plan.schedule.clock) for index, plan in postponed.items() if plan.schedule.timed}
        belief = restrained(self.domain, belief, self.agenda, now, self.facts, at)
        belief = deferred(self.domain, belief, postponed, utterance.text if utterance else "", self.agenda, now)
        return preceded(belief, self.agenda, now)

    def _missed(self, task: DeferredTask, now: Now) -> ActionBelief:
        spoken = f"I did not {task.what}: {task.reason}."
        return ActionBelief(f"task-{task.id}-{round(now.wall * 1e3)}", now.ros, (), "answer", f"missed: {task.reason}", spoken)


def _certain(held: ObjectBelief) -> bool:
    return bool(len(held.places)) and float(held.probabilities.max()) >= CERTAIN
