"""Everything that Sayso reads from files, as functions of bytes, with valid files to begin with."""

from __future__ import annotations

import io
import json
import random
import sqlite3
import tempfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import soundfile
from mcap.writer import CompressionType
from mcap.writer import Writer as McapWriter
from rosbags.rosbag2 import CompressionMode, StoragePlugin

import fuzzed_models as more
from fuzz_folder import file_of
from kept_state import RULE, SAID, TASK
from mutations import JSON_WORDS, YAML_WORDS, mutated
from recorded_run import encoded, store
from replay_bags import BEGAN, context, grounding, heard, save_as_rosbag2
from sayso.agenda.file import AgendaFile
from sayso.bags import messages
from sayso.bags.definitions import decoding, known_types
from sayso.bags.reading import Bag
from sayso.bags.skill_runs import skill_runs
from sayso.bags.topics import find_topics
from sayso.console import new
from sayso.domain import load_domain
from sayso.errors import SaysoError
from sayso.models import manifest
from sayso.paths import config_dir, models_dir, models_from
from sayso.planning.trial_file import TrialFile
from sayso.planning.trials import SkillTrial
from sayso.replay.expectations import read_expected
from sayso.replay.homes import home_of
from sayso.replay.results import read_accepted
from sayso.replay.situation import LastContext
from sayso.replay.stages import parameters
from sayso.replay.types import UtteranceRecord
from sayso.scene import load_scene
from sayso.selection.memory.memory_file import MemoryFile
from sayso.speech import word_ngram
from sayso.speech.confidence import load_calibration
from sayso.speech.files import read_sound
from sayso.types import SAMPLE_RATE, SkillCall
from sayso.web.recorded import read_index

CORPUS = Path(__file__).resolve().parents[1] / "fuzz" / "corpus"
CONVERTERS: dict[str, Callable[[Any], object]] = {
    "Transcript": messages.transcript, "IntentBelief": messages.intent_belief, "ActionBelief": messages.action_belief,
    "Grounding": messages.grounding, "ObjectBelief": messages.object_belief, "PlanState": messages.plan_state, "Outcome": messages.outcome,
    "Context": messages.context, "AgendaEntry": messages.agenda_entry, "WorldState": messages.world, "AudioChunk": messages.audio_chunk,
    "People": messages.people_seen,
}  # fmt: skip


@dataclass(frozen=True)
class Reader:
    """One kind of file."""

    read: Callable[[bytes], object]  # raises SaysoError where a user gets a message
    made: Callable[[], list[bytes]]  # valid files
    words: Sequence[str] = ()  # of the format

    def seeds(self, name: str) -> list[bytes]:
        """Valid files, and those that once failed."""
        return [*self.made(), *(file.read_bytes() for file in sorted((CORPUS / name).glob("*")))]


def _bag(data: bytes, name: str) -> None:
    with Bag(file_of(data, name)) as bag:
        situation = LastContext(bag, find_topics(bag))
        for connection, _, raw in bag.messages():
            try:
                if connection.msgtype.endswith("/Context"):
                    situation.take(connection, raw)
                    _ = situation.now
                message = bag.deserialize(raw, connection)
                kind = connection.msgtype.rsplit("/", 1)[-1]
                if kind in CONVERTERS:
                    with decoding(connection.msgtype):
                        CONVERTERS[kind](message)
            except SaysoError as refused:
                bag.complain(connection.topic, str(refused))
        read_index(bag, load_domain(), "")
        _ = home_of(bag), list(skill_runs(bag)), bag.start_time, bag.end_time, bag.jumped, bag.counts


def _message(data: bytes) -> None:
    """The first byte chooses the type."""
    kind = sorted(CONVERTERS)[data[0] % len(CONVERTERS)] if data else "Transcript"
    try:
        found = known_types().deserialize_cdr(data[1:], f"sayso_msgs/msg/{kind}")
    except Exception as broken:  # noqa: BLE001 - as Bag.deserialize
        raise SaysoError(str(broken)) from None
    with decoding(kind):
        CONVERTERS[kind](found)


def _state(data: bytes, read: Callable[[Path], object]) -> None:
    for tail in ("-wal", "-shm"):
        (file_of(b"", "state.sqlite" + tail)).unlink()
    read(file_of(data, "state.sqlite"))


def _calibration(data: bytes) -> object:
    load_calibration.cache_clear()
    return load_calibration(file_of(data, "speech.yaml"))


def _manifest(data: bytes) -> object:
    with models_from(file_of(data, "manifest.yaml").parent):
        return manifest()


def _ngram(data: bytes) -> object:
    try:
        return word_ngram.cached(file_of(data, "words.npz")).log_p("go to the kitchen")
    except word_ngram.UNREADABLE as broken:
        raise SaysoError(str(broken)) from None


@lru_cache(maxsize=1)
def _messages() -> list[tuple[float, str, str, bytes]]:
    said = [heard(2, "stop"), heard(5, "bring me the red cup"), context(1, place="kitchen", visible=["red_cup"])]
    return [*said, grounding(6.0, 5.5, "u5", "red_cup", "red cup")]


def _mcap(compression: CompressionType, chunked: bool = True) -> bytes:
    buffer = io.BytesIO()
    writer = McapWriter(buffer, chunk_size=400, compression=compression, enable_crcs=False, use_chunking=chunked)
    writer.start("ros2", "")
    writer.add_metadata("sayso.home", {"main": "/home.yaml", "/home.yaml": "include: [sayso:home.yaml]\n"})
    channels: dict[str, int] = {}
    for time, topic, kind, data in sorted(_messages()):
        if topic not in channels:
            schema = writer.register_schema(kind, "ros2msg", store().generate_msgdef(kind)[0].encode())
            qos = {"offered_qos_profiles": "- history: 1\n  depth: 10\n  reliability: 1\n  durability: 2\n"}
            channels[topic] = writer.register_channel(topic, "cdr", schema, qos)
        when = round((BEGAN + time) * 1e9)
        writer.add_message(channels[topic], when, data, when)
    writer.finish()
    return buffer.getvalue()


def _mcaps() -> list[bytes]:
    kinds = (CompressionType.NONE, CompressionType.LZ4, CompressionType.ZSTD)
    return [*map(_mcap, kinds), _mcap(CompressionType.NONE, chunked=False)]


def _sqlite_bags() -> list[bytes]:
    with tempfile.TemporaryDirectory() as folder:
        modes = (CompressionMode.NONE, CompressionMode.MESSAGE)
        bags = [save_as_rosbag2(Path(folder) / mode.name, _messages(), StoragePlugin.SQLITE3, mode) for mode in modes]
        return [file.read_bytes() for bag in bags for file in bag.glob("*.db3")]


def _cdr() -> list[bytes]:
    empty = [(kind, encoded(f"sayso_msgs/msg/{kind}", {})) for kind in CONVERTERS]
    full = [(kind.rsplit("/", 1)[-1], data) for _, _, kind, data in _messages()]
    return [bytes([sorted(CONVERTERS).index(kind)]) + data for kind, data in (*empty, *full)]


def _sounds() -> list[bytes]:
    samples = np.random.default_rng(0).normal(0, 0.1, (1600, 2))
    found = []
    for kind, subtype in (
        ("WAV", "PCM_16"),
        ("WAV", "FLOAT"),
        ("FLAC", "PCM_16"),
        ("OGG", "VORBIS"),
        ("AIFF", "PCM_16"),
        ("WAV", "IMA_ADPCM"),
    ):
        buffer = io.BytesIO()
        soundfile.write(buffer, samples, SAMPLE_RATE, format=kind, subtype=subtype)
        found.append(buffer.getvalue())
    return found


def _memories() -> list[bytes]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "state.sqlite"
        MemoryFile(path).write([SAID])
        return [_without_log(path)]


def _trials() -> list[bytes]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "state.sqlite"
        call = SkillCall("pick", (("theme", "red_cup"),))
        failed = SkillTrial("u1", 1500, call, "counter", 0.0, succeeded=False, seconds=7.5, reason="slipped", home="home")
        drive = SkillCall("navigate_to", (("goal", "desk"),))
        TrialFile(path).write(
            [failed, SkillTrial("u1", 2500, drive, "desk", 3.0, succeeded=True, seconds=9.5, home="home", ended=(1.0, 2.0))]
        )
        return [_without_log(path)]


def _agendas() -> list[bytes]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "state.sqlite"
        AgendaFile(path).write("home", [TASK, RULE])
        return [_without_log(path)]


def _without_log(path: Path) -> bytes:
    database = sqlite3.connect(path)
    database.execute("PRAGMA journal_mode = DELETE")
    database.close()
    return path.read_bytes()


def _ngrams() -> list[bytes]:
    return [word_ngram.counted(["go to the kitchen", "bring me the red cup", "stop"]).as_bytes()]


def _text(*files: Path) -> Callable[[], list[bytes]]:
    return lambda: [file.read_bytes() for file in files]


STARTER = Path(new.__file__).parent / "starter"
EXPECTED = b"tolerance: 1.5\nutterances:\n- {t: 2.0, text: stop, decision: execute}\n- {file: a.wav, nothing: true}\n"
ACCEPTED = json.dumps({**asdict(UtteranceRecord("bag", 1, "u1", 2.0)), "took": 0.2}).encode() + b"\n"
TINY = CORPUS.parent / "tiny_home.yaml"
READERS: dict[str, Reader] = {
    "domain": Reader(lambda data: load_domain(file_of(data, "home.yaml")), _text(*[TINY] * 15, STARTER / "home.yaml"), YAML_WORDS),
    "scene": Reader(
        lambda data: load_scene(file_of(data, "scene.yaml")),
        _text(*[TINY.with_name("tiny_scene.yaml")] * 30, STARTER / "scene.yaml"),
        YAML_WORDS,
    ),
    "parameters": Reader(lambda data: parameters(file_of(data, "nodes.yaml")), _text(config_dir() / "nodes.yaml"), YAML_WORDS),
    "expectations": Reader(lambda data: read_expected(file_of(data, "bag.expected.yaml").with_name("bag")), lambda: [EXPECTED], YAML_WORDS),
    "accepted": Reader(lambda data: read_accepted(file_of(data, "bag.accepted.jsonl").with_name("bag")), lambda: [ACCEPTED], JSON_WORDS),
    "settings": Reader(_calibration, _text(config_dir() / "speech.yaml"), YAML_WORDS),
    "manifest": Reader(_manifest, _text(models_dir() / "manifest.yaml"), YAML_WORDS),
    "mcap": Reader(lambda data: _bag(data, "bag.mcap"), _mcaps),
    "sqlite3": Reader(lambda data: _bag(data, "bag.db3"), _sqlite_bags),
    "messages": Reader(_message, _cdr),
    "sound": Reader(lambda data: read_sound(file_of(data, "sound")), _sounds),
    "memory": Reader(lambda data: _state(data, lambda path: MemoryFile(path, 0.05).read()), _memories, JSON_WORDS),
    "trials": Reader(lambda data: _state(data, lambda path: TrialFile(path, 0.05).read()), _trials, JSON_WORDS),
    "agenda": Reader(lambda data: _state(data, lambda path: AgendaFile(path, 0.05).read("home")), _agendas, JSON_WORDS),
    "n-gram cache": Reader(_ngram, _ngrams),
    "text": Reader(more.read_text, more.texts, more.TEXT_WORDS),
    "intent head": Reader(more.read_head, more.heads, JSON_WORDS),
    "network": Reader(more.read_network, more.networks),
    "picture": Reader(more.read_picture, more.pictures),
    "calibration": Reader(more.read_calibration_file, more.calibrations, YAML_WORDS),
    "run": Reader(more.read_record, more.records, JSON_WORDS),
    "finished": Reader(more.read_finished, more.finished, JSON_WORDS),
}


def cases(name: str, seed: int, count: int) -> list[bytes]:
    """That many mutated files for a reader."""
    chance, seeds = random.Random(f"{name} {seed}"), _prepared(name)
    return [mutated(seeds, READERS[name].words, chance) for _ in range(count)]


@lru_cache
def _prepared(name: str) -> list[bytes]:
    """The seeds, once the reader has read a valid one: what it imports and keeps is then there in each child."""
    reader = READERS[name]
    with suppress(SaysoError):
        reader.read(reader.made()[0])
    return reader.seeds(name)
