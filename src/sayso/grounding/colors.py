"""What the names of colours look like: points of CIELAB, in which equal distances look equally different."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sayso.types import FloatArray
from sayso.yaml_source import read_plain

LISTED = Path(__file__).with_name("colors.yaml")
# Linear sRGB → CIE XYZ, divided by the white point D65 (IEC 61966-2-1).
XYZ = np.array([[0.4124, 0.2126, 0.0193], [0.3576, 0.7152, 0.1192], [0.1805, 0.0722, 0.9505]]) / [0.9505, 1.0, 1.089]


@lru_cache(maxsize=1)
def named() -> dict[str, NDArray[np.uint8]]:
    """Name → (3,) sRGB."""
    return {name: np.frombuffer(bytes.fromhex(code.lstrip("#")), np.uint8) for name, code in read_plain(LISTED).items()}


@lru_cache(maxsize=1)
def named_lab() -> dict[str, FloatArray]:
    """Name → (3,) L*, a*, b*."""
    return dict(zip(named(), lab(np.stack(list(named().values()))), strict=True))


def difference(one: str, other: str) -> float:
    """ΔE of two names (CIE 1976): 2 is just noticeable, 100 is black and white."""
    return float(np.linalg.norm(named_lab()[one] - named_lab()[other]))


def lab(rgb: NDArray[np.number]) -> FloatArray:
    """(N, 3) sRGB in [0, 255] → (N, 3) L* in [0, 100], a*, b* (CIE 1976)."""
    c = rgb.astype(np.float64) / 255.0
    linear = np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)
    xyz = linear @ XYZ
    f = np.where(xyz > (6 / 29) ** 3, np.cbrt(xyz), xyz / (3 * (6 / 29) ** 2) + 4 / 29)
    return np.stack([116 * f[:, 1] - 16, 500 * (f[:, 0] - f[:, 1]), 200 * (f[:, 1] - f[:, 2])], axis=1)
