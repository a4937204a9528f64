"""Stopping by voice: from the end of the spoken word to zero on cmd_vel, with the CPU idle and with it busy.

The node wav_player plays sounds in real time to stop_spotter, speech_to_text and motion_gate, each in its own process, over DDS, while a
velocity is commanded at 20 Hz. Times are measured from outside: from the word's last sample, by the stamps of the sound, to the first zero
on the wire. "Busy" is a loop on every core at normal priority.

Voices: ones that the spotter was not trained on; without synthesisers, or with --quick, config/sentences/stop.flac.
Baseline: the same nodes without stop_spotter, which wait for the end of the utterance and its text.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import soundfile

from sayso.console.bench import Row, part, quantile_row, sampled
from sayso.console.watch import counted, waiting
from sayso.errors import SaysoError
from sayso.paths import config_dir
from sayso.speech.files import read_sound
from sayso.types import SAMPLE_RATE

DOMAIN_ID = "58"
NODES = ("motion_gate", "stop_spotter", "speech_to_text")
PHRASES = ("stop", "stop!", "robot stop", "please stop", "wait stop", "halt")
LEAD = 1.0  # s of room noise before the phrase
ROOM = 40.0  # dB between the voice and the room noise
AUDIBLE = 0.03  # of the loudest sample: below it the word of a recording has ended
AT_ONCE = 0.02  # s at most between a zero and the `stopped` message of the same stop
HEARD_WITHIN = 12.0  # s for the transcript of an utterance, on a busy machine
GOALS = {0.5: 300.0, 0.99: 600.0}  # ms


@dataclass(frozen=True, slots=True)
class StopPhrase:
    """A sound file and the end of its stop word."""

    path: Path
    end: float  # s from the file's beginning


@dataclass(frozen=True, slots=True)
class Stop:
    """The result of one spoken stop."""

    seconds: float | None  # from the end of the word to zero; None if the robot did not stop
    spotted: bool = False  # stopped before the transcript arrived


def run(quick: bool = False) -> Iterator[Row]:
    """Yield all rows; --quick: two words and no baseline, as a smoke test."""
    count, before = (2, 0) if quick else (48, 24)
    with tempfile.TemporaryDirectory() as folder:
        phrases = [_recorded()] if quick else stop_phrases(Path(folder), count)
        for load in ("idle", "busy"):
            yield from part(f"end of the word → zero velocity, CPU {load}", partial(_of_words, load, phrases, count, before))
    yield from part("last command → zero velocity", partial(_lease, 3 if quick else 50))


def _of_words(load: str, phrases: list[StopPhrase], count: int, before: int) -> Iterator[Row]:
    with loaded(load):
        present = _stops(NODES, phrases, count, f"spoken stops, CPU {load}")
        without = tuple(name for name in NODES if name != "stop_spotter")
        baseline = _stops(without, phrases, before, f"spoken stops without the spotter, CPU {load}")
    yield from _latencies(load, present, baseline)


def _latencies(load: str, stops: list[Stop], before: list[Stop]) -> Iterator[Row]:
    spotted = [each.seconds for each in stops if each.spotted and each.seconds is not None]
    earlier = [each.seconds * 1e3 for each in before if each.seconds is not None]
    for q, goal in GOALS.items():
        row = quantile_row(f"end of the word → zero velocity, CPU {load}, p{q * 100:g}", spotted, q, goal)
        baselines = {"after the transcript": float(np.quantile(earlier, q)) if earlier else None}
        missed = len(stops) - len(spotted)
        reason = row.reason or (f"{missed} of {len(stops)} were not spotted" if missed else "")
        yield Row(row.measure, row.value, row.unit, row.better, row.goal, baselines, row.spread, row.n, reason)
    share = 100.0 * sum(each.seconds is not None for each in stops) / len(stops)
    without = {"after the transcript": 100.0 * len(earlier) / len(before) if before else None}
    yield Row(f"spoken stops after which the robot stood still, CPU {load}", share, "%", "higher", None, without, n=len(stops))


def _stops(nodes: tuple[str, ...], phrases: list[StopPhrase], count: int, what: str) -> list[Stop]:
    if not count:
        return []
    with _running(nodes) as probe:
        return [probe.stop(phrases[index % len(phrases)]) for index in counted(range(count), what)]


def _lease(count: int) -> Iterator[Row]:
    with _running(("motion_gate",)) as probe:
        taken = sampled("last commands", count, lambda _: probe.lease())
    yield taken.row("last command → zero velocity, p99", 0.99, 150.0)


def _recorded() -> StopPhrase:
    path = config_dir() / "sentences" / "stop.flac"
    samples = np.abs(read_sound(path).samples.astype(float))
    return StopPhrase(path, float(np.flatnonzero(samples > AUDIBLE * samples.max())[-1] / SAMPLE_RATE))


def stop_phrases(folder: Path, count: int) -> list[StopPhrase]:
    """Phrases of all voices in turn, in a quiet room, as files in `folder`; without synthesisers one recording."""
    from sayso.training.stop.config import load_stop_config
    from sayso.training.stop.sounds import PACES, said

    voices = [voice for voice, _ in load_stop_config().speakers("held_out")]
    chance, found = random.Random(5), []
    for index in range(count):
        try:
            phrase = said(PHRASES[index % len(PHRASES)], "stop", voices[index % len(voices)], chance.choice(PACES)).samples
        except SaysoError as missing:
            print(missing, file=sys.stderr)
            continue
        room = np.random.default_rng(index).normal(0.0, np.std(phrase) * 10 ** (-ROOM / 20), round(LEAD * SAMPLE_RATE) + len(phrase))
        room[-len(phrase) :] += phrase
        found.append(StopPhrase(folder / f"{index}.wav", len(room) / SAMPLE_RATE))
        soundfile.write(found[-1].path, 0.5 * room / np.abs(room).max(), SAMPLE_RATE, subtype="PCM_16")
    return found or [_recorded()]


@contextmanager
def loaded(load: str) -> Iterator[None]:
    """Run with no load, or with a busy loop on every core."""
    with ExitStack() as stack:
        for _ in range(len(os.sched_getaffinity(0)) if load == "busy" else 0):
            loop = stack.enter_context(subprocess.Popen([sys.executable, "-c", "while True: pass"]))
            stack.callback(loop.kill)
        yield


@contextmanager
def _running(nodes: tuple[str, ...]) -> Iterator[_StopProbe]:
    from sayso_nodes.running.processes import RunningGraph
    from sayso_nodes.states import StateWatch

    os.environ |= {"ROS_DOMAIN_ID": DOMAIN_ID, "ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST"}
    with tempfile.TemporaryDirectory() as logs, RunningGraph("robot", nodes=nodes, env={"ROS_DOMAIN_ID": DOMAIN_ID}, log_dir=logs) as graph:
        with waiting("the nodes to become active"):
            graph.wait_active(120)
        if len(nodes) > 1:
            graph.start("wav_player", {"silence": 1.2})
            with StateWatch(("wav_player",), "", int(DOMAIN_ID)) as watch:
                watch.wait_active(60, lambda: None, lambda _: None)
        probe = _StopProbe(len(nodes) > 1)
        try:
            yield probe
        finally:
            probe.close()


class _StopProbe:
    """A node beside the graph that requests a velocity and sees what the wheels get; its callbacks run in a high-priority thread."""

    def __init__(self, plays: bool) -> None:
        import rclpy
        from rcl_interfaces.srv import SetParameters
        from rclpy.executors import SingleThreadedExecutor

        from sayso_nodes.graph import find_topic, interface

        self.context = rclpy.Context()
        rclpy.init(args=[], context=self.context)
        self.node = rclpy.create_node("stop_probe", context=self.context, enable_rosout=False)
        self.changed = threading.Condition()
        self.drives = False
        self.requested_at = self.sound_at = 0.0  # s, as time.time(), the clock of the sound's stamps
        self.moving, self.transcript_at = False, 0.0
        self.zeros, self.stops, self.sounds = [0.0], [0.0], [0.0]  # times of arrival; for sounds their stamps
        for topic, callback in (
            ("cmd_vel", self._on_velocity),
            ("stopped", self._on_stopped),
            ("audio", self._on_audio),
            ("transcript", self._on_transcript),
        ):
            self.node.create_subscription(interface(topic), topic, callback, find_topic(topic).qos(subscriber=True))
        self.requests = self.node.create_publisher(interface("cmd_vel_request"), "cmd_vel_request", find_topic("cmd_vel_request").qos())
        self.node.create_timer(0.05, self._request)
        self.resume = self.node.create_client(interface("resume"), "resume")
        self.player = self.node.create_client(SetParameters, "wav_player/set_parameters")
        self.executor = SingleThreadedExecutor(context=self.context)
        self.executor.add_node(self.node)
        self.thread = threading.Thread(target=self._spin, daemon=True)
        self.thread.start()
        for client in (self.resume, self.player) if plays else (self.resume,):
            if not client.wait_for_service(30.0):
                raise TimeoutError(f"{client.srv_name} is not served")

    def close(self) -> None:
        self.executor.shutdown()
        self.thread.join(5.0)
        self.node.destroy_node()
        self.context.try_shutdown()

    def stop(self, phrase: StopPhrase) -> Stop:
        """Play the phrase while the robot drives."""
        from rcl_interfaces.msg import Parameter, ParameterType, ParameterValue
        from rcl_interfaces.srv import SetParameters

        self._drive()
        self.stops, self.sounds = [], []
        files = ParameterValue(type=ParameterType.PARAMETER_STRING_ARRAY, string_array_value=[str(phrase.path)])
        self.player.call_async(SetParameters.Request(parameters=[Parameter(name="files", value=files)]))
        if not self._until(lambda: bool(self.sounds), 10.0):
            raise TimeoutError("wav_player plays nothing")
        began = self.sounds[0]
        heard = self._until(lambda: self.transcript_at > began, phrase.end + HEARD_WITHIN)
        transcribed = self.transcript_at if heard else float("inf")
        stood = self._until(lambda: bool(self.stops), 0.5)
        self.drives = False
        self._rest()
        if not stood:
            return Stop(None)
        stopped = self.stops[0]
        zero = min((at for at in self.zeros if at > stopped - AT_ONCE), default=stopped)
        return Stop(zero - began - phrase.end, spotted=stopped < transcribed - AT_ONCE)

    def lease(self) -> float:
        """Seconds from the last request to zero."""
        self._drive()
        self.drives = False
        asked = self.requested_at
        if not self._until(lambda: self.zeros[-1] > asked, 2.0):
            raise TimeoutError("the motion gate lets the robot drive on")
        return self.zeros[-1] - self.requested_at

    def _drive(self) -> None:
        """Release the gate and wait until the wheels turn."""
        from std_srvs.srv import Trigger

        done = self.resume.call_async(Trigger.Request())
        self._until(done.done, 5.0)
        time.sleep(0.3)  # the gate requires a pause
        self.drives = True
        if not self._until(lambda: self.moving, 10.0):
            raise TimeoutError("the motion gate lets nothing pass")

    def _rest(self) -> None:
        """Wait until the player has played its silence."""
        while time.time() - self.sound_at < 0.5:
            time.sleep(0.1)

    def _spin(self) -> None:
        with suppress(OSError):  # ordinary users are not allowed to
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), -15)
        self.executor.spin()

    def _until(self, holds: Any, timeout: float) -> bool:
        end = time.monotonic() + timeout
        with self.changed:
            while not holds():
                if time.monotonic() > end:
                    return False
                self.changed.wait(0.02)
        return True

    def _request(self) -> None:
        from geometry_msgs.msg import TwistStamped

        if self.drives:
            request = TwistStamped()
            request.header.stamp = self.node.get_clock().now().to_msg()
            request.twist.linear.x = 0.2
            self.requested_at = time.time()
            self.requests.publish(request)

    def _on_velocity(self, message: Any) -> None:
        zero = message.linear.x == 0.0
        if zero and self.moving:
            self.zeros = [*self.zeros[-9:], time.time()]
        self.moving = not zero
        self._notify()

    def _on_stopped(self, message: Any) -> None:
        if message.data:
            self.stops.append(time.time())
        self._notify()

    def _on_audio(self, message: Any) -> None:
        self.sound_at = time.time()
        self.sounds.append(message.header.stamp.sec + message.header.stamp.nanosec * 1e-9)
        self._notify()

    def _on_transcript(self, _message: Any) -> None:
        self.transcript_at = time.time()
        self._notify()

    def _notify(self) -> None:
        with self.changed:
            self.changed.notify_all()
