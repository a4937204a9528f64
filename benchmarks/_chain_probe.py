"""The running simulated robot, and a node beside it that sends inputs and watches the wire; for several benchmarks."""

from __future__ import annotations

import os
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from sayso.console.watch import waiting
from sayso.paths import config_dir
from sayso.types import SAMPLE_RATE

DOMAIN_ID = "67"
STARTED_WITHIN = 120.0  # s
PATIENCE = 20.0  # s in which an effect is seen, if there will be one
CHUNK = 640  # samples, 0.04 s: as the microphone sends them
SENTENCES = (
    "bring me the red cup from the kitchen",
    "go to the bedroom",
    "turn left",
    "take the blue cup to anna",
    "find the keys",
    "come here",
)


@contextmanager
def running_graph(*more: str) -> Iterator[ChainProbe]:
    """The simulated robot with these further nodes, and a probe beside it."""
    from sayso_nodes.graph import load_graph
    from sayso_nodes.running.processes import RunningGraph

    os.environ |= {"ROS_DOMAIN_ID": DOMAIN_ID, "ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST"}
    nodes = (*load_graph("sim").nodes, *more)
    with (
        tempfile.TemporaryDirectory() as logs,
        RunningGraph("sim", nodes=nodes, env={"ROS_DOMAIN_ID": DOMAIN_ID}, log_dir=Path(logs)) as graph,
    ):
        with waiting("the nodes to become active"):
            graph.wait_active(STARTED_WITHIN)
        probe = ChainProbe(graph)
        try:
            with waiting("the first skill goal"):
                probe.text_to_goal(SENTENCES[0])  # warm-up: the first of everything loads something
            yield probe
        finally:
            probe.close()


class ChainProbe:
    """A node beside the graph that sends inputs and watches the wire; its callbacks run in a separate thread."""

    def __init__(self, graph: Any) -> None:
        import rclpy
        from action_msgs.msg import GoalStatusArray
        from geometry_msgs.msg import Twist, TwistStamped
        from rclpy.executors import SingleThreadedExecutor
        from rclpy.parameter import Parameter
        from rclpy.qos import qos_profile_action_status_default
        from sayso_msgs.msg import AudioChunk, Outcome
        from sayso_msgs.srv import Say
        from std_srvs.srv import Trigger

        self.graph = graph
        self.context = rclpy.Context()
        rclpy.init(args=[], context=self.context)
        self.node = rclpy.create_node("latency_probe", context=self.context, parameter_overrides=[Parameter("use_sim_time", value=True)])
        self.changed = threading.Condition()
        self.goals: dict[bytes, float] = {}  # goal id → when it was first seen
        self.zero_at = self.moving_at = self.outcome_at = 0.0
        self.node.create_subscription(GoalStatusArray, "execute_skill/_action/status", self._on_status, qos_profile_action_status_default)
        self.node.create_subscription(Twist, "cmd_vel", self._on_velocity, 10)
        self.node.create_subscription(Outcome, "outcome", self._on_outcome, 10)
        self.request = self.node.create_publisher(TwistStamped, "cmd_vel_request", 1)
        self.audio = self.node.create_publisher(AudioChunk, "audio", 100)
        self.say = self.node.create_client(Say, "say")
        self.stop, self.resume = (self.node.create_client(Trigger, name) for name in ("stop", "resume"))
        self.executor = SingleThreadedExecutor(context=self.context)
        self.executor.add_node(self.node)
        self.thread = threading.Thread(target=self.executor.spin, daemon=True)
        self.thread.start()
        for client in (self.say, self.stop, self.resume):
            client.wait_for_service(10.0)

    def close(self) -> None:
        """End the node and its thread."""
        self.executor.shutdown()
        self.thread.join(5.0)
        self.node.destroy_node()
        self.context.try_shutdown()

    def fall_silent(self) -> None:
        """Be no microphone any more."""
        self.node.destroy_publisher(self.audio)
        self._until(lambda: self.node.count_publishers("audio") <= 1, 5.0)

    def pids(self, names: tuple[str, ...]) -> list[int]:
        """The processes of these nodes."""
        return [self.graph.processes[name].process.pid for name in names]

    def text_to_goal(self, text: str) -> float | None:
        """Seconds from sending the text to seeing the first goal; None without a goal."""
        from sayso_msgs.srv import Say

        return self._to_goal(lambda: self.say.call_async(Say.Request(text=text)))

    def speech_to_goal(self, file: Path, chunk: int = CHUNK, send: Callable[[Any], None] | None = None) -> float | None:
        """Seconds from the last sample of speech to seeing the first goal.

        `chunk` samples at a time are sent when they have been spoken: by `send`, otherwise as a microphone does.
        """
        from sayso.speech.files import read_sound

        samples = read_sound(file).samples
        loud = np.flatnonzero(np.abs(samples.astype(float)) > 0.03 * np.abs(samples).max())
        speech_ends = loud[-1] / SAMPLE_RATE
        padded = np.concatenate([samples, np.zeros(2 * SAMPLE_RATE, np.int16)])
        ends_at = 0.0

        def play() -> None:
            nonlocal ends_at
            begun = time.perf_counter()
            ends_at = begun + speech_ends
            for index, start in enumerate(range(0, len(padded), chunk)):
                time.sleep(max(0.0, begun + (index + 1) * chunk / SAMPLE_RATE - time.perf_counter()))
                (send or self._publish_audio)(padded[start : start + chunk])

        player = threading.Thread(target=play)
        taken = self._to_goal(player.start, since=lambda: ends_at, patience=len(padded) / SAMPLE_RATE + PATIENCE)
        player.join()
        return taken

    def stop_to_zero(self, press: Callable[[], float] | None = None) -> float | None:
        """Seconds from stopping to zero on cmd_vel, while velocities are requested at 20 Hz.

        `press` stops and returns when it did (perf_counter); without it, the service `stop` is called.
        """
        with self._turning():
            if not self._until(lambda: self.moving_at > self.zero_at, PATIENCE):
                return None
            begun = press() if press else self._call_stop()
            seen = self._until(lambda: self.zero_at > begun, PATIENCE)
        taken = self.zero_at - begun if seen else None
        if press:
            time.sleep(0.3)  # the page repeats until it sees that the robot is stopped
        self._request_turn(0.0)  # a request that is kept up through a stop does not pass after it
        self._resume()
        return taken

    def _call_stop(self) -> float:
        from std_srvs.srv import Trigger

        begun = time.perf_counter()
        future = self.stop.call_async(Trigger.Request())
        future.add_done_callback(lambda _: self._notify())
        self._until(future.done, 2.0)
        return begun

    def empty_call(self) -> float:
        """Seconds of a service call to motion_gate that has no effect."""
        from std_srvs.srv import Trigger

        begun = time.perf_counter()
        future = self.resume.call_async(Trigger.Request())
        future.add_done_callback(lambda _: self._notify())
        self._until(future.done, 2.0)
        return time.perf_counter() - begun

    @contextmanager
    def busy(self) -> Iterator[None]:
        """Keep every other node busy: sentences as text and as sound, faster than they can be processed."""
        from sayso_msgs.srv import Say

        from sayso.speech.files import read_sound

        done = threading.Event()
        sound = read_sound(next(iter(sorted((config_dir() / "sentences").glob("*.flac"))))).samples

        def work() -> None:
            index = 0
            while not done.is_set():
                self.say.call_async(Say.Request(text=SENTENCES[index % len(SENTENCES)]))
                for start in range(0, len(sound), CHUNK):
                    self._publish_audio(sound[start : start + CHUNK])
                    if done.wait(0.02):
                        return
                index += 1

        worker = threading.Thread(target=work)
        worker.start()
        try:
            yield
        finally:
            done.set()
            worker.join()

    def _to_goal(self, begin: Callable[[], Any], since: Callable[[], float] | None = None, patience: float = PATIENCE) -> float | None:
        """Send the input, wait for a new goal, then bring the robot to rest."""
        known = set(self.goals)
        begun = time.perf_counter()
        begin()
        seen = self._until(lambda: bool(set(self.goals) - known), patience)
        taken = min(self.goals[goal] for goal in set(self.goals) - known) - (since() if since else begun) if seen else None
        self._rest()
        return taken

    def _rest(self) -> None:
        from std_srvs.srv import Trigger

        begun = time.perf_counter()
        self.stop.call_async(Trigger.Request())
        self._until(lambda: self.outcome_at > begun, 1.0)
        self._resume()

    def _resume(self) -> None:
        from std_srvs.srv import Trigger

        future = self.resume.call_async(Trigger.Request())
        future.add_done_callback(lambda _: self._notify())
        self._until(future.done, 2.0)

    @contextmanager
    def _turning(self) -> Iterator[None]:
        """Requests at 20 Hz, also while a press takes long: without them, the gate gives zero before the press."""
        done = threading.Event()

        def request() -> None:
            while not done.wait(0.05):
                self._request_turn()

        thread = threading.Thread(target=request)
        thread.start()
        try:
            yield
        finally:
            done.set()
            thread.join()

    def _request_turn(self, speed: float = 0.3) -> None:
        from geometry_msgs.msg import TwistStamped

        request = TwistStamped()
        request.header.stamp = self.node.get_clock().now().to_msg()
        request.twist.angular.z = speed
        self.request.publish(request)

    def _publish_audio(self, samples: Any) -> None:
        from sayso_msgs.msg import AudioChunk

        message = AudioChunk(sample_rate=SAMPLE_RATE)
        message.samples.frombytes(np.ascontiguousarray(samples, np.int16).tobytes())
        message.header.stamp = self.node.get_clock().now().to_msg()
        self.audio.publish(message)

    def _until(self, holds: Callable[[], bool], timeout: float) -> bool:
        end = time.perf_counter() + timeout
        with self.changed:
            while not holds():
                if time.perf_counter() > end:
                    return False
                self.changed.wait(0.05)
        return True

    def _notify(self) -> None:
        with self.changed:
            self.changed.notify_all()

    def _on_status(self, message: Any) -> None:
        now = time.perf_counter()
        for status in message.status_list:
            self.goals.setdefault(bytes(status.goal_info.goal_id.uuid), now)
        self._notify()

    def _on_velocity(self, message: Any) -> None:
        if message.linear.x == 0.0 and message.angular.z == 0.0:
            # Only the first zero after motion counts: the gate repeats zeros.
            if self.moving_at >= self.zero_at:
                self.zero_at = time.perf_counter()
        else:
            self.moving_at = time.perf_counter()
        self._notify()

    def _on_outcome(self, _message: Any) -> None:
        self.outcome_at = time.perf_counter()
        self._notify()
