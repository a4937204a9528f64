"""Answers to the robot's own questions, and what follows from them; docs/dialogue.md."""
