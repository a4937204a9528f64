"""A node's health as a diagnostic_msgs status: calls of its stage, their duration, recent trouble, and what its process costs."""

from __future__ import annotations

import threading
import time
from typing import Any

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue

LATELY = 10.0  # s that a failure stays in the status


def status_name(node: Any) -> str:
    """A node's name in /diagnostics, which all robots share: "sayso: robot1/motion_gate"."""
    return f"sayso: {node.get_fully_qualified_name().lstrip('/')}"


class Health:
    """Counts and times. The node's threads write them; they are read once a second."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.dropped = 0  # jobs dropped in favour of newer ones
        self.values: dict[str, str] = {}  # added by the node
        self.concern = ""  # a warning for as long as it lasts; the node still does its work
        self.lasting = ""  # trouble that goes on; the node clears it when it is over
        self._lock = threading.Lock()
        self._calls = self._failures = 0
        self._last = self._longest = 0.0  # s
        self._trouble = ""
        self._trouble_at = float("-inf")  # monotonic s
        self._measured = time.monotonic(), time.process_time()  # s, at the last message

    def called(self, seconds: float) -> None:
        """Count a successful stage call and its duration."""
        with self._lock:
            self._calls += 1
            self._last = seconds
            self._longest = max(self._longest, seconds)

    def failed(self, trouble: str) -> None:
        """Count a failure that the node survived."""
        with self._lock:
            self._failures += 1
            self._trouble = trouble
            self._trouble_at = time.monotonic()

    def worry(self, trouble: str) -> bool:
        """Warn of it until it is empty. Whether it is new, and worth a line in the log."""
        news, self.concern = bool(trouble) and trouble != self.concern, trouble
        return news

    def message(self, stamp: Any, state: str) -> DiagnosticArray:
        """The current status."""
        before, self._measured = self._measured, (time.monotonic(), time.process_time())
        passed, busy = (now - then for now, then in zip(self._measured, before, strict=True))
        with self._lock:
            trouble = self.lasting or (self._trouble if time.monotonic() - self._trouble_at < LATELY else "")
            well = state == "active" and not self.concern
            level = DiagnosticStatus.ERROR if trouble else DiagnosticStatus.OK if well else DiagnosticStatus.WARN
            values = {
                "state": state,
                "calls": str(self._calls),
                "failures": str(self._failures),
                "dropped": str(self.dropped),
                "last call (ms)": f"{self._last * 1e3:.1f}",
                "longest call (ms)": f"{self._longest * 1e3:.1f}",
                "processor (%)": f"{100.0 * busy / passed:.0f}" if passed > 0.0 else "",  # of a core, of the whole process
                "last trouble": self._trouble,
                **self.values,
            }
            status = DiagnosticStatus(
                level=level,
                name=self.name,
                hardware_id="",
                message=trouble or self.concern or state,
                values=[KeyValue(key=key, value=value) for key, value in values.items()],
            )
        array = DiagnosticArray(status=[status])
        array.header.stamp = stamp
        return array
