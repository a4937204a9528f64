"""Reads and writes bags: messages, types, topics, pictures and sound."""
