"""ros2 launch sayso_bringup gazebo.launch.py: the nodes with Gazebo Harmonic, in the world of the scene."""

from sayso_nodes.running.launching import launch_description


def generate_launch_description():
    """Gazebo, its bridge, the nodes of the graph's variant "gazebo", and the arguments that they take."""
    return launch_description("gazebo")
