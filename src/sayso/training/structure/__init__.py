"""Training of the head that reads the structure of a sentence."""
