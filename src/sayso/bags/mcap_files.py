"""Reads MCAP files even without an index, cut off, with damaged chunks, or with a clock that jumped back."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Generator, Iterator
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import BinaryIO

from rosbags.interfaces import Connection
from rosbags.rosbag2.errors import ReaderError
from rosbags.rosbag2.storage_mcap import ChunkInfo, McapReader, Statistics, decompress, read_string

from sayso.bags.definitions import first_line

MAGIC = b"\x89MCAP0\r\n"  # https://mcap.dev/spec
BACKWARDS = 1_000_000_000  # ns: smaller steps back come from writing threads, not from a clock that was set
_HEADER, _FOOTER, _SCHEMA, _CHANNEL, _MESSAGE, _CHUNK, _METADATA, _DATA_END = 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x0C, 0x0F
_OF_DATA = range(0x01, 0x10)  # opcodes in the specification

Complain = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class _Whole:
    """A record completely within the file."""

    opcode: int
    start: int  # of the opcode
    length: int  # of its content

    @property
    def end(self) -> int:
        """The byte after its last one."""
        return self.start + 9 + self.length


class IndexedMcap(McapReader):
    """Reads like rosbags, but in recorded order if the clock jumped back."""

    def __init__(self, path: Path, complain: Complain) -> None:
        super().__init__(path)
        self._complain = complain

    def messages(
        self, connections: Collection[Connection], start: int | None = None, stop: int | None = None
    ) -> Generator[tuple[Connection, int, bytes], None, None]:
        """Messages of the connections with start <= time < stop (ns)."""
        if not self.chunks:
            yield from self.messages_scan(connections, start, stop)  # in file order: without chunks there is no other
            return
        every, wanted = self.chunks, {connection.id for connection in connections}
        try:
            for epoch in _epochs(every):
                self.chunks = [chunk for chunk in epoch if wanted & chunk.channel_count.keys()]
                if self.chunks:
                    yield from super().messages(connections, start, stop)
        finally:
            self.chunks = every


class UnindexedMcap(IndexedMcap):
    """A file without a usable index: every record is read once, and the complete ones make a new index."""

    def messages(
        self, connections: Collection[Connection], start: int | None = None, stop: int | None = None
    ) -> Generator[tuple[Connection, int, bytes], None, None]:
        """Complete messages of the connections with start <= time < stop (ns)."""
        if self.metadata.message_count:
            yield from super().messages(connections, start, stop)

    def _open(self) -> None:
        assert self.bio
        size = self.path.stat().st_size
        if self.bio.read(len(MAGIC)) != MAGIC:
            raise ReaderError("is not an MCAP file" if size else "is empty")
        loose, times = 0, _Times()
        end = self.data_start = len(MAGIC)
        for record in _records(self.bio, size):
            if record.opcode in (_DATA_END, _FOOTER):
                break
            end = record.end
            if record.opcode == _HEADER:
                self.data_start = record.end
            elif record.opcode in (_SCHEMA, _CHANNEL):
                self._declare([(record.opcode, self._content(record))])
            elif record.opcode == _MESSAGE:
                times.add(*_head_of_message(self._content(record, 22)))
                loose += 1
            elif record.opcode == _CHUNK:
                self._index(record, times)
        if loose and self.chunks:
            self._complain(f"{loose} messages outside the chunks of the file are left out")
        elif end < size and not _ends_well(self.bio, end, size):
            self._complain(f"cut off: {size - end} bytes after byte {end} are not a complete record")
        self.data_end = end
        self._conclude(times)

    def _content(self, record: _Whole, most: int | None = None) -> bytes:
        assert self.bio
        self.bio.seek(record.start + 9)
        return self.bio.read(record.length if most is None else min(most, record.length))

    def _index(self, record: _Whole, times: _Times) -> None:
        """Index a chunk: its channels and times. A damaged chunk is left out."""
        content = BytesIO(self._content(record))
        try:
            first, last, unpacked, crc = _numbers(content.read(28), 8, 8, 8, 4)
            compression = read_string(content)
            (packed,) = _numbers(content.read(8), 8)
            data = decompress(content.read(packed), compression, unpacked, crc)
            inside = [(part.opcode, part.start + 9, part.length) for part in _records(BytesIO(data), len(data), 0)]
        except Exception as damaged:  # noqa: BLE001 - each decompressor raises errors of its own
            self._complain(f"damaged chunk at byte {record.start}, left out ({first_line(damaged)})")
            return
        self._declare([(opcode, data[at : at + length]) for opcode, at, length in inside if opcode in (_SCHEMA, _CHANNEL)])
        counts: dict[int, int] = {}
        for _, at, _ in (part for part in inside if part[0] == _MESSAGE):
            channel, time = _head_of_message(data[at : at + 22])
            counts[channel] = counts.get(channel, 0) + 1
            times.add(channel, time)
        self.chunks.append(ChunkInfo(first, last, record.start, record.end - record.start, {}, 0, compression, packed, unpacked, counts))

    def _declare(self, records: list[tuple[int, bytes]]) -> None:
        """Let rosbags read schemas and channels. Unreadable ones are left out."""
        for opcode, data in records:
            here, self.bio = self.bio, BytesIO(bytes([opcode]) + len(data).to_bytes(8, "little") + data + bytes([_FOOTER]))
            self.data_end = 0
            try:
                self.read_index()
            except Exception as damaged:  # noqa: BLE001 - invalid text, truncated numbers, invalid YAML
                kind = "type" if opcode == _SCHEMA else "topic"
                self._complain(f"damaged description of a {kind}, left out ({first_line(damaged)})")
            finally:
                self.bio = here

    def _conclude(self, times: _Times) -> None:
        """Set the fields that rosbags sets for an indexed file."""
        count = sum(times.counts.values())
        first, last = (times.first, times.last) if count else (0, 0)
        self.statistics = Statistics(count, len(self.schemas), len(self.channels), 0, 0, len(self.chunks), first, last, times.counts)
        self.connections = [one._replace(msgcount=times.counts.get(one.id, 0)) for one in self.connections]
        known = {one.id for one in self.connections}
        self.chunks = [chunk for chunk in self.chunks if known & chunk.channel_count.keys()]
        start, stop = (first, last + 1) if count else (2**63 - 1, 0)
        self.metadata = self.metadata._replace(duration=max(stop - start, 0), start_time=start, end_time=stop, message_count=count)


class _Times:
    """Message counts and time span."""

    def __init__(self) -> None:
        self.counts: dict[int, int] = {}  # channel → messages
        self.first, self.last = 2**63 - 1, 0

    def add(self, channel: int, time: int) -> None:
        self.counts[channel] = self.counts.get(channel, 0) + 1
        self.first, self.last = min(self.first, time), max(self.last, time)


def notes_of(reader: McapReader, complain: Complain) -> dict[str, dict[str, str]]:
    """The metadata records of a file by name; the last of each name. Damaged ones are left out."""
    found: dict[str, dict[str, str]] = {}
    assert reader.bio
    for record in _records(reader.bio, reader.path.stat().st_size):
        if record.opcode == _METADATA:
            reader.bio.seek(record.start + 9)
            try:
                name, values = _note(BytesIO(reader.bio.read(record.length)))
            except (ReaderError, UnicodeDecodeError) as damaged:
                complain(f"damaged metadata at byte {record.start}, left out ({first_line(damaged)})")
                continue
            found[name] = values
    return found


def _note(content: BytesIO) -> tuple[str, dict[str, str]]:
    """A metadata record: name, and texts by key."""
    name, pairs = read_string(content), BytesIO(content.read(*_numbers(content.read(4), 4)))
    values: dict[str, str] = {}
    while pairs.tell() < len(pairs.getbuffer()):
        key = read_string(pairs)
        values[key] = read_string(pairs)
    return name, values


def jumps_back(reader: McapReader) -> list[tuple[int, int]]:
    """(ns before, ns after) every backward jump of the clock, from the index."""
    epochs = list(_epochs(reader.chunks))
    return [(max(chunk.message_end_time for chunk in before), after[0].message_start_time) for before, after in itertools.pairwise(epochs)]


def _epochs(chunks: list[ChunkInfo]) -> Iterator[list[ChunkInfo]]:
    """The chunks in file order, cut where the clock was set back."""
    epoch: list[ChunkInfo] = []
    latest = -(2**63)
    for chunk in sorted(chunks, key=lambda chunk: chunk.chunk_start_offset):
        if epoch and chunk.message_start_time < latest - BACKWARDS:
            yield epoch
            epoch, latest = [], -(2**63)
        epoch.append(chunk)
        latest = max(latest, chunk.message_end_time)
    if epoch:
        yield epoch


def _records(source: BinaryIO, size: int, start: int = len(MAGIC)) -> Iterator[_Whole]:
    """The complete records of a file or a chunk's content. The caller may seek between them."""
    while start + 9 <= size:
        source.seek(start)
        head = source.read(9)
        record = _Whole(head[0], start, int.from_bytes(head[1:], "little"))
        if record.opcode not in _OF_DATA or record.end > size:
            return
        yield record
        start = record.end


def _ends_well(source: BinaryIO, end: int, size: int) -> bool:
    """Whether a DataEnd or Footer is there, and the magic at the end."""
    source.seek(end)
    opcode = source.read(1)
    source.seek(size - len(MAGIC))
    return opcode in (bytes([_DATA_END]), bytes([_FOOTER])) and source.read() == MAGIC


def _head_of_message(content: bytes) -> tuple[int, int]:
    """(channel, log time in ns) that a message record begins with."""
    channel, _, time = _numbers(content[:14], 2, 4, 8)
    return channel, time


def _numbers(data: bytes, *sizes: int) -> list[int]:
    """Consecutive unsigned little-endian numbers of these sizes (bytes)."""
    if len(data) < sum(sizes):
        raise ReaderError("cut off")
    found, at = [], 0
    for size in sizes:
        found.append(int.from_bytes(data[at : at + size], "little"))
        at += size
    return found
