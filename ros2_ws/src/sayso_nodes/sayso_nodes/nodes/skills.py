"""skills: ExecuteSkill → wheels, camera and gripper, one skill at a time, at 20 Hz of ROS time."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from diagnostic_msgs.msg import DiagnosticStatus, KeyValue
from rclpy.action import ActionServer, CancelResponse, GoalResponse
from rclpy.task import Future

from sayso.errors import RosError
from sayso.supervision import ABANDONED, SKILLS_AWAY, Client
from sayso.types import SkillOutcome
from sayso_nodes.alive import Alive
from sayso_nodes.conversions import from_message, to_message
from sayso_nodes.graph import interface
from sayso_nodes.homes import SCENE, load_home
from sayso_nodes.lifecycle_node import DOMAIN, SaysoNode
from sayso_nodes.nodes.nav2 import NAV2, Nav2Navigator
from sayso_nodes.nodes.ros_robot import READ_GRIPPER, RosRobot
from sayso_nodes.parameters import Parameter
from sayso_nodes.run import run
from sayso_nodes.transforms import FRAMES, POSE_FROM
from sayso_nodes.views.ways import path

FEEDBACK = 4  # ticks from one feedback to the next
CONTEXT = 4  # ticks from one context to the next
CLIENT = "planner"
FROZEN = "the skills node was frozen"
SPARSE = 4  # every fourth point of the path is published, 20 cm apart


class SkillsNode(SaysoNode):
    """The action server of sayso.robot.SkillRunner."""

    NAME = "skills"
    PARAMETERS = (
        DOMAIN,
        SCENE,
        Parameter("rate", 20.0, "ticks of a skill, Hz", 5.0, 50.0),
        Parameter("backend", "direct", "driver: Sayso by its own map, or Nav2", choices=("direct", "nav2")),
        READ_GRIPPER,
        Parameter("plugins", (), "modules or files with skills of your own in Python"),
        *NAV2,
        *FRAMES,
        POSE_FROM,
    )

    def open(self) -> None:
        """Make the map and the robot that the skills move."""
        from sayso.robot import RobotMap, SkillRunner
        from sayso.robot.plugins import with_plugins
        from sayso.robot.runner import SKILLS

        domain, scene = load_home(self.value("domain"), self.value("scene"))
        self.robot = RosRobot(self)
        self.nav2 = Nav2Navigator(self, self.close_gate) if self.value("backend") == "nav2" else None
        made, notes = with_plugins(domain, SKILLS, self.value("plugins"))
        for note in notes:
            self.get_logger().info(note)
        self.runner = SkillRunner(RobotMap.from_scene(scene, domain), self.robot, navigator=self.nav2, skills=made)
        self.served = self.publisher("served_skills")
        arguments = {name: ", ".join(domain.skills[name].arguments) for name in made}
        self.serves = DiagnosticStatus(name=self.NAME, values=[KeyValue(key=name, value=each) for name, each in arguments.items()])
        self.last_action = ""
        self.goal: Any = None  # handle of the current goal
        self.finished: Future | None = None  # its outcome
        self.ended: SkillOutcome | None = None  # its outcome, until the robot is known to rest
        self.ended_by = ""  # why the current goal must end, other than by its client's wish
        self.alive = Alive(self, (CLIENT,), self.on_beat, SKILLS_AWAY, resting=True)
        self.supervisor: Client | None = None  # of the current goal
        self.ticks = 0
        self.contexts, self.paths = self.publisher("context"), self.publisher("path")
        self.published: Any = None  # the last path
        self.subscription("outcome", self.on_outcome)
        self.subscription("battery_state", self.on_battery)
        self.serve_actions()
        self.tick = self.every(1.0 / self.value("rate"), self.on_time)
        self.slow_tick = self.every(CONTEXT / self.value("rate"), self.on_rest, steady=True)
        self.be_busy(False)

    def on_activate(self, state: Any) -> Any:
        """Start to work."""
        self.alive.resume()
        result = super().on_activate(state)
        self.served.publish(self.serves)
        return result

    def on_beat(self, _now: float, away: float) -> None:
        """End a goal that is cancelled, that was given up while this process was frozen, or whose client is gone."""
        if self.goal is None or self.supervisor is None:
            return
        if self.goal.is_cancel_requested:
            self.end_goal("cancelled")
        elif away:
            self.end_goal(f"{FROZEN} for {away:.0f} s")
        elif self.supervisor.gone(self.alive.now):
            self.end_goal(ABANDONED)

    def end_goal(self, reason: str) -> None:
        """Bring the robot to rest now, even if ROS time stands still, and let the next tick end the goal."""
        if not self.ended_by:
            self.get_logger().info(f"ends {self.goal.request.call.name}: {reason}")
            self.ended_by = reason
            self.on_time()

    def be_busy(self, busy: bool) -> None:
        """Tick at the rate of a skill and in ROS time, or only as often as the context is told."""
        self.switch(self.tick, on=busy)
        self.switch(self.slow_tick, on=not busy)
        self.alive.rest(not busy)

    def on_rest(self) -> None:
        """Tick, and tell the context."""
        self.ticks = -1
        self.on_time()

    def serve_actions(self) -> None:
        """Take ExecuteSkill goals."""
        self._allow("performs", "execute_skill")
        server = ActionServer(
            self,
            interface("execute_skill"),
            "execute_skill",
            self.execute,
            goal_callback=self.on_goal,
            cancel_callback=lambda _: CancelResponse.ACCEPT,
        )
        self.on_close(server.destroy)

    def on_goal(self, request: Any) -> GoalResponse:
        """Accept one goal at a time: a client cancels the current one before it sends another."""
        if not self.active or self.goal is not None:
            self.get_logger().warning(f"refuses {request.call.name}: {'busy' if self.active else 'not active'}")
            return GoalResponse.REJECT
        return GoalResponse.ACCEPT

    async def execute(self, goal: Any) -> Any:
        """Start the skill and answer when it has ended."""
        self.goal, self.finished, self.ended_by = goal, Future(), ""
        self.be_busy(True)
        self.supervisor = Client(self.alive.others[CLIENT], self.alive.now)
        self.robot.utterance_id = goal.request.utterance_id
        self.runner.start(from_message(goal.request.call), tuple(map(from_message, goal.request.choices)))
        outcome: SkillOutcome = await self.finished
        self.goal = self.finished = None
        if goal.is_cancel_requested:
            goal.canceled()
        elif outcome.succeeded:
            goal.succeed()
        else:
            goal.abort()
        return interface("execute_skill").Result(
            succeeded=outcome.succeeded,
            reason=outcome.reason,
            seconds=outcome.seconds,
            interrupted=outcome.interrupted,
            choices=[to_message(each) for each in outcome.choices],
        )

    def on_time(self) -> None:
        """Advance the skill by a tick, renew the velocity and publish the progress."""
        if not self.ended_by:
            self.alive.look()  # before anything moves: this process may have been frozen, or the goal cancelled
        self.ticks += 1
        now = self.seconds()
        try:
            outcome = self.runner.cancel() if self.ended_by else self.runner.tick(now)
            if outcome is not None and self.ended_by:
                outcome = replace(outcome, reason=self.ended_by)
        except Exception as error:  # noqa: BLE001 - on any error of a skill, the robot comes to rest and reports it
            self.fail("skill", error)
            outcome = self.runner.cancel()
            if outcome is not None:
                outcome = replace(outcome, reason=f"skills failed: {error}")
        self.robot.renew()
        outcome = self.at_rest(outcome)
        if outcome is not None and self.finished is not None:
            self.finished.set_result(outcome)
        elif self.goal is not None and self.ticks % FEEDBACK == 0:
            self.goal.publish_feedback(interface("execute_skill").Feedback(progress=self.runner.progress, status=self.runner.status))
        if outcome is not None or self.ticks % CONTEXT == 0:
            self.contexts.publish(to_message(self.runner.context(now, self.last_action)))
        if self.runner.path is not self.published:
            way = self.published = self.runner.path
            self.paths.publish(path([] if way is None else [*way[:-1:SPARSE], way[-1]], now))
        self.be_busy(self.goal is not None or self.ended is not None or not self.robot.at_rest)

    def at_rest(self, outcome: SkillOutcome | None) -> SkillOutcome | None:
        """The outcome, once Nav2 has confirmed the end of its drive: after the outcome, the robot may be sent elsewhere."""
        if self.nav2 is None:
            return outcome
        self.ended = outcome or self.ended
        if self.nav2.tick() or self.ended is None:
            return None
        ended, self.ended, lost = self.ended, None, self.nav2.lost
        if lost and lost not in ended.reason:  # the skill was over before that was known
            return replace(ended, succeeded=False, reason=f"{ended.reason}; {lost}", interrupted=True)
        return ended

    def close_gate(self, reason: str) -> None:
        """Close the motion gate, and say why."""
        self.fail("nav2", RosError(f"{reason}; the wheels are stopped"))
        self.robot.stop()
        self.robot.say("I lost my navigation, so I stopped my wheels.")

    def on_outcome(self, message: Any) -> None:
        """Remember the last action: it is part of the context."""
        if message.succeeded:
            self.last_action = message.action.split("(")[0]

    def on_battery(self, message: Any) -> None:
        """Take over the charge that the robot's driver has measured."""
        if message.percentage > 1.0:
            said = f"battery_state: a percentage of {message.percentage:g} is not from 0 to 1, and is not believed"
            self.get_logger().error(said, throttle_duration_sec=60.0)
        self.runner.battery.read(message.percentage)

    def on_deactivate(self, state: Any) -> Any:
        """Bring the robot to rest and end the current goal."""
        outcome = self.runner.cancel() or self.ended
        if outcome is not None and self.finished is not None:
            self.finished.set_result(outcome)
        self.ended = None
        self.robot.renew()
        return super().on_deactivate(state)


def main() -> None:
    """Run the node."""
    run(SkillsNode)


if __name__ == "__main__":
    main()
