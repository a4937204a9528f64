"""When the nodes listen, and what they say about bad sound, over DDS."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from diagnostic_msgs.msg import DiagnosticStatus
from numpy.typing import NDArray
from rclpy.parameter import Parameter
from std_msgs.msg import Bool, String
from std_srvs.srv import Trigger

from ros_nodes import Peer
from sayso.paths import config_dir
from sayso.speech.files import read_sound
from sayso.types import SAMPLE_RATE, AudioChunk
from sayso_nodes.conversions import to_message
from sayso_nodes.lifecycle_node import SaysoNode
from sayso_nodes.nodes.microphone import MicrophoneNode
from sayso_nodes.nodes.speech_to_text import SpeechToTextNode
from sayso_nodes.nodes.stop_spotter import StopSpotterNode
from sound_device import SoundCard

pytestmark = pytest.mark.ros
NETWORK = 94
CHUNK = 640  # samples
SILENCE = np.random.default_rng(1).integers(-2, 3, SAMPLE_RATE).astype(np.int16)
WAKE = read_sound(Path(__file__).resolve().parents[1] / "data" / "okay_nabu.flac").samples


def recorded(sentence: str) -> NDArray[np.int16]:
    return read_sound(config_dir() / "sentences" / f"{sentence.replace(' ', '_')}.flac").samples


class Room(Peer):
    """Makes sound faster than real time, for nodes that run in this process."""

    def __init__(self) -> None:
        super().__init__(NETWORK)
        self.nodes: list[SaysoNode] = []
        self.stops = 0
        self.node.create_service(Trigger, "stop", self._stop)
        self.transcripts = self.hear("transcript", publishers=0)
        self.partials = self.hear("partial_transcript", publishers=0)
        self.listening = self.hear("listening", publishers=0)
        self.diagnoses = self.hear("/diagnostics", publishers=0)

    def start(self, kind: type[SaysoNode], **parameters: Any) -> SaysoNode:
        node = kind(context=self.context, parameter_overrides=[Parameter(name, value=value) for name, value in parameters.items()])
        self.nodes.append(node)
        self.run(node)
        node.start()
        self.audio, self.clock = self.speaker("audio", subscribers=0), node.seconds
        self.until(lambda: self.audio.get_subscription_count() >= 1 or kind is MicrophoneNode)
        return node

    def makes(self, *sounds: NDArray[np.int16], begins_now: bool = False) -> None:
        """Sound that ends now, so that what is pressed or asked afterwards comes after it; or that begins now."""
        whole = np.concatenate(sounds)
        self.spin(0.05)
        began = self.clock() - (0.0 if begins_now else len(whole) / SAMPLE_RATE)
        for start in range(0, len(whole), CHUNK):
            self.audio.publish(to_message(AudioChunk(whole[start : start + CHUNK], began + start / SAMPLE_RATE)))
        self.spin(0.3)

    def says(self, sentence: str, begins_now: bool = False) -> None:
        self.makes(recorded(sentence), SILENCE, begins_now=begins_now)

    def diagnosis(self, node: str) -> DiagnosticStatus | None:
        """The latest status of that node."""
        return next((each for array in reversed(self.diagnoses) for each in array.status if each.name == f"sayso: {node}"), None)

    def until_diagnosed(self, node: str, level: bytes, text: str) -> None:
        self.until(lambda: (found := self.diagnosis(node)) is not None and found.level == level and text in found.message)

    def texts(self) -> list[str]:
        return [each.alternatives[0].text for each in self.transcripts if each.alternatives and not each.rejected]

    def close(self) -> None:
        for node in self.nodes:
            node.close()
        super().close()

    def _stop(self, _request: Any, response: Any) -> Any:
        self.stops += 1
        response.success = True
        return response


@pytest.fixture
def room() -> Iterator[Room]:
    made = Room()
    yield made
    made.close()


def test_with_a_button_only_what_is_said_while_it_is_held_is_a_command_and_stop_is_heard_always(room: Room) -> None:
    room.start(SpeechToTextNode, listen="push_to_talk")
    button = room.speaker("talk_button")
    room.until(lambda: room.listening and not room.listening[-1].data)
    room.says("turn left")
    room.says("stop")
    room.until(lambda: room.stops == 1 and room.texts())
    assert room.texts() == ["stop"]  # later stages drop their plans when they hear it
    button.publish(Bool(data=True))
    room.until(lambda: room.listening[-1].data)
    room.says("go to the kitchen", begins_now=True)
    room.until(lambda: len(room.texts()) == 2)
    button.publish(Bool(data=False))
    room.until(lambda: not room.listening[-1].data)
    assert room.texts() == ["stop", "go to the kitchen"]
    assert room.stops == 1


def test_what_was_said_so_far_is_shown_before_the_sentence_ends(room: Room) -> None:
    room.start(SpeechToTextNode)
    room.makes(recorded("bring me the red cup from the kitchen"), begins_now=True)
    room.until(lambda: bool(room.partials))
    room.makes(SILENCE)
    room.until(lambda: len(room.texts()) == 1)
    (whole,) = room.transcripts
    room.until(lambda: not room.partials[-1].alternatives)  # nothing is being said any more
    begun = [each for each in room.partials if each.alternatives]
    shown = [each.alternatives[0].text for each in begun]
    assert whole.alternatives[0].text == "bring me the red cup from the kitchen"
    assert shown[0].startswith("bring")
    assert all(each.utterance_id == whole.utterance_id and each.rejected for each in begun)


def test_an_echo_after_a_sentence_does_not_make_the_robot_do_it_twice(room: Room) -> None:
    node = room.start(SpeechToTextNode)
    sentence = recorded("turn left")
    sentence = sentence[: np.flatnonzero(np.abs(sentence.astype(float)) > 0.03 * np.abs(sentence).max())[-1]]
    echo, pause = (sentence[-2400:] * 0.5).astype(np.int16), SILENCE[:5500]  # within 0.45 s after the end it may be more of the sentence
    heard: list[Any] = []
    hear = node.hear
    node.hear = lambda found: (heard.extend(found), hear(found))  # type: ignore[attr-defined]
    room.makes(SILENCE, sentence, pause, echo, SILENCE, SILENCE)
    room.until(lambda: len(heard) == 2)
    room.says("find the keys")
    room.until(lambda: "find the keys" in room.texts())
    assert [each.utterance.continues for each in heard] == [False, True, False]
    assert room.texts() == ["turn left", "find the keys"]


@pytest.mark.skipif(find_spec("pymicro_wakeword") is None, reason="pymicro-wakeword is not installed")
def test_with_a_wake_word_only_the_sentence_after_it_or_after_a_question_is_a_command(room: Room) -> None:
    room.start(SpeechToTextNode, listen="wake_word")
    room.says("turn left")
    assert room.texts() == []
    room.makes(SILENCE, WAKE, recorded("go to the kitchen"), SILENCE)
    room.until(lambda: room.texts() == ["go to the kitchen"])
    room.says("turn left")
    room.says("stop")
    room.until(lambda: room.stops == 1 and len(room.texts()) == 2)
    assert room.texts() == ["go to the kitchen", "stop"]
    room.speaker("question").publish(String(data="Which cup?"))
    room.until(lambda: room.listening and room.listening[-1].data)
    room.says("turn left")
    room.until(lambda: room.texts() == ["go to the kitchen", "stop", "turn left"])


@pytest.mark.parametrize("mode", ["push_to_talk", "wake_word"])
def test_its_own_voice_is_no_command_in_these_modes_either(room: Room, mode: str) -> None:
    if mode == "wake_word":
        pytest.importorskip("pymicro_wakeword")
    ears = room.start(SpeechToTextNode, listen=mode)
    speaking, button = room.speaker("speaking"), room.speaker("talk_button")
    button.publish(Bool(data=True))
    speaking.publish(Bool(data=True))
    room.until(lambda: room.listening and not room.listening[-1].data)
    room.makes(WAKE, recorded("turn left"), SILENCE, begins_now=True)
    room.spin(0.3)
    assert room.texts() == []
    assert ears.health.values["listening"] == "no: the robot speaks"


def test_sound_of_another_rate_is_named_and_ignored(room: Room) -> None:
    room.start(SpeechToTextNode)
    speech = recorded("turn left")
    for rate in (8_000, 48_000, 192_000, 0):
        room.audio.publish(to_message(AudioChunk(speech, room.clock(), rate)))
    room.until_diagnosed("speech_to_text", DiagnosticStatus.ERROR, "it must be 16000 Hz, mono")
    room.audio.publish(to_message(AudioChunk(np.empty(0, np.int16), room.clock())))
    room.says("turn left")
    room.until(lambda: room.texts() == ["turn left"])


def test_bad_sound_is_named_and_is_no_command(room: Room) -> None:
    room.start(SpeechToTextNode)
    clipped = np.where(np.sin(np.arange(4 * SAMPLE_RATE) / 7.0) > 0, 32767, -32768).astype(np.int16)
    room.makes(clipped)
    room.until_diagnosed("speech_to_text", DiagnosticStatus.WARN, "is clipped")
    room.makes(np.full(4 * SAMPLE_RATE, 9000, np.int16))
    room.until_diagnosed("speech_to_text", DiagnosticStatus.WARN, "an offset of +27%")
    room.makes(SILENCE, SILENCE, SILENCE, SILENCE)
    room.until_diagnosed("speech_to_text", DiagnosticStatus.OK, "active")
    assert room.texts() == []
    assert room.stops == 0


def test_a_lost_microphone_is_reported_the_stop_path_is_deaf_and_both_recover(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    card = SoundCard()
    monkeypatch.setitem(sys.modules, "sounddevice", card)
    monkeypatch.setattr("sayso.speech.devices.MISSING", 0.5)
    monkeypatch.setattr("sayso.speech.devices.AGAIN", 0.3)
    source = room.start(MicrophoneNode)
    room.start(StopSpotterNode)

    def hears() -> bool:
        card.gives(3)
        room.spin(0.02)
        return bool(source.active)

    for _ in range(20):
        hears()
    card.unplug()
    room.until_diagnosed("microphone", DiagnosticStatus.ERROR, "gives no sound: is it unplugged?")
    room.until_diagnosed("stop_spotter", DiagnosticStatus.WARN, "deaf to a spoken stop: no sound for more than 1.5 s")
    card.plug_in()
    room.until(lambda: bool(card.open))

    def well(node: str) -> bool:
        found = room.diagnosis(node)
        return hears() and found is not None and found.level == DiagnosticStatus.OK

    room.until(lambda: well("microphone"))
    room.until(lambda: well("stop_spotter"))
