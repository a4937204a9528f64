"""The console in a browser: a page to talk to the robot and to see why it decides as it does. It knows no ROS: `web_console` is its node."""
