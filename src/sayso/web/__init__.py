"""The console in a browser: a page to talk to the robot and to see why it decides as it does. The node `web_console` serves it."""
