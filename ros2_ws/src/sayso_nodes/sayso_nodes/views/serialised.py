"""What can be read off a message without deserialising it."""

from __future__ import annotations

import struct


def header_stamp(data: bytes) -> int:
    """Nanoseconds of the header that a serialised message begins with: behind 4 bytes, the second of which tells the byte order."""
    seconds, nanoseconds = struct.unpack_from("<iI" if data[1] & 1 else ">iI", data, 4)
    return int(seconds) * 1_000_000_000 + int(nanoseconds)
