"""The robot's situation at a moment of the bag: from the last context, else from odometry."""

from __future__ import annotations

import math
from typing import Any

from rosbags.interfaces import Connection

from sayso.bags import messages
from sayso.bags.definitions import decoding
from sayso.bags.reading import Bag
from sayso.bags.topics import Topics
from sayso.errors import SaysoError
from sayso.types import Context


class LastContext:
    """Keeps the last message undecoded until it is needed."""

    def __init__(self, bag: Bag, topics: Topics, before: Context | None = None) -> None:
        """`before` is the situation at the start of the slice."""
        self.topic = "context" if topics["context"] else "odom"  # odometry has only the pose
        self._bag = bag
        self._context = before
        self._fresh: tuple[Connection, bytes] | None = None

    def take(self, connection: Connection, raw: bytes) -> None:
        """Keep the newest message of `topic`."""
        self._fresh = connection, raw

    @property
    def now(self) -> Context | None:
        """The situation; None before the first message."""
        if self._fresh is not None:
            (connection, raw), self._fresh = self._fresh, None
            try:
                message = self._bag.deserialize(raw, connection)
                with decoding(connection.msgtype):
                    self._context = messages.context(message) if self.topic == "context" else _of_odometry(message)
            except SaysoError as unknown:
                self._bag.complain(connection.topic, str(unknown))
        return self._context


def situation_before(bag: Bag, topics: Topics, time: int) -> Context | None:
    """The situation just before a time (ns). Reads backwards in growing steps, so that a long bag is not read whole."""
    step, stop = 2_000_000_000, time
    while stop > bag.start_time:
        start = max(time - step, bag.start_time)
        situation = LastContext(bag, topics)
        for connection, _, raw in bag.messages(topics[situation.topic], start, stop) if topics[situation.topic] else ():
            situation.take(connection, raw)
        if (found := situation.now) is not None:
            return found
        stop, step = start, step * 4
    return None


def _of_odometry(message: Any) -> Context:
    """The pose of a nav_msgs/Odometry, with its frame taken as the map."""
    pose = message.pose.pose
    q = pose.orientation
    yaw = math.atan2(2.0 * (q.w * q.z + q.x * q.y), 1.0 - 2.0 * (q.y * q.y + q.z * q.z))
    return Context(messages.seconds(message.header.stamp), float(pose.position.x), float(pose.position.y), yaw)
