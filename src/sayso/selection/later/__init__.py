"""What is to be done, or never to be done, at another time; docs/tasks.md."""
