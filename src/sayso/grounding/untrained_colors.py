"""Colours that the network was not trained on: judged by the pixels of a region, whatever light falls on it."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from sayso.grounding.candidates import Region
from sayso.grounding.coloring import COLORS
from sayso.grounding.colors import lab, named, named_lab
from sayso.types import FloatArray, Image

NEAR = 30.0  # ΔE: a basic colour that is nearer is no rival: a crimson thing is red as well
# The light on a thing, as a factor of its sRGB values: mean, deviation and the values tried. Chosen on the tuning pictures.
LIGHT, VARIED = 0.75, 0.25
LIGHTS = np.linspace(0.3, 1.15, 18)
SPREAD = 10.0  # CIELAB units: how far a pixel may be from the colour in the best light
SMALLEST, UNLIKE = 0.02, 1e-3  # shares; smaller ones are as good as none
SAMPLES = 100  # pixels of a region that are looked at


def region_pixels(image: Image, shows: FloatArray, region: Region) -> tuple[NDArray[np.uint8], FloatArray]:
    """(N, 3) sRGB of a region's pixels, and (N,) how much each belongs to it, which sum to 1.

    Args:
        image: of any size; the map is stretched over it.
        shows: (rows, cols) P(the patch shows what is looked for).
        region: of that map.
    """
    height, width = image.rgb.shape[:2]
    rows, cols = region.mask.shape
    at = np.argwhere(region.mask)
    inside = np.array([(down, right) for down in (0.25, 0.75) for right in (0.25, 0.75)])  # four points of each patch
    places = (at[:, None] + inside[None]).reshape(-1, 2)
    votes = np.repeat(shows[region.mask], len(inside))
    chosen = np.linspace(0, len(places) - 1, min(len(places), SAMPLES)).astype(int)
    v, u = (places[chosen] * (height / rows, width / cols)).astype(int).T
    return image.rgb[v, u, :3].astype(np.uint8), votes[chosen] / votes[chosen].sum()


def color_evidence(pixels: NDArray[np.uint8], votes: FloatArray, color: NDArray[np.uint8], itself: str = "") -> FloatArray:
    """(2,) ln of the share of the pixels that are of the colour, and of the most frequent other colour's share.

    Args:
        pixels: (N, 3) sRGB.
        votes: (N,) that sum to 1.
        color: (3,) sRGB of a thing of that colour in full light.
        itself: a basic colour that is no rival, whatever it looks like.
    """
    seen = lab(pixels)
    like = np.exp(-_apart(seen, _in_every_light(color)) / 2.0)
    others = np.stack([np.exp(-_apart(seen, in_lights) / 2.0) for in_lights in _rivals(color.tobytes(), itself)], axis=1)
    total = like + others.sum(axis=1) + UNLIKE  # a pixel that looks like none counts for none
    return np.log([votes @ (like / total) + SMALLEST, (votes @ (others / total[:, None])).max() + SMALLEST])


def _in_every_light(color: NDArray[np.uint8]) -> FloatArray:
    """(lights, 3) the colour in CIELAB, in each of LIGHTS."""
    return lab(np.clip(LIGHTS[:, None] * color.astype(np.float64), 0.0, 255.0))


def _apart(seen: FloatArray, in_lights: FloatArray) -> FloatArray:
    """(N,) squared distance of each pixel from the colour in the light that fits best, in deviations. An unlikely light is a distance."""
    squared = ((seen[:, None] - in_lights[None]) ** 2).sum(axis=-1) / SPREAD**2 + ((LIGHTS - LIGHT) / VARIED) ** 2
    return np.asarray(squared.min(axis=1))


@lru_cache(maxsize=64)
def _rivals(color: bytes, itself: str) -> tuple[FloatArray, ...]:
    """The basic colours that are another colour, each in every light."""
    here = lab(np.frombuffer(color, np.uint8)[None])[0]
    apart = {name: np.linalg.norm(here - there) for name, there in named_lab().items() if name in COLORS and _is_other(name, itself)}
    return tuple(_in_every_light(named()[name]) for name, distance in apart.items() if distance >= NEAR)


def _is_other(name: str, itself: str) -> bool:
    return not itself or not np.array_equal(named()[name], named()[itself])  # violet is purple
