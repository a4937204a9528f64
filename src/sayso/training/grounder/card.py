"""The figures of the grounder and its model card, models/grounder.md, written by every training."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import TYPE_CHECKING

import numpy as np

from sayso.training.grounder.config import SPLITS, GrounderConfig
from sayso.training.grounder.evaluation import FAR, HIT, NEAR, PointingTrial, auroc, calibration_error

if TYPE_CHECKING:  # the figures need no torch
    from sayso.training.grounder.network import GroundingNetwork

Measures = dict[str, float]
NAMES = {
    "test, apartment": "apartment",
    "test, homes": "random homes never seen",
    "held_out, apartment": "apartment, held-out colours",
    "held_out, homes": "random homes, held-out colours",
}
CENTIMETRES = 100.0


def summary(results: list[PointingTrial], threshold: float) -> Measures:
    """Return every figure of the card by name; rates in [0, 1], NaN where nothing could be measured."""
    present = [trial for trial in results if trial.present]
    absent = [trial for trial in results if not trial.present]
    near = [trial for trial in present if NEAR <= trial.distance <= FAR]
    found = [trial for trial in near if trial.confidence > threshold]
    confidence = np.array([trial.confidence for trial in results])
    errors = np.array([trial.error for trial in found]) * CENTIMETRES
    measures = {
        "found": _rate(near, lambda trial: trial.confidence > threshold),
        "right where found": _rate(found, lambda trial: trial.on_it),
        "pointing": _rate(near, lambda trial: trial.on_it),
        "within 6 cm": _rate(near, lambda trial: trial.error <= HIT),
        "found, any distance": _rate(present, lambda trial: trial.confidence > threshold),
        "false alarms": _rate(absent, lambda trial: trial.confidence > threshold),
        "false alarms, near misses": _rate([trial for trial in absent if trial.near_miss], lambda trial: trial.confidence > threshold),
        "AUROC": auroc(np.array([t.confidence for t in present]), np.array([t.confidence for t in absent])),
        "calibration error": calibration_error(confidence, np.array([trial.on_it for trial in results])),
        "median error": float(np.nanmedian(errors)) if len(errors) else float("nan"),
        "p90 error": float(np.nanquantile(errors, 0.9)) if len(errors) else float("nan"),
        "milliseconds": 1e3 * float(np.median([trial.seconds for trial in results])),
        "things": float(len(near)),
        "absent": float(len(absent)),
        "threshold": threshold,
    }
    for category in sorted({trial.category for trial in near}):
        of_category = [trial for trial in near if trial.category == category]
        measures[f"found, {category}"] = _rate(of_category, lambda trial: trial.confidence > threshold)
        measures[f"things, {category}"] = float(len(of_category))
    return measures


def _rate(chosen: list[PointingTrial], holds: Callable[[PointingTrial], bool]) -> float:
    return float(np.mean([holds(trial) for trial in chosen])) if chosen else float("nan")


def card(figures: dict[str, Measures], network: GroundingNetwork, config: GrounderConfig, made: date) -> str:
    """The model card, Markdown, from the figures of each group of pictures."""
    return "\n".join((_what_it_is(made), _parameters(network), _data(config), _figures(figures, config), _limits(config)))


def _what_it_is(made: date) -> str:
    return f"""# grounder.onnx, grounder_units.onnx

Find the things in a camera picture that a phrase describes, and how probable each is.

- **Made** on {made.isoformat()} by `sayso train grounder`, which also writes this card.
- **Licence**: Apache-2.0.
- **Language**: English.
"""


def _data(config: GrounderConfig) -> str:
    apartment, homes = ({split: count[split] for split in SPLITS} for count in (config.apartment, config.homes))
    pairs = ", ".join(f"{color} {kind}" for color, kind in config.held_out.combinations)
    return f"""## Training

- **Pictures**: {config.pictures("train")} of 320×240 pixels with depth, rendered by the embedded simulation: {apartment["train"]} in the
  default apartment, {config.pictures_per_home["train"]} in each of {homes["train"]} random homes, with things on random surfaces, many in
  other colours, in random light, seen from random poses near the surfaces. {config.pictures("tune")} others ({homes["tune"]} other random
  homes among them) set the calibration and the threshold, {config.pictures("test")} others ({homes["test"]} homes) gave the figures below.
  No photographs were used.
- **Words**: names, categories and colours of `config/home.yaml`, the synonyms of `src/sayso/training/grounder/grounder.yaml`, and nouns of
  what no picture shows, as vectors of the sentence encoder; colours as points of CIELAB (`src/sayso/grounding/colors.yaml`), with
  {len(config.words.shades)} shades that only the training pictures have. No text written by other people was used.
- **Held out** of pictures and phrases, also as what is absent and as furniture or clothes: {pairs}; the colour
  {" and ".join(config.held_out.colors)}; the kinds {" and ".join(config.held_out.kinds)}.
- **Method**: {config.steps:,} steps of AdamW on {config.batch} windows of 96×128 pixels, in {len(config.stages)} stages
  ({", then ".join(f"{stage.steps:,} from a learning rate of {stage.learning_rate}" for stage in config.stages)}); seed {config.seed}. A
  quarter of the windows have no depth, the others a noisy one with holes; up to a third have no colours, so that kinds are told by their
  shapes. The loss: what each patch shows and does not show; verdicts on regions, pieces of the background and whole windows, in the last
  stage also on the regions that the network itself proposes; attention off what fits, or off the null slot if nothing does; in the first
  stage the similarity of the heads (equation 17 with the sign corrected); and where the middle of each thing is. A picture is read together
  with its mirror image, and the mean of both counts.
- **Colours that the training does not have** are judged by the pixels of a region (`src/sayso/grounding/untrained_colors.py`), with weights
  that were fitted on the tuning pictures, on trained colours that were treated as if they were not.
"""


ROWS = (
    ("found", "found", "%"),
    ("of these, the pixel lies on it", "right where found", "%"),
    ("the best guess lies on it", "pointing", "%"),
    ("the best guess is within 6 cm", "within 6 cm", "%"),
    ("error of the point where found, median / 90 % below", "median error", "cm"),
    ("found, any distance", "found, any distance", "%"),
    ("absent things found", "false alarms", "%"),
    ("the same, near misses", "false alarms, near misses", "%"),
    ("AUROC of presence", "AUROC", ""),
    ("expected calibration error", "calibration error", "%"),
    ("one picture and phrase, one core", "milliseconds", "ms"),
    ("things / absent things tried", "things", "n"),
)


def _figures(figures: dict[str, Measures], config: GrounderConfig) -> str:
    rows = "\n".join(
        f"| {title} | " + " | ".join(_shown(measured, name, unit) for measured in figures.values()) + " |" for title, name, unit in ROWS
    )
    first = next(iter(figures.values()))
    categories = sorted(name.removeprefix("things, ") for name in first if name.startswith("things, "))
    table = "\n".join(
        f"| {kind} | "
        + " | ".join(
            f"{100 * measured[f'found, {kind}']:.0f} % of {measured[f'things, {kind}']:.0f}" if f"things, {kind}" in measured else "–"
            for measured in figures.values()
        )
        + " |"
        for kind in categories
    )
    heads = " | ".join(NAMES.get(name, name) for name in figures)
    ruler = "|---" * (len(figures) + 1) + "|"
    return f"""## Measured

Rates are of things 0.6–2 m away, unless a row says otherwise. Half of the phrases are for things that are not in the picture, most of
them near misses: the right noun in another colour, or the right colour with another noun. "Found" is a probability above
{first["threshold"]:.2f}, chosen on the tuning pictures for at most {100 * config.false_alarms:g} % false alarms. In the columns of held-out
colours, all things that can be painted have a colour that their kind never had in training, or one that nothing had.

| | {heads} |
{ruler}
{rows}

Found, by category, 0.6–2 m:

| | {heads} |
{ruler}
{table}
"""


def _shown(measured: Measures, name: str, unit: str) -> str:
    value = measured[name]
    if unit == "%":
        return f"{100 * value:.1f} %"
    if unit == "cm":
        return f"{value:.1f} / {measured['p90 error']:.1f} cm"
    if unit == "ms":
        return f"{value:.0f} ms"
    if unit == "n":
        return f"{value:.0f} / {measured['absent']:.0f}"
    return f"{value:.4f}"


def _limits(config: GrounderConfig) -> str:
    return f"""## Limits

- Trained and measured in simulation and simulated light. For photographs there is another backend (detector.md).
- It was trained on the words listed in the file's metadata; other words are read by their neighbours in the sentence encoder.
- Things of fewer than {config.visible} pixels are not counted.
- A picture is resized to 320 pixels across: on a larger one, small things are lost.

## How to make it again

`sayso train grounder`; `src/sayso/training/grounder/grounder.yaml` has every number.
"""


def _parameters(network: GroundingNetwork) -> str:
    """The counts by part."""
    parts = {
        "patches (convolutions)": (network.see,),
        "words and colours": (network.read, network.paint),
        "cross-modal attention": (network.W_Q, network.W_K, network.W_V, network.W_O),
        "verification, middles": (network.verify, network.middle),
    }
    counts = {name: sum(p.numel() for module in modules for p in module.parameters()) for name, modules in parts.items()}
    counts["cross-modal attention"] += network.null.numel()
    rows = "\n".join(f"| {name} | {count:,} |" for name, count in counts.items())
    return f"""## What it is

Cross-modal attention (equation 5) of the words of a phrase over patches of 4×4 pixels, with {network.size.heads} heads and a null slot for
"not here" (`src/sayso/training/grounder/network.py`). A phrase is read in units, its colours and its noun, one by one: a patch shows a
red cup as far as it shows red and a cup. Regions of such patches are candidates; attention within a candidate gathers its features, and a
verification network compares them with each unit. Depth is used where there is one.

| part | parameters |
|---|---|
{rows}
| all | {sum(counts.values()):,} |
"""
