"""ros2 launch sayso_bringup sim.launch.py: the nodes for the embedded simulation."""

from sayso_nodes.running.launching import launch_description


def generate_launch_description():
    """The nodes of the graph's variant "sim", and the arguments that they take."""
    return launch_description("sim")
