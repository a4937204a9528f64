"""Training of the models in models/: needs what requirements/dev.txt lists, which running them does not."""
