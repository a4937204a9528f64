"""What words of a sentence mean in the home: the entities of a description, and whether a condition holds, by what the robot believes."""
