"""ExecuteCommand: a sentence as text in, feedback stage by stage, and the outcome when the robot has reported."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rclpy.action import ActionServer, CancelResponse
from rclpy.task import Future
from sayso_msgs.srv import Say

from sayso.types import ActionBelief, Outcome, SkillCall
from sayso_nodes.conversions import to_message
from sayso_nodes.graph import interface

if TYPE_CHECKING:
    from sayso_nodes.planner import PlannerNode


class CommandServer:
    """The action server of the planner. It lets speech_to_text take the sentence, as everybody's sentences are taken."""

    def __init__(self, planner: PlannerNode) -> None:
        self._planner = planner
        self._type = interface("execute_command")
        self._waiting: dict[str, tuple[Any, Future]] = {}  # utterance → goal, outcome
        self._early: dict[str, Outcome] = {}  # outcomes that came before the answer of `say`
        self._say = planner.client("say")
        server = ActionServer(
            planner,
            self._type,
            "execute_command",
            self._execute,
            cancel_callback=self._on_cancel,
        )
        planner.on_close(server.destroy)

    def decided(self, belief: ActionBelief) -> None:
        """The action selector has decided."""
        text = f"{belief.decision}: {' '.join(str(action) for action in belief.chosen)} {belief.question or belief.reason}"
        self._feedback(belief.utterance_id, "action_selector", " ".join(text.split()))

    def progress(self, utterance_id: str, call: SkillCall, feedback: Any) -> None:
        """A skill goes on."""
        self._feedback(utterance_id, "skills", f"{call}: {feedback.status}")

    def concluded(self, outcome: Outcome) -> None:
        """It is over."""
        _, future = self._waiting.pop(outcome.utterance_id, (None, None))
        if future is not None:
            future.set_result(outcome)
        else:
            self._early = {outcome.utterance_id: outcome}

    def _on_cancel(self, goal: Any) -> CancelResponse:
        for utterance_id, (held, _) in list(self._waiting.items()):
            if held.goal_id == goal.goal_id and not self._planner.drop(utterance_id, "cancelled"):
                now = self._planner.seconds()  # nothing has been decided yet: there is nothing to bring to an end
                self.concluded(Outcome(utterance_id, now, succeeded=False, action="", reason="cancelled"))
        return CancelResponse.ACCEPT

    async def _execute(self, goal: Any) -> Any:
        outcome = await self._outcome(goal)
        if goal.is_cancel_requested:
            goal.canceled()
        elif outcome.succeeded:
            goal.succeed()
        else:
            goal.abort()
        return self._type.Result(outcome=to_message(outcome))

    async def _outcome(self, goal: Any) -> Outcome:
        now = self._planner.seconds()
        if not self._planner.active or not self._say.service_is_ready():
            return Outcome("", now, succeeded=False, action="", reason="speech_to_text is not there to take the sentence")
        said = await self._say.call_async(Say.Request(text=goal.request.text))
        if not said.accepted:
            return Outcome("", now, succeeded=False, action="", reason=said.message)
        if said.utterance_id in self._early:
            return self._early.pop(said.utterance_id)
        future: Future = Future()
        self._waiting[said.utterance_id] = (goal, future)
        self._feedback(said.utterance_id, "speech_to_text", goal.request.text)
        return await future

    def _feedback(self, utterance_id: str, stage: str, text: str) -> None:
        goal, _ = self._waiting.get(utterance_id, (None, None))
        if goal is not None and goal.is_active:
            goal.publish_feedback(self._type.Feedback(stage=stage, text=text))
