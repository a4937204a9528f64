"""Answers to questions about the home, the robot and the clock; docs/dialogue.md."""
