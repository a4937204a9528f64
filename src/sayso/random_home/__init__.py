"""Random apartments: the default home's rooms, furniture and objects in a new arrangement, with a domain file."""

from sayso.random_home.home import random_home

__all__ = ["random_home"]
