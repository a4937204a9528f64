"""Decompression with limits: a few bytes can unpack to gigabytes, and sizes written in a file may be false."""

from __future__ import annotations

from binascii import crc32
from typing import Any, BinaryIO

import lz4.frame
from backports import zstd
from rosbags.rosbag2.errors import ReaderError

ZSTD = b"\x28\xb5\x2f\xfd"  # magic number of a zstd frame; a CDR message starts with a zero
LARGEST_PART = 64_000_000  # bytes of an unpacked chunk or message; a recorder's chunks have 1 MB, a raw 4K image has 25 MB
RATIO = 200  # times its size that a file may unpack to; recorded silence, with the headers of its messages, stays below
ALWAYS = 256_000_000  # bytes that any file may unpack to


class Allowance:
    """What a file may still unpack to."""

    def __init__(self, size: int) -> None:
        """For a file of `size` bytes."""
        self.left = max(ALWAYS, RATIO * size)

    def spend(self, size: int) -> None:
        """Count a part of `size` bytes.

        Raises:
            ReaderError: the part, or all parts together, are too large.
        """
        if size > LARGEST_PART:
            raise ReaderError(f"a part that unpacks to {size / 1e6:.0f} MB; {LARGEST_PART / 1e6:.0f} MB are the most")
        if size > self.left:
            raise ReaderError(f"the file unpacks to more than {RATIO} times its size")
        self.left -= size


def unpacked_chunk(packed: bytes, compression: str, size: int, crc: int, allowance: Allowance) -> bytes:
    """The content of an MCAP chunk.

    Args:
        packed: the compressed content.
        compression: "", lz4 or zstd.
        size: of the content in bytes, as the file says.
        crc: checksum of the content; 0: none.
        allowance: of the file.

    Raises:
        ReaderError: the content is too large, or is not what the file says.
    """
    allowance.spend(size)
    if compression not in ("", "lz4", "zstd"):
        raise ReaderError(f"unknown compression {compression[:20]!r}")
    data = (
        packed
        if not compression
        else _frames(packed, zstd.ZstdDecompressor if compression == "zstd" else lz4.frame.LZ4FrameDecompressor, size)
    )
    if len(data) != size:
        raise ReaderError(f"a chunk does not unpack to the {size} bytes that it claims")
    if crc and crc32(data) != crc:
        raise ReaderError("the checksum of a chunk is wrong")
    return data


def unpacked_message(data: bytes, allowance: Allowance) -> bytes:
    """A message, decompressed if it was compressed on its own; raises as `unpacked_chunk`."""
    if data[:4] != ZSTD:
        return data
    whole = _frames(data, zstd.ZstdDecompressor, min(LARGEST_PART, allowance.left))
    allowance.spend(len(whole))
    return whole


def unpack_file(source: BinaryIO, target: BinaryIO, size: int) -> bool:
    """Write the content of a compressed file of `size` bytes; False if it goes on beyond the limit."""
    left = Allowance(size).left
    with zstd.open(source, "rb") as content:
        while left > 0 and (block := content.read(min(1 << 20, left))):
            target.write(block)
            left -= len(block)
        return left > 0 or not content.read(1)


def _frames(packed: bytes, kind: Any, most: int) -> bytes:
    """All compressed frames one after another; at most one byte more than `most`."""
    parts: list[bytes] = []
    left = most + 1
    while packed and left > 0:
        frame = kind()
        parts.append(frame.decompress(packed, max_length=left))
        left -= len(parts[-1])
        if not frame.eof:
            if left > 0:
                raise ReaderError("the compressed data is cut off")
            break
        packed = frame.unused_data or b""
    data = b"".join(parts)
    if len(data) > most:
        raise ReaderError(f"a part unpacks to more than the {most} bytes that it claims or may have")
    return data
