"""Dataclasses of `sayso.types` ↔ messages of `sayso_msgs`: one converter each way, and all of them here.

`to_message(stage)` and `from_message(message)` choose by type. Frames: everything spatial is in the map frame (REP 105).
"""

from sayso_nodes.conversions import words, world  # noqa: F401 - importing them registers their converters
from sayso_nodes.conversions.basic import MAP, from_message, from_point, from_time, header, point, to_message, to_time

__all__ = ["MAP", "from_message", "from_point", "from_time", "header", "point", "to_message", "to_time"]
