"""The embedded simulation (MuJoCo): moves the robot and the objects of a scene, and renders its camera."""
