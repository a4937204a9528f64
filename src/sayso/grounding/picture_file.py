"""A picture from a file, as the backends want it: three colours of 8 bits, upright, not larger than they can use."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from sayso.errors import GroundingError, SaysoError
from sayso.pictures import read_picture
from sayso.types import Image

LARGEST = 2048  # pixels of the longer side; what is larger is shrunk
_DEEP = ("I;16", "I;16B", "I;16L", "I", "F")  # Pillow's modes with more than 8 bits


@dataclass(frozen=True, slots=True)
class PictureFile:
    """A picture that was read."""

    image: Image  # without depth
    scale: float  # pixels of the file per pixel of `image`
    notes: tuple[str, ...]  # what was converted, one line each


def load_picture(path: Path) -> PictureFile:
    """Read a picture of any common format; grey, transparent, 16-bit and turned ones are converted.

    Raises:
        GroundingError: it is missing, damaged, cut short, of an unknown format or too large; the reason in one line.
    """
    from PIL import Image as Picture
    from PIL import ImageOps

    try:
        picture = read_picture(path)
    except SaysoError as unreadable:
        reason = "no such file" if not path.exists() else "it is a folder" if path.is_dir() else str(unreadable)
        raise GroundingError(f"{path} is no picture that can be read: {reason}") from None
    notes = []
    turned = ImageOps.exif_transpose(picture)
    if turned.size != picture.size:
        notes.append("turned upright, as its camera says")
    width, height = turned.size
    scale = max(1.0, max(width, height) / LARGEST)
    if scale > 1.0:
        size = (max(1, round(width / scale)), max(1, round(height / scale)))
        turned = turned.resize(size, Picture.Resampling.BOX)
        notes.append(f"shrunk from {width} × {height} to {size[0]} × {size[1]} pixels")
    if turned.mode != "RGB":
        notes.append(f"converted from {turned.mode}")
    return PictureFile(Image(_rgb(turned), 0.0), scale, tuple(notes))


def _rgb(picture: Any) -> np.ndarray[Any, np.dtype[np.uint8]]:
    """(H, W, 3) of a Pillow picture. Transparent parts are white; more than 8 bits are stretched from least to most."""
    from PIL import Image as Picture

    if picture.mode in _DEEP:
        values = np.nan_to_num(np.asarray(picture, dtype=np.float64))
        low, high = float(values.min(initial=0.0)), float(values.max(initial=0.0))
        grey = (255.0 * (values - low) / (high - low or 1.0)).astype(np.uint8)
        return np.repeat(grey[..., None], 3, axis=2)
    if "A" in picture.getbands() or "transparency" in picture.info:
        coloured = picture.convert("RGBA")
        ground = Picture.new("RGBA", coloured.size, (255, 255, 255, 255))
        picture = Picture.alpha_composite(ground, coloured)
    return np.asarray(picture.convert("RGB"), dtype=np.uint8)
