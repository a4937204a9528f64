"""Compressed pictures from files and bags, within limits: a few bytes may claim to be a huge picture."""

from __future__ import annotations

import io
import struct
import zlib
from pathlib import Path
from typing import Any, BinaryIO

from sayso.errors import SaysoError

MOST_PIXELS = 50_000_000
LARGEST_FILE = 200_000_000  # bytes


def read_picture(source: Path | BinaryIO) -> Any:
    """The decoded picture, of Pillow.

    Raises:
        SaysoError: it is damaged, of an unknown format, or too large; the reason alone, for the caller to say of what.
    """
    from PIL import Image

    try:
        if isinstance(source, Path):
            if source.stat().st_size > LARGEST_FILE:
                raise ValueError(f"it has more than {LARGEST_FILE // 10**6} MB")
            source = io.BytesIO(source.read_bytes())  # from a file, Pillow reads as many bytes as a part claims to have
        picture = Image.open(source)
        width, height = picture.size
        if width * height <= MOST_PIXELS:
            picture.load()
            return picture
    except Image.DecompressionBombError:
        raise SaysoError(f"it has more than {MOST_PIXELS // 10**6} million pixels") from None
    except (OSError, ValueError, SyntaxError, EOFError, LookupError, TypeError, OverflowError, struct.error, zlib.error) as unreadable:
        raise SaysoError(str(unreadable) or type(unreadable).__name__) from None
    raise SaysoError(f"it has {width} × {height} pixels; {MOST_PIXELS // 10**6} million are the most")
