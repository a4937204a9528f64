"""command_server: ExecuteCommand → the services `say` and `cancel`; feedback by stage and the outcome back to the client."""

from __future__ import annotations

from collections import deque
from time import monotonic
from typing import Any

from rclpy.action import ActionServer, CancelResponse
from rclpy.task import Future
from sayso_msgs.srv import Cancel, Say

from sayso.supervision import ANSWER_WITHIN
from sayso.types import ActionBelief, Outcome, PlanState
from sayso_nodes.alive import Waits
from sayso_nodes.conversions import from_message, to_message
from sayso_nodes.graph import interface
from sayso_nodes.lifecycle_node import SaysoNode
from sayso_nodes.run import run

Stage = ActionBelief | PlanState | Outcome
ACTION = "execute_command"
CANCELLED = "cancelled"
NO_ANSWER = "speech_to_text did not answer; the sentence may have been heard"
LOOK = 0.2  # s between two looks for waits that have become hopeless
RECENT = 32  # stages kept of other utterances: those of a command may arrive before the answer of `say` names its utterance


class CommandServerNode(SaysoNode):
    """Hands a program's sentences to speech_to_text, and reports their outcomes."""

    NAME = "command_server"

    def open(self) -> None:
        """Serve the action."""
        self.kind = interface(ACTION)
        self.commands: dict[str, tuple[Any, Future]] = {}  # utterance → goal, outcome
        self.recent: deque[Stage] = deque(maxlen=RECENT)
        self.say, self.cancel = self.client("say"), self.client("cancel")
        self.waits = Waits()
        self.looking = self.every(LOOK, self.on_time, steady=True)
        self.switch(self.looking, on=False)  # it runs while a command waits for its answer
        for topic in ("action_belief", "plan_state", "outcome"):
            self.subscription(topic, self.on_stage)
        self._allow("performs", ACTION)
        server = ActionServer(self, self.kind, ACTION, self.execute, cancel_callback=self.on_cancel)
        self.on_close(server.destroy)

    def on_time(self) -> None:
        """End the waits that have become hopeless."""
        self.waits.look(monotonic())
        self.switch(self.looking, on=self.waits.any)

    def on_stage(self, message: Any) -> None:
        """Report a stage of a running command."""
        stage: Stage = from_message(message)
        if stage.utterance_id in self.commands:
            self.report(stage)
        else:
            self.recent.append(stage)

    async def execute(self, goal: Any) -> Any:
        """Answer the goal when the outcome is known."""
        outcome = await self.outcome(goal)
        if goal.is_cancel_requested:
            goal.canceled()
        elif outcome.succeeded:
            goal.succeed()
        else:
            goal.abort()
        return self.kind.Result(outcome=to_message(outcome))

    async def outcome(self, goal: Any) -> Outcome:
        """Say the sentence and wait for its outcome."""
        if not self.active or not self.say.service_is_ready():
            return self.failure("", "speech_to_text is not there to take the sentence")
        until = monotonic() + ANSWER_WITHIN
        asked = self.say.call_async(Say.Request(text=goal.request.text))
        self.switch(self.looking, on=True)
        said, unanswered = await self.waits.answer(asked, lambda now: NO_ANSWER if now > until else "")
        if unanswered:
            return self.failure("", unanswered)
        if not said.accepted:
            return self.failure("", said.message)
        outcome: Future = Future()
        self.commands[said.utterance_id] = (goal, outcome)
        self.feed_back(goal, "speech_to_text", goal.request.text)
        for stage in [each for each in self.recent if each.utterance_id == said.utterance_id]:
            self.report(stage)
        if goal.is_cancel_requested:  # while the sentence was on its way
            self.drop(said.utterance_id)
        result: Outcome = await outcome
        return result

    def report(self, stage: Stage) -> None:
        """Feedback of one stage; an outcome ends the command."""
        if isinstance(stage, Outcome):
            self.conclude(stage)
            return
        goal, _ = self.commands.get(stage.utterance_id, (None, None))
        if isinstance(stage, ActionBelief):
            actions = " ".join(str(action) for action in stage.chosen)
            self.feed_back(goal, "action_selector", f"{stage.decision}: {actions} {stage.question or stage.reason}")
            if stage.decision in ("defer", "answer"):  # no outcome will follow
                self.conclude(Outcome(stage.utterance_id, self.seconds(), succeeded=True, action="", reason=stage.question))
        else:
            self.feed_back(goal, "planner", f"{stage.action}: {stage.ahead[0] if stage.ahead else stage.status}")

    def conclude(self, outcome: Outcome) -> None:
        """End the command with this outcome, unless it has ended."""
        _, future = self.commands.pop(outcome.utterance_id, (None, None))
        if future is not None:
            future.set_result(outcome)

    def on_cancel(self, goal: Any) -> CancelResponse:
        """Have the planner drop the command."""
        for utterance_id, (held, _) in list(self.commands.items()):
            if held.goal_id == goal.goal_id:
                self.drop(utterance_id)
        return CancelResponse.ACCEPT

    def drop(self, utterance_id: str) -> None:
        """Cancel an utterance. A command that the planner does not carry out ends here: no outcome will follow."""
        if not self.cancel.service_is_ready():
            self.conclude(self.failure(utterance_id, CANCELLED))
            return

        def answered(future: Any) -> None:
            if future.exception() is not None or not future.result().running:
                self.conclude(self.failure(utterance_id, CANCELLED))

        self.cancel.call_async(Cancel.Request(utterance_id=utterance_id)).add_done_callback(answered)

    def on_deactivate(self, state: Any) -> Any:
        """Leave no client waiting."""
        for utterance_id in list(self.commands):
            self.conclude(self.failure(utterance_id, "the command_server was deactivated"))
        return super().on_deactivate(state)

    def failure(self, utterance_id: str, reason: str) -> Outcome:
        """The outcome of a command that was never carried out."""
        return Outcome(utterance_id, self.seconds(), succeeded=False, action="", reason=reason)

    def feed_back(self, goal: Any, stage: str, text: str) -> None:
        """Publish feedback in one line."""
        if goal is not None and goal.is_active:
            goal.publish_feedback(self.kind.Feedback(stage=stage, text=" ".join(text.split())))


def main() -> None:
    """Run the node."""
    run(CommandServerNode)


if __name__ == "__main__":
    main()
