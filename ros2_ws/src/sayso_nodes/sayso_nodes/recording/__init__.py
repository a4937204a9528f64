"""What the recorder writes beside the messages themselves."""
