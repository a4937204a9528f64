"""gazebo: what Gazebo does not do itself. Serves the gripper by its magnets, tells the camera's pose and, for judges, the truth."""

from __future__ import annotations

from time import monotonic
from typing import Any

from geometry_msgs.msg import PoseStamped
from rclpy.task import Future
from std_msgs.msg import Empty, Float64

from sayso_nodes.camera import matrix, pose
from sayso_nodes.conversions import MAP, from_point, from_time, header
from sayso_nodes.graph import interface
from sayso_nodes.homes import SCENE, load_home
from sayso_nodes.lifecycle_node import DOMAIN, SaysoNode
from sayso_nodes.parameters import Parameter
from sayso_nodes.run import run
from sayso_nodes.simulation import world_state
from sayso_nodes.transforms import yaw_of
from sayso_nodes.views.frames import fixed_frames, mounting, moving_frames

DETACH = ("gazebo/detach/{object}", "gazebo/attach/{object}")
TELLING = 5  # times that every magnet is told to let go at the start
BEGINNING = 10.0  # s that a grip waits for that
SETTLING = 0.5  # s between the magnet and the look at what came of it


class GazeboNode(SaysoNode):
    """Between Gazebo's topics, as ros_gz_bridge brings them, and those of the graph."""

    NAME = "gazebo"
    PARAMETERS = (
        DOMAIN,
        SCENE,
        Parameter("patience", 6.0, "how long the arm may take to where it is wanted, s", 1.0, 60.0),
        Parameter("world_state_rate", 4.0, "Hz", 0.5, 20.0),
    )

    def open(self) -> None:
        """Nothing is known of the world before Gazebo has told it."""
        from sayso.gazebo.magnet import Magnet, motor_positions, way
        from sayso.gazebo.topics import ARM
        from sayso.sim.robot_body import FOLDED, mounted_camera

        _, scene = load_home(self.value("domain"), self.value("scene"))
        self.magnet, self.told_motors, self.way = Magnet(scene), motor_positions, way
        self.mount = mounted_camera()
        self.goal = FOLDED
        self.told = 0  # how often the magnets were told to let go
        self.mounted = False  # have the frames that do not move been told?
        self.base: Any = None  # (4, 4) m, of the robot in the map
        self.camera, self.truth = self.publisher("camera/pose"), self.publisher("world_state")
        self.frames = [self.publisher(topic) for topic in ("tf_static", "tf") if topic in self.description.publishes]
        self.motors = {joint: self.publisher("gazebo/arm/{joint}", joint=joint) for joint in ARM}
        self.detach, self.attach = ({name: self.publisher(topic, object=name) for name in scene.objects} for topic in DETACH)
        for name in scene.objects:
            self.subscription("gazebo/pose/{object}", self._hearer(name), object=name)
        self.subscription("odom", self.on_odometry)
        self.subscription("gazebo/joints", self.on_joints)
        self.subscription("camera/camera_info", self.on_picture)
        self.service("grip", self.on_grip)
        self.every(0.5, self.let_go, steady=True)
        self.every(1.0 / self.value("world_state_rate"), self.tell_truth)

    def let_go(self) -> None:
        """A detachable joint attaches at the start, however far the thing is: detach everything, when Gazebo listens."""
        listening = all(publisher.get_subscription_count() for publisher in self.detach.values())
        if not listening or self.told > TELLING:
            return
        self.told += 1
        if self.told <= TELLING:  # once more without: the last ones are heard before a grip may attach anything
            for publisher in self.detach.values():
                publisher.publish(Empty())

    def _hearer(self, name: str) -> Any:
        def on_pose(message: PoseStamped) -> None:
            frame = matrix(message.pose)
            self.magnet.feet[name] = (frame[:3, 3], frame[:3, :3])

        return on_pose

    def on_odometry(self, message: Any) -> None:
        """Where the robot is."""
        self.base = matrix(message.pose.pose)
        self.magnet.robot = (float(self.base[0, 3]), float(self.base[1, 3]), yaw_of(message.pose.pose.orientation))
        if not self.frames:
            return
        now = from_time(message.header.stamp)
        kind, (fixed, moving) = interface("tf"), self.frames
        if not self.mounted:
            self.mounted = True
            fixed.publish(kind(transforms=fixed_frames(now, mounting(message, self.base @ self.mount))))
        moving.publish(kind(transforms=moving_frames(now, message)))

    def on_joints(self, message: Any) -> None:
        """Where the arm is."""
        self.magnet.hear_joints(dict(zip(message.name, message.position, strict=False)))

    def on_picture(self, message: Any) -> None:
        """The pose of the optical frame, of the picture's own stamp: the camera is fixed to the base."""
        if self.base is not None:
            self.camera.publish(PoseStamped(header=header(from_time(message.header.stamp), MAP), pose=pose(self.base @ self.mount)))

    def tell_truth(self) -> None:
        """What is true, once everything has been heard of."""
        truth = self.magnet.truth(self.seconds())
        if truth is not None:
            self.truth.publish(world_state(truth.stamp, truth))

    async def on_grip(self, request: Any, response: Any) -> Any:
        """Move the arm there, switch the magnet, and say it was done only when the world shows it."""
        if not self.active:
            response.message = "the node gazebo is not active"
            return response
        if not await self.until(lambda: self.told > TELLING, BEGINNING):
            response.message = "Gazebo does not listen to the magnets: is the bridge running?"
            return response
        grip = self.magnet.plan(request.command, from_point(request.target))
        if isinstance(grip, str):
            response.message = grip
            return response
        before = self.goal
        if not await self.move(*(self.way(before, grip.arm) if self.magnet.holding else (grip.arm,))):
            await self.move(before)
            response.message = "the arm does not get there"
            return response
        (self.attach if grip.attach else self.detach)[grip.object_id].publish(Empty())
        await self.until(lambda: False, SETTLING)
        if grip.attach:
            await self.move(*self.way(grip.arm, grip.after))  # a thing that is held comes along
            await self.until(lambda: False, SETTLING)
        response.success = self.magnet.succeeded(grip)
        response.message = grip.done if response.success else f"{grip.object_id} is not where it should be afterwards"
        if response.success:
            self.magnet.conclude(grip)
        elif grip.attach:
            self.detach[grip.object_id].publish(Empty())
        await self.move(grip.after)
        return response

    async def move(self, *arms: Any) -> bool:
        """The arm's motors go there, by way of the poses before it; False where they do not get there in time."""
        for arm in arms:
            for joint, position in self.told_motors(arm).items():
                self.motors[joint].publish(Float64(data=position))
            self.goal = arm
            if not await self.until(lambda arm=arm: self.magnet.reached(arm), self.value("patience")):
                return False
        return True

    async def until(self, condition: Any, seconds: float) -> bool:
        """Wait for it, by the computer's clock: a paused simulation must not keep anybody waiting for ever."""
        done: Future = Future()
        end = monotonic() + seconds

        def look() -> None:
            if not done.done() and (condition() or monotonic() > end):
                done.set_result(bool(condition()))

        timer = self.create_timer(0.05, look, clock=self.steady)
        try:
            return bool(await done)
        finally:
            self.destroy_timer(timer)


def main() -> None:
    """Run the node."""
    run(GazeboNode)


if __name__ == "__main__":
    main()
