"""Writes bags without ROS: MCAP that stays readable after a kill or on a full disk."""

from __future__ import annotations

import errno
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from types import TracebackType
from typing import Any

import yaml
from mcap.writer import CompressionType, Writer
from rosbags.interfaces import Qos, QosDurability, QosHistory, QosLiveliness, QosReliability, QosTime
from rosbags.rosbag2.metadata import dump_qos_v9
from rosbags.typesys.store import Typestore

from sayso.bags.files import METADATA
from sayso.errors import SaysoError

# https://mcap.dev/spec: the end of a file: DataEnd without a checksum, a Footer without a summary, the magic.
_ENDING = b"\x0f" + (4).to_bytes(8, "little") + bytes(4) + b"\x02" + (20).to_bytes(8, "little") + bytes(20) + b"\x89MCAP0\r\n"
_FOREVER = QosTime(9223372036, 854775807)  # what rosbag2 writes for "infinite"
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_VERSION = 9  # of metadata.yaml, as ROS 2 Jazzy writes it
COMPRESSIONS = {"zstd": CompressionType.ZSTD, "lz4": CompressionType.LZ4, "none": CompressionType.NONE}


class BagFullError(SaysoError):
    """The disk is full. The bag was closed with the data written so far."""


@dataclass(frozen=True, slots=True)
class _Topic:
    """A topic of the bag."""

    name: str
    type: str
    definition: str
    digest: str
    qos: Sequence[Qos]


@dataclass(slots=True)
class _File:
    """One file of the bag, written or being written."""

    name: str
    messages: int = 0
    first: int = 0  # ns
    last: int = 0
    channels: dict[str, int] = field(default_factory=dict)


class BagWriter:
    """Serialised messages → a bag of MCAP files, compressed in chunks, with every message definition in each.

    Times never decrease: some readers refuse unordered messages in a file without an index.

    Args:
        folder: of the bag; must not exist.
        compression: zstd, lz4 or none.
        split: bytes after which a new file starts; 0: never.

    Raises:
        SaysoError: the folder exists, cannot be made, or the disk is full.
    """

    def __init__(self, folder: Path, *, compression: str = "zstd", split: int = 0) -> None:
        self.folder, self.counts = folder, dict[str, int]()  # messages written so far, by topic
        self._compression, self._split = COMPRESSIONS[compression], split
        self._topics: dict[str, _Topic] = {}
        self._notes: dict[str, dict[str, str]] = {}
        self._files: list[_File] = []
        self._latest = 0
        self._ended = False
        try:
            folder.mkdir(parents=True)
        except FileExistsError:
            raise SaysoError(f"{folder}: is there already; name a new folder for the bag") from None
        except OSError as refused:
            raise SaysoError(f"{folder}: cannot be made ({refused.strerror})") from None
        try:
            self._begin()
        except OSError as full:
            if self._files:
                self._cut()
            with suppress(OSError):
                folder.rmdir()
            raise BagFullError(f"{folder}: nothing can be recorded ({full.strerror}); name a folder on another disk") from None

    def add_topic(self, topic: str, message_type: str, typestore: Typestore, latched: bool = False) -> None:
        """Announce a topic before its first message. Its type definition and QoS go into the file."""
        definition, _ = typestore.generate_msgdef(message_type, ros_version=2)
        qos = [_latched()] if latched else []
        self._topics[topic] = _Topic(topic, message_type, definition, typestore.hash_rihs01(message_type), qos)
        self.counts[topic] = 0
        self._guarded(lambda: self._declare(self._topics[topic]))

    def add_metadata(self, name: str, values: Mapping[str, str]) -> None:
        """Write texts into each file of the bag. New values replace the old ones."""
        if self._notes.get(name) != values:
            self._notes[name] = dict(values)
            self._guarded(lambda: self._writer.add_metadata(name, dict(values)))

    def write(self, topic: str, nanoseconds: int, data: bytes) -> None:
        """Add a serialised message (CDR).

        Raises:
            BagFullError: the disk is full; flushed data can be read.
        """
        if self._split and self._stream.position >= self._split and not self._ended:
            self._guarded(self._next)
        self._latest = max(self._latest, nanoseconds)
        file = self._files[-1]
        self._guarded(lambda: self._writer.add_message(file.channels[topic], self._latest, data, self._latest))
        file.first = file.first if file.messages else self._latest
        file.last, file.messages = self._latest, file.messages + 1
        self.counts[topic] += 1

    def flush(self) -> None:
        """Write everything so far to disk as a chunk, so that it survives a kill.

        Raises:
            BagFullError: the disk is full; data flushed before can be read.
        """
        self._guarded(self._flush)

    def close(self) -> None:
        """Write index and metadata; safe to call twice. Without room for them, the bag is still readable."""
        if not self._ended:
            self._ended = True
            try:
                self._finish()
            except OSError:
                self._cut()
            self._write_metadata()

    def __enter__(self) -> BagWriter:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def _begin(self) -> None:
        number = len(self._files)
        name = f"{self.folder.name}.mcap" if not number else f"{self.folder.name}_{number}.mcap"
        self._stream = _Stream(self.folder / name)
        self._files.append(_File(name))
        self._writer = Writer(self._stream, compression=self._compression)  # type: ignore[arg-type]  # it writes, tells and flushes
        self._writer.start(profile="ros2", library=f"sayso {version('sayso')}")
        self._schemas: dict[str, int] = {}
        for topic in self._topics.values():
            self._declare(topic)
        for note, values in self._notes.items():
            self._writer.add_metadata(note, values)
        self._stream.keep()

    def _declare(self, topic: _Topic) -> None:
        if topic.type not in self._schemas:
            self._schemas[topic.type] = self._writer.register_schema(topic.type, "ros2msg", topic.definition.encode())
        qos: Any = dump_qos_v9(list(topic.qos))
        offered = {"offered_qos_profiles": yaml.safe_dump(qos, sort_keys=False) if qos else "", "topic_type_hash": topic.digest}
        self._files[-1].channels[topic.name] = self._writer.register_channel(topic.name, "cdr", self._schemas[topic.type], offered)

    def _flush(self) -> None:
        self._writer.flush()  # type: ignore[no-untyped-call]  # of the library
        self._stream.keep()

    def _next(self) -> None:
        self._finish()
        self._write_metadata()
        self._begin()

    def _finish(self) -> None:
        self._flush()
        self._writer.finish()  # type: ignore[no-untyped-call]  # of the library
        self._stream.close()

    def _guarded(self, work: Any) -> None:
        """Do the work. If the disk is full, close the bag after its last complete record and raise."""
        if self._ended:
            raise BagFullError(f"{self.folder}: the recording has ended")
        try:
            work()
        except OSError as full:
            self._ended = True
            self._cut()
            self._write_metadata()
            cause = "the disk is full" if full.errno in _FULL else str(full.strerror)
            raise BagFullError(f"{self.folder}: {cause}; recorded up to here") from None

    def _cut(self) -> None:
        """End the file after its last complete record; one without any is removed."""
        self._stream.cut()
        self._files = [file for file in self._files if (self.folder / file.name).exists()]

    def _write_metadata(self) -> None:
        """Write metadata.yaml as rosbag2 does; skip it if there is no room."""
        files = [file for file in self._files if file.messages]
        first, last = min((file.first for file in files), default=0), max((file.last for file in files), default=0)
        metadata = {
            "version": _VERSION,
            "storage_identifier": "mcap",
            "relative_file_paths": [file.name for file in self._files],
            "duration": {"nanoseconds": last - first},
            "starting_time": {"nanoseconds_since_epoch": first},
            "message_count": sum(self.counts.values()),
            "topics_with_message_count": [
                {
                    "topic_metadata": {
                        "name": topic.name,
                        "type": topic.type,
                        "serialization_format": "cdr",
                        "offered_qos_profiles": dump_qos_v9(list(topic.qos)),
                        "type_description_hash": topic.digest,
                    },
                    "message_count": self.counts[topic.name],
                }
                for topic in self._topics.values()
            ],
            "compression_format": "",
            "compression_mode": "",
            "files": [
                {
                    "path": file.name,
                    "starting_time": {"nanoseconds_since_epoch": file.first},
                    "duration": {"nanoseconds": file.last - file.first},
                    "message_count": file.messages,
                }
                for file in self._files
            ],
            "custom_data": None,
            "ros_distro": "jazzy",
        }
        partial = self.folder / f".{METADATA}"
        with suppress(OSError):
            partial.write_text(yaml.safe_dump({"rosbag2_bagfile_information": metadata}, sort_keys=False), encoding="utf-8")
            partial.replace(self.folder / METADATA)
        with suppress(OSError):
            partial.unlink(missing_ok=True)


class _Stream:
    """An unbuffered file that can be cut back to its last complete record when the disk is full."""

    def __init__(self, path: Path) -> None:
        self._path, self._file = path, path.open("xb", buffering=0)
        self.position = 0
        self._whole = (0, 0)  # bytes up to which all records are complete: now, and one step before

    def write(self, data: bytes) -> int:
        view = memoryview(data)
        while view:
            written = self._file.write(view)
            self.position += written
            view = view[written:]
        return len(data)

    def tell(self) -> int:
        return self.position

    def flush(self) -> None:
        """Nothing is buffered."""

    def keep(self) -> None:
        """Everything so far is complete."""
        if self.position != self._whole[0]:
            self._whole = self.position, self._whole[0]

    def cut(self) -> None:
        """Cut back to the last complete record and end the file properly; one step further back if there is no room."""
        if not self._whole[0] and not self._file.closed:
            with suppress(OSError):
                self._path.unlink()  # not even its head was written
        for end in filter(None, self._whole):
            with suppress(OSError, ValueError):  # ValueError: it was complete and closed
                self._file.truncate(end)
                self._file.seek(end)
                if self._file.write(_ENDING) == len(_ENDING):
                    break
        self.close()

    def close(self) -> None:
        with suppress(OSError):
            self._file.close()


def _latched() -> Qos:
    history, reliability, durability = QosHistory.KEEP_LAST, QosReliability.RELIABLE, QosDurability.TRANSIENT_LOCAL
    return Qos(history, 1, reliability, durability, _FOREVER, _FOREVER, QosLiveliness.AUTOMATIC, _FOREVER, False)
