"""A node that rests between two looks for messages misses none of them, and ends when it is told to."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

import pytest
import rclpy
from rclpy.executors import ExternalShutdownException
from rclpy.node import Node
from std_msgs.msg import Int32

from sayso_nodes.environment import set_client_defaults
from sayso_nodes.executor import NodeExecutor

pytestmark = pytest.mark.ros
DOMAIN = 98
REST = 0.05


@pytest.fixture
def node() -> Iterator[Node]:
    set_client_defaults()
    context = rclpy.Context()
    rclpy.init(args=[], context=context, domain_id=DOMAIN)
    made = rclpy.create_node("resting", context=context)
    yield made
    if context.ok():
        made.destroy_node()
    context.try_shutdown()


def test_all_that_came_during_a_rest_is_taken_in_order_and_a_shutdown_ends_it(node: Node) -> None:
    got: list[int] = []

    def take(message: Int32) -> None:
        got.append(message.data)
        if len(got) == 30:
            node.context.shutdown()

    node.create_subscription(Int32, "numbers", take, 50)
    publisher = node.create_publisher(Int32, "numbers", 50)
    executor = NodeExecutor(REST, context=node.context)
    executor.add_node(node)
    while publisher.get_subscription_count() == 0:
        executor.spin_once(0.05)
    for number in range(30):
        publisher.publish(Int32(data=number))
    with suppress(ExternalShutdownException):
        executor.spin()
    assert got == list(range(30))


def test_the_mistake_of_a_callback_is_raised_and_the_next_one_is_called(node: Node) -> None:
    calls = []

    def act() -> None:
        calls.append(len(calls))
        raise ValueError(f"call {len(calls)}")

    node.create_timer(0.01, act)
    executor = NodeExecutor(REST, context=node.context)
    executor.add_node(node)
    for number in (1, 2):
        with pytest.raises(ValueError, match=f"call {number}"):
            executor.spin()
    executor.shutdown()
