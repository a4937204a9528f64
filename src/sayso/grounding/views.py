"""Several views of one place: each patch of a picture attends to the patches of other pictures that show the same spot."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from sayso.grounding.attention import PATCH, Patches, scaled_depth
from sayso.grounding.spatial import Floats, Points, SpatialAttention, sparse_attention
from sayso.types import FloatArray, Image

WIDTH = 0.5  # of a query, in sides of its patch
CLOSER = 2.0  # a view from half as far away weighs 2² as much: it shows a spot by as many more pixels


@dataclass(frozen=True, slots=True)
class View:
    """A picture and what the network sees in it."""

    image: Image
    patches: Patches


def fused(views: Sequence[View], attend: SpatialAttention = sparse_attention) -> Patches:
    """The patches of the last view, with the features that all views have of their spots. Patches without depth keep their own.

    Scores and verdicts are linear in the features, so what the views hold of a spot is averaged.

    Args:
        views: at least one, of things that did not move.
        attend: how to attend over the patches of all views.
    """
    last = views[-1].patches
    spots = [_spots(view) for view in views]
    known = spots[-1].known
    if len(views) == 1 or not known.any():
        return last
    at = Points(
        queries=spots[-1].points[known],
        widths=WIDTH * PATCH * spots[-1].sizes[known],
        keys=np.concatenate([each.points[each.known] for each in spots]),
        biases=np.concatenate([-CLOSER * np.log(each.sizes[each.known]) for each in spots]),
    )
    values = np.concatenate([view.patches.features[each.known] for view, each in zip(views, spots, strict=True)])
    features = last.features.copy()
    features[known] = attend(at, values)
    return replace(last, features=features)


@dataclass(frozen=True, slots=True)
class _Spots:
    """Where the patches of a view are: (n, 3) m in the map, (n,) m a pixel there, and (n,) whether that is known."""

    points: Floats
    sizes: Floats
    known: NDArray[np.bool_]


def _spots(view: View) -> _Spots:
    seen, image = view.patches, view.image
    depth, focal = scaled_depth(image, seen.rows * PATCH)
    blocks = depth.reshape(seen.rows, PATCH, seen.cols, PATCH).swapaxes(1, 2).reshape(-1, PATCH**2)
    z = np.sort(blocks, axis=1)[:, PATCH**2 // 2]  # 0 where most of the patch has no depth
    known = (z > 0.0) & np.isfinite(image.pose).all()
    height, width = image.rgb.shape[:2]
    fx, fy, cx, cy = image.intrinsics if known.any() else (1.0, 1.0, 0.0, 0.0)
    rows, cols = np.indices((seen.rows, seen.cols)).reshape(2, -1)
    u, v = (cols + 0.5) * width / seen.cols - 0.5, (rows + 0.5) * height / seen.rows - 0.5
    optical: FloatArray = np.stack(((u - cx) / fx * z, (v - cy) / fy * z, z), axis=1).astype(np.float64)
    points = optical @ image.pose[:3, :3].T + image.pose[:3, 3]
    return _Spots(points.astype(np.float32), np.maximum(z / focal, 1e-6).astype(np.float32), known)
