"""What the robot keeps: habits, its own deeds, what was said; docs/memory.md."""
