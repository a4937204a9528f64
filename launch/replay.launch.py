"""ros2 launch sayso_bringup replay.launch.py: the nodes for a bag that is played into them."""

from sayso_nodes.running.launching import launch_description


def generate_launch_description():
    """The nodes of the graph's variant "replay", and the arguments that they take."""
    return launch_description("replay")
