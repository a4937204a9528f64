"""The model card of the detector, models/detector.md."""

from __future__ import annotations

from datetime import date

from sayso.grounding.detector.calibration import DetectorCalibration
from sayso.training.detector.config import DetectorConfig


def card(config: DetectorConfig, calibration: DetectorCalibration, size: int, made: date) -> str:
    """The model card, Markdown."""
    views = ", ".join(f"{side} pixels{' mirrored' if mirrored else ''}" for side, mirrored in config.views)
    tuning = ", ".join(f"{part.set} ({part.split})" for part in config.tuning)
    return f"""# detector.onnx

Finds things of {len(calibration.classes)} everyday kinds in photographs: boxes, with a score for each kind.
`sayso.grounding.detector` makes candidates of them.

- **Made** on {made.isoformat()} by `sayso train detector`, which also writes this card.
- **Licence**: Apache-2.0 (NanoDet); the package that it comes from is under the MIT License. See [NOTICE](../NOTICE).
- **Size**: {size / 1e6:.1f} MB, weights in 8 bits with a scale for each channel, computed in single precision.

## What it is

NanoDet-g of [RangiLyu/nanodet](https://github.com/RangiLyu/nanodet), trained by its authors on COCO train2017. The weights
come from `{config.package.rpartition("/")[2]}` (npm, SHA-256 `{config.sha256[:16]}…`) in TensorFlow.js format;
`scripts/convert_detector.py` converts them. The graph takes pictures of any size whose sides are multiples of 32.
Each picture is looked at {len(config.views)} times: {views} on the longer side.

The kinds are the 80 of COCO: `src/sayso/grounding/detector/nouns.yaml` lists them, with the words that mean them.

## Calibration

Fitted on {tuning}: three logistic regressions. The first
turns the score of the wanted kind and the score of its best rival into a probability; the second, shares of pixels into a
colour; the third, the best candidate into the presence of the thing. Colours were named by eye for 49 things. A candidate counts
as found above {calibration.threshold:.2f}: at most {100 * config.false_alarms:.0f} % of the absent things of these photographs are
found; half of them are similar to something there.

The network itself was not trained further. It has seen train2017 before, but does no better there than on val2017
([docs/grounding.md](../docs/grounding.md#photographs)), so the probabilities hold elsewhere.

## Measured

On photographs that nothing was fitted on: [docs/grounding.md](../docs/grounding.md#photographs).

## Limits

- It knows 80 kinds. A noun that means none of them is reported as unknown, with no candidate.
- Things smaller than about 32×32 pixels of a 640×480 picture are often missed.
- Colours are judged from a box, in which there is also background.

## How to make it again

`sayso data download coco128 bottles_and_cups`, then `sayso train detector` (some minutes). The network itself, a download of
145 MB, is made by `python scripts/convert_detector.py`.
"""
