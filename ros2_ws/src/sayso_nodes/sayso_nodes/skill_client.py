"""The planner's side of ExecuteSkill. It never waits for ever: the skills node may die, freeze, restart or refuse at any time."""

from __future__ import annotations

from time import monotonic
from typing import Any

from action_msgs.msg import GoalStatus
from action_msgs.srv import CancelGoal
from rclpy.action import ActionClient
from rclpy.task import Future

from sayso.supervision import ANSWER_WITHIN, SERVER_GONE
from sayso.types import SkillCall, SkillOutcome
from sayso_nodes.active_task import ActiveTask
from sayso_nodes.alive import Alive, Waits
from sayso_nodes.conversions import to_message
from sayso_nodes.graph import interface
from sayso_nodes.lifecycle_node import SaysoNode

ACTION = "execute_skill"
SERVER = "skills"
NOT_THERE = "the skills node does not answer"
LOST = "the skills node was lost"
TRIES = 3  # of one skill whose goal was refused


class SkillClient:
    """Runs one skill at a time.

    Args:
        node: the planner.
        alive: hears the signs of life of the skills node.
        patience: how long to wait for a skills node that is not there, s.
    """

    def __init__(self, node: SaysoNode, alive: Alive, patience: float) -> None:
        node._allow("requests", ACTION)
        self.action = interface(ACTION)
        self.client = ActionClient(node, self.action, ACTION)
        self.every_goal = node.create_client(CancelGoal, f"{ACTION}/_action/cancel_goal")
        node.on_close(self.client.destroy)
        node.on_close(lambda: node.destroy_client(self.every_goal))
        self.server, self.patience, self.waits = alive.others[SERVER], patience, Waits()
        self.cleared = False  # have the goals of an earlier planner been cancelled?

    def look(self, now: float) -> None:
        """End hopeless waits, and the goals that an earlier planner left; called 20 times a second."""
        self.waits.look(now)
        if not self.cleared and self.every_goal.service_is_ready():
            self.cleared = True
            self.every_goal.call_async(CancelGoal.Request())  # with neither id nor time: all of them

    async def run(self, task: ActiveTask, call: SkillCall) -> SkillOutcome:
        """Run a skill of the task to its end. One that cannot start or whose node is lost fails: NOT_THERE or LOST, interrupted."""
        task.call = call
        outcome = SkillOutcome(call, succeeded=False, reason=NOT_THERE, interrupted=True)
        for _ in range(TRIES):
            if not await self.is_there(task):
                break
            goal = await self.accepted(self.action.Goal(utterance_id=task.belief.utterance_id, call=to_message(call)))
            if goal is not None:
                task.started(goal)
                outcome = await self.result(task, call)
                break
            self.every_goal.call_async(CancelGoal.Request())  # of a planner that died: this one is the only client
        task.goal = task.call = None
        return outcome

    async def is_there(self, task: ActiveTask) -> bool:
        """Wait a little for the skills node: it may be restarting. False if the task is dropped meanwhile."""
        if self._here(monotonic()):
            return True
        until = monotonic() + self.patience
        nothing: Future = Future()
        _, reason = await self.waits.answer(
            nothing, lambda now: "here" if self._here(now) else "late" if now > until or task.dropped else ""
        )
        return reason == "here"

    async def accepted(self, goal: Any) -> Any:
        """The handle of a goal that the skills node accepts, else None. One that is accepted too late is cancelled."""
        asked = self.client.send_goal_async(goal)
        until = monotonic() + ANSWER_WITHIN
        handle, hopeless = await self.waits.answer(asked, lambda now: NOT_THERE if now > until else self._lost(now, self.server.life))
        if hopeless:
            asked.add_done_callback(lambda late: late.result().accepted and late.result().cancel_goal_async())
            return None
        return handle if handle.accepted else None

    async def result(self, task: ActiveTask, call: SkillCall) -> SkillOutcome:
        """The outcome of an accepted goal. LOST when its server is no longer there, or does not end what was cancelled."""
        life = self.server.life
        answer, lost = await self.waits.answer(
            task.goal.get_result_async(), lambda now: LOST if now - task.dropped_at > ANSWER_WITHIN else self._lost(now, life)
        )
        if lost:
            task.goal.cancel_goal_async()  # it may only be slow
            return SkillOutcome(call, succeeded=False, reason=lost, interrupted=True)
        result = answer.result
        cancelled = answer.status == GoalStatus.STATUS_CANCELED
        reason = result.reason or ("cancelled" if cancelled else "")
        return SkillOutcome(call, result.succeeded, reason, result.seconds, result.interrupted or cancelled)

    def _here(self, now: float) -> bool:
        return bool(self.client.server_is_ready()) and self.server.silent(now) < SERVER_GONE

    def _lost(self, now: float, life: str) -> str:
        """LOST if the server is silent or another process; a server that sends no signs of life must stay in ROS's graph."""
        if life:
            return LOST if self.server.life != life or self.server.silent(now) > SERVER_GONE else ""
        return "" if self.client.server_is_ready() else LOST
