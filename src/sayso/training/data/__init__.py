"""The public data sets and grammars that training and measuring read."""
