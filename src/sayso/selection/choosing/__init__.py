"""Candidates, their probabilities and the decision; docs/choosing.md."""
