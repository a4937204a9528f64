"""Training of the command language model."""
