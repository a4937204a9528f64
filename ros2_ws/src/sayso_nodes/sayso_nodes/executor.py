"""The executor of a node: one thread, and a wait that costs little.

rclpy's executors build their wait set anew for each wait, wait twice for each message, and look at some thirty events of the quality of
service each time: at rest, that was most of what the nodes cost. This one keeps the set until something is created or destroyed, calls
back without a task unless a coroutine has to wait, and looks at those events once a second. A node may name subscriptions that need not
wake it (`sampled`): what came on them is handed over before the next callback.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from typing import Any

from rclpy.event_handler import EventHandler
from rclpy.exceptions import InvalidHandle
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
from rclpy.impl.implementation_singleton import rclpy_implementation
from rclpy.task import Task
from rclpy.waitable import NumberOfEntities

EVENTS = 1.0  # s between two looks for events, such as a publisher whose quality of service does not fit
FOREVER = -1  # ns


@dataclass(slots=True)
class Kept:
    """What is waited for, with handles that stay valid meanwhile."""

    timers: list[Any] = field(default_factory=list)
    subscriptions: list[Any] = field(default_factory=list)
    guards: list[Any] = field(default_factory=list)
    clients: list[Any] = field(default_factory=list)
    services: list[Any] = field(default_factory=list)
    waitables: list[Any] = field(default_factory=list)
    events: list[Any] = field(default_factory=list)  # waitables that can wait
    sampled: list[Any] = field(default_factory=list)  # subscriptions that are only read when something else wakes the node
    handles: ExitStack = field(default_factory=ExitStack)


class NodeExecutor(SingleThreadedExecutor):
    """Calls back for all that is ready, then waits for more.

    Args:
        rest: s that it sleeps after it has called back for all that was ready, for a node whose callbacks may come late. What comes
            meanwhile must fit into a topic's `depth`.
    """

    def __init__(self, rest: float = 0.0, **options: Any) -> None:
        self._stale = True  # whether something was created or destroyed since `_kept` was made
        self._kept, self._looked = Kept(), 0.0
        self._wait_set: Any = None
        self._tasks: list[Any]
        super().__init__(**options)
        self._rest = rest

    def wake(self) -> None:
        """Wake the executor because something changed, such as what there is to wait for."""
        self._stale = True
        super().wake()

    def spin(self) -> None:
        """Execute callbacks until shutdown.

        Raises:
            ExternalShutdownException: a signal ended ROS.
            Exception: that of a callback.
        """
        while self._context.ok() and not self._is_shutdown:
            self.turn(FOREVER)
            if self._rest:
                while self.turn(0):
                    pass
                time.sleep(self._rest)

    def shutdown(self, timeout_sec: float | None = None) -> bool:
        """Stop, and let go of what was waited for."""
        self._stale, self._wait_set = True, None
        self._kept.handles.close()
        return bool(super().shutdown(timeout_sec))

    def turn(self, timeout: int) -> bool:
        """Go on with coroutines, wait (ns), and call back for all that is ready. Whether anything was.

        Raises:
            ExternalShutdownException: a signal ended ROS.
            Exception: that of a callback; what else was ready is so still.
        """
        self._go_on()
        if self._is_shutdown or not self._context.ok():
            raise ExternalShutdownException
        if self._stale:
            self._keep()
        kept, events = self._kept, self._looking()
        waited = self._wait(kept, events, timeout)
        if self._is_shutdown or not self._context.ok():
            raise ExternalShutdownException
        return self._call_back(kept, waited, events)

    def _go_on(self) -> None:
        """Resume the coroutines, and run the callbacks of futures."""
        if not self._tasks:
            return
        with self._tasks_lock:
            tasks = list(self._tasks)
        try:
            for task, _, _ in tasks:
                if not task.executing() and not task.done():
                    task()
                    if task.done():
                        task.result()  # raises its exception
        finally:
            with self._tasks_lock:
                self._tasks = [held for held in self._tasks if not held[0].done() and not held[0].cancelled()]

    def _keep(self) -> None:
        """Note what there is to wait for."""
        self._stale = False  # first: what changes from here on is noted again
        self._kept.handles.close()
        self._kept = kept = Kept()
        self._wait_set = None
        for node in self.get_nodes():
            sampled = getattr(node, "sampled", ())
            for held, found in (
                (kept.timers, node.timers), (kept.subscriptions, node.subscriptions), (kept.guards, node.guards),
                (kept.clients, node.clients), (kept.services, node.services),
            ):  # fmt: skip
                for entity in tuple(found):
                    with suppress(InvalidHandle):
                        kept.handles.enter_context(entity.handle)
                        (kept.sampled if entity in sampled else held).append(entity)
            for waitable in tuple(node.waitables):
                with suppress(InvalidHandle):
                    kept.handles.enter_context(waitable)
                    (kept.events if isinstance(waitable, EventHandler) else kept.waitables).append(waitable)

    def _looking(self) -> bool:
        """Whether it is time to look for events."""
        now = time.monotonic()
        if now - self._looked < EVENTS:
            return False
        self._looked = now
        return True

    def _wait(self, kept: Kept, events: bool, timeout: int) -> Any:
        """The wait set after the wait, in which what is not ready is missing."""
        guards = [held for held in (self._guard, self._sigint_gc) if held is not None]
        if self._wait_set is None:
            self._wait_set = self._made(kept, len(guards))
        waited = self._wait_set
        waited.clear_entities()
        blocked = bool(self._tasks)  # a coroutine that waits may keep its callback group to itself
        for entities, add in (
            (kept.timers, waited.add_timer), (kept.subscriptions, waited.add_subscription),
            (kept.clients, waited.add_client), (kept.services, waited.add_service),
        ):  # fmt: skip
            for entity in entities:
                if not blocked or entity.callback_group.can_execute(entity):
                    add(entity.handle)
        for entity in kept.guards:
            if entity._executor_triggered:  # it was ready, but an earlier callback failed
                entity.trigger()
            waited.add_guard_condition(entity.handle)
        for guard in guards:
            waited.add_guard_condition(guard.handle)
        for waitable in self._waitables(kept, events):
            waitable.add_to_wait_set(waited)
        waited.wait(timeout)
        return waited

    def _made(self, kept: Kept, guards: int) -> Any:
        """A wait set with room for all."""
        count = NumberOfEntities(
            len(kept.subscriptions), len(kept.guards) + guards, len(kept.timers), len(kept.clients), len(kept.services)
        )
        for waitable in (*kept.waitables, *kept.events):
            count += waitable.get_num_entities()
        return rclpy_implementation.WaitSet(
            count.num_subscriptions, count.num_guard_conditions, count.num_timers,
            count.num_clients, count.num_services, count.num_events, self._context.handle,
        )  # fmt: skip

    @staticmethod
    def _waitables(kept: Kept, events: bool) -> Iterator[Any]:
        yield from kept.waitables
        if events:
            yield from kept.events

    def _call_back(self, kept: Kept, waited: Any, events: bool) -> bool:
        """Call back for what is ready, in rclpy's order. Whether anything was."""
        triggered = waited.get_ready_entities("guard_condition") if kept.guards else ()
        for guard in kept.guards:
            guard._executor_triggered = guard._executor_triggered or guard.handle.pointer in triggered
        # All before any callback: it may create something, and so end this wait set.
        ready = [(waitable, self._take_waitable) for waitable in self._waitables(kept, events) if waitable.is_ready(waited)]
        for kind, entities, take in (
            ("timer", kept.timers, self._take_timer), ("subscription", kept.subscriptions, self._take_subscription),
            ("client", kept.clients, self._take_client), ("service", kept.services, self._take_service),
        ):  # fmt: skip
            if pointers := set(waited.get_ready_entities(kind)):
                ready += [(entity, take) for entity in entities if entity.handle.pointer in pointers]
        ready += [(guard, self._take_guard_condition) for guard in kept.guards if guard._executor_triggered]
        for entity in kept.sampled if ready else ():
            self._drain(entity)
        for entity, take in ready:
            if take != self._take_timer or _is_due(entity):  # a timer may have been cancelled meanwhile
                self._call(entity, take)
        return bool(ready)

    def _drain(self, entity: Any) -> None:
        """Call back for all that came on a subscription."""
        while entity.callback_group.can_execute(entity) and (callback := self._take_subscription(entity)) is not None:
            with suppress(StopIteration):
                callback().send(None)

    def _call(self, entity: Any, take: Callable[[Any], Any]) -> None:
        """Call back for one, unless a coroutine keeps its group; what waits in a coroutine goes on as a task."""
        group = entity.callback_group
        if not group.beginning_execution(entity):
            return
        callback = None
        try:
            with suppress(InvalidHandle):  # destroyed by an earlier callback
                callback = take(entity)
            running = callback() if callback is not None else None
            if running is not None:
                running.send(None)
        except StopIteration:
            pass
        except BaseException:
            group.ending_execution(entity)
            raise
        else:
            if running is not None:
                with self._tasks_lock:
                    self._tasks.append((Task(_finish, (running, group, entity), executor=self), entity, None))
                return
        group.ending_execution(entity)


class _Rest:
    """The rest of a coroutine that has begun."""

    def __init__(self, running: Any) -> None:
        self._running = running

    def __await__(self) -> Generator[None, None, Any]:
        while True:
            try:
                self._running.send(None)
            except StopIteration as end:
                return end.value
            yield


async def _finish(running: Any, group: Any, entity: Any) -> None:
    try:
        await _Rest(running)
    finally:
        group.ending_execution(entity)


def _is_due(timer: Any) -> bool:
    """Whether a timer is due, and still there: an earlier callback may have destroyed it."""
    try:
        return bool(timer.is_ready())
    except InvalidHandle:
        return False
