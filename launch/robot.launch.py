"""ros2 launch sayso_bringup robot.launch.py: the nodes for a real robot: microphone, its camera and its wheels."""

from sayso_nodes.running.launching import launch_description


def generate_launch_description():
    """The nodes of the graph's variant "robot", and the arguments that they take."""
    return launch_description("robot")
