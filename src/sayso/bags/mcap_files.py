"""Reads MCAP files even without an index, cut off, with damaged chunks, or with a clock that jumped back.

Sizes in a file may be false: what a chunk unpacks to, and what is held in memory at once, is limited (`sayso.bags.unpacking`).
"""

from __future__ import annotations

import heapq
import itertools
from array import array
from collections.abc import Callable, Collection, Generator, Iterator
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import NamedTuple

import numpy as np
from rosbags.interfaces import Connection
from rosbags.rosbag2.errors import ReaderError
from rosbags.rosbag2.storage_mcap import ChunkInfo, McapReader, read_string

from sayso.bags.definitions import LARGEST_DEFINITION, first_line
from sayso.bags.mcap_records import (
    CHANNEL,
    CHUNK,
    FOOTER,
    HEAD_OF_MESSAGE,
    MESSAGE,
    METADATA,
    SCHEMA,
    SUMMARY_OFFSET,
    McapRecord,
    head_of_message,
    note,
    numbers,
    records,
    records_in,
    without_notes,
)
from sayso.bags.unpacking import LARGEST_PART, Allowance, unpacked_chunk

BACKWARDS = 1_000_000_000  # ns: smaller steps back come from writing threads, not from a clock that was set
HELD = 128_000_000  # bytes of unpacked chunks that overlap in time; if there are more, their messages are not sorted among each other

Complain = Callable[[str], None]
Found = tuple[Connection, int, bytes]  # topic, time (ns), serialised message


@dataclass(frozen=True, slots=True)
class _Chunk:
    """A chunk as the file describes it."""

    first: int  # ns, time of its first message
    last: int  # ns
    size: int  # bytes, unpacked
    crc: int
    compression: str
    packed: bytes

    def unpacked(self, allowance: Allowance) -> bytes:
        """Its content; raises ReaderError if it is damaged or too large."""
        return unpacked_chunk(self.packed, self.compression, self.size, self.crc, allowance)


class _OpenChunk(NamedTuple):
    """The next message of a chunk, in a heap by time; the number settles ties."""

    time: int
    number: int
    found: Found
    rest: Iterator[Found]
    size: int  # bytes of the chunk


class NoIndexError(ReaderError):
    """The file was written without an index."""


class IndexedMcap(McapReader):
    """Reads like rosbags, but in recorded order if the clock jumped back."""

    def __init__(self, path: Path, complain: Complain) -> None:
        super().__init__(path)
        self._complain = complain
        self._size = path.stat().st_size

    def messages(
        self, connections: Collection[Connection], start: int | None = None, stop: int | None = None
    ) -> Generator[tuple[Connection, int, bytes], None, None]:
        """Messages of the connections with start <= time < stop (ns)."""
        wanted = {connection.id: connection for connection in connections}
        span = range(0 if start is None else start, 2**64 if stop is None else stop)
        if not self.chunks:
            yield from self._loose(wanted, span)
            return
        allowance = Allowance(self._size)
        for epoch in _epochs(self.chunks):
            chunks = [chunk for chunk in epoch if wanted.keys() & chunk.channel_count.keys() and _meets(chunk, start, stop)]
            yield from self._sorted(chunks, wanted, span, allowance)

    def read_index(self) -> None:
        """Let rosbags read the index, without the metadata of channels, and without huge definitions.

        Raises:
            ReaderError: a definition is too large.
        """
        assert self.bio
        here, start = self.bio, self.data_end
        index = BytesIO()
        for record in records(here, here.seek(0, 2), start):
            if record.opcode in (FOOTER, SUMMARY_OFFSET):
                break
            if record.opcode == SCHEMA and record.length > LARGEST_DEFINITION:
                raise ReaderError(f"the definition of a message type has {record.length} bytes")
            content = self._content(record)
            content = without_notes(content) if record.opcode == CHANNEL else content
            index.write(bytes([record.opcode]) + len(content).to_bytes(8, "little") + content)
        index.write(bytes([FOOTER]))
        self.bio, self.data_end = index, 0
        try:
            super().read_index()
        finally:
            self.bio, self.data_end = here, start

    def meta_scan(self) -> None:
        """Leave a file without an index to `UnindexedMcap`: rosbags would unpack its chunks without a limit."""
        raise NoIndexError("has no index")

    def _content(self, record: McapRecord, most: int | None = None) -> bytes:
        assert self.bio
        self.bio.seek(record.start + 9)
        return self.bio.read(record.length if most is None else min(most, record.length))

    def _loose(self, wanted: dict[int, Connection], span: range) -> Iterator[tuple[Connection, int, bytes]]:
        """The messages of a file without chunks, in its order."""
        assert self.bio
        for record in records(self.bio, self.data_end, self.data_start):
            if record.opcode == MESSAGE:
                content = self._content(record)
                channel, time = head_of_message(content)
                if channel in wanted and time in span:
                    yield wanted[channel], time, content[HEAD_OF_MESSAGE:]

    def _sorted(self, chunks: list[ChunkInfo], wanted: dict[int, Connection], span: range, allowance: Allowance) -> Iterator[Found]:
        """The messages of chunks that may overlap in time, by time."""
        waiting: list[_OpenChunk] = []
        held = 0
        for number, chunk in enumerate(sorted(chunks, key=lambda one: one.message_start_time)):
            while waiting and (waiting[0].time < chunk.message_start_time or held + chunk.uncompressed_size > HELD):
                yield waiting[0].found
                held -= _advance(waiting)
            inside = self._of_chunk(chunk, wanted, span, allowance)
            if (first := next(inside, None)) is not None:
                heapq.heappush(waiting, _OpenChunk(first[1], number, first, inside, chunk.uncompressed_size))
                held += chunk.uncompressed_size
        while waiting:
            yield waiting[0].found
            _advance(waiting)

    def _of_chunk(self, chunk: ChunkInfo, wanted: dict[int, Connection], span: range, allowance: Allowance) -> Iterator[Found]:
        data = self._chunk(chunk.chunk_start_offset).unpacked(allowance)
        times, starts, ends, channels = array("Q"), array("Q"), array("Q"), array("H")
        for opcode, start, end in records_in(data):
            if opcode == MESSAGE:
                channel, time = head_of_message(data[start : start + HEAD_OF_MESSAGE])
                if channel in wanted and time in span:
                    times.append(time)
                    starts.append(start + HEAD_OF_MESSAGE)
                    ends.append(end)
                    channels.append(channel)
        for index in np.argsort(np.frombuffer(times, np.uint64), kind="stable"):
            yield wanted[channels[index]], times[index], data[starts[index] : ends[index]]

    def _chunk(self, start: int) -> _Chunk:
        """The chunk at that byte; raises ReaderError if there is none."""
        assert self.bio
        self.bio.seek(start)
        opcode, length = numbers(self.bio.read(9), 1, 8)
        if opcode != CHUNK or length > min(self._size, 2 * LARGEST_PART):
            raise ReaderError(f"at byte {start} there is no chunk, or a huge one")
        content = BytesIO(self.bio.read(length))
        first, last, size, crc = numbers(content.read(28), 8, 8, 8, 4)
        compression = read_string(content)
        (packed,) = numbers(content.read(8), 8)
        return _Chunk(first, last, size, crc, compression, content.read(min(packed, length)))


def notes_of(reader: McapReader, complain: Complain) -> dict[str, dict[str, str]]:
    """The metadata records of a file by name; the last of each name. Damaged ones are left out."""
    found: dict[str, dict[str, str]] = {}
    assert reader.bio
    for record in records(reader.bio, reader.path.stat().st_size):
        if record.opcode == METADATA:
            reader.bio.seek(record.start + 9)
            try:
                name, values = note(BytesIO(reader.bio.read(record.length)))
            except (ReaderError, UnicodeDecodeError) as damaged:
                complain(f"damaged metadata at byte {record.start}, left out ({first_line(damaged)})")
                continue
            found[name] = values
    return found


def _meets(chunk: ChunkInfo, start: int | None, stop: int | None) -> bool:
    """Whether the chunk has messages of that time, by its index."""
    return (start is None or start <= chunk.message_end_time) and (stop is None or chunk.message_start_time < stop)


def _advance(waiting: list[_OpenChunk]) -> int:
    """Go on to the next message of the first chunk; returns the chunk's size if it is exhausted, otherwise 0."""
    one = waiting[0]
    if (found := next(one.rest, None)) is None:
        heapq.heappop(waiting)
        return one.size
    heapq.heapreplace(waiting, one._replace(time=found[1], found=found))
    return 0


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
