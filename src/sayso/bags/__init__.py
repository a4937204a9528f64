"""Recordings as files: reading and writing bags, their messages, types, topics, pictures and sound."""
