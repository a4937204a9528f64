"""Fields read from serialised messages."""

from __future__ import annotations

import struct


def header_stamp(data: bytes) -> int:
    """Nanoseconds of the header at the start of a serialised message, after 4 bytes; the second one is the byte order."""
    seconds, nanoseconds = struct.unpack_from("<iI" if data[1] & 1 else ">iI", data, 4)
    return int(seconds) * 1_000_000_000 + int(nanoseconds)
