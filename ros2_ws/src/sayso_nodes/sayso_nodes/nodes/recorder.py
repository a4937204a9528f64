"""The recorder: writes every topic of the graph, as serialised, to an MCAP bag that can be read without ROS and our packages.

It isn't a lifecycle node: it starts before the others are configured and ends after their clean-up, so that the bag shows that too. If the
disk is nearly full, it ends the bag, reports that once a second on /diagnostics, and stays.
"""

from __future__ import annotations

import os
import shutil
import signal
import sys
from collections import OrderedDict
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path

import rclpy
import rclpy.clock
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from rcl_interfaces.msg import FloatingPointRange, IntegerRange, ParameterDescriptor
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
from rclpy.node import Node
from rclpy.publisher import Publisher
from rclpy.signals import SignalHandlerOptions
from rclpy.subscription import Subscription

from sayso.bags.writing import COMPRESSIONS, BagFullError, BagWriter
from sayso.errors import RosError, SaysoError
from sayso_nodes.diagnostics import status_name
from sayso_nodes.environment import set_client_defaults
from sayso_nodes.graph import Topic, find_topic, interface, load_graph
from sayso_nodes.recording.frames import TYPE as FRAMES
from sayso_nodes.recording.frames import DerivedFrames
from sayso_nodes.recording.message_types import DefinitionStore
from sayso_nodes.recording.notes import ParameterNotes, circumstances
from sayso_nodes.views.serialised import header_stamp

MIB = 2**20
FLUSH = 1.0  # s: a kill loses no more
QUEUE = 200  # messages that may wait during the compression of a chunk
PICTURES = 64  # pictures kept in memory: those used for a grounding are recorded whatever the rate
_BEFORE_CLOCK = 1000  # messages that may wait for simulated time to begin


class PictureFilter:
    """Selects camera messages: whole pictures at a rate, and every picture that a grounding used."""

    def __init__(self, rate: float) -> None:
        self._period = 1e9 / rate if rate > 0 else float("inf")
        self._kept_last = -float("inf")
        self._recent: OrderedDict[int, list[tuple[str, bytes]] | None] = OrderedDict()  # by stamp; None: it is recorded

    def take(self, topic: str, stamp: int, data: bytes) -> list[tuple[str, bytes]]:
        """The messages to write after a part of the picture of `stamp` (ns) has come."""
        if stamp not in self._recent:
            wanted = stamp - self._kept_last >= self._period
            self._recent[stamp] = None if wanted else []
            self._kept_last = stamp if wanted else self._kept_last
            if len(self._recent) > PICTURES:
                self._recent.popitem(last=False)
        waiting = self._recent[stamp]
        if waiting is None:
            return [(topic, data)]
        waiting.append((topic, data))
        return []

    def looked_at(self, stamp: int) -> list[tuple[str, bytes]]:
        """The parts held back of the picture of `stamp`; later parts will not be held back."""
        waiting = self._recent.get(stamp)
        if waiting is None:
            return []
        self._recent[stamp] = None
        return waiting


class Recorder(Node):
    """Subscribes to every topic of the graph and writes messages without deserialising them."""

    def __init__(self) -> None:
        super().__init__("recorder")
        folder = self.declare_parameter("folder", "", ParameterDescriptor(description="where the bag goes; must not exist yet")).value
        variant = self.declare_parameter("variant", "sim", ParameterDescriptor(description="of the graph: robot, sim or replay")).value
        rate = self.declare_parameter("picture_rate", 2.0, _rate_description()).value
        split = self.declare_parameter("split_size", 1024, _size("MiB after which another file begins; 0: never")).value
        self._keep_free = self.declare_parameter("keep_free", 256, _size("MiB of the disk to keep free")).value * MIB
        kinds = f"of the bag: {', '.join(COMPRESSIONS)}"
        compression = self.declare_parameter("compression", "zstd", ParameterDescriptor(description=kinds)).value
        if compression not in COMPRESSIONS:
            raise RosError(f"recorder: compression {compression!r}: one of {', '.join(COMPRESSIONS)}")
        if not folder:
            raise RosError("recorder: the parameter 'folder' says where the bag goes, and it is empty")
        self._graph = load_graph(variant)
        self._definitions = DefinitionStore()
        self._pictures = PictureFilter(rate)
        self._frames = None if "tf" in self._graph.topics else DerivedFrames(self._definitions.typestore)
        self._early: list[tuple[Topic, bytes]] = []
        self._folder = Path(folder)
        self._bag = BagWriter(self._folder, compression=compression, split=split * MIB)
        self._stopped = ""  # why the recording has ended
        self._complaints: Publisher | None = None
        for name, texts in circumstances():
            self._bag.add_metadata(name, texts)
        self._parameters = ParameterNotes(self, (*self._graph.nodes, *self._graph.on_demand), self._note)
        self._announced: set[str] = set()
        self._subscriptions_of_topics = [self._subscribe(topic) for topic in self._graph.topics.values()]
        for topic in self._graph.topics.values():
            if self._graph.publishers(topic.name) or topic.name in self._graph.elsewhere.publishes:
                self._announce(topic.name)  # silent topics too: the bag shows their names and types
        # In steady time: the bag is flushed even while simulated time stands still.
        self._launcher = int(os.environ.get("SAYSO_LAUNCHER", "0"))
        self.create_timer(FLUSH, self._each_second, clock=rclpy.clock.Clock(clock_type=rclpy.clock.ClockType.STEADY_TIME))
        self.get_logger().info(f"recording {len(self._graph.topics)} topics to {folder}")

    def close(self) -> dict[str, int]:
        """End the bag. Topic → number of messages."""
        with suppress(BagFullError):
            self._write_early()
        self._bag.close()
        return self._bag.counts

    def _each_second(self) -> None:
        if self._stopped:
            self._complain()
        else:
            self._parameters.ask()
            try:
                self._bag.flush()
                if shutil.disk_usage(self._folder).free < self._keep_free:
                    self._bag.close()
                    self._stop(f"{self._folder}: less than {self._keep_free // MIB} MiB of the disk are free; recorded up to here")
            except (BagFullError, OSError) as full:
                self._stop(str(full))
        if self._launcher and os.getppid() != self._launcher:
            raise SystemExit(0)  # the launcher was killed: complete the bag and leave

    def _stop(self, reason: str) -> None:
        """End the recording: the bag is readable, and the other nodes go on."""
        self._stopped = reason
        self._bag.close()
        for subscription in self._subscriptions_of_topics:
            self.destroy_subscription(subscription)
        self.get_logger().error(f"the recording has ended: {reason}")
        diagnostics = find_topic("/diagnostics")
        self._complaints = self.create_publisher(interface(diagnostics.name), diagnostics.name, diagnostics.qos())
        self._complain()

    def _complain(self) -> None:
        assert self._complaints is not None
        reason = f"the recording has ended: {self._stopped}"
        status = DiagnosticStatus(level=DiagnosticStatus.ERROR, name=status_name(self), message=reason)
        message = DiagnosticArray(status=[status])
        message.header.stamp = self.get_clock().now().to_msg()
        self._complaints.publish(message)

    def _note(self, name: str, texts: Mapping[str, str]) -> None:
        if not self._stopped:
            try:
                self._bag.add_metadata(name, texts)
            except BagFullError as full:
                self._stop(str(full))

    def _subscribe(self, topic: Topic) -> Subscription:
        qos = topic.qos(subscriber=True)
        qos.depth = max(qos.depth, QUEUE if not topic.name.startswith("camera/") else 10)
        return self.create_subscription(interface(topic.name), topic.name, lambda data: self._record(topic, data), qos, raw=True)

    def _record(self, topic: Topic, data: bytes) -> None:
        if self._stopped:
            return
        if self.get_clock().now().nanoseconds == 0 and len(self._early) < _BEFORE_CLOCK:
            self._early.append((topic, data))  # no stamp yet: simulated time has not begun
            return
        try:
            self._write_early()
            self._sort(topic, data)
        except BagFullError as full:
            self._stop(str(full))

    def _write_early(self) -> None:
        early, self._early = self._early, []
        for topic, data in early:
            self._sort(topic, data)

    def _sort(self, topic: Topic, data: bytes) -> None:
        if self._frames is not None:
            self._write(self._frames.take(topic.name, data))
        if topic.name.startswith("camera/"):
            self._write(self._pictures.take(topic.name, header_stamp(data), data))
            return
        if topic.name == "grounding":
            self._write(self._pictures.looked_at(header_stamp(data)))
        self._write([(topic.name, data)])

    def _write(self, messages: Iterable[tuple[str, bytes]]) -> None:
        now = self.get_clock().now().nanoseconds
        for name, data in messages:
            self._announce(name)
            self._bag.write(self.resolve_topic_name(name), now, data)

    def _announce(self, name: str) -> None:
        if name in self._announced:
            return
        self._announced.add(name)
        topic = self._graph.topics.get(name)
        kind = self._definitions.add(interface(name)) if topic else FRAMES
        latched = topic.latched if topic else name == "tf_static"
        self._bag.add_topic(self.resolve_topic_name(name), kind, self._definitions.typestore, latched=latched)


def _rate_description() -> ParameterDescriptor:
    text = "recorded pictures a second; those used for a grounding are always recorded; 0: only those"
    return ParameterDescriptor(description=text, floating_point_range=[FloatingPointRange(from_value=0.0, to_value=60.0)])


def _size(text: str) -> ParameterDescriptor:
    return ParameterDescriptor(description=text, integer_range=[IntegerRange(from_value=0, to_value=2**20, step=0)])


def main() -> None:
    """Record until SIGINT or SIGTERM; the bag is complete when the process has ended."""
    set_client_defaults()
    rclpy.init(args=sys.argv, signal_handler_options=SignalHandlerOptions.ALL)
    try:
        recorder = Recorder()
    except SaysoError as error:
        sys.stderr.write(f"{error}\n")
        rclpy.try_shutdown()
        sys.exit(2)
    except Exception:
        if rclpy.ok():
            raise
        return  # shut down while it started: there is nothing to record
    try:
        executor = SingleThreadedExecutor()
        executor.add_node(recorder)
        executor.spin()
    except (KeyboardInterrupt, ExternalShutdownException, SystemExit):
        pass
    except Exception:
        if rclpy.ok():
            raise  # otherwise ROS is shutting down: the bag is kept
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C comes from the terminal and from `ros2 launch`: close the bag once
        counts = recorder.close()
        sys.stderr.write(f"recorder: {sum(counts.values())} messages of {len(counts)} topics\n")
        recorder.destroy_node()
        rclpy.try_shutdown()


if __name__ == "__main__":
    main()
