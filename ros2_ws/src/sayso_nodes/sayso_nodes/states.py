"""The lifecycle states of nodes, from their services."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from sayso.errors import RosError

if TYPE_CHECKING:
    from rclpy.node import Node

ASK_AGAIN = 1.0  # s without an answer, doubled with each question up to 8 s: a request to an undiscovered node is lost
PENDING = 8  # questions to one node that still wait for an answer


class StateQuestions:
    """Asks nodes for their lifecycle state, through a node that spins already.

    Args:
        asker: the node with the clients.
        names: of the nodes, relative to the asker or fully qualified.
    """

    def __init__(self, asker: Node, names: Iterable[str]) -> None:
        from lifecycle_msgs.srv import GetState

        self._asker = asker
        self._request = GetState.Request()
        self._clients = {name: asker.create_client(GetState, f"{name}/get_state") for name in names}
        self._asked: dict[str, list[tuple[float, Any]]] = {name: [] for name in self._clients}  # when, and the answer to come

    def state(self, name: str) -> str | None:
        """The state if an answer has come; otherwise ask (again). A late answer counts: on a busy machine, every answer is late."""
        client, asked = self._clients[name], self._asked[name]
        for _, future in asked:
            if future.done():
                self._forget(name)
                return str(future.result().current_state.label)
        if not asked or time.monotonic() - asked[-1][0] > ASK_AGAIN * 2 ** min(len(asked) - 1, 3):
            if len(asked) >= PENDING:
                client.remove_pending_request(asked.pop(0)[1])
            if client.service_is_ready():
                asked.append((time.monotonic(), client.call_async(self._request)))
        return None

    def _forget(self, name: str) -> None:
        for _, future in self._asked[name]:
            self._clients[name].remove_pending_request(future)
        self._asked[name].clear()

    def close(self, name: str) -> None:
        """Stop asking a node."""
        self._asked.pop(name)
        self._asker.destroy_client(self._clients.pop(name))


class Prerequisites:
    """Waits for other nodes to become active, and for the clock: what is stamped with 0 would seem to be older than everything."""

    def __init__(self, node: Node, names: Iterable[str], clock: bool = False) -> None:
        """`clock`: wait until ROS time is more than 0."""
        self._node, self._clock = node, clock
        self._nodes = list(names)
        self._questions = StateQuestions(node, self._nodes)

    @property
    def waits_for(self) -> str:
        """What has not come yet, for a person."""
        return f"{', '.join(self._nodes)} to become active" if self._nodes else "the clock"

    def has_come(self) -> bool:
        """True if all are active and there is a time; asks the others again. Call this periodically."""
        for name in tuple(self._nodes):
            if self._questions.state(name) == "active":
                self._nodes.remove(name)
                self._questions.close(name)
        return not self._nodes and (not self._clock or self._node.get_clock().now().nanoseconds > 0)


class StateWatch:
    """Asks nodes for their lifecycle state, in a ROS context of its own.

    Use it as a context manager.
    """

    def __init__(self, names: Iterable[str], namespace: str = "", domain_id: int | None = None) -> None:
        import rclpy
        from rclpy.context import Context
        from rclpy.executors import SingleThreadedExecutor

        self._context = Context()
        rclpy.init(args=[], context=self._context, domain_id=domain_id)
        self._node: Node = rclpy.create_node(
            f"sayso_watch_{time.monotonic_ns() % 10**9}", context=self._context, start_parameter_services=False, enable_rosout=False
        )
        self._executor = SingleThreadedExecutor(context=self._context)
        self._executor.add_node(self._node)
        self._names = {f"/{namespace.strip('/')}/{name}".replace("//", "/"): name for name in names}
        self._questions = StateQuestions(self._node, self._names)

    def __enter__(self) -> StateWatch:
        return self

    def __exit__(self, *_: object) -> None:
        self._executor.shutdown()
        self._node.destroy_node()
        self._context.try_shutdown()

    def wait_active(
        self, timeout: float, meanwhile: Callable[[], None] = lambda: None, active: Callable[[str], None] = lambda _: None
    ) -> None:
        """Return when all nodes are active. `meanwhile` is called periodically and may raise; `active` is called once for each node.

        Raises:
            RosError: some were not active in time; names them with their states.
        """
        states = dict.fromkeys(self._names, "absent")
        end = time.monotonic() + timeout
        while any(state != "active" for state in states.values()):
            if time.monotonic() > end:
                waiting = ", ".join(f"{self._names[path]} ({state})" for path, state in states.items() if state != "active")
                raise RosError(f"not active after {timeout:g} s: {waiting}")
            meanwhile()
            for path in [path for path, state in states.items() if state != "active"]:
                states[path] = self._questions.state(path) or states[path]
                if states[path] == "active":
                    active(self._names[path])
            self._executor.spin_once(timeout_sec=0.02)
