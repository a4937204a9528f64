"""The page before the running nodes: what is said at it is done, what happens is shown on it, and its STOP puts zero on the wire."""

from __future__ import annotations

import json
import shutil
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
import soundfile
from rclpy.parameter import Parameter
from rclpy.serialization import serialize_message
from sensor_msgs.msg import Image
from std_srvs.srv import Trigger
from websockets.sync.client import connect

from patience import PATIENCE
from ros_nodes import Peer, environment, peer
from sayso.types import Context, Transcript, TranscriptAlternative
from sayso_nodes.conversions import to_message
from sayso_nodes.nodes.web_console import TOKEN, WebConsoleNode
from sayso_nodes.running.processes import RunningGraph

pytestmark = pytest.mark.ros
DOMAIN, OTHER = 47, 48
NODES = (
    "simulation",
    "motion_gate",
    "stop_spotter",
    "speech_to_text",
    "intent_classifier",
    "action_selector",
    "planner",
    "skills",
    "speech_output",
)
SENTENCE = Path(__file__).resolve().parents[2] / "config" / "sentences" / "go_to_the_kitchen.flac"
CHROMIUM = next((found for name in ("chromium", "chromium-browser", "google-chrome") if (found := shutil.which(name))), None)


class Shown(NamedTuple):
    """The node, and who is on the other side of its topics."""

    peer: Peer
    node: WebConsoleNode

    @property
    def url(self) -> str:
        return self.node.health.values["page"].replace("http", "ws", 1) + "ws"


@pytest.fixture
def shown() -> Iterator[Shown]:
    with peer(DOMAIN) as made:
        node = WebConsoleNode(context=made.context, parameter_overrides=[Parameter("port", value=0)])
        made.run(node)
        node.start()
        yield Shown(made, node)
        node.close()


class Viewer(threading.Thread):
    """A page that notes what it gets, in a thread of its own."""

    def __init__(self, url: str) -> None:
        super().__init__(daemon=True)
        self.socket = connect(url)
        self.values: dict[str, Any] = {}
        self.replies: list[dict[str, Any]] = []
        self.pictures = 0
        self.start()

    def run(self) -> None:
        for message in self.socket:
            if isinstance(message, str):
                read = json.loads(message)
                if "reply" in read:
                    self.replies.append(read)
                else:
                    self.values[read["key"]] = read["value"]
            else:
                self.pictures += 1

    def ask(self, **request: Any) -> None:
        self.socket.send(json.dumps({**request, "id": 1}))


def test_what_the_nodes_publish_is_on_the_page(shown: Shown) -> None:
    viewer = Viewer(shown.url)
    shown.peer.speaker("context").publish(to_message(Context(1.0, 2.0, 3.0, 0.5, "kitchen", "red_cup")))
    shown.peer.speaker("transcript").publish(to_message(Transcript("u", 4.0, (TranscriptAlternative("go on", -0.1),), 0.9)))
    shown.peer.until(lambda: "robot" in viewer.values and "utterance/u" in viewer.values)
    assert viewer.values["robot"]["pose"] == [2.0, 3.0, 0.5]
    assert viewer.values["utterance/u"]["heard"]["text"] == "go on"
    assert viewer.values["home"]["rooms"]
    assert sum(viewer.values["belief/red_cup"].values()) == pytest.approx(1.0, abs=0.05)  # the home's habits
    viewer.socket.close()


def test_stop_is_called_until_the_gate_answers(shown: Shown) -> None:
    viewer, calls = Viewer(shown.url), []

    def stop(_: Any, answer: Any) -> Any:
        calls.append(time.monotonic())
        answer.success = len(calls) > 2
        return answer

    viewer.ask(do="stop")  # before there is a gate
    shown.peer.spin(0.3)
    shown.peer.node.create_service(Trigger, "stop", stop)
    shown.peer.until(lambda: viewer.replies)
    assert viewer.replies[0]["ok"]
    assert len(calls) > 2
    viewer.socket.close()


def test_a_robot_that_is_not_there_is_said(shown: Shown) -> None:
    viewer = Viewer(shown.url)
    viewer.ask(do="say", text="go to the kitchen")
    shown.peer.until(lambda: viewer.replies)
    assert viewer.replies[0] == {
        "reply": 1,
        "ok": False,
        "message": "nobody serves 'say': a node is missing or starting (see the tab Robot)",
    }
    viewer.socket.close()


def test_sound_of_the_page_comes_in_pieces_of_a_microphone_and_ends_in_silence(shown: Shown) -> None:
    viewer, heard, buttons = Viewer(shown.url), shown.peer.hear("audio"), shown.peer.hear("talk_button")
    shown.peer.until(lambda: not shown.node.robot.may_talk())
    viewer.ask(do="talk", held=True)
    shown.peer.until(lambda: viewer.replies)
    viewer.socket.send(np.full(3200, 7, "<i2").tobytes())
    shown.peer.until(lambda: sum(len(each.samples) for each in heard) >= 3200)
    viewer.ask(do="talk", held=False)
    shown.peer.until(lambda: sum(len(each.samples) for each in heard) >= 3200 + 16000)
    assert {len(each.samples) for each in heard} == {640}
    samples = np.concatenate([each.samples for each in heard])
    assert (samples[:3200] == 7).all()
    assert not samples[3200:].any()
    stamps = [each.header.stamp.sec + each.header.stamp.nanosec * 1e-9 for each in heard]
    assert np.allclose(np.diff(stamps), 0.04, atol=0.001)
    assert [each.data for each in buttons] == [True, False]
    viewer.socket.close()


def test_a_page_that_goes_away_in_mid_sentence_leaves_a_gap_after_which_its_words_are_lost(shown: Shown) -> None:
    viewer, heard, buttons = Viewer(shown.url), shown.peer.hear("audio"), shown.peer.hear("talk_button")
    shown.peer.until(lambda: not shown.node.robot.may_talk())
    viewer.ask(do="talk", held=True)
    shown.peer.until(lambda: viewer.replies)
    viewer.socket.send(np.full(1280, 7, "<i2").tobytes())
    shown.peer.until(lambda: len(heard) == 2)
    viewer.socket.close()
    shown.peer.until(lambda: [each.data for each in buttons] == [True, False])
    stamps = [each.header.stamp.sec + each.header.stamp.nanosec * 1e-9 for each in heard]
    assert len(stamps) == 3
    assert stamps[2] - stamps[1] > 0.24  # 0.2 s without sound, and the chunk itself
    assert not any(heard[2].samples)


def test_pictures_of_a_fast_camera_are_left_out_and_not_queued(shown: Shown, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sayso_nodes.nodes.web_console.FRAMES", 1000.0)
    viewer, taken = Viewer(shown.url), []
    picture = shown.node.on_picture
    shown.node.looked_at.picture = lambda stamp, data: taken.append(stamp) or ()  # type: ignore[func-returns-value]
    image = serialize_message(Image(height=2, width=2, encoding="rgb8", step=6, data=bytes(12)))
    shown.peer.until(lambda: shown.node.board.watched)
    for _ in range(30):
        picture(image)
    shown.peer.until(lambda: viewer.pictures)
    shown.peer.spin(0.2)
    assert (len(taken), viewer.pictures) == (30, 1)
    viewer.socket.close()


def test_the_page_is_told_when_another_microphone_comes_and_goes(shown: Shown) -> None:
    viewer = Viewer(shown.url)
    shown.peer.hear("audio")
    microphone = shown.peer.speaker("audio")
    shown.peer.until(lambda: "own microphone" in viewer.values.get("silent", ""))
    shown.peer.node.destroy_publisher(microphone)
    shown.peer.until(lambda: viewer.values["silent"] == "")
    viewer.socket.close()


def test_an_address_for_strangers_without_protection_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(TOKEN, raising=False)
    with peer(DOMAIN) as made:
        node = WebConsoleNode(context=made.context, parameter_overrides=[Parameter("host", value="0.0.0.0"), Parameter("port", value=0)])
        node.trigger_configure()
        assert "--token new" in node.trouble
        node.close()


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningGraph]:
    log = tmp_path_factory.mktemp("log")
    with RunningGraph(
        "sim", nodes=(*NODES, "web_console"), env=environment(OTHER), log_dir=log, parameters={"web_console": {"port": 8459}}
    ) as made:
        made.wait_active(PATIENCE)
        yield made


@pytest.mark.end_to_end
@pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium: apt install chromium")
def test_a_person_talks_to_the_page_sees_the_robot_go_and_stops_it(graph: RunningGraph, tmp_path: Path) -> None:
    """A real browser whose microphone plays a recorded sentence, all nodes, and the velocities on the wire."""
    pytest.importorskip("playwright", reason="Playwright is not installed")
    from playwright.sync_api import sync_playwright

    samples, rate = soundfile.read(SENTENCE)
    soundfile.write(tmp_path / "said.wav", np.concatenate([np.zeros(rate), samples, np.zeros(60 * rate)]), rate, subtype="PCM_16")
    microphone = (
        "--use-fake-ui-for-media-stream",
        "--use-fake-device-for-media-stream",
        f"--use-file-for-fake-audio-capture={tmp_path}/said.wav",
    )
    with peer(OTHER) as robot, sync_playwright() as playwright:
        velocities, stopped = robot.hear("cmd_vel"), robot.hear("stopped")
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", *microphone])
        page = browser.new_page()
        page.set_default_timeout(1000 * PATIENCE)
        page.goto("http://127.0.0.1:8459/")
        page.locator("svg .room").first.wait_for(timeout=1000 * PATIENCE)
        box = page.locator(".hold").bounding_box()
        page.mouse.move(box["x"] + 20, box["y"] + 20)
        page.mouse.down()
        page.wait_for_timeout(1000 * len(samples) / rate + 1500)
        page.mouse.up()
        page.get_by_role("heading", name="“go to the kitchen”", level=3).wait_for(timeout=1000 * PATIENCE)
        page.locator(".story").get_by_text("Plan: doing it").wait_for(timeout=1000 * PATIENCE)
        robot.until(lambda: any(each.linear.x > 0.05 for each in velocities))
        page.locator("#stop").click()
        robot.until(lambda: velocities[-1].linear.x == 0.0 and stopped[-1].data)
        page.get_by_text("Nothing moves until you let it").wait_for()
        page.locator(".story").get_by_text("not done").wait_for(timeout=1000 * PATIENCE)
        assert page.locator("img[alt='What the robot sees']").is_visible()
        browser.close()
