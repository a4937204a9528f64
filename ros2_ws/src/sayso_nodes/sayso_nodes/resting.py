"""An executor that rests between two looks for messages, for a node whose callbacks may come a moment later.

rclpy's executors build their wait set anew for each wait, and wait twice for each message: with a hundred messages a second, that was
most of what such a node cost.
"""

from __future__ import annotations

import time
from typing import Any

from rclpy.executors import ShutdownException, SingleThreadedExecutor, TimeoutException


class RestingExecutor(SingleThreadedExecutor):
    """Calls back for all that waits, then rests. What comes meanwhile must fit into a topic's `depth`."""

    def __init__(self, rest: float, **options: Any) -> None:
        """`rest`: s between two looks."""
        super().__init__(**options)
        self._rest = rest

    def spin(self) -> None:
        """Execute callbacks until shutdown.

        Raises:
            ExternalShutdownException: a signal ended ROS.
            Exception: that of a callback.
        """
        while self.context.ok():
            try:
                handler, _, _ = self.wait_for_ready_callbacks(0.0)
            except TimeoutException:
                time.sleep(self._rest)
            except ShutdownException:
                return
            else:
                handler()
                handler.result()  # raises its exception
