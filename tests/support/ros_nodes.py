"""Shared by the tests of the nodes: a peer that communicates with real nodes over DDS, in a separate domain.

`until` waits for an event, `spin` lets time pass in which nothing may happen. `undisturbed` sees what must happen within a time: it
measures whether this process itself was kept waiting meanwhile.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

pytest.importorskip("rclpy", reason="ROS 2 is not installed")
pytest.importorskip("sayso_msgs", reason="the ROS interfaces are not built")

import rclpy
from rclpy.action import ActionClient
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor

from patience import PATIENCE
from sayso_nodes.environment import set_client_defaults
from sayso_nodes.graph import find_topic, interface

SETTLING = 0.3  # s; a discovered server may not have discovered its client yet, and its answer would be lost


class Peer:
    """A plain node beside the nodes under test. It spins only while it waits."""

    def __init__(self, domain_id: int) -> None:
        set_client_defaults()
        self.context = Context()
        rclpy.init(args=[], context=self.context, domain_id=domain_id)
        self.node = rclpy.create_node("peer", context=self.context, start_parameter_services=False, enable_rosout=False)
        self.executor = SingleThreadedExecutor(context=self.context)
        self.executor.add_node(self.node)
        self._clients: dict[str, Any] = {}
        self._heard: dict[str, list[Any]] = {}
        self._looked, self._pause = time.monotonic(), 0.0

    def close(self) -> None:
        self.executor.shutdown()
        self.node.destroy_node()
        self.context.try_shutdown()

    def until(self, condition: Callable[[], Any], timeout: float = PATIENCE) -> Any:
        """Spin until the condition holds, and return it."""
        end = time.monotonic() + timeout
        while not (value := condition()):
            if time.monotonic() > end:
                last = "\n".join(f"{topic}: {messages[-3:]}" for topic, messages in self._heard.items())
                raise AssertionError(f"not within {timeout} s: {condition}; heard last:\n{last}")
            self._look()
        return value

    def spin(self, seconds: float) -> None:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self._look()

    def undisturbed(self, act: Callable[[], Any], longest: float) -> Any:
        """What `act` returns, once this process has looked for messages at least every so many seconds meanwhile.

        On a busy machine it is kept waiting, and messages that it should have sent and heard in time are late: then it acts again.
        """
        end = time.monotonic() + PATIENCE
        while True:
            self._looked, self._pause = time.monotonic(), 0.0
            seen = act()
            if max(self._pause, time.monotonic() - self._looked) <= longest:
                return seen
            assert time.monotonic() < end, f"kept waiting for longer than {longest} s again and again"

    def _look(self) -> None:
        self.executor.spin_once(0.01)
        now = time.monotonic()
        self._pause, self._looked = max(self._pause, now - self._looked), now

    def hear(self, topic: str, publishers: int = 1) -> list[Any]:
        """A list that fills with the topic's messages."""
        received = self._heard[topic] = []
        self.node.create_subscription(interface(topic), topic, received.append, find_topic(topic).qos(subscriber=True))
        self.until(lambda: self.node.count_publishers(topic) >= publishers)
        return received

    def speaker(self, topic: str, subscribers: int = 1) -> Any:
        """A publisher that has subscribers."""
        publisher = self.node.create_publisher(interface(topic), topic, find_topic(topic).qos())
        self.until(lambda: publisher.get_subscription_count() >= subscribers)
        return publisher

    def action_client(self, name: str) -> ActionClient:
        """A client of that action, connected to its server. The caller destroys it."""
        client = ActionClient(self.node, interface(name), name)
        self.until(client.server_is_ready)
        self.spin(SETTLING)
        return client

    def call(self, name: str, request: Any = None, kind: Any = None, meanwhile: Callable[[], Any] = lambda: None) -> Any:
        """The service's answer; `meanwhile` is called again and again until it is there."""
        kind = kind or interface(name)
        client = self._clients.get(name)
        if client is None:
            client = self._clients[name] = self.node.create_client(kind, name)
            self.until(client.service_is_ready)
            self.spin(SETTLING)
        self.until(client.service_is_ready)
        future = client.call_async(request or kind.Request())
        self.until(lambda: future.done() or meanwhile())
        return future.result()

    def run(self, node: Any) -> None:
        """Spin a node of this process together with the peer."""
        self.executor.add_node(node)


@contextmanager
def peer(domain_id: int) -> Iterator[Peer]:
    made = Peer(domain_id)
    try:
        yield made
    finally:
        made.close()


@contextmanager
def one_at_a_time(user: Peer, make: Callable[..., Any]) -> Iterator[Callable[..., Any]]:
    """A function that makes and starts a node of this process; the one before it is closed first."""
    running: list[Any] = []

    def close() -> None:
        while running:
            running.pop().close()

    def start(*arguments: Any) -> Any:
        close()
        running.append(make(*arguments))
        user.run(running[0])
        running[0].start()
        return running[0]

    try:
        yield start
    finally:
        close()


def environment(domain_id: int) -> dict[str, str]:
    """Environment variables for nodes in separate processes."""
    return {"ROS_DOMAIN_ID": str(domain_id), "OMP_NUM_THREADS": os.environ.get("OMP_NUM_THREADS", "1")}
