"""planner: action_belief → ExecuteSkill goals, one at a time, planned again after every outcome; plan_state, object_belief, outcome."""

from __future__ import annotations

from collections import deque
from dataclasses import replace
from functools import partial
from time import monotonic
from typing import TYPE_CHECKING, Any

from rclpy.task import Future
from std_msgs.msg import String

from sayso.domain import load_domain
from sayso.domain.vocabulary import MOTIONLESS
from sayso.memory_format import memory_named
from sayso.supervision import ABANDONED, PLANNER_AWAY, LastStop
from sayso.types import ActionBelief, Context, ObjectBelief, Outcome, SkillCall, SkillOutcome
from sayso_nodes.alive import Alive
from sayso_nodes.conversions import from_message, to_message
from sayso_nodes.lifecycle_node import DOMAIN, SaysoNode
from sayso_nodes.nodes.active_task import ActiveTask
from sayso_nodes.nodes.skill_client import SkillClient, did_not_work
from sayso_nodes.nodes.skill_servers import SERVER, SkillServers
from sayso_nodes.parameters import Parameter
from sayso_nodes.run import run

if TYPE_CHECKING:
    from sayso.planning import Task, WorldBelief

STOPPED = "the robot was told to stop; it moves again when told to go on"
TOO_LATE = "that was said before the robot was told to stop"
REPLACED = "replaced by another command"
CANCELLED = "cancelled"
TOLD = (STOPPED, REPLACED, CANCELLED)  # a person has ended it
FROZEN = "the planner was frozen"
NOT_WAITED = "the answer came after the command had ended"
CONTEXT_WITHIN = 2.0  # s
KEPT = 256  # utterances and decisions that are remembered
REMEMBERED = 16  # cancelled utterances whose decision is still to come


class PlannerNode(SaysoNode):
    """Carries out decisions. A new command replaces the current one; `stopped` drops it."""

    NAME = "planner"
    PARAMETERS = (
        DOMAIN,
        Parameter("memory", "auto", "file for what is learnt about the skills; auto: the user's, none in simulated time; empty: none"),
        Parameter("patience", 10.0, "how long to wait for the server of a skill before a plan fails, s", 0.5, 60.0),
        Parameter(
            "skill_timeout", 300.0, "how much longer than the home expects a skill with a server of its own may take, s", 1.0, 86400.0
        ),
    )

    def open(self) -> None:
        """Compile the domain and find the skills."""
        from sayso.planning import momentary
        from sayso.robot.runner import ONCE
        from sayso_nodes.nodes.learning import SkillLearning

        self.domain = load_domain(self.value("domain") or None)
        self.motionless, self.once = MOTIONLESS, ONCE | (momentary(self.domain) - MOTIONLESS)
        self.situation, self.contexts = Context(), 0  # the newest, and how many have come
        self.looked: dict[str, WorldBelief] = {}  # by utterance_id
        self.is_stopped = False
        self.last_stop = LastStop()
        self.current: ActiveTask | None = None  # runs now
        self.following: ActiveTask | None = None  # starts when the current one has ended
        self.concluded: deque[str] = deque(maxlen=KEPT)  # utterance_ids that have had their outcome
        self.taken: deque[tuple[object, ...]] = deque(maxlen=KEPT)  # decisions: a message may come twice
        self.cancelled: deque[str] = deque(maxlen=REMEMBERED)  # utterance_ids
        self.states, self.beliefs, self.outcomes, self.speech = map(self.publisher, ("plan_state", "object_belief", "outcome", "speech"))
        self.alive = Alive(self, (SERVER,), self.on_beat, PLANNER_AWAY, resting=True)
        patience = self.value("patience")
        self.servers = SkillServers(self, self.alive, self.domain.skills, patience, self.value("skill_timeout"))
        self.skills = SkillClient(self, self.servers, patience)
        self.learning = SkillLearning(self, self.domain, memory_named(self.value("memory"), simulated=self.value("use_sim_time")))
        self.subscription("context", self.on_context)
        self.subscription("stopped", self.on_stopped)
        self.subscription("outcome", self.on_outcome, remembered=True)
        self.subscription("action_belief", self.on_action_belief)
        self.service("cancel", self.on_cancel)

    def on_activate(self, state: Any) -> Any:
        """Start to work."""
        self.alive.resume()
        return super().on_activate(state)

    def on_beat(self, now: float, away: float) -> None:
        """Give up what waits in vain; after a time in which this process was frozen, drop what it was doing."""
        self.skills.look(now)
        self.last_stop.look(self.seconds())
        if away and self.current is not None:
            self.current.drop(f"{FROZEN} for {away:.0f} s")

    def on_context(self, message: Any) -> None:
        """Update where the robot is and what it holds, and end what its charge no longer suffices for."""
        self.situation = from_message(message)
        self.contexts += 1
        if self.current is not None:
            self.current.check_charge(self.situation)

    async def seen(self, outcome: SkillOutcome) -> Context:
        """The robot's situation after a skill. After a look at a place it tells what was seen there, so it must not be an older one."""
        from sayso.planning import surveyed_place

        if surveyed_place(self.domain, outcome.call):
            newer, until = self.contexts + 2, monotonic() + CONTEXT_WITHIN  # the first that comes may have been sent before
            await self.skills.waits.answer(Future(), lambda now: "here" if self.contexts >= newer else "late" if now > until else "")
        return self.situation

    def on_stopped(self, message: Any) -> None:
        """Drop every task that moves the robot. A task without motion (say something, go on) may finish."""
        self.is_stopped = message.data
        if not self.is_stopped:
            return
        self.last_stop.stop(self.seconds())
        if self.current is not None and not self.current.still and not self.still(self.current.call):
            self.current.drop(STOPPED)
        if self.following is not None and not self.following.still:
            self.drop(self.following.belief.utterance_id, STOPPED)

    def on_action_belief(self, message: Any) -> None:
        """Carry out a decision to execute; it replaces the current command. Drop a command that is taken back."""
        belief = from_message(message)
        if not self.is_news(belief):
            return
        if belief.choices:
            self.on_choice(belief)
            return
        if belief.decision == "reject" and not self.drop(belief.utterance_id, belief.reason):
            self.conclude(belief, "", succeeded=False, reason=belief.reason)
        if belief.decision in ("answer", "defer"):  # all that was to be done for now
            self.conclude(belief, "", succeeded=True, reason=belief.reason)
        if belief.decision != "execute":
            return
        still = all(action.name in self.motionless for action in belief.chosen)
        cancelled = CANCELLED if belief.utterance_id in self.cancelled else ""
        late = (
            TOO_LATE if not still and self.last_stop.comes_after(belief.stamp, self.seconds()) else ""
        )  # after `resume` nothing moves by itself
        if cancelled or late:
            self.conclude(belief, "", succeeded=False, reason=cancelled or late)
            return
        stops = any(action.name == "stop" for action in belief.chosen)  # it may arrive before `stopped` does
        reason = STOPPED if stops else REPLACED
        if self.following is not None:
            self.conclude(self.following.belief, "", succeeded=False, reason=reason)
        self.following = ActiveTask(belief, still=still)
        if self.current is None:
            self.executor.create_task(self.carry_out_all())
        else:
            self.current.drop(reason)

    def on_choice(self, belief: ActionBelief) -> None:
        """Take the question which thing is meant, or its answer. Without the command that waits, an answer means nothing any more."""
        current = self.current
        if current is not None and current.belief.utterance_id == belief.utterance_id and current.question is not None:
            current.question.decided(belief)
        elif belief.decision == "execute" and not (current is not None and current.belief.utterance_id == belief.utterance_id):
            self.conclude(belief, "", succeeded=False, reason=NOT_WAITED)

    def on_outcome(self, message: Any) -> None:
        """Drop what another node has given up as lost."""
        if message.utterance_id not in self.concluded:
            self.concluded.append(message.utterance_id)
            self.drop(message.utterance_id, message.reason)

    def is_news(self, belief: ActionBelief) -> bool:
        """False for a decision that came before, and for an utterance that has had its outcome. An errand may ask the same twice."""
        decision = (belief.utterance_id, belief.stamp, belief.decision, belief.chosen, belief.then, belief.reason)
        if belief.utterance_id in self.concluded or (not belief.choices and decision in self.taken):
            return False
        self.taken.append(decision)
        return True

    def on_cancel(self, request: Any, response: Any) -> Any:
        """Drop a command; one that is still to be decided will not be executed."""
        response.running = self.drop(request.utterance_id, CANCELLED)
        if not response.running and request.utterance_id not in self.concluded:
            self.cancelled.append(request.utterance_id)
        return response

    async def carry_out_all(self) -> None:
        """Carry out the current task, then the one that follows, until none does."""
        self.alive.rest(False)  # skills watch over a goal by quick signs of life
        while self.following is not None:
            self.current, self.following = self.following, None
            try:
                await self.carry_out(self.current)
            except Exception as error:  # noqa: BLE001 - the stage may raise anything; clients still get an outcome
                self.fail("stage", error)
                self.conclude(self.current.belief, "", succeeded=False, reason=f"planner failed: {error}")
            self.current = None
        self.alive.rest(True)

    async def carry_out(self, current: ActiveTask) -> None:
        """Plan, run a skill and plan again, until the goal is reached, out of reach or dropped."""
        from sayso.planning import Planner, Task

        belief = current.belief
        self.servers.find(monotonic())
        planner = Planner(self.domain, self.servers.served(), experience=self.learning.experience)
        looked = self.looked.pop(belief.utterance_id, None)  # what a look for this utterance has shown
        task = await self.in_worker(lambda: Task.start(planner, belief.chosen, self.situation, looked))
        told: dict[str, ObjectBelief] = {}
        failure = ""  # a sentence for the person, if the robot could not go on
        while task.next is not None and not current.dropped:
            current.task = task
            if self.is_stopped and not self.still(task.next):
                current.drop(STOPPED)
                break
            began = self.seconds()  # the stamp of the state is what a recording knows this trial by
            self.states.publish(to_message(task.state(belief.utterance_id, began)))
            outcome, failure = await self.outcome_of(current, task.next)
            if not current.dropped:
                failure = await self.considered(current, task, outcome, began)
            situation = await self.seen(outcome)
            task = await self.in_worker(partial(task.after, outcome, situation))
            for name, held in task.belief.objects.items():
                if held is not told.get(name):
                    told[name] = held
                    self.beliefs.publish(to_message(held))
        state = task.state(belief.utterance_id, self.seconds())
        if current.dropped and task.status != "succeeded":
            state = replace(state, status="cancelled", ahead=(), value=0.0, bound=float("inf"))
        self.states.publish(to_message(state))
        if belief.then and not current.dropped:  # the robot has looked: action_selector decides again
            self.looked = {belief.utterance_id: task.belief}
            return
        reason = task.reason if task.status == "succeeded" or not current.dropped else current.dropped
        if task.status != "succeeded" and (current.out_of_charge or not current.dropped):
            failure = reason
        if failure:
            self.speech.publish(String(data=failure))
        self.conclude(belief, state.action, succeeded=task.status == "succeeded", reason=reason)

    async def outcome_of(self, current: ActiveTask, call: SkillCall) -> tuple[SkillOutcome, str]:
        """Run a skill: its outcome, and a sentence for the person if the robot cannot go on."""
        from sayso.planning import ended_as_told

        outcome = await self.skills.run(current, call, once=call.name in self.once)
        if current.dropped in TOLD:
            outcome = ended_as_told(self.domain, outcome)
        unclear = self.skills.unclear or outcome.reason == ABANDONED
        if not (self.skills.hopeless or (unclear and call.name in self.once)):
            return outcome, ""
        current.drop(outcome.reason)
        return outcome, did_not_work(outcome)

    async def considered(self, current: ActiveTask, task: Task, outcome: SkillOutcome, began: float) -> str:
        """Learn from an outcome. If it is a choice among things, wait for a person's; a sentence for the person if nobody asks them."""
        if not outcome.choices:
            self.learning.learn(task.belief, outcome, (current.belief.utterance_id, began), self.situation)
            return ""
        state = task.state(current.belief.utterance_id, self.seconds())
        self.states.publish(to_message(replace(state, status="asking", choices=outcome.choices)))
        if await current.chosen_for(outcome.call.argument("theme"), self.skills.waits) or current.dropped:
            return ""
        current.drop(outcome.reason)
        return did_not_work(outcome)

    def still(self, call: SkillCall | None) -> bool:
        """True if that skill needs no motion."""
        return call is not None and call.name in self.motionless

    def drop(self, utterance_id: str, reason: str) -> bool:
        """Drop that utterance; False if it is not being carried out."""
        if self.following is not None and self.following.belief.utterance_id == utterance_id:
            belief, self.following = self.following.belief, None
            self.conclude(belief, "", succeeded=False, reason=reason)
            return True
        if self.current is not None and self.current.belief.utterance_id == utterance_id:
            self.current.drop(reason)
            return True
        return False

    def conclude(self, belief: ActionBelief, action: str, *, succeeded: bool, reason: str) -> None:
        """Publish the outcome of an utterance, once."""
        if belief.utterance_id in self.concluded:
            return
        now = self.seconds()
        self.concluded.append(belief.utterance_id)
        outcome = Outcome(belief.utterance_id, now, succeeded, action, reason, max(0.0, now - belief.stamp))
        self.outcomes.publish(to_message(outcome))

    def on_deactivate(self, state: Any) -> Any:
        """Leave no skill running unattended."""
        if self.current is not None:
            self.current.drop("the planner was deactivated")
        return super().on_deactivate(state)


def main() -> None:
    """Run the node."""
    run(PlannerNode)


if __name__ == "__main__":
    main()
