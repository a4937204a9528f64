"""The interoperability node with the real types of hri_msgs, hri_actions_msgs and vision_msgs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np
import pytest
from sensor_msgs.msg import CameraInfo
from std_srvs.srv import Trigger

from foreign_interfaces import foreign_interfaces
from patience import PATIENCE
from ros_nodes import Peer, environment
from sayso.types import Action, ActionBelief, ActionCandidate, Grounding, Transcript, TranscriptAlternative
from sayso_nodes.conversions import to_message

pytestmark = [pytest.mark.ros, pytest.mark.end_to_end]
DOMAIN, OTHER = 45, 46
NAME = "sayso_nodes.nodes.interoperability"


@pytest.fixture(scope="module")
def types() -> Iterator[dict[str, str]]:
    with foreign_interfaces() as folder:
        yield {"PYTHONPATH": os.pathsep.join(filter(None, (str(folder or ""), os.environ.get("PYTHONPATH"))))}


class Neighbour(Peer):
    """Speaks the community's messages with the node, which is a process."""

    def __init__(self, domain: int, env: dict[str, str], *arguments: str) -> None:
        super().__init__(domain)
        command = [sys.executable, "-m", NAME, "--ros-args", "-p", "autostart:=true", *arguments]
        self.process = subprocess.Popen(command, env={**os.environ, **environment(domain), **env})

    def hear_foreign(self, topic: str, package: str, name: str) -> list[Any]:
        received: list[Any] = []
        self.node.create_subscription(getattr(import_module(f"{package}.msg"), name), topic, received.append, 10)
        self.until(lambda: self.node.count_publishers(topic))
        return received

    def close(self) -> None:
        self.process.terminate()
        self.process.wait(PATIENCE)
        super().close()


@pytest.fixture(scope="module")
def neighbour(types: dict[str, str]) -> Iterator[Neighbour]:
    made = Neighbour(DOMAIN, types)
    yield made
    made.close()


def test_a_transcript_is_live_speech(neighbour: Neighbour) -> None:
    spoken = neighbour.hear_foreign("humans/voices/anonymous_speaker/speech", "hri_msgs", "LiveSpeech")
    neighbour.speaker("transcript").publish(to_message(Transcript("u1", 3.0, (TranscriptAlternative("go to the sofa", 0.0),), 0.5)))
    neighbour.until(lambda: spoken)
    assert (spoken[0].final, spoken[0].confidence, spoken[0].header.stamp.sec) == ("go to the sofa", 0.5, 3)


def test_a_decision_is_an_intent(neighbour: Neighbour) -> None:
    intents = neighbour.hear_foreign("intents", "hri_actions_msgs", "Intent")
    actions = Action("go_to", (("goal", "kitchen"),)), Action("stop")
    candidates = tuple(ActionCandidate(clause, action, 1.0, 1.0, 0.75, 0.0) for clause, action in enumerate(actions))
    neighbour.speaker("action_belief").publish(to_message(ActionBelief("u1", 3.0, candidates, "execute", "")))
    neighbour.until(lambda: len(intents) == 2)
    kind = type(intents[0])
    assert (intents[0].intent, json.loads(intents[0].data), intents[0].confidence) == (kind.MOVE_TO, {"goal": "kitchen"}, 0.75)
    assert (intents[1].intent, intents[1].priority, intents[1].modality) == (kind.STOP_ACTIVITY, 255, kind.MODALITY_SPEECH)


def test_a_grounding_is_a_detection(neighbour: Neighbour) -> None:
    detections = neighbour.hear_foreign("detections", "vision_msgs", "Detection2DArray")
    camera = neighbour.speaker("camera/camera_info")
    grounding = neighbour.speaker("grounding")
    attention = np.array([[0.1, 0.9], [0.0, 0.0]])
    message = to_message(Grounding("u1", 3.0, "red_cup", "the red cup", attention, 0.0, 0.75, True, (0.0, 0.0), (1.0, 2.0, 3.0)))

    def detected() -> bool:  # the camera's size goes by another topic, and may come after
        camera.publish(CameraInfo(width=640, height=480))
        grounding.publish(message)
        neighbour.spin(0.05)
        return bool(detections)

    neighbour.until(detected)
    (found,) = detections[0].detections
    assert (found.bbox.center.position.x, found.bbox.center.position.y, found.bbox.size_x) == (480.0, 120.0, 320.0)
    assert (found.results[0].hypothesis.class_id, found.results[0].pose.pose.position.z) == ("red_cup", 3.0)


def test_another_recogniser_is_listened_to_and_its_stop_stops(types: dict[str, str]) -> None:
    robot = Neighbour(OTHER, types, "-p", "recogniser:=other")
    try:
        stops: list[Any] = []
        robot.node.create_service(Trigger, "stop", lambda request, response: stops.append(request) or response)
        transcripts = robot.hear("transcript")
        live_speech = import_module("hri_msgs.msg").LiveSpeech
        speaker = robot.node.create_publisher(live_speech, "live_speech", 10)
        robot.until(lambda: speaker.get_subscription_count() and robot.node.count_clients("stop"))
        speaker.publish(live_speech(incremental="stop"))
        speaker.publish(live_speech(final="don't stop", confidence=0.9))
        robot.until(lambda: transcripts)
        assert not stops
        speaker.publish(live_speech(final="stop"))
        robot.until(lambda: stops and len(transcripts) == 2)
        assert [each.alternatives[0].text for each in transcripts] == ["don't stop", "stop"]
        assert transcripts[1].confidence == pytest.approx(0.8)
    finally:
        robot.close()


@pytest.mark.skipif(find_spec("vision_msgs") is not None, reason="vision_msgs is installed")
def test_without_any_of_the_packages_it_says_what_to_install() -> None:
    command = [sys.executable, "-m", NAME, "--ros-args", "-p", "autostart:=true"]
    ended = subprocess.run(
        command, env={**os.environ, **environment(DOMAIN)}, timeout=PATIENCE, capture_output=True, text=True, check=False
    )
    assert ended.returncode == 2
    assert "apt install ros-jazzy-vision-msgs" in ended.stderr.splitlines()[-1]
