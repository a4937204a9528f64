"""Requests and their roles as tags of words: tasks on which the encoder is tuned."""
