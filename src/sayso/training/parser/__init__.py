"""Training of the parser: marked sentences, their variation, the network, its fit and its measurement."""
