"""The structure of a sentence, read by one network: labelled spans in labelled spans, with the probability of each reading."""
