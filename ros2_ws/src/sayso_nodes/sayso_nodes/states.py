"""Which nodes are there and in which state, as their lifecycle services say."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from sayso.errors import RosError

if TYPE_CHECKING:
    from rclpy.node import Node


class StateWatch:
    """Asks nodes for their lifecycle state. It has a ROS context of its own, so that it can be used in any process.

    Use it as a context manager.
    """

    def __init__(self, names: Iterable[str], namespace: str = "", domain_id: int | None = None) -> None:
        import rclpy
        from lifecycle_msgs.srv import GetState
        from rclpy.context import Context
        from rclpy.executors import SingleThreadedExecutor

        self._context = Context()
        rclpy.init(args=[], context=self._context, domain_id=domain_id)
        self._node: Node = rclpy.create_node(
            f"sayso_watch_{time.monotonic_ns() % 10**9}", context=self._context, start_parameter_services=False, enable_rosout=False
        )
        self._executor = SingleThreadedExecutor(context=self._context)
        self._executor.add_node(self._node)
        self._request = GetState.Request()
        prefix = f"/{namespace.strip('/')}" if namespace else ""
        self._clients = {name: self._node.create_client(GetState, f"{prefix}/{name}/get_state") for name in names}
        self._asked: dict[str, tuple[float, Any]] = {}  # when, and the answer to come

    def __enter__(self) -> StateWatch:
        return self

    def __exit__(self, *_: object) -> None:
        self._executor.shutdown()
        self._node.destroy_node()
        self._context.try_shutdown()

    def wait_active(
        self, timeout: float, meanwhile: Callable[[], None] = lambda: None, active: Callable[[str], None] = lambda _: None
    ) -> None:
        """Return when all nodes are active. `meanwhile` is called again and again and may raise; `active` once for each node.

        Raises:
            RosError: some were not active in time; names them and their state.
        """
        states = dict.fromkeys(self._clients, "absent")
        end = time.monotonic() + timeout
        while any(state != "active" for state in states.values()):
            if time.monotonic() > end:
                waiting = ", ".join(f"{name} ({state})" for name, state in states.items() if state != "active")
                raise RosError(f"not active after {timeout:g} s: {waiting}")
            meanwhile()
            for name in [name for name, state in states.items() if state != "active"]:
                states[name] = self._ask(name) or states[name]
                if states[name] == "active":
                    active(name)
            self._executor.spin_once(timeout_sec=0.02)

    def _ask(self, name: str) -> str | None:
        """The state, if an answer has come; ask (again) otherwise: a question to a node that is not yet found is lost."""
        client = self._clients[name]
        when, future = self._asked.get(name, (0.0, None))
        if future is not None and future.done():
            del self._asked[name]
            return str(future.result().current_state.label)
        if future is None or time.monotonic() - when > 1.0:
            if future is not None:
                client.remove_pending_request(future)
                del self._asked[name]
            if client.service_is_ready():
                self._asked[name] = (time.monotonic(), client.call_async(self._request))
        return None
