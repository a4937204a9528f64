"""Reads MCAP files without a usable index: a first pass over all records makes one."""

from __future__ import annotations

from collections.abc import Collection, Generator
from io import BytesIO

from rosbags.interfaces import Connection
from rosbags.rosbag2.errors import ReaderError
from rosbags.rosbag2.storage_mcap import ChunkInfo, Statistics

from sayso.bags.definitions import LARGEST_DEFINITION, first_line
from sayso.bags.mcap_files import Found, IndexedMcap
from sayso.bags.mcap_records import (
    CHANNEL,
    CHUNK,
    DATA_END,
    FOOTER,
    HEAD_OF_MESSAGE,
    HEADER,
    MAGIC,
    MESSAGE,
    SCHEMA,
    McapRecord,
    ends_well,
    head_of_message,
    records,
    records_in,
)
from sayso.bags.unpacking import Allowance

_REMEDY = "all before is read (for other programs: `mcap recover`)"


class UnindexedMcap(IndexedMcap):
    """A file without a usable index: every record is read once, and the complete ones make a new index."""

    def messages(
        self, connections: Collection[Connection], start: int | None = None, stop: int | None = None
    ) -> Generator[Found, None, None]:
        """Complete messages of the connections with start <= time < stop (ns)."""
        if self.metadata.message_count:
            yield from super().messages(connections, start, stop)

    def _open(self) -> None:
        assert self.bio
        size = self._size
        if self.bio.read(len(MAGIC)) != MAGIC:
            raise ReaderError("is not an MCAP file" if size else "is empty")
        loose, times, allowance, ended = 0, _Times(), Allowance(size), False
        end = self.data_start = len(MAGIC)
        for record in records(self.bio, size):
            if ended := record.opcode in (DATA_END, FOOTER):
                break
            end = record.end
            if record.opcode == HEADER:
                self.data_start = record.end
            elif record.opcode in (SCHEMA, CHANNEL):
                self._declare([(record.opcode, self._content(record, LARGEST_DEFINITION + 1))])
            elif record.opcode == MESSAGE and record.length >= HEAD_OF_MESSAGE:
                times.add(*head_of_message(self._content(record, HEAD_OF_MESSAGE)))
                loose += 1
            elif record.opcode == CHUNK:
                self._index(record, times, allowance)
        if loose and self.chunks:
            self._complain(f"{loose} messages outside the chunks of the file are left out")
        else:
            self._examine_ending(end, ended)
        self.data_end = end
        self._conclude(times)

    def _examine_ending(self, end: int, ended: bool) -> None:
        """Complain if the file has no proper end after that byte."""
        assert self.bio
        size = self._size
        if end < size and not ends_well(self.bio, end, size):
            self._complain(f"cut off: {size - end} bytes after byte {end} are not a complete record; {_REMEDY}")
        elif not ended:
            self._complain(f"incomplete: the recording goes on, or its recorder was killed; {_REMEDY}")

    def _index(self, record: McapRecord, times: _Times, allowance: Allowance) -> None:
        """Index a chunk: its channels and times. A damaged chunk is left out."""
        inside, declared = _Times(), []
        try:
            chunk = self._chunk(record.start)
            data = chunk.unpacked(allowance)
            for opcode, start, end in records_in(data):
                if opcode in (SCHEMA, CHANNEL):
                    declared.append((opcode, data[start : min(end, start + LARGEST_DEFINITION + 1)]))
                elif opcode == MESSAGE:
                    inside.add(*head_of_message(data[start : start + HEAD_OF_MESSAGE]))
        except Exception as damaged:  # noqa: BLE001 - each decompressor raises errors of its own
            self._complain(f"damaged chunk at byte {record.start}, left out ({first_line(damaged)})")
            return
        self._declare(declared)
        times.include(inside)
        length, packed = record.end - record.start, len(chunk.packed)
        entry = ChunkInfo(chunk.first, chunk.last, record.start, length, {}, 0, chunk.compression, packed, chunk.size, inside.counts)
        self.chunks.append(entry)

    def _declare(self, found: list[tuple[int, bytes]]) -> None:
        """Let rosbags read schemas and channels. Unreadable ones are left out."""
        for opcode, data in found:
            here, self.bio = self.bio, BytesIO(bytes([opcode]) + len(data).to_bytes(8, "little") + data + bytes([FOOTER]))
            self.data_end = 0
            try:
                self.read_index()
            except Exception as damaged:  # noqa: BLE001 - invalid text, truncated numbers, invalid YAML
                kind = "type" if opcode == SCHEMA else "topic"
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

    def include(self, other: _Times) -> None:
        for channel, count in other.counts.items():
            self.counts[channel] = self.counts.get(channel, 0) + count
        self.first, self.last = min(self.first, other.first), max(self.last, other.last)
