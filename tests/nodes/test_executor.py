"""The executor of a node: it misses no message, rests if it may, and ends when it is told to."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

import pytest
import rclpy
from rclpy.callback_groups import MutuallyExclusiveCallbackGroup
from rclpy.executors import ExternalShutdownException
from rclpy.node import Node
from rclpy.task import Future
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


def test_a_coroutine_that_waits_blocks_its_group_alone_and_goes_on(node: Node) -> None:
    waiting, done, ticks = Future(), [], []
    own = MutuallyExclusiveCallbackGroup()

    async def wait() -> None:
        begun.cancel()
        done.append(await waiting)

    def tick() -> None:
        ticks.append(len(done))
        if len(ticks) == 3:
            waiting.set_result("here")
            executor.wake()
        if done:
            node.context.shutdown()

    begun = node.create_timer(0.01, wait, callback_group=own)
    blocked: list[int] = []
    node.create_timer(0.01, lambda: blocked.append(len(done)), callback_group=own)
    node.create_timer(0.02, tick)
    executor = NodeExecutor(context=node.context)
    executor.add_node(node)
    with suppress(ExternalShutdownException):
        executor.spin()
    assert done == ["here"]
    assert ticks[:3] == [0, 0, 0]
    assert blocked.count(0) <= 1  # before `wait` began, and not while it waited


def test_what_is_sampled_wakes_nobody_and_comes_before_the_next_callback(node: Node) -> None:
    order: list[str] = []
    made = node.create_subscription(Int32, "numbers", lambda message: order.append(str(message.data)), 5)
    publisher = node.create_publisher(Int32, "numbers", 5)
    node.sampled = {made}  # type: ignore[attr-defined]
    executor = NodeExecutor(context=node.context)
    executor.add_node(node)
    while publisher.get_subscription_count() == 0:
        executor.turn(1_000_000)
    for number in range(3):
        publisher.publish(Int32(data=number))
    for _ in range(20):
        executor.turn(10_000_000)
    assert order == []
    node.create_timer(0.01, lambda: order.append("tick"))
    while "tick" not in order:
        executor.turn(10_000_000)
    assert order[:4] == ["0", "1", "2", "tick"]
    executor.shutdown()


def test_what_is_destroyed_in_a_callback_is_called_no_more(node: Node) -> None:
    calls: list[str] = []

    def first() -> None:
        calls.append("first")
        node.destroy_timer(second)

    node.create_timer(0.01, first)
    second = node.create_timer(0.01, lambda: calls.append("second"))
    executor = NodeExecutor(context=node.context)
    executor.add_node(node)
    for _ in range(20):
        executor.turn(20_000_000)
    assert calls.count("first") > 1
    assert "second" not in calls
    executor.shutdown()
