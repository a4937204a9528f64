"""simulation: the embedded MuJoCo home as a robot's drivers would offer it, and its clock."""

from __future__ import annotations

from dataclasses import replace
from time import monotonic
from typing import TYPE_CHECKING, Any

from nav_msgs.msg import Odometry
from rclpy.task import Future
from rosgraph_msgs.msg import Clock
from sayso_msgs.msg import WorldState
from sensor_msgs.msg import BatteryState

from sayso_nodes.camera import TOPICS, to_messages
from sayso_nodes.conversions import MAP, from_point, header, point, to_message, to_time
from sayso_nodes.graph import interface
from sayso_nodes.homes import SCENE, load_home
from sayso_nodes.lifecycle_node import DOMAIN, SaysoNode
from sayso_nodes.parameters import Parameter
from sayso_nodes.run import run
from sayso_nodes.transforms import quaternion_of
from sayso_nodes.views.frames import fixed_frames, mounting, moving_frames

if TYPE_CHECKING:
    from sayso.sim.operating import Operation

READ = "read"  # the command of srv/Grip that moves nothing
# s that a velocity counts, as in a robot's base: a dead motion gate must not leave it driving. Both in steady and in simulated time, since
# velocities come less often in a slow simulation.
COMMAND_LEASE = 0.15
RESTS_AFTER = 2.0  # simulated s in which nothing moves and nobody speaks, after which the simulation rests
REST_STEP = 0.1  # s: one step then; the world stands still in it
REST_RATE = 5.0  # Hz, of what it then publishes, at most
REST_PICTURES = 1.0  # Hz, of its pictures, which all are the same then
TOLERANCE = 1e-6  # s
BEHIND = 0.2  # s: more than this is not caught up, so that a slow machine gets a slow simulation and not a stuttering one


class SimulationNode(SaysoNode):
    """Steps the world and publishes its topics at their rates in simulated time."""

    NAME = "simulation"
    PARAMETERS = (
        DOMAIN,
        SCENE,
        Parameter("seed", 0, "of everything random", 0, 2**31 - 1),
        Parameter("real_time_factor", 1.0, "simulated seconds a second; 0: as fast as possible", 0.0, 100.0, dynamic=True),
        Parameter("clock_offset", 0.0, "ROS time at the beginning, s; set it while it runs to let the clock jump", 0.0, 1e6, dynamic=True),
        Parameter("step", 0.02, "simulated time of one step, and between two clock messages, s", 0.01, 0.1),
        Parameter("odometry_rate", 20.0, "Hz", 5.0, 50.0),
        Parameter("camera_rate", 8.0, "Hz; only while it has subscribers", 0.5, 30.0),
        Parameter("world_state_rate", 4.0, "Hz", 0.5, 20.0),
        Parameter("battery", 1.0, "charge at the beginning, from 0 to 1; set it while it runs to give another", 0.0, 1.0, dynamic=True),
        Parameter("battery_rate", 1.0, "Hz, of the battery's charge", 0.1, 10.0),
        Parameter("people_rate", 10.0, "Hz, of the person tracker", 1.0, 50.0),
    )

    def open(self) -> None:
        """Build the world; time does not pass before the node is active."""
        from sayso.robot.battery import Battery
        from sayso.sim.simulation import Simulation
        from sayso.strolls import set_out

        domain, scene = load_home(self.value("domain"), self.value("scene"))
        self.world = Simulation(scene, seed=self.value("seed"))
        set_out(self.world.people, scene, domain)
        self.battery = Battery(domain, self.value("battery"))
        self.on_close(self.world.close)
        self.step: float = self.value("step")
        self.speed: float = self.value("real_time_factor")
        self.offset: float = self.value("clock_offset")  # from simulated time to ROS time, s
        self.began: tuple[float, float] | None = None  # (steady, simulated) seconds at which the pace was last set
        self.commanded_at = float("-inf"), float("-inf")  # steady and simulated s
        self.due = dict.fromkeys(("odometry_rate", "camera_rate", "world_state_rate", "people_rate", "battery_rate"), 0.0)  # simulated s
        self.clock, self.odometry, self.truth = self.publisher("/clock"), self.publisher("odom"), self.publisher("world_state")
        self.people, self.charge = self.publisher("people"), self.publisher("battery_state")
        self.camera = [self.publisher(topic) for topic in TOPICS]
        self.frames = [self.publisher(topic) for topic in ("tf_static", "tf") if topic in self.description.publishes]
        self.mounted = False  # have the static frames been published?
        self.subscription("cmd_vel", self.on_velocity)
        self.gripping: list[tuple[Operation, Future]] = []  # requests that take their time
        self.busy_until = RESTS_AFTER  # simulated s
        self.subscription("speech", self.on_speech)
        self.subscription("transcript", lambda _: self.wake_up())
        self.subscription("audio", lambda _: self.wake_up(), raw=True, sampled=True)
        self.service("grip", self.on_grip)
        self.timer = self.every(self.period(self.step), self.on_time, steady=True)

    def period(self, step: float) -> float:
        """Steady s between two steps."""
        return step / (max(self.speed, 1.0) if self.speed else 50.0)

    @property
    def rests(self) -> bool:
        """Whether nothing moves, and nobody speaks: time passes in longer steps, and nothing else."""
        return self.speed > 0.0 and self.world.time > self.busy_until

    def wake_up(self) -> None:
        """Take small steps: something moves, or somebody speaks, whose messages bear the time."""
        resting, self.busy_until = self.rests, self.world.time + RESTS_AFTER
        if resting:
            self.keep_pace()

    def keep_pace(self) -> None:
        """Let the timer fit the steps."""
        self.timer.timer_period_ns = round(1e9 * self.period(max(REST_STEP, self.step) if self.rests else self.step))
        self.timer.reset()
        self.wake()

    def on_change(self, name: str, value: Any) -> None:
        """The pace, the clock or the charge was set."""
        if name == "real_time_factor":
            self.speed, self.began = value, None
        if name == "clock_offset":
            self.offset = value
        if name == "battery":
            self.battery.read(value)

    def on_velocity(self, message: Any) -> None:
        """Set the wanted velocity."""
        self.commanded_at = monotonic(), self.world.time
        if message.linear.x or message.angular.z:
            self.wake_up()
        self.world.drive(message.linear.x, message.angular.z)

    def on_speech(self, message: Any) -> None:
        """Let people hear the robot: one may come along."""
        self.wake_up()
        self.world.people.hear(message.data)

    async def on_grip(self, request: Any, response: Any) -> Any:
        """Handle a gripper command; a door takes time to move."""
        if not self.active:
            response.message = "the simulation is not active"
            return response
        try:
            if request.command != READ:
                self.wake_up()
            operation = self.world.request(request.command, from_point(request.target))
            if not operation.done():
                self.gripping.append((operation, Future()))
                await self.gripping[-1][1]
            response.success, response.message = operation.result()
        except Exception as error:  # noqa: BLE001 - who asked gets the reason, the world goes on
            self.fail("grip", error)
            response.message = str(error)
        return response

    def on_time(self) -> None:
        """Step as often as is due at this pace."""
        now = monotonic()
        if min(now - self.commanded_at[0], self.world.time - self.commanded_at[1]) > COMMAND_LEASE:
            self.world.drive(0.0, 0.0)
        if self.speed == 0.0:
            self.advance()
            return
        if self.began is None:
            self.began = (now, self.world.time)
        step = max(REST_STEP, self.step) if self.rests else self.step
        behind = self.began[1] + (now - self.began[0]) * self.speed - self.world.time
        if behind > BEHIND * max(self.speed, 1.0):
            self.began = (now, self.world.time + step)
            behind = step
        while behind >= step - TOLERANCE:
            self.advance()
            behind -= step

    def pass_time(self) -> None:
        """Move the world by a step, or let only its time pass while it rests."""
        if self.rests:
            self.world.stand_still(max(REST_STEP, self.step))
            return
        self.world.step(self.step)
        if self.world.moves:
            self.busy_until = self.world.time + RESTS_AFTER
        elif self.world.time >= self.busy_until:
            self.keep_pace()

    def advance(self) -> None:
        """Take one step, and publish every topic that is due."""
        began = monotonic()
        self.pass_time()
        for operation, over in tuple(self.gripping):
            if operation.done():
                self.gripping.remove((operation, over))
                over.set_result(None)
        self.health.called(monotonic() - began)
        simulated = self.world.time
        now = simulated + self.offset
        self.clock.publish(Clock(clock=to_time(now)))
        if self.is_due("odometry_rate", simulated):
            message = odometry(now, self.world.odometry)
            self.odometry.publish(message)
            self.tell_frames(now, message)
            self.battery.spend(simulated, self.world.odometry[:2])
        if self.is_due("battery_rate", simulated):
            self.charge.publish(BatteryState(header=header(now, "base_link"), percentage=self.battery.charge, present=True))
        if self.is_due("world_state_rate", simulated):
            self.truth.publish(world_state(now, self.world.truth()))
        if self.is_due("people_rate", simulated):
            self.people.publish(to_message(replace(self.world.people_seen(), stamp=now)))
        if self.is_due("camera_rate", simulated) and any(publisher.get_subscription_count() for publisher in self.camera):
            picture = replace(self.world.render(), stamp=now)
            for publisher, message in zip(self.camera, to_messages(picture), strict=True):
                publisher.publish(message)

    def tell_frames(self, now: float, message: Odometry) -> None:
        """tf, where tf2_msgs is installed."""
        if not self.frames:
            return
        kind, (fixed, moving) = interface("tf"), self.frames
        if not self.mounted:
            self.mounted = True
            fixed.publish(kind(transforms=fixed_frames(now, mounting(message, self.world.camera_pose()))))
        moving.publish(kind(transforms=moving_frames(now, message)))

    def is_due(self, rate: str, now: float) -> bool:
        """Is it time for the next one? Then the one after it is due a period later."""
        if now < self.due[rate]:
            return False
        hertz = self.value(rate)
        if self.rests:
            hertz = min(hertz, REST_PICTURES if rate == "camera_rate" else REST_RATE)
        self.due[rate] = max(self.due[rate], now - self.step) + 1.0 / hertz
        return True


def odometry(now: float, state: tuple[float, float, float, float, float]) -> Odometry:
    """Pose in the map, which is this simulation's odom frame as well (it does not drift), and speed in the robot's frame (REP 105)."""
    x, y, yaw, v, w = state
    message = Odometry(header=header(now, MAP), child_frame_id="base_link")
    message.pose.pose.position = point((x, y, 0.0))
    message.pose.pose.orientation = quaternion_of(yaw)
    message.twist.twist.linear.x, message.twist.twist.angular.z = float(v), float(w)
    return message


def world_state(now: float, truth: Any) -> WorldState:
    """What is true, for the judge of a run."""
    return WorldState(
        header=header(now, MAP),
        x=float(truth.x),
        y=float(truth.y),
        yaw=float(truth.yaw),
        objects=list(truth.objects),
        locations=list(truth.locations),
        positions=[point(position) for position in truth.positions],
        facts=list(truth.facts),
        people=list(truth.people),
        people_positions=[point((x, y, 0.0)) for x, y in truth.people.values()],
    )


def main() -> None:
    """Run the node."""
    run(SimulationNode)


if __name__ == "__main__":
    main()
