"""The embedded simulation (MuJoCo): it moves the robot and the things of a scene, and draws what its camera sees."""
