"""gazebo: adds to Gazebo a gripper made of magnets, the pose of the camera, people who walk, their tracker and the ground truth."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from functools import partial
from time import monotonic
from typing import Any

from geometry_msgs.msg import PoseStamped
from rclpy.task import Future
from std_msgs.msg import Empty, Float64

from sayso.supervision import RosTime
from sayso_nodes.camera import matrix, pose
from sayso_nodes.conversions import MAP, from_point, from_time, header, to_message
from sayso_nodes.graph import interface
from sayso_nodes.homes import SCENE, load_home
from sayso_nodes.lifecycle_node import DOMAIN, SaysoNode
from sayso_nodes.nodes.simulation import world_state
from sayso_nodes.parameters import Parameter
from sayso_nodes.run import run
from sayso_nodes.transforms import yaw_of
from sayso_nodes.views.frames import fixed_frames, moving_frames

DETACH = ("gazebo/detach/{object}", "gazebo/attach/{object}")
BEGINNING = 10.0  # s that a grip waits until the magnets are released
RESTING = 0.3  # s from the arm's arrival to letting go: it is within 2 cm then, still moving, and a tall bottle let go in motion topples
SETTLING = 0.5  # s from switching a magnet to checking the result
LATE = 2.0  # s that the world's news may take on a busy machine
NEWS = 3  # poses of an object until one is of now: as many as may be under way, and one more
WAITING = 16  # pictures whose odometry may still be on its way
PERIOD = 0.05  # simulated s between two steps of what the gripper does at furniture
LONGEST = 60.0  # simulated s that it may take
PAUSED = 10.0  # steady s in which simulated time stands, after which a grip gives up


class GazeboNode(SaysoNode):
    """Connects Gazebo's topics, which come through ros_gz_bridge, with those of the graph."""

    NAME = "gazebo"
    PARAMETERS = (
        DOMAIN,
        SCENE,
        Parameter("patience", 6.0, "how long the arm may take to reach a pose, s", 1.0, 60.0),
        Parameter("world_state_rate", 4.0, "Hz", 0.5, 20.0),
        Parameter("people_rate", 10.0, "Hz, of the person tracker", 1.0, 50.0),
        Parameter("robots", (), "models of the other robots in the world"),
        Parameter("walks", True, "people walk their rounds; of several robots in a world one has them do so"),
    )

    def open(self) -> None:
        """Load the scene and open the topics of Gazebo."""
        from sayso.gazebo.families import members
        from sayso.gazebo.handles import COMMANDS, GazeboArm, Handles
        from sayso.gazebo.magnet import Magnet, motor_positions, way_in, way_out
        from sayso.gazebo.people import PeopleInGazebo, walkers
        from sayso.gazebo.releases import Releases
        from sayso.gazebo.supply import Supply
        from sayso.gazebo.topics import ARM
        from sayso.gazebo.track import RobotTrack
        from sayso.sim.robot_body import mounted_camera
        from sayso.strolls import set_out

        domain, scene = load_home(self.value("domain"), self.value("scene"))
        robots = tuple(self.value("robots"))
        self.magnet, self.motor_positions, self.ways = Magnet(scene, others=robots), motor_positions, (way_in, way_out)
        self.mount = mounted_camera()
        self.releases, self.ros_time = Releases(scene.objects), RosTime()
        names, move = members(scene, robots), (*walkers(scene), *robots)
        poses = [*(f"gazebo/pose/{name}" for name in scene.objects), *(f"gazebo/part_pose/{name}" for name in names["part"])]
        self.supply = Supply(("odom", "gazebo/joints", "camera/camera_info", *poses))
        self.mounted = False  # were the fixed frames published?
        self.track, self.pictures = RobotTrack(), deque[float](maxlen=WAITING)  # stamps of pictures without a pose, s
        self.camera, self.truth = self.publisher("camera/pose"), self.publisher("world_state")
        self.frames = [self.publisher(topic) for topic in ("tf_static", "tf") if topic in self.description.publishes]
        self.motors = {joint: self.publisher("gazebo/arm/{joint}", joint=joint) for joint in ARM}
        self.parts = {name: self.publisher("gazebo/part/{motor}", motor=name) for name in names["motor"]}
        self.arm = GazeboArm(self.send_arm, self.magnet.reached)
        self.handles, self.commands = Handles(self.magnet, self.arm, self.send_part), COMMANDS
        self.detach, self.attach = ({name: self.publisher(topic, object=name) for name in scene.objects} for topic in DETACH)
        for name in scene.objects:
            self.subscription("gazebo/pose/{object}", self._hearer("gazebo/pose", name, self.magnet.hear_pose), object=name)
            self.subscription("gazebo/magnet/{object}", partial(self.on_magnet, name), object=name)
        for name in names["part"]:
            hear = self.magnet.hear_person if name in move else self.handles.operated.hear
            self.subscription("gazebo/part_pose/{part}", self._hearer("gazebo/part_pose", name, hear), part=name)
        self.subscription("odom", self.on_odometry)
        self.subscription("gazebo/joints", self.on_joints)
        self.subscription("camera/camera_info", self.on_picture)
        self.service("grip", self.on_grip)
        self.every(0.5, self.release, steady=True)
        self.every(0.5, self.look, steady=True)
        rounds = partial(set_out, scene=scene, domain=domain) if self.value("walks") else lambda _: None
        self.people = PeopleInGazebo(self.magnet, self.send_part, rounds, robots)
        self.tracked = self.publisher("people")
        self.subscription("speech", lambda message: self.people.hear(message.data))
        self.every(PERIOD, self.advance)
        self.every(1.0 / self.value("people_rate"), self.publish_people)
        self.every(1.0 / self.value("world_state_rate"), self.publish_truth)

    def release(self) -> None:
        """Release the magnets once Gazebo's poses come, until each says that it is free; begin anew if Gazebo did."""
        if self.ros_time.set_back(self.seconds()):
            self.get_logger().warning("Gazebo has begun anew: all magnets are released")
            self.releases.begin()
            self.magnet.forget()
            self.pictures.clear()
            self.handles.reset()
            self.people.begin()
            self.arm.fold()
        if self.magnet.is_complete:
            for name in self.releases.due():
                self.detach[name].publish(Empty())

    def advance(self) -> None:
        """Go on with what the gripper does at furniture, and let people walk."""
        self.handles.advance(PERIOD)
        if self.magnet.sees_people:
            self.people.advance(self.seconds())

    def publish_people(self) -> None:
        """Publish whom the tracker sees."""
        if self.magnet.sees_people:
            self.tracked.publish(to_message(self.people.seen(self.seconds())))

    def look(self) -> None:
        """Say it once if Gazebo stands still or a topic does not come, and when that is over."""
        before, trouble = self.health.concern, self.supply.trouble(self.seconds(), monotonic())
        if self.health.worry(trouble):
            self.get_logger().error(trouble)
        elif before and not trouble:
            self.get_logger().info("Gazebo runs again, and all its topics come")

    def on_magnet(self, name: str, message: Any) -> None:
        """Note whether a magnet holds its object."""
        self.magnet.hear_state(name, message.data)
        self.releases.hear(name, message.data, wanted=name in (self.magnet.holding, self.magnet.lifting))

    def _hearer(self, topic: str, name: str, hear: Callable[[str, Any], bool]) -> Any:
        def on_pose(message: PoseStamped) -> None:
            self.supply.hear(f"{topic}/{name}")
            if not hear(name, matrix(message.pose)):
                self.no_number(f"the pose of {name}")

        return on_pose

    def on_odometry(self, message: Any) -> None:
        """Update the pose of the robot; publish its frames, and the camera's for pictures that waited for it."""
        self.supply.hear("odom")
        base, now = matrix(message.pose.pose), from_time(message.header.stamp)
        if not self.track.hear(now, base):
            self.no_number("the robot's pose")
            return
        self.magnet.robot = (float(base[0, 3]), float(base[1, 3]), yaw_of(message.pose.pose.orientation))
        self.publish_camera()
        if not self.frames:
            return
        kind, (fixed, moving) = interface("tf"), self.frames
        if not self.mounted:
            self.mounted = True
            fixed.publish(kind(transforms=fixed_frames(now, self.mount)))
        moving.publish(kind(transforms=moving_frames(now, message)))

    def no_number(self, what: str) -> None:
        """Say that Gazebo's physics failed. What was known before stays; the robot's other nodes see its age."""
        self.health.failed(f"{what} from Gazebo is not a number: its physics failed, start the world anew")
        self.get_logger().error(f"{what} from Gazebo is not a number: start the world anew", throttle_duration_sec=60.0)

    def on_joints(self, message: Any) -> None:
        """Update the pose of the arm."""
        self.supply.hear("gazebo/joints")
        self.magnet.hear_joints(dict(zip(message.name, message.position, strict=False)))

    def on_picture(self, message: Any) -> None:
        """Note the stamp of a picture whose camera pose is wanted."""
        self.supply.hear("camera/camera_info")
        self.pictures.append(from_time(message.header.stamp))
        self.publish_camera()

    def publish_camera(self) -> None:
        """Publish the pose of the camera, which is fixed to the base, at each picture's stamp, once odometry of later is there."""
        while self.pictures and self.pictures[0] <= self.track.newest:
            stamp = self.pictures.popleft()
            base = self.track.at(stamp)
            if base is not None:
                self.camera.publish(PoseStamped(header=header(stamp, MAP), pose=pose(base @ self.mount)))

    def publish_truth(self) -> None:
        """Publish the ground truth, once the poses of all objects are known."""
        truth = self.magnet.truth(self.seconds(), self.handles.facts() if self.magnet.is_complete else ())
        if truth is not None:
            self.truth.publish(world_state(truth.stamp, truth))

    async def on_grip(self, request: Any, response: Any) -> Any:
        """Use the arm, the magnet and the furniture, and report success only if the world shows it."""
        if not self.active:
            response.message = "the node gazebo is not active"
            return response
        if request.command == "read":
            response.success, response.message = True, self.magnet.holding
            return response
        if request.command in self.commands:
            return await self.operate(request, response)
        if not await self.until(lambda: self.releases.done, BEGINNING):
            response.message = "Gazebo does not listen to the magnets: is the bridge running?"
            return response
        grip = self.magnet.plan(request.command, from_point(request.target))
        if isinstance(grip, str):
            response.message = grip
            return response
        try:
            return await self.carry_out(grip, response)
        finally:
            self.magnet.lifting = ""

    async def operate(self, request: Any, response: Any) -> Any:
        """Do something at furniture, or point. What takes too long, as in a Gazebo that stands, is given up."""
        operation = self.handles.request(request.command, from_point(request.target))
        if not await self.until(operation.done, LONGEST):
            self.handles.stop()
        response.success, response.message = operation.result()
        return response

    async def carry_out(self, grip: Any, response: Any) -> Any:
        """Move the arm and switch the magnet."""
        before, (way_in, way_out) = self.arm.goal, self.ways
        if not await self.move(*way_in(before, grip, full=bool(self.magnet.holding))):
            await self.move(before)
            response.message = "the arm does not get there"
            return response
        if not grip.attach:
            await self.until(lambda: False, RESTING)
        self.magnet.lifting = grip.object_id if grip.attach else ""
        (self.attach if grip.attach else self.detach)[grip.object_id].publish(Empty())
        await self.until(lambda: self.magnet.switched(grip), LATE)
        await self.until(lambda: False, SETTLING)
        # A held object comes along; one that was let go may topple, or be touched by the arm, until the arm is away.
        await self.move(*way_out(grip))
        await self.until(lambda: False, SETTLING)
        known = self.magnet.heard[grip.object_id] + NEWS
        await self.until(lambda: self.magnet.heard[grip.object_id] >= known, LATE)
        response.success = self.magnet.succeeded(grip)
        response.message = grip.done if response.success else f"{grip.object_id} is not where it should be afterwards"
        if response.success or not grip.attach:
            self.magnet.conclude(grip)
        else:
            self.magnet.lifting = ""
            self.detach[grip.object_id].publish(Empty())
            await self.move(grip.after)
        return response

    async def move(self, *arms: Any) -> bool:
        """Move the arm through these poses; False if it does not reach one in time."""
        for arm in arms:
            self.arm.move(arm)
            if not await self.until(lambda arm=arm: self.magnet.reached(arm), self.value("patience")):
                return False
        return True

    def send_arm(self, arm: Any) -> None:
        """Tell the motors of the arm."""
        for joint, position in self.motor_positions(arm).items():
            self.motors[joint].publish(Float64(data=position))

    def send_part(self, name: str, position: float) -> None:
        """Tell the motor of a part of furniture or of a person: rad or m from where it is at the start."""
        self.parts[name].publish(Float64(data=position))

    async def until(self, condition: Any, seconds: float) -> bool:
        """Wait for a condition, in simulated time. A paused simulation does not block the service for ever."""
        done: Future = Future()
        end, latest = self.seconds() + seconds, (self.seconds(), monotonic())

        def look() -> None:
            nonlocal latest
            now = self.seconds()
            if now != latest[0]:
                latest = now, monotonic()
            if not done.done() and (condition() or now > end or monotonic() - latest[1] > PAUSED):
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
