"""The records of an MCAP file or of the content of a chunk: https://mcap.dev/spec."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from io import BytesIO
from typing import BinaryIO

from rosbags.rosbag2.errors import ReaderError
from rosbags.rosbag2.storage_mcap import read_string

MAGIC = b"\x89MCAP0\r\n"
HEADER, FOOTER, SCHEMA, CHANNEL, MESSAGE, CHUNK, METADATA, DATA_END = 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x0C, 0x0F
SUMMARY_OFFSET = 0x0E
HEAD_OF_MESSAGE = 22  # bytes before its data
_HEAD = struct.Struct("<BQ")
_OF_DATA = range(0x01, 0x10)  # opcodes in the specification


@dataclass(frozen=True, slots=True)
class McapRecord:
    """A record completely within the file."""

    opcode: int
    start: int  # of the opcode
    length: int  # of its content

    @property
    def end(self) -> int:
        """The byte after its last one."""
        return self.start + 9 + self.length


def records(source: BinaryIO, size: int, start: int = len(MAGIC)) -> Iterator[McapRecord]:
    """The complete records of a file or a chunk's content. The caller may seek between them."""
    while start + 9 <= size:
        source.seek(start)
        head = source.read(9)
        record = McapRecord(head[0], start, int.from_bytes(head[1:], "little"))
        if record.opcode not in _OF_DATA or record.end > size:
            return
        yield record
        start = record.end


def records_in(data: bytes) -> Iterator[tuple[int, int, int]]:
    """(opcode, start, end) of the content of each complete record in the content of a chunk; faster than `records`."""
    start, size = 0, len(data)
    while start + 9 <= size:
        opcode, length = _HEAD.unpack_from(data, start)
        end = start + 9 + length
        if opcode not in _OF_DATA or end > size:
            return
        yield opcode, start + 9, end
        start = end


def without_notes(channel: bytes) -> bytes:
    """The content of a channel record without its metadata: the QoS is YAML, which we do not need, and which may be of any size."""
    at = 4
    for _ in range(2):  # topic and encoding
        at += 4 + numbers(channel[at : at + 4], 4)[0]
    return channel[:at] + bytes(4)


def ends_well(source: BinaryIO, end: int, size: int) -> bool:
    """Whether a DataEnd or Footer is there, and the magic at the end."""
    source.seek(end)
    opcode = source.read(1)
    source.seek(size - len(MAGIC))
    return opcode in (bytes([DATA_END]), bytes([FOOTER])) and source.read() == MAGIC


def head_of_message(content: bytes) -> tuple[int, int]:
    """(channel, log time in ns) that a message record begins with."""
    channel, _, time = numbers(content[:14], 2, 4, 8)
    return channel, time


def numbers(data: bytes, *sizes: int) -> list[int]:
    """Consecutive unsigned little-endian numbers of these sizes (bytes)."""
    if len(data) < sum(sizes):
        raise ReaderError("cut off")
    found, at = [], 0
    for size in sizes:
        found.append(int.from_bytes(data[at : at + size], "little"))
        at += size
    return found


def note(content: BytesIO) -> tuple[str, dict[str, str]]:
    """A metadata record: name, and texts by key."""
    name, pairs = read_string(content), BytesIO(content.read(*numbers(content.read(4), 4)))
    values: dict[str, str] = {}
    while pairs.tell() < len(pairs.getbuffer()):
        key = read_string(pairs)
        values[key] = read_string(pairs)
    return name, values
