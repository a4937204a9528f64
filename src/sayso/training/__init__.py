"""Training of the models in models/. Needs the packages of requirements/train.txt, which running the models does not."""
