"""action_selector: intent_belief + context → action_belief; asks questions and interprets the answers."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from std_msgs.msg import String

from sayso.agenda import Agenda, Facts, Now, agenda_named
from sayso.domain import load_domain
from sayso.errors import RosError
from sayso.supervision import RosTime
from sayso.types import ActionBelief, IntentBelief, PlanState, Transcript
from sayso_nodes.alive import Alive
from sayso_nodes.conversions import from_message, to_message
from sayso_nodes.lifecycle_node import DOMAIN, SaysoNode
from sayso_nodes.nodes.kept_files import KeptFiles
from sayso_nodes.parameters import Parameter
from sayso_nodes.run import run

if TYPE_CHECKING:
    from sayso.selection import Turn

NEVER = float("-inf")
KEPT = 256  # utterances that are over and remembered
TOO_MUCH = "too much at once, please say it again"
QUEUED_AT_MOST = 10.0  # s; after that, assume that the worker has dropped the check of the agenda


class ActionSelectorNode(SaysoNode):
    """Decides and conducts the dialogue. At most one question is open."""

    NAME = "action_selector"
    PARAMETERS = (
        DOMAIN,
        Parameter("answer_within", 30.0, "how long a question stays open, s", 1.0, 600.0),
        Parameter("correct_within", 30.0, "how long 'no, the blue one' still refers to the last decision, s", 0.0, 600.0),
        Parameter("agenda", "auto", "file of deferred tasks and standing rules; auto: the user's, none in simulated time; empty: none"),
        Parameter("memory", "auto", "file for what is learnt from answers; auto: the user's, none in simulated time; empty: none"),
    )

    QUEUE = 64  # no utterance or answer is lost while the worker waits for the file of the memory

    def open(self) -> None:
        """Load the domain, its memory and its agenda."""
        from sayso.intent.meaning.answers import AnswerDescriber
        from sayso.selection import (
            ActionSelector,
            AgendaKeeper,
            Dialogue,
            DialogueOptions,
            Diary,
            Feedback,
            Memory,
            PendingLooks,
            memory_named,
        )
        from sayso.selection.choosing.calibration import stored

        self.domain = load_domain(self.value("domain") or None)
        self.memory = Memory(self.domain, memory_named(self.value("memory"), simulated=self.value("use_sim_time")))
        self.feedback = Feedback(self.memory)
        offered, stale = stored(self.domain)
        if stale:
            self.get_logger().warning(stale)
        self.select = ActionSelector(self.domain, self.memory, offered)
        options = DialogueOptions(self.value("answer_within"), self.value("correct_within"))
        self.dialogue = Dialogue(self.domain, options, AnswerDescriber(self.domain))
        path = agenda_named(self.value("agenda"), simulated=self.value("use_sim_time"), namespace=self.get_namespace())
        self.keeper = AgendaKeeper(self.domain, Agenda(self.domain, path))
        self.dialogue.settle = lambda belief, now: self.keeper(belief, Now.at(now))
        self.looks, self.ros_time, self.diary = PendingLooks(), RosTime(), Diary(self.domain)
        self.over: deque[str] = deque(maxlen=KEPT)  # utterance_ids that have had their outcome
        self.check_queued = NEVER
        self.running: ActionBelief | None = None  # the last decision to execute
        self.transcript: Transcript | None = None  # the last one, with its alternative texts
        self.actions, self.questions = map(self.publisher, ("action_belief", "question"))
        self.subscription("context", self.on_context)
        self.subscription("object_belief", self.on_object_belief)
        self.subscription("grounding", self.on_grounding)
        self.subscription("transcript", self.on_transcript)
        self.subscription("intent_belief", self.on_intent_belief)
        self.subscription("stopped", self.on_stopped)
        self.subscription("plan_state", self.on_plan_state)
        self.subscription("outcome", self.on_outcome, remembered=True)
        self.service("answer", self.on_answer)
        self.service("tasks", self.on_tasks)
        self.alive = Alive(self, resting=True)
        self.every(0.5, self.on_time, steady=True)
        self.files = KeptFiles(self, self.memory, self.keeper.agenda)

    def on_context(self, message: Any) -> None:
        """Update the robot's situation."""
        before, now = self.dialogue.context, from_message(message)
        self.dialogue.context = now
        if now.visible != (before.visible if before is not None else ()):  # not each message: the worker has better to do
            self.later(lambda: self.diary.noticed(now))

    def on_object_belief(self, message: Any) -> None:
        """Update where an object may be, for "the one on the table"."""
        where = from_message(message)
        if not where.is_distribution:  # with it, every later decision would fail
            raise RosError(f"object_belief of '{where.object_id}' is no distribution over places")
        self.dialogue.whereabouts[where.object_id] = where

    def on_grounding(self, message: Any) -> None:
        """Note where a thing was seen, for "the one to the left of the bread"."""
        if message.found and not message.ambiguous:
            self.dialogue.positions[message.object_id] = from_message(message).point

    def on_stopped(self, message: Any) -> None:
        """Withdraw the open question: a "yes" that comes now is too late."""
        self.keeper.stopped = message.data
        if message.data:
            self.later(lambda: self.publish([turn.belief for turn in self.dialogue.stop()]))

    def on_plan_state(self, message: Any) -> None:
        """Note whether the robot is busy: a task that is due waits until it is free. After a look, decide again."""
        state = from_message(message)
        self.later(lambda: self.diary.planned(state))
        self.later(lambda: self.keeper.planned(state))
        self.later(lambda: self.decide_again(state))
        if state.status == "asking" and len(state.choices) > 1:
            self.later(lambda: self.ask_which(state))

    def decide_again(self, state: PlanState) -> None:
        """Decide on an utterance whose referent the robot went to look for. What it saw comes on object_belief too, perhaps later."""
        utterance = self.looks.over(state)
        if utterance is not None:
            self.dialogue.whereabouts.update({each.object_id: each for each in state.believed if each.is_distribution})
            belief = self.decide(utterance, looked=True)
            self.publish([turn.belief for turn in self.dialogue.begin(belief, self.seconds())])

    def ask_which(self, state: PlanState) -> None:
        """Ask which of several things is meant: the planner waits. A command that an earlier process decided is left to utterance_watch."""
        from sayso.selection.dialogue.which_one import which_one

        running = self.running
        if running is not None and running.utterance_id == state.utterance_id and state.utterance_id not in self.over:
            question = which_one(self.domain, running, state)
            self.publish([turn.belief for turn in self.dialogue.begin(question, self.seconds())])

    def on_outcome(self, message: Any) -> None:
        """Note the end of a command."""
        outcome = from_message(message)
        self.over.append(outcome.utterance_id)
        self.later(lambda: self.dialogue.forget(outcome.utterance_id))
        self.later(lambda: self.diary.concluded(outcome))
        self.later(lambda: self.keeper.concluded(outcome))

    def on_transcript(self, message: Any) -> None:
        """Keep the alternative texts: a short answer is often among them."""
        self.transcript = from_message(message)

    def on_intent_belief(self, message: Any) -> None:
        """Take an answer, a correction or a command."""
        belief, transcript = from_message(message), self.transcript
        self.later(
            lambda: self.take(belief, transcript),
            failed=lambda error: self.publish([undecided(belief, f"action_selector failed: {error}")]),
            dropped=lambda: self.actions.publish(to_message(undecided(belief, TOO_MUCH))),
        )

    def take(self, belief: IntentBelief, transcript: Transcript | None) -> None:
        """Let the dialogue interpret it, decide, and learn from the result. One that was given up as lost is not taken up again."""
        if belief.utterance_id in self.over:
            return
        self.mind_the_clock()
        self.look()
        self.keeper.note(belief)
        self.diary.heard(belief)
        self.looks.said(belief)
        turns = self.dialogue.hear(belief, transcript, lambda: self.decide(belief), self.seconds())
        self.publish([turn.belief for turn in turns])
        self.learn(turns, belief.utterance_id)

    def decide(self, belief: IntentBelief, *, looked: bool = False) -> ActionBelief:
        """The decision on a command; `looked`: the robot has looked for what it speaks of."""
        self.memory.refresh()
        self.feedback.note_context(belief.utterance_id, self.dialogue.context)
        remembered = self.diary.recollection(Now.at(self.seconds()))
        return self.select(belief, self.dialogue.context, self.dialogue.view(remembered), looked=looked)

    def publish(self, decided: Sequence[ActionBelief]) -> None:
        """Publish decisions, with the question or the refusal to say aloud."""
        for belief in decided:
            if belief.decision == "reject":
                self.keeper.rejected(belief)
            if belief.decision == "execute":
                self.running = belief
            self.looks.decided(belief)
            self.diary.decided(belief, self.seconds())
            self.actions.publish(to_message(belief))
            if belief.question:
                self.questions.publish(String(data=belief.question))

    def learn(self, turns: Sequence[Turn], heard: str = "") -> None:
        """Learn from the answers in the utterance `heard`. The worker writes the file, which may take a while."""
        self.feedback.learn(turns, heard)
        if self.memory.waiting:
            self.later(self.files.write_down)
        else:
            self.files.diagnose_memory()

    async def on_answer(self, request: Any, response: Any) -> Any:
        """Take an answer from a program or a keyboard."""
        response.accepted, response.message = await self.in_worker(lambda: self.reply(request.text, request.utterance_id))
        return response

    def reply(self, text: str, utterance_id: str) -> tuple[bool, str]:
        """Take an answer to the question of that utterance (empty: to the open one), after everything said before; or say why not."""
        self.wait()
        asked = self.dialogue.open
        if asked is None:
            return False, "no question is open"
        if utterance_id and utterance_id != asked.utterance_id:
            return False, f"that question is no longer open; the open one is of utterance {asked.utterance_id}: {asked.question}"
        turns = self.dialogue.answer(text, self.seconds())
        self.publish([turn.belief for turn in turns])
        self.learn(turns)
        return bool(turns), "understood" if turns else f"'{text}' does not answer: {asked.question}"

    def on_time(self) -> None:
        """Withdraw an unanswered question; start a task that is due; try again to write what could not be written."""
        if self.dialogue.open is not None:
            self.later(self.wait)
        if self.files.is_due:
            self.later(self.files.write_down)
        if abs(self.seconds() - self.check_queued) > QUEUED_AT_MOST:
            self.check_queued = self.seconds()
            self.later(self.check_tasks)

    def check_tasks(self) -> None:
        """Start a task that is due, unless a question is open."""
        self.check_queued = NEVER
        now, facts = self.look()
        if self.dialogue.open is None and (belief := self.keeper.next_task(now, facts)):
            self.publish([turn.belief for turn in self.dialogue.begin(belief, now.ros)])
        self.files.diagnose_agenda(len(self.keeper.entries(now)))

    def look(self) -> tuple[Now, Facts]:
        """This moment, and what the robot observes. Reads the agenda if another process has changed it."""
        self.keeper.agenda.stored.refresh()
        now = Now.at(self.seconds())
        return now, self.keeper.observe(self.dialogue.context, self.dialogue.whereabouts, now)

    async def on_tasks(self, request: Any, response: Any) -> Any:
        """List tasks and rules, or take them back."""
        asked = request.command, request.id
        response.success, response.message, entries = await self.in_worker(lambda: self.keeper.requested(*asked, Now.at(self.seconds())))
        response.entries = [to_message(entry) for entry in entries]
        return response

    def mind_the_clock(self) -> None:
        """Tell the dialogue if the clock was set back; in a new simulation, things are where they were at first."""
        back = self.ros_time.set_back(self.seconds())
        self.dialogue.set_back(back)
        if back and self.value("use_sim_time"):
            self.dialogue.whereabouts.clear()
            self.diary = type(self.diary)(self.domain)

    def wait(self) -> None:
        """Tell the dialogue the time."""
        self.mind_the_clock()
        self.publish([turn.belief for turn in self.dialogue.check_timeout(self.seconds())])


def undecided(belief: IntentBelief, reason: str) -> ActionBelief:
    """The decision if the stage has failed or has too much to do: do nothing."""
    return ActionBelief(belief.utterance_id, belief.stamp, (), "reject", reason)


def main() -> None:
    """Run the node."""
    run(ActionSelectorNode)


if __name__ == "__main__":
    main()
