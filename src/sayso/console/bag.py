"""Bags: an MCAP writer that leaves a readable file even when it is killed, and opening such a file. No ROS is needed for either."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import BinaryIO

from rosbags.highlevel import AnyReader
from rosbags.interfaces import Connection, Qos, QosDurability, QosHistory, QosLiveliness, QosReliability, QosTime
from rosbags.rosbag2 import CompressionMode, StoragePlugin, Writer
from rosbags.rosbag2.enums import CompressionFormat
from rosbags.rosbag2.storage_mcap import McapWriter
from rosbags.typesys.store import Typestore

from sayso.errors import SaysoError

# https://mcap.dev/spec: the magic at both ends, and what ends a file: DataEnd without a checksum, a Footer without a summary.
_MAGIC = b"\x89MCAP0\r\n"
_ENDING = b"\x0f" + (4).to_bytes(8, "little") + bytes(4) + b"\x02" + (20).to_bytes(8, "little") + bytes(20) + _MAGIC
_DATA_END, _FOOTER = 0x0F, 0x02
_FOREVER = QosTime(9223372036, 854775807)  # what rosbag2 writes for "infinite"


class BagWriter:
    """Serialised messages → a bag of one MCAP file, compressed, with every message definition in it.

    Times never go back in the file: rosbags refuses to read unordered messages from a file whose index was not written.
    """

    def __init__(self, folder: Path) -> None:
        self._writer = Writer(folder, version=9, storage_plugin=StoragePlugin.MCAP)
        self._writer.set_compression(CompressionMode.STORAGE, CompressionFormat.ZSTD)
        self._writer.open()
        self._connections: dict[str, Connection] = {}
        self._latest = 0

    @property
    def counts(self) -> dict[str, int]:
        """Messages written so far, by topic."""
        return {topic: self._writer.counts[connection.id] for topic, connection in self._connections.items()}

    def add_topic(self, topic: str, message_type: str, typestore: Typestore, latched: bool = False) -> None:
        """Announce a topic before its first message; the definition of its type goes into the file, and how a player is to offer it."""
        qos = [_latched()] if latched else []
        self._connections[topic] = self._writer.add_connection(topic, message_type, typestore=typestore, offered_qos_profiles=qos)

    def write(self, topic: str, nanoseconds: int, data: bytes) -> None:
        """Add one message as it came off the wire (CDR)."""
        self._latest = max(self._latest, nanoseconds)
        self._writer.write(self._connections[topic], self._latest, data)

    def flush(self) -> None:
        """Put what was written so far on disk, as a chunk of its own: what is flushed survives a kill."""
        storage = self._writer.storage
        if isinstance(storage, McapWriter):  # rosbags itself flushes a megabyte at a time
            if storage.chunk.msgs:
                storage.close_chunk()
            storage.bio.flush()

    def close(self) -> None:
        """Write index and metadata; safe to call twice."""
        if self._writer.storage is not None:
            self._writer.close()

    def __enter__(self) -> BagWriter:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()


def _latched() -> Qos:
    history, reliability, durability = QosHistory.KEEP_LAST, QosReliability.RELIABLE, QosDurability.TRANSIENT_LOCAL
    return Qos(history, 1, reliability, durability, _FOREVER, _FOREVER, QosLiveliness.AUTOMATIC, _FOREVER, False)


@contextmanager
def open_bag(folder: Path) -> Iterator[AnyReader]:
    """A reader of the bag in that folder; one whose writer was killed is read as far as it got.

    Raises:
        SaysoError: there is no bag in it.
    """
    if (folder / "metadata.yaml").is_file():
        with AnyReader([folder]) as reader:
            yield reader
        return
    files = sorted(folder.glob("*.mcap")) if folder.is_dir() else []
    if not files:
        raise SaysoError(f"no bag in {folder}: it holds neither metadata.yaml nor an .mcap file")
    with tempfile.TemporaryDirectory(prefix="sayso-bag-") as place:
        mended = Path(place) / files[0].name
        mend(files[0], mended)
        with AnyReader([mended]) as reader:
            yield reader


def mend(unfinished: Path, mended: Path) -> None:
    """Copy an MCAP file up to its last whole record, and end it properly.

    Raises:
        SaysoError: it is no MCAP file.
    """
    size = unfinished.stat().st_size
    with unfinished.open("rb") as source:
        if source.read(len(_MAGIC)) != _MAGIC:
            raise SaysoError(f"{unfinished} is no MCAP file")
        end = _end_of_whole_records(source, size)
    shutil.copyfile(unfinished, mended)
    with mended.open("r+b") as target:
        target.truncate(end)
        target.seek(end)
        target.write(_ENDING)


def _end_of_whole_records(source: BinaryIO, size: int) -> int:
    """Where the last complete record of data ends. A record is an opcode, the length of its content (uint64) and the content."""
    end = source.tell()
    while len(head := source.read(9)) == 9:
        following = end + 9 + int.from_bytes(head[1:], "little")
        if head[0] in {_DATA_END, _FOOTER} or following > size:
            break
        end = source.seek(following)
    return end
