"""The Gazebo transport topics of the world's plugins, by their ROS names; `{robot}` is the name of the robot's model."""

from __future__ import annotations

ROBOT = "robot"  # the model's name in a world with one
ARM = ("lift", "yaw", "stretch")  # the arm's joints

# Topics of the graph that Gazebo does not have: of a battery of one's own.
OF_OTHERS = frozenset({"battery_state"})
GAZEBO_TOPICS = {
    "/clock": "/clock",
    "cmd_vel": "/model/{robot}/cmd_vel",
    "odom": "/model/{robot}/odometry",
    "camera/image": "/model/{robot}/camera/image",
    "camera/depth": "/model/{robot}/camera/depth_image",
    "camera/camera_info": "/model/{robot}/camera/camera_info",
    "gazebo/joints": "/model/{robot}/joint_state",
    "gazebo/arm/{joint}": "/model/{robot}/arm/{joint}",
    "gazebo/attach/{object}": "/model/{robot}/attach/{object}",
    "gazebo/detach/{object}": "/model/{robot}/detach/{object}",
    "gazebo/magnet/{object}": "/model/{robot}/magnet/{object}",
    "gazebo/part/{motor}": "/model/{motor}/position",
    "gazebo/part_pose/{part}": "/model/{part}/pose",
    "gazebo/pose/{object}": "/model/{object}/pose",
}


def gazebo_topic(topic: str, robot: str = ROBOT) -> str:
    """The topic of that robot's in Gazebo; families keep their placeholder."""
    return GAZEBO_TOPICS[topic].replace("{robot}", robot)
