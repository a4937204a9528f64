"""Bags for tests of the replay, in the formats that people record."""

from __future__ import annotations

import math
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
from rosbags.rosbag2 import CompressionMode, StoragePlugin, Writer
from rosbags.rosbag2.enums import CompressionFormat
from rosbags.typesys import Stores, get_types_from_msg, get_typestore

from recorded_run import at, encoded, store
from sayso.bags.writing import BagWriter
from sayso.paths import config_dir
from sayso.replay import ReplayConfig
from sayso.speech.files import read_sound

TRANSCRIPT = "sayso_msgs/msg/Transcript"
CONFIG = ReplayConfig(start="transcript")
BEGAN = 1_700_000_000.0  # s: start of the bags
Message = tuple[float, str, str, bytes]  # s since BEGAN, topic, type, CDR

# Two packages have this name: that of ros-drivers, and one with PortAudio's samples.
AUDIO_COMMON = {
    "audio_common_msgs/msg/AudioData": "uint8[] data",
    "audio_common_msgs/msg/AudioDataStamped": "std_msgs/Header header\naudio_common_msgs/AudioData audio",
    "audio_common_msgs/msg/AudioInfo": "uint8 channels\nuint32 sample_rate\nstring sample_format\nuint32 bitrate\nstring coding_format",
}
PORTAUDIO = {
    "audio_common_msgs/msg/AudioData": "\n".join(f"{kind}[] {kind}_data" for kind in ("float32", "int32", "int16", "int8", "uint8")),
    "audio_common_msgs/msg/AudioInfo": "int32 format\nint32 channels\nint32 rate\nint32 chunk",
    "audio_common_msgs/msg/Audio": "audio_common_msgs/AudioData audio_data\naudio_common_msgs/AudioInfo info",
    "audio_common_msgs/msg/AudioStamped": "std_msgs/Header header\naudio_common_msgs/Audio audio",
}


def types_of(definitions: dict[str, str]) -> Any:
    """Jazzy's types, and these."""
    types = get_typestore(Stores.ROS2_JAZZY)
    found: dict[str, Any] = {}
    for name, text in definitions.items():
        found.update(get_types_from_msg(text, name))
    types.register(found)
    return types


def heard(time: float, text: str, name: str = "", *, lasts: float = 1.5, began: float = BEGAN, rejected: str = "") -> Message:
    """A transcript that arrives 0.3 s after the end of the speech at `time`."""
    alternatives = [{"text": text, "log_p": 0.0}] if text else []
    fields = {"utterance_id": name or f"u{time:g}", "alternatives": alternatives, "confidence": 0.99, "rejected": rejected}
    stamps = {"header": {"stamp": at(began + time)}, "started": at(began + time - lasts)}
    return time + 0.3, "/transcript", TRANSCRIPT, encoded(TRANSCRIPT, {**fields, **stamps})


def context(time: float, **fields: Any) -> Message:
    kind = "sayso_msgs/msg/Context"
    return time, "/context", kind, encoded(kind, {"header": {"stamp": at(BEGAN + time)}, "battery": 1.0, **fields})


def sound(time: float, file: str, chunk: float = 0.1) -> list[Message]:
    """A recorded sentence as sayso_msgs/AudioChunk messages, starting at `time`."""
    samples, kind, step = sentence(file), "sayso_msgs/msg/AudioChunk", round(chunk * 16_000)
    found = []
    for start in range(0, len(samples), step):
        since = time + start / 16_000
        fields = {"header": {"stamp": at(BEGAN + since)}, "sample_rate": 16_000, "samples": samples[start : start + step]}
        found.append((since + chunk, "/audio", kind, encoded(kind, fields)))
    return found


def sentence(file: str) -> np.ndarray:
    return read_sound(config_dir() / "sentences" / f"{file}.flac").samples


def save(folder: Path, messages: Iterable[Message], types: Any = None, began: float = BEGAN, **options: Any) -> Path:
    """Write a bag as our recorder does."""
    with BagWriter(folder, **options) as bag:
        for time, topic, kind, data in sorted(messages, key=lambda message: message[0]):
            if topic not in bag.counts:
                bag.add_topic(topic, kind, types or store())
            bag.write(topic, round((began + time) * 1e9), data)
    return folder


def save_as_rosbag2(folder: Path, messages: Iterable[Message], plugin: StoragePlugin, mode: CompressionMode, version: int = 9) -> Path:
    """Write a bag as rosbag2 does."""
    writer = Writer(folder, version=version, storage_plugin=plugin)
    if mode is not CompressionMode.NONE:
        writer.set_compression(mode, CompressionFormat.ZSTD)
    with writer:
        connections = {}
        for time, topic, kind, data in sorted(messages, key=lambda message: message[0]):
            if topic not in connections:
                connections[topic] = writer.add_connection(topic, kind, typestore=store())
            writer.write(connections[topic], round((BEGAN + time) * 1e9), data)
    return folder


def grounding(time: float, stamp: float, name: str, object_id: str, phrase: str, found: bool = True) -> Message:
    kind = "sayso_msgs/msg/Grounding"
    fields = {"utterance_id": name, "object_id": object_id, "phrase": phrase, "found": found, "rows": 1, "cols": 1, "attention": [1.0]}
    point = {"point": dict.fromkeys("xyz", math.nan)}
    return time, "/grounding", kind, encoded(kind, {"header": {"stamp": at(BEGAN + stamp)}, **fields, **point})
