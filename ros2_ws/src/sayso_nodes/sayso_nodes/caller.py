"""Calls services of the running nodes, and imports only what a call needs, so that `sayso stop` is quick."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import rclpy
from rclpy.context import Context
from rclpy.exceptions import InvalidNamespaceException
from rclpy.executors import SingleThreadedExecutor
from rclpy.signals import SignalHandlerOptions

from sayso.errors import RosError
from sayso_nodes.environment import set_client_defaults

ALONE_WITHIN = 3.0  # s without any other node: nothing is running
FOUND_WITHIN = 10.0  # s if there are others: on a busy machine, nodes find each other late


def stop() -> None:
    """Stop the robot of this machine at once; print what the gate answers."""
    print(trigger("stop").message)  # noqa: T201 - the output of `sayso stop`


def trigger(service: str, namespace: str = "") -> Any:
    """The answer of a std_srvs/Trigger of the running nodes.

    Raises:
        RosError: no node serves it, or it does not answer.
    """
    from std_srvs.srv import Trigger

    with Caller(namespace) as caller:
        return caller.call(service, Trigger.Request(), Trigger)


class Caller:
    """A node of its own, for as long as the context lasts."""

    def __init__(self, namespace: str = "") -> None:
        set_client_defaults()
        self.context = Context()
        # Ctrl-C stays Python's: it unwinds the `with` and takes the node out of the graph.
        rclpy.init(args=[], context=self.context, signal_handler_options=SignalHandlerOptions.NO)
        options = {"context": self.context, "start_parameter_services": False, "enable_rosout": False}
        try:
            self.node = rclpy.create_node(f"sayso_client_{time.monotonic_ns() % 10**9}", namespace=namespace, **options)
        except InvalidNamespaceException as error:
            self.context.try_shutdown()
            raise RosError(f"--namespace {namespace}: {str(error).splitlines()[0]}") from None
        self.executor = SingleThreadedExecutor(context=self.context)
        self.executor.add_node(self.node)

    def __enter__(self) -> Any:  # typing.Self comes with Python 3.11
        return self

    def __exit__(self, *_: object) -> None:
        self.executor.shutdown()
        self.node.destroy_node()
        self.context.try_shutdown()

    def call(self, service: str, request: Any, kind: Any = None) -> Any:
        """The answer of a service of the running nodes; `kind` is its type, by default as the graph describes it.

        Raises:
            RosError: no node serves it, or it does not answer.
        """
        if kind is None:
            from sayso_nodes.graph import interface

            kind = interface(service)
        client = self.node.create_client(kind, service)
        if not self._find(client.service_is_ready):
            raise RosError(f"no running nodes found (no node serves '{service}'): start them with `sayso up`")
        future = client.call_async(request)
        self.executor.spin_until_future_complete(future, 10.0)
        if not future.done():
            raise RosError(f"'{service}' did not answer within 10 s: see in the output of `sayso up` whether its node runs")
        return future.result()

    def serves(self, service: str, kind: Any) -> bool:
        """Whether a running node serves it; waits for the answer as `call` does."""
        return self._find(self.node.create_client(kind, service).service_is_ready)

    def require(self, node: str) -> None:
        """Raise RosError unless that node is there."""
        if not self._find(lambda: (node, self.node.get_namespace()) in self.node.get_node_names_and_namespaces()):
            raise RosError(f"no running nodes found (no {node}): start them with `sayso up`")

    def _find(self, found: Callable[[], bool]) -> bool:
        """Wait until it is found; False if that takes too long."""
        began = time.monotonic()
        while not found():
            alone = len(self.node.get_node_names()) == 1
            if time.monotonic() - began > (ALONE_WITHIN if alone else FOUND_WITHIN):
                return False
            self.executor.spin_once(0.02)
        return True
