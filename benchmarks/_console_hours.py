"""Hours of a robot's messages, handed to the page's node as fast as it takes them, while a browser has the page open.

The messages are real ones in number and kind: those of a simulated robot, with a spoken sentence each half minute. DDS is left out: each
goes straight to the callback. Pictures are taken, and drawn at most five times a second of the computer's clock, as always.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from sayso import Sayso
from sayso.types import SAMPLE_RATE, AudioChunk, Context, ObjectBelief, Outcome, People

DOMAIN_ID = 68  # of its own: other nodes that come and go leave megabytes in DDS
HOUR = 3600  # s
NODES = 14  # whose diagnostics come each second
SENTENCE_EACH = 30  # s
CONTEXTS, BELIEFS, PEOPLE, CHUNKS, PICTURES = 10, 1, 5, 25, 5  # a second; beliefs: of each object
SENTENCES = ("bring me the red cup", "bring me the cup", "go to the kitchen", "the weather is nice today")


def used_after(hours: tuple[int, ...], chromium: str) -> Iterator[tuple[int, float, int]]:
    """Yield (hour, resident memory in MB, open descriptors) at these hours, with a page open."""
    with _node() as node, _page(chromium, node.health.values["page"]):
        feed = _Feed(node)
        for second in range(hours[-1] * HOUR + 1):
            if second % HOUR == 0 and second // HOUR in hours:
                yield second // HOUR, _resident(), len(list(Path("/proc/self/fd").iterdir()))
            feed.second(second)


class _Feed:
    """The messages of a second at a time."""

    def __init__(self, node: Any) -> None:
        from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
        from nav_msgs.msg import Path as Way
        from rclpy.serialization import serialize_message
        from sensor_msgs.msg import Image

        from sayso_nodes.conversions import to_message

        self.node, self.convert = node, to_message
        robot = Sayso.load()
        self.understood = [robot.understand(sentence) for sentence in SENTENCES]
        objects, places = list(robot.domain.objects), tuple(robot.domain.places)
        self.beliefs = [to_message(ObjectBelief(each, places, np.full(len(places), 1.0 / len(places)))) for each in objects]
        values = [KeyValue(key=f"value {number}", value=str(number)) for number in range(8)]
        statuses = [DiagnosticStatus(name=f"{node.prefix}node_{number}", values=values) for number in range(NODES)]
        self.diagnostics = [DiagnosticArray(status=[status]) for status in statuses]
        self.image = serialize_message(Image(height=240, width=320, encoding="rgb8", step=960, data=bytes(240 * 960)))
        self.path = Way()

    def second(self, now: int) -> None:
        """Hand over the messages of a second, and wait until the server's thread has shown them."""
        node, convert = self.node, self.convert
        for tick in range(CONTEXTS):
            node.on_context(convert(Context(now + tick / CONTEXTS, now % 7, 1.0, 0.1 * tick, "kitchen", "")))
        for message in self.beliefs * BELIEFS:
            node.on_object_belief(message)
        for tick in range(PEOPLE):
            node.on_people(convert(People(now + tick / PEOPLE, {"anna": (1.0, now % 5, 0.1)})))
        for tick in range(CHUNKS):
            node.sounds.feed(AudioChunk(np.zeros(SAMPLE_RATE // CHUNKS, np.int16), now + tick / CHUNKS))
        for _ in range(PICTURES):
            node.on_picture(self.image)
        for message in self.diagnostics:
            node.on_diagnostics(message)
        node.on_path(self.path)
        node.on_tick()
        if now % SENTENCE_EACH == SENTENCE_EACH - 1:
            self._sentence(now)
        shown = threading.Event()
        node.server.soon(shown.set)
        shown.wait(10.0)

    def _sentence(self, now: int) -> None:
        understood, name = self.understood[now // SENTENCE_EACH % len(self.understood)], f"u{now}"
        transcript = replace(understood.transcript, utterance_id=name, started=now - 3.0, stamp=float(now))
        stages = [transcript, understood.intent_belief, understood.action_belief, understood.plan]
        for stage in stages:
            if stage is not None:
                self.node.on_stage(self.convert(replace(stage, utterance_id=name, stamp=float(now))))
        self.node.on_stage(self.convert(Outcome(name, now + 1.0, True, "bring(theme=red_cup)")))


@contextmanager
def _node() -> Iterator[Any]:
    import rclpy
    from rclpy.parameter import Parameter

    from sayso_nodes.environment import set_client_defaults
    from sayso_nodes.nodes.web_console import WebConsoleNode

    set_client_defaults()
    context = rclpy.Context()
    rclpy.init(args=[], context=context, domain_id=DOMAIN_ID)
    node = WebConsoleNode(context=context, parameter_overrides=[Parameter("port", value=0)])
    try:
        node.start()
        yield node
    finally:
        node.close()
        context.try_shutdown()


@contextmanager
def _page(chromium: str, address: str) -> Iterator[None]:
    """A browser of its own process that has the page open."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        options = ["--headless", "--no-sandbox", "--remote-debugging-port=0", f"--user-data-dir={profile}"]
        browser = subprocess.Popen([chromium, *options, address], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            yield
        finally:
            browser.terminate()
            browser.wait(10.0)


def _resident() -> float:
    """MB of this process."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6
