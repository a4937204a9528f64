"""Shared by all nodes: life cycle, parameters, the graph's topics, diagnostics, and stage calls that cannot crash the node.

A node is a class with a name, a table of parameters and `open()`, which loads its stage and opens its topics:

    class IntentClassifierNode(SaysoNode):
        NAME = "intent_classifier"
        PARAMETERS = (DOMAIN,)

        def open(self) -> None:
            self.classify = IntentClassifier(load_domain(self.value("domain") or None))
            self.beliefs = self.publisher("intent_belief")
            self.subscription("transcript", self.on_transcript)

Callbacks run in the one thread of the executor, while the node is active. Heavy work goes to its worker thread by `later` or `in_worker`.
"""

from __future__ import annotations

import os
import time
import traceback
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import wraps
from typing import Any, ClassVar

from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.clock import Clock, ClockType
from rclpy.exceptions import InvalidHandle
from rclpy.lifecycle import LifecycleNode, LifecycleState, TransitionCallbackReturn
from rclpy.node import SetParametersResult
from rclpy.task import Future

from sayso.errors import RosError, SaysoError
from sayso_nodes.diagnostics import Health, status_name
from sayso_nodes.early import EarlyMessages
from sayso_nodes.graph import find_node, find_topic, interface
from sayso_nodes.parameters import Parameter, Value, checked_values, declare
from sayso_nodes.states import Prerequisites
from sayso_nodes.worker import Job, Worker

AUTOSTART = Parameter("autostart", False, "configure and activate by itself when started")
AFTER = Parameter("after", (), "nodes that are active before it activates itself; with autostart")
AWAIT_CLOCK = Parameter("await_clock", False, "activate only when simulated time has come; with autostart")
DOMAIN = Parameter("domain", "", "domain file; empty: the default home")
LOOK = 0.05  # s between two checks of the nodes that it waits for
WORTH_A_WORD = 15.0  # s of waiting between two warnings
Failed = Callable[[Exception], None] | None
SUCCESS, FAILURE = TransitionCallbackReturn.SUCCESS, TransitionCallbackReturn.FAILURE


class SaysoNode(LifecycleNode):
    """A lifecycle node that opens only the topics, services and actions that the graph allows it."""

    NAME: ClassVar[str]
    PARAMETERS: ClassVar[tuple[Parameter, ...]] = ()
    QUEUE: ClassVar[int] = 8  # jobs that may wait for the worker; 1: the latest wins
    REST: ClassVar[float] = 0.0  # s by which callbacks may come late, to save processor time

    def __init__(self, **options: Any) -> None:
        super().__init__(self.NAME, automatically_declare_parameters_from_overrides=True, **options)
        self.description = find_node(self.NAME)
        self.table = (AUTOSTART, AFTER, AWAIT_CLOCK, *self.PARAMETERS)
        declare(self, self.table)
        self.add_on_set_parameters_callback(self._check_parameters)
        self.health = Health(status_name(self))
        self.trouble = ""  # why the last transition failed
        self.active = self._opened = False
        self.steady, self._early = Clock(clock_type=ClockType.STEADY_TIME), EarlyMessages()
        self._worker: Worker | None = None
        self._close: list[Callable[[], object]] = []  # undoes what open() opened, newest last
        self._diagnostics = self.create_publisher(interface("/diagnostics"), "/diagnostics", find_topic("/diagnostics").qos())
        self._sampled: set[Any] = set()  # subscriptions
        self._simulated_timers: list[Any] = []
        self.resting = True  # whether messages of sampled subscriptions may wait for the next callback
        self._launcher = int(os.environ.get("SAYSO_LAUNCHER", "0"))
        self.create_timer(1.0, self._each_second, clock=self.steady)  # not ROS time: a paused simulation needs diagnostics too

    # For a node to override.

    def open(self) -> None:
        """Load the stage and open the topics. If this raises, the node stays unconfigured and says why."""

    def on_change(self, name: str, value: Value) -> None:
        """React to a dynamic parameter; the value is in its range."""

    # For a node to use.

    def value(self, name: str) -> Any:
        """A parameter's value, in the type of its default."""
        value = self.get_parameter(name).value
        return tuple(item for item in value if item) if isinstance(value, list) else value

    def seconds(self) -> float:
        """ROS time."""
        self._read_clock()
        return float(self.get_clock().now().nanoseconds * 1e-9)

    def publisher(self, topic: str, **member: str) -> Any:
        """A publisher, silent while the node is inactive. For a family of topics ("gazebo/pose/{object}"), name the member."""
        self._allow("publishes", topic)
        made = self.create_lifecycle_publisher(interface(topic), topic.format(**member), find_topic(topic).qos())
        self._close.append(lambda: self.destroy_lifecycle_publisher(made))
        return made

    def subscription(
        self,
        topic: str,
        callback: Callable[[Any], None],
        *,
        raw: bool = False,
        remembered: bool = False,
        sampled: bool = False,
        **member: str,
    ) -> Callable[[], None]:
        """Call back with each message while the node is active, and then with latched ones that came before; returns what ends that.

        `raw`: with its bytes, which are cheap to keep. `remembered`: also with what was published before. `sampled`: while the node rests,
        a message does not wake it, but is handed over before the next callback.
        """
        self._allow("subscribes", topic)
        described, take = find_topic(topic), self._survives(callback)
        if described.latched or remembered:
            take = self._early.keeping(lambda: self.active, take)
        qos = described.qos(subscriber=True, remembered=remembered)
        made = self.create_subscription(interface(topic), topic.format(**member), take, qos, raw=raw)
        if sampled:
            self._sampled.add(made)

        def end() -> None:
            self._sampled.discard(made)
            self.destroy_subscription(made)
            if end in self._close:
                self._close.remove(end)

        self._close.append(end)
        return end

    def service(self, name: str, handler: Callable[[Any, Any], Any]) -> None:
        """Serve a service; the handler is a function or a coroutine of request and response."""
        self._allow("serves", name)
        # A group of its own: a waiting coroutine would block the default group, which is exclusive.
        made = self.create_service(interface(name), name, handler, callback_group=ReentrantCallbackGroup())
        self._close.append(lambda: self.destroy_service(made))

    def client(self, name: str) -> Any:
        """A client of another node's service."""
        self._allow("calls", name)
        made = self.create_client(interface(name), name)
        self._close.append(lambda: self.destroy_client(made))
        return made

    def every(self, seconds: float, callback: Callable[[], None], *, steady: bool = False) -> Any:
        """Call back periodically while the node is active, in simulated time if the node uses it, else or if `steady` in steady time.

        A timer on the computer's clock would wait for an hour after the clock was set back by one. Returns the timer, for `switch`.
        """
        simulated = bool(self.get_parameter("use_sim_time").value) and not steady
        made = self.create_timer(seconds, self._survives(callback), clock=self.get_clock() if simulated else self.steady)
        if simulated:
            self._simulated_timers.append(made)
        self._close.append(lambda: self.destroy_timer(made))
        return made

    def switch(self, timer: Any, *, on: bool) -> None:
        """Let a timer run or stand still; one that begins to run waits for a period first."""
        if on == timer.is_canceled():
            timer.reset() if on else timer.cancel()
            self.wake()  # it may follow the clock, or not any more

    def rest(self, resting: bool) -> None:
        """Let the node rest, or wake it with each message of its sampled subscriptions."""
        if resting != self.resting:
            self.resting = resting
            self.wake()

    @property
    def sampled(self) -> set[Any]:
        """The subscriptions that need not wake the node now: while it rests, and simulated time unless a timer waits for it."""
        follows = any(not timer.is_canceled() for timer in self._simulated_timers)
        clock = None if follows else self._clock_subscription
        return (self._sampled if self.resting else set()) | ({clock} if clock is not None else set())

    def on_close(self, action: Callable[[], object]) -> None:
        """Do this when the node is cleaned up, before closing what was opened earlier."""
        self._close.append(action)

    def later(self, job: Job, failed: Failed = None, dropped: Job | None = None) -> None:
        """Do heavy work in the worker. `failed` gets its exception, `dropped` is called if too many came later: they inform clients."""
        if self._worker is None:
            self._worker = Worker(self.NAME, self.QUEUE)
        self._worker.submit(lambda: self._measured(job, failed), dropped)

    async def in_worker(self, job: Callable[[], Any]) -> Any:
        """The result of heavy work, for a coroutine; the executor goes on meanwhile."""
        done: Future = Future()

        def finish(set_it: Callable[[Any], None], value: Any) -> None:
            set_it(value)
            self.wake()

        self.later(lambda: finish(done.set_result, job()), failed=lambda error: finish(done.set_exception, error))
        return await done

    def wake(self) -> None:
        """Wake the executor after another thread has changed something."""
        if self.executor is not None:
            self.executor.wake()

    def fail(self, doing: str, error: Exception) -> None:
        """Log and diagnose a failure that the node survives."""
        if not self.context.ok():  # ROS is shutting down: every call of ROS fails from then on
            return
        self.health.failed(f"{doing}: {error}")
        self.get_logger().error(f"{doing}: {type(error).__name__}: {error}")
        if not isinstance(error, SaysoError):
            self.get_logger().debug("".join(traceback.format_exception(error)))

    # The life cycle.

    def on_configure(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Open the node. An error is logged in one line and leaves the node unconfigured."""
        try:
            self.open()
        except Exception as error:  # noqa: BLE001 - a stage may raise anything while it loads
            self.trouble = str(error) if isinstance(error, SaysoError) else f"{type(error).__name__}: {error}"
            self.fail("cannot be configured", error)
            self._close_all()
            return FAILURE
        self._opened = True
        return super().on_configure(state)

    def on_activate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Start to work."""
        self.active = True
        result = super().on_activate(state)
        self._early.deliver()
        return result

    def on_deactivate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Stop working."""
        self.active = False
        return super().on_deactivate(state)

    def on_cleanup(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Close everything that open() opened."""
        result = super().on_cleanup(state)
        self._close_all()
        return result

    def on_shutdown(self, state: LifecycleState) -> TransitionCallbackReturn:
        """As on_cleanup, for good."""
        self.active = False
        result = super().on_shutdown(state)
        self._close_all()
        return result

    def start(self) -> None:
        """Configure, and activate as soon as the nodes in the parameter `after` are active.

        Raises:
            RosError: it cannot; the reason in one line.
        """
        if self.trigger_configure() != SUCCESS:
            raise RosError(f"{self.NAME}: {self.trouble or 'cannot be configured'}")
        turn = Prerequisites(self, self.value("after"), self.value("await_clock"))
        if turn.has_come():
            self._activate()
            return
        timer: Any = self.create_timer(LOOK, lambda: self._activate_at(turn, timer), clock=self.steady)

    def _activate_at(self, turn: Prerequisites, timer: Any) -> None:
        if turn.has_come() or self.active:  # or a lifecycle client has activated it
            self.destroy_timer(timer)
            self.health.values.pop("waits for", None)
            if not self.active:
                self._activate()
        else:
            self.health.values["waits for"] = turn.waits_for
            self.get_logger().warning(f"waits for {turn.waits_for}", throttle_duration_sec=WORTH_A_WORD, skip_first=True)

    def _activate(self) -> None:
        if self.trigger_activate() != SUCCESS:
            raise RosError(f"{self.NAME}: {self.trouble or 'cannot be activated'}")
        self.get_logger().info("active")

    def close(self) -> None:
        """Close everything and destroy the node."""
        self.active = False
        self._close_all()
        self.destroy_node()

    def _close_all(self) -> None:
        self._opened = False
        if self._worker is not None:
            self._worker.close()
            self._worker = None
        while self._close:
            self._close.pop()()
        self._simulated_timers.clear()

    # Inner workings.

    @property
    def _clock_subscription(self) -> Any:
        """Rclpy's subscription of simulated time; None without."""
        return getattr(self._time_source, "_clock_sub", None)

    def _read_clock(self) -> None:
        """Take over simulated time, which need not wake the node."""
        if (clock := self._clock_subscription) is not None:
            with suppress(InvalidHandle), clock.handle:
                while (taken := clock.handle.take_message(clock.msg_type, False)) is not None:
                    clock.callback(taken[0])

    def _allow(self, what: str, name: str) -> None:
        if name not in getattr(self.description, what):
            raise RosError(f"{self.NAME} {what} '{name}', which the graph does not allow it: see sayso_nodes/graph.yaml")

    def _survives(self, callback: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(callback)
        def guarded(*arguments: Any) -> Any:
            if not self.active:
                return None
            try:
                return callback(*arguments)
            except Exception as error:  # noqa: BLE001 - no message may end the node
                return self.fail(getattr(callback, "__name__", "callback"), error)

        return guarded

    def _measured(self, job: Job, failed: Failed) -> None:
        began = time.perf_counter()
        try:
            job()
            self.health.called(time.perf_counter() - began)
        except Exception as error:  # noqa: BLE001 - a stage may raise anything
            self.fail("stage", error)
            if failed is not None:
                failed(error)

    def _check_parameters(self, given: Sequence[Any]) -> SetParametersResult:
        try:
            checked = checked_values(self.table, given, self.NAME)
        except RosError as error:
            return SetParametersResult(successful=False, reason=str(error))
        for row, value in checked:
            if row.dynamic and self.active:
                self.on_change(row.name, value)
        return SetParametersResult(successful=True)

    def _state(self) -> str:
        return "active" if self.active else "inactive" if self._opened else "unconfigured"

    def _each_second(self) -> None:
        if self._launcher and os.getppid() != self._launcher:
            raise SystemExit(0)  # the launcher was killed: leave no orphan
        self.health.dropped = self._worker.dropped if self._worker else 0
        self._diagnostics.publish(self.health.message(self.get_clock().now().to_msg(), self._state()))
