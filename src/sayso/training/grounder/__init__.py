"""Training of the visual grounder."""
