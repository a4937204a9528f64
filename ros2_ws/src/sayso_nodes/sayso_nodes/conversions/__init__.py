"""Dataclasses of `sayso.types` ↔ messages of `sayso_msgs`: one converter each way.

`to_message(stage)` and `from_message(message)` choose by type. The way back is in `sayso.bags.messages`, which serves the messages of a
bag as well: fields have the same names there. Frames: everything spatial is in the map frame (REP 105).
"""

from sayso.bags.messages import seconds as from_time
from sayso.bags.sight import point as from_point
from sayso_nodes.conversions import words, world  # noqa: F401 - importing them registers their converters
from sayso_nodes.conversions.basic import MAP, from_message, header, point, to_message, to_time

__all__ = ["MAP", "from_message", "from_point", "from_time", "header", "point", "to_message", "to_time"]
