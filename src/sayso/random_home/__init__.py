"""Apartments that nobody has seen before: the default home's rooms, furniture and things, arranged anew by a seed, with a domain file."""

from sayso.random_home.home import random_home

__all__ = ["random_home"]
