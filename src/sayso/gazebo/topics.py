"""The Gazebo transport topics of the world's plugins, by their ROS names."""

from __future__ import annotations

ROBOT = "robot"  # the model's name
ARM = ("lift", "yaw", "stretch")  # the arm's joints

# Topics of the graph that Gazebo does not have: of a battery of one's own.
OF_OTHERS = frozenset({"battery_state"})
GAZEBO_TOPICS = {
    "/clock": "/clock",
    "cmd_vel": f"/model/{ROBOT}/cmd_vel",
    "odom": f"/model/{ROBOT}/odometry",
    "camera/image": f"/model/{ROBOT}/camera/image",
    "camera/depth": f"/model/{ROBOT}/camera/depth_image",
    "camera/camera_info": f"/model/{ROBOT}/camera/camera_info",
    "gazebo/joints": f"/model/{ROBOT}/joint_state",
    "gazebo/arm/{joint}": f"/model/{ROBOT}/arm/{{joint}}",
    "gazebo/attach/{object}": f"/model/{ROBOT}/attach/{{object}}",
    "gazebo/detach/{object}": f"/model/{ROBOT}/detach/{{object}}",
    "gazebo/magnet/{object}": f"/model/{ROBOT}/magnet/{{object}}",
    "gazebo/part/{motor}": "/model/{motor}/position",
    "gazebo/part_pose/{part}": "/model/{part}/pose",
    "gazebo/pose/{object}": "/model/{object}/pose",
}
