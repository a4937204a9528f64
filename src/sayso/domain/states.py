"""Lasting states of doors and appliances: the predicates of which one excludes the other, and how people say them."""

from __future__ import annotations

DOOR, POWER = ("open", "closed"), ("powered", "unpowered")
OPPOSITE = {one: other for pair in (DOOR, POWER) for one, other in (pair, pair[::-1])}
IN_WORDS = {"open": "open", "closed": "closed", "powered": "on", "unpowered": "off"}
