"""The public data sets and grammars for training and evaluation."""
