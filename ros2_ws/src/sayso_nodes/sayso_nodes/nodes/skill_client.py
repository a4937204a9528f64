"""The planner's side of ExecuteSkill. It never waits for ever: a server may die, freeze, restart, refuse or talk nonsense at any time."""

from __future__ import annotations

import math
from dataclasses import replace
from time import monotonic
from typing import Any

from action_msgs.msg import GoalStatus
from rclpy.task import Future
from std_srvs.srv import Trigger

from sayso.supervision import ABANDONED, ACCEPTED_WITHIN, ANSWER_WITHIN
from sayso.types import Choice, SkillCall, SkillOutcome
from sayso_nodes.alive import Waits
from sayso_nodes.conversions import from_message, to_message
from sayso_nodes.lifecycle_node import SaysoNode
from sayso_nodes.nodes.active_task import ActiveTask
from sayso_nodes.nodes.skill_servers import SkillServer, SkillServers

TRIES = 3  # of one skill whose goal was refused
AGAIN = 10  # times that a skill is begun again after silences of this planner, before that counts as a failure
DROPPED_WITHIN = 1.0  # s for the answer to a goal whose task was dropped meanwhile
LONGEST = 300  # characters of a reason that people hear
MOST, LONGEST_NAME = 10, 60  # things in question, and characters of what each is called


class SkillClient:
    """Runs one skill at a time.

    Args:
        node: the planner.
        servers: of the skills.
        patience: how long to wait for a server that is not there, s.
    """

    def __init__(self, node: SaysoNode, servers: SkillServers, patience: float) -> None:
        self.servers, self.patience, self.waits = servers, patience, Waits()
        self.gate = node.client("stop")
        self.hopeless = False  # could the last skill not begin at all?
        self.unclear = False  # is it unknown how the last skill ended?

    def look(self, now: float) -> None:
        """End hopeless waits, and the goals that an earlier planner left; called 20 times a second."""
        self.waits.look(now)
        self.servers.look(now)

    async def run(self, task: ActiveTask, call: SkillCall, *, once: bool) -> SkillOutcome:
        """Run a skill of the task to its end; unless it must run `once` alone, it is begun again after silences of this planner.

        One that cannot start, or whose server is lost, fails: see `hopeless` and `unclear`.
        """
        for _ in range(1 if once else 1 + AGAIN):
            outcome = await self.attempt(task, call)
            if outcome.reason != ABANDONED or task.dropped:
                break
        return outcome

    async def attempt(self, task: ActiveTask, call: SkillCall) -> SkillOutcome:
        """Run it as in `run`, and never begin it again once it has begun."""
        task.call, self.hopeless, self.unclear = call, False, False
        server = self.servers.server(call.name)
        outcome, trouble = None, f"{server.name} does not answer"
        for _ in range(TRIES):
            if not await self.is_there(task, server):
                if server.is_own and server.count > 1:
                    trouble = f"{server.count} nodes serve {server.action}: end all but one"
                break
            goal, trouble = await self.accepted(server, task, call)
            if goal is not None:
                task.started(goal)
                outcome = await self.result(server, task, call)
                break
            server.cancel_every_goal()  # this one's, if its answer was lost, and those of a planner that died: there is no other client
            if task.dropped:
                break
        task.goal = task.call = None
        self.hopeless = outcome is None and not task.dropped
        return outcome or SkillOutcome(call, succeeded=False, reason=task.dropped or trouble, interrupted=True)

    async def is_there(self, task: ActiveTask, server: SkillServer) -> bool:
        """Wait a little for the server: it may be restarting. False if the task is dropped meanwhile."""
        if server.is_here(monotonic()):
            return True
        until = monotonic() + self.patience
        nothing: Future = Future()
        _, reason = await self.waits.answer(
            nothing, lambda now: "here" if server.is_here(now) else "late" if now > until or task.dropped else ""
        )
        return reason == "here"

    async def accepted(self, server: SkillServer, task: ActiveTask, call: SkillCall) -> tuple[Any, str]:
        """The handle of a goal that the server accepts, or None and why not. One that is accepted too late is cancelled."""

        def hopeless(now: float) -> str:
            late = now > until or now - task.dropped_at > DROPPED_WITHIN
            return "late" if late else "lost" if server.is_lost(life) else ""

        chosen = [to_message(each) for each in task.choices.get(call.argument("theme"), ())]
        kind = server.client._action_type.Goal
        goal = server.client.send_goal_async(kind(utterance_id=task.belief.utterance_id, call=to_message(call), choices=chosen))
        until, life = monotonic() + ACCEPTED_WITHIN, server.signs.life
        handle, given_up = await self.waits.answer(goal, hopeless)
        if given_up:
            goal.add_done_callback(lambda late: late.result().accepted and late.result().cancel_goal_async())
            return None, f"{server.name} does not answer"
        return (handle, "") if handle.accepted else (None, f"{server.name} refuses to begin")

    async def result(self, server: SkillServer, task: ActiveTask, call: SkillCall) -> SkillOutcome:
        """The outcome of an accepted goal, also if its server is no longer there, or does not end what was cancelled."""
        life, began, endless = server.signs.life, monotonic(), f"{server.name} does not end what was cancelled"

        def hopeless(now: float) -> str:
            if now - began > server.longest and not task.dropped:
                task.drop(f"{server.name} did not end within {server.longest:.0f} s")
            if now - task.dropped_at > ANSWER_WITHIN:
                return endless
            return f"{server.name} was lost" if server.is_lost(life) else ""

        answer, lost = await self.waits.answer(task.goal.get_result_async(), hopeless)
        if not lost:
            return outcome_of(server, call, answer)
        task.goal.cancel_goal_async()  # it may only be slow
        self.unclear = True
        if server.is_own and lost == endless and self.gate.service_is_ready():  # it may still be driving
            self.gate.call_async(Trigger.Request())
        return SkillOutcome(call, succeeded=False, reason=lost, interrupted=True)


def outcome_of(server: SkillServer, call: SkillCall, answer: Any) -> SkillOutcome:
    """What a server answered, as an outcome: a foreign one may leave fields empty or fill them with anything."""
    result = answer.result
    cancelled = answer.status == GoalStatus.STATUS_CANCELED
    succeeded = bool(result.succeeded) and answer.status == GoalStatus.STATUS_SUCCEEDED
    reason = " ".join(result.reason.split())[:LONGEST]
    if not reason and not succeeded:
        done = answer.status == GoalStatus.STATUS_SUCCEEDED
        says = "ended the goal, but did not set `succeeded` in its result" if done else "gave no reason"
        reason = "cancelled" if cancelled else f"{server.name} {says}"
    seconds = result.seconds if math.isfinite(result.seconds) else 0.0
    choices = () if succeeded or cancelled else choices_of(result)
    return SkillOutcome(call, succeeded, "" if succeeded else reason, seconds, result.interrupted or cancelled, choices)


def choices_of(result: Any) -> tuple[Choice, ...]:
    """The things that a skill could not tell apart; none if it does not name two or more of them, each otherwise."""
    named: dict[str, Choice] = {}
    for each in result.choices[:MOST]:
        words = " ".join(each.words.split())[:LONGEST_NAME]
        if words:
            named.setdefault(words.lower(), replace(from_message(each), words=words))
    return tuple(named.values()) if len(named) > 1 else ()


def did_not_work(outcome: SkillOutcome) -> str:
    """A sentence for the person, if the robot cannot go on."""
    return f"That did not work: {outcome.reason.rstrip('.')}."
