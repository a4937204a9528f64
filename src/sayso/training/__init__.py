"""Training of the models in models/. Needs the packages of requirements/dev.txt, which running the models does not."""
