"""The trained network at run time: a picture → features of its patches; units of phrases → attention over them; verdicts on regions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image as Picture

from sayso.grounding.phrase import PhraseUnit
from sayso.grounding.words import UnitReader
from sayso.models import onnx_session
from sayso.types import FloatArray, Image

PATCH, STRIDE = 4, 16  # pixels; of a patch, and of which the network's sides are multiples
WIDTH = 320  # pixels that a picture is resized to
NO_FOCAL = 277.0  # pixels at that width, for a picture without intrinsics: 60° across

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Patches:
    """What the network sees of one picture."""

    features: Floats  # (n, 2 d) keys and values of equation 5, row by row
    middles: Floats  # (n, 2) patches down and right to the middle of the thing there
    rows: int
    cols: int


class AttentionNetwork:
    """The two graphs of the network.

    Args:
        patches: the graph of the pictures.
        units: the graph of the phrases.
        reader: text → word vectors.
    """

    def __init__(self, patches: Path, units: Path, reader: UnitReader) -> None:
        self._see, self._attend, self._reader = onnx_session(patches), onnx_session(units), reader
        self.metadata: dict[str, str] = self._attend.get_modelmeta().custom_metadata_map

    def see(self, image: Image) -> Patches:
        """Encode the picture, and its depth if there is one."""
        height, width = image.rgb.shape[:2]
        tall = max(STRIDE, round(height * WIDTH / width / STRIDE) * STRIDE)
        depth, focal = scaled_depth(image, tall)
        inputs = {"picture": resized(image.rgb, tall, WIDTH)[None], "depth": depth[None], "focal": np.array([focal], np.float32)}
        features, middles = self._see.run(["features", "middles"], inputs)
        return Patches(features[0], middles[0], tall // PATCH, WIDTH // PATCH)

    def scores(self, seen: Patches, units: Sequence[PhraseUnit]) -> Floats:
        """(h, U, n): equation 5 before its softmax: how each patch answers each unit for each head. The null slot has the score 0."""
        anywhere = np.ones((1, len(seen.features)), np.float32)
        scores: Floats = self._attend.run(["scores"], self._inputs(seen.features, units, anywhere, np.zeros(1, np.int64)))[0]
        return scores

    def verdicts(self, seen: Patches, units: Sequence[PhraseUnit], regions: NDArray[np.bool_]) -> Floats:
        """(R, U) logit that each region shows what each unit means.

        Args:
            seen: the picture.
            units: U of them.
            regions: (R, n); every region has at least one patch.
        """
        inside = regions.any(axis=0)
        pairs = np.repeat(regions[:, inside].astype(np.float32), len(units), axis=0)
        of = np.tile(np.arange(len(units), dtype=np.int64), len(regions))
        logits: Floats = self._attend.run(["verdicts"], self._inputs(seen.features[inside], units, pairs, of))[0]
        return logits.reshape(len(regions), len(units))

    def _inputs(
        self, features: Floats, units: Sequence[PhraseUnit], regions: Floats, of: NDArray[np.int64]
    ) -> dict[str, NDArray[np.generic]]:
        read = [self._reader(unit) for unit in units]
        words, keep = np.stack([words for words, _ in read]), np.stack([keep for _, keep in read])
        return {"features": features, "words": words, "keep": keep, "regions": regions, "of": of}


def scaled_depth(image: Image, tall: int) -> tuple[Floats, float]:
    """(tall, WIDTH) m, 0 where unknown, and the focal length in the resized picture."""
    usable = image.depth is not None and image.depth.ndim == 2 and image.depth.size > 0 and image.intrinsics[0] > 0.0
    if not usable or image.depth is None:
        return np.zeros((tall, WIDTH), np.float32), NO_FOCAL
    rows = np.arange(tall) * image.depth.shape[0] // tall
    cols = np.arange(WIDTH) * image.depth.shape[1] // WIDTH
    depth = image.depth[rows][:, cols].astype(np.float32)
    return np.where(np.isfinite(depth) & (depth > 0.0), depth, 0.0).astype(np.float32), image.intrinsics[0] * WIDTH / image.rgb.shape[1]


def attention(scores: FloatArray) -> tuple[FloatArray, float]:
    """Softmax over the patches and the null slot, the mean of the heads: (h, n) → (n,) that sum to 1, and the weight of the null slot."""
    top = np.maximum(scores.max(axis=1, keepdims=True), 0.0)
    weights = np.exp(scores - top)
    null = np.exp(-top[:, 0])
    total = weights.sum(axis=1) + null
    here = (weights / total[:, None]).mean(axis=0)
    return here / max(here.sum(), 1e-12), float((null / total).mean())


def resized(rgb: NDArray[np.uint8], height: int, width: int) -> NDArray[np.uint8]:
    """(H, W, 3) or (H, W, 4) of any size → (height, width, 3)."""
    if rgb.shape == (height, width, 3) and rgb.dtype == np.uint8:
        return np.ascontiguousarray(rgb)
    picture = Picture.fromarray(np.ascontiguousarray(rgb[..., :3], dtype=np.uint8))
    return np.asarray(picture.resize((width, height), Picture.Resampling.BILINEAR, reducing_gap=2.0))
