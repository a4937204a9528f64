"""Whether anything can be seen in a picture: black, overexposed, empty, blurred."""

from __future__ import annotations

import numpy as np

from sayso.types import FloatArray, Image

DARK, BRIGHT = 12.0, 243.0  # grey levels of 255
SHARE = 0.01  # of the pixels must be between both, or away from one of them
FLAT = 2.0  # grey levels: deviation of a picture that shows one colour only
SMALLEST = 8  # pixels of a side
SOFT = 4.0  # grey levels between neighbours at the sharpest thousandth of the pixels, below which a picture is blurred


def unusable(image: Image) -> str:
    """Why nothing can be found in the picture, one line; empty if it is usable."""
    return blind(image) or ("" if _grey(image.rgb).std() >= FLAT else "the picture shows one even colour: nothing can be told apart in it")


def blind(image: Image) -> str:
    """Why the camera cannot have seen anything, one line; empty if it can. A bare wall is something that it sees."""
    rgb = image.rgb
    if rgb.ndim != 3 or rgb.shape[2] < 3 or rgb.size == 0:
        return f"the picture is empty: its shape is {rgb.shape}"
    height, width = rgb.shape[:2]
    if min(height, width) < SMALLEST:
        return f"the picture is too small: {width} × {height} pixels"
    grey = _grey(rgb)
    if (grey > DARK).mean() < SHARE:
        return "the picture is black: the lens is covered, or there is no light"
    if (grey < BRIGHT).mean() < SHARE:
        return "the picture is overexposed: it is white everywhere"
    return ""


def blurred(image: Image) -> bool:
    """Whether the picture has no sharp edge: what is found in it is less sure."""
    grey = _grey(image.rgb)
    steps = np.concatenate([np.abs(np.diff(grey, axis=axis)).ravel() for axis in (0, 1)])
    return bool(np.quantile(steps, 0.999) < SOFT)


def _grey(rgb: np.ndarray) -> FloatArray:  # type: ignore[type-arg]
    """(H', W') mean of the colours, every few pixels of a large picture."""
    step = max(1, min(rgb.shape[:2]) // 480)
    return np.asarray(rgb[::step, ::step, :3].astype(np.float64).mean(axis=2))
