"""How the graph is started and ended: processes, ROS's launch, Gazebo and its bridge."""
