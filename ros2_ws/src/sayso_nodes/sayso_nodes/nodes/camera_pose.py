"""camera_pose: the pose at which each picture was taken, by tf2. Most camera drivers publish frames and no poses."""

from __future__ import annotations

from collections import deque
from typing import Any

from geometry_msgs.msg import Point, Pose, PoseStamped
from rclpy.time import Time

from sayso_nodes.conversions import from_time
from sayso_nodes.lifecycle_node import SaysoNode
from sayso_nodes.parameters import Parameter
from sayso_nodes.run import run
from sayso_nodes.transforms import FRAMES, lookup, transforms

WAITING = 16  # pictures whose transform may still be on its way


class CameraPoseNode(SaysoNode):
    """The pose of the optical frame in the map at the stamp of each camera/camera_info, as soon as tf2 knows it."""

    NAME = "camera_pose"
    PARAMETERS = (
        FRAMES[0],
        Parameter("optical_frame", "", "frame of the pictures, z forward (REP 103); empty: the one in their headers"),
        Parameter("patience", 1.0, "how long to wait for a transform, s", 0.05, 10.0),
    )

    def open(self) -> None:
        """Subscribe to the frames and the camera."""
        self.buffer = transforms(self)
        self.poses = self.publisher("camera/pose")
        self.waiting: deque[Any] = deque(maxlen=WAITING)  # headers of pictures
        self.subscription("camera/camera_info", lambda message: self.waiting.append(message.header))
        self.every(0.02, self.on_time, steady=True)

    def on_time(self) -> None:
        """Publish the poses of pictures whose transform has come; give up on those that waited too long."""
        for header in list(self.waiting):
            found = lookup(
                self.buffer, self.value("map_frame"), self.value("optical_frame") or header.frame_id, Time.from_msg(header.stamp)
            )
            if found is not None:
                self.poses.publish(stamped(found))
            elif self.seconds() - from_time(header.stamp) <= self.value("patience"):
                continue
            else:
                self.health.failed(f"no transform from '{header.frame_id}' to '{self.value('map_frame')}': is the robot localised?")
            self.waiting.remove(header)


def stamped(found: Any) -> PoseStamped:
    """A TransformStamped as the pose of its child frame."""
    at = found.transform.translation
    return PoseStamped(header=found.header, pose=Pose(position=Point(x=at.x, y=at.y, z=at.z), orientation=found.transform.rotation))


def main() -> None:
    """Run the node."""
    run(CameraPoseNode)


if __name__ == "__main__":
    main()
