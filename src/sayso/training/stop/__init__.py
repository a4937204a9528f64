"""Training of the spotter of "stop" and of its verifier."""
