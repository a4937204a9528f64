"""The figures of the grounder and its model card, models/grounder.md, written by every training."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date

import numpy as np

from sayso.training.grounder.config import SPLITS, GrounderConfig
from sayso.training.grounder.evaluation import FAR, HIT, NEAR, PointingTrial, auroc, calibration_error
from sayso.training.grounder.network import GroundingNetwork

Measures = dict[str, float]


def summary(results: list[PointingTrial], threshold: float) -> Measures:
    """Return every figure of the card by name; rates in [0, 1], NaN where nothing could be measured."""
    present = [trial for trial in results if trial.present]
    absent = [trial for trial in results if not trial.present]
    near = [trial for trial in present if NEAR <= trial.distance <= FAR]
    confidence = np.array([trial.confidence for trial in results])
    measures = {
        "pointing, 0.6–2 m": _rate(near, lambda trial: trial.on_it),
        "point within 6 cm, 0.6–2 m": _rate(near, lambda trial: trial.error <= HIT),
        "found, 0.6–2 m": _rate(near, lambda trial: trial.confidence > threshold),
        "pointing where found, 0.6–2 m": _rate([trial for trial in near if trial.confidence > threshold], lambda trial: trial.on_it),
        "pointing, any distance": _rate(present, lambda trial: trial.on_it),
        "found, any distance": _rate(present, lambda trial: trial.confidence > threshold),
        "false alarms": _rate(absent, lambda trial: trial.confidence > threshold),
        "false alarms, near misses": _rate([trial for trial in absent if trial.near_miss], lambda trial: trial.confidence > threshold),
        "AUROC of presence": auroc(np.array([t.confidence for t in present]), np.array([t.confidence for t in absent])),
        "calibration error": calibration_error(confidence, np.array([trial.on_it for trial in results])),
        "median milliseconds": 1e3 * float(np.median([trial.seconds for trial in results])),
        "things tried": float(len(present)),
        "things tried, 0.6–2 m": float(len(near)),
        "absent things tried": float(len(absent)),
        "threshold": threshold,
    }
    for category in sorted({trial.category for trial in near}):
        of_category = [trial for trial in near if trial.category == category]
        measures[f"pointing, {category}"] = _rate(of_category, lambda trial: trial.on_it)
        measures[f"tried, {category}"] = float(len(of_category))
    return measures


def _rate(chosen: list[PointingTrial], holds: Callable[[PointingTrial], bool]) -> float:
    return float(np.mean([holds(trial) for trial in chosen])) if chosen else float("nan")


def card(measured: Measures, network: GroundingNetwork, config: GrounderConfig, made: date) -> str:
    """The model card, Markdown."""
    return "\n".join((_what_it_is(made), _parameters(network), _data(config), _figures(measured, config), _limits(config)))


def _what_it_is(made: date) -> str:
    return f"""# grounder.onnx

Finds the place in a camera picture that a phrase describes, and the probability that the thing is in the picture.

- **Made** on {made.isoformat()} by `sayso train grounder`, which also writes this card.
- **Licence**: Apache-2.0.
- **Language**: English.
"""


def _data(config: GrounderConfig) -> str:
    train, tune, test = (config.pictures[split] for split in SPLITS)
    return f"""## Training

- **Pictures**: {train} of 320×240 pixels, rendered by the embedded simulation: the scene `config/scenes/apartment.yaml` with its things on
  random surfaces, many in other colours, seen from random poses near the surfaces. {tune} other pictures set the calibration and the
  threshold, {test} others gave the figures below; the three sets share no arrangement. No photographs were used.
- **Phrases**: from the names, categories and colours of `config/home.yaml` and the synonyms in
  `src/sayso/training/grounder/grounder.yaml`. No text written by other people was used.
- **Method**: {config.steps} steps of AdamW on {config.batch} windows of 96×128 pixels with {config.phrases} phrases each, half of them for
  things that are not there; seed {config.seed}. The loss: attention off the thing, a wrong probability that it is there, the similarity of
  the heads (equation 17 with the sign corrected) and, as an auxiliary task, the object that each patch shows.
"""


def _figures(measured: Measures, config: GrounderConfig) -> str:
    percent = {name: f"{100 * value:.1f} %" for name, value in measured.items()}
    tried, near, absent = (f"{measured[name]:.0f}" for name in ("things tried", "things tried, 0.6–2 m", "absent things tried"))
    categories = sorted(name.removeprefix("tried, ") for name in measured if name.startswith("tried, "))
    table = "\n".join(f"| {name} | {measured[f'tried, {name}']:.0f} | {percent[f'pointing, {name}']} |" for name in categories)
    return f"""## Measured

On {tried} things in the test pictures ({near} of them 0.6–2 m away) and {absent} phrases for things that are not there. Most of these are
near misses: the right noun in another colour, or the right colour with another noun. "Found" is a confidence above
{measured["threshold"]:.2f}, chosen on the tuning pictures for at most {100 * config.false_alarms:g} % false alarms.

| measure | |
|---|---|
| the pixel lies on the thing, 0.6–2 m | {percent["pointing, 0.6–2 m"]} |
| the point is within 6 cm of it, 0.6–2 m | {percent["point within 6 cm, 0.6–2 m"]} |
| found, 0.6–2 m | {percent["found, 0.6–2 m"]} |
| the pixel lies on it, where found, 0.6–2 m | {percent["pointing where found, 0.6–2 m"]} |
| the pixel lies on it, any distance | {percent["pointing, any distance"]} |
| found, any distance | {percent["found, any distance"]} |
| false alarms | {percent["false alarms"]} |
| false alarms among near misses | {percent["false alarms, near misses"]} |
| AUROC of presence | {measured["AUROC of presence"]:.4f} |
| expected calibration error | {percent["calibration error"]} |
| one picture and phrase, one core | {measured["median milliseconds"]:.1f} ms |

By category, 0.6–2 m:

| category | tried | the pixel lies on it |
|---|---|---|
{table}
"""


def _limits(config: GrounderConfig) -> str:
    return f"""## Limits

- Trained and measured on one home, in simulation and simulated light; it has not been tried on photographs.
- It knows the words listed in the file's metadata, and finds nothing by another noun.
- Things of fewer than {config.visible} pixels are neither trained nor counted.
- A phrase that fits several things points at one of them.

## How to make it again

`sayso train grounder`; `src/sayso/training/grounder/grounder.yaml` has every number. A new run gives a similar network, not the same: the
published one was trained in two parts, with more pictures and a longer schedule in the second.
"""


def _parameters(network: GroundingNetwork) -> str:
    """The counts by part, with equation 22's estimate for the transformer."""
    counts = {
        "patches (convolutions)": _count(network.see),
        "words (embedding, one encoder layer)": _count(network.read),
        "cross-modal attention": _count(network.cross),
        "verification": _count(network.verify),
    }
    rows = "\n".join(f"| {name} | {count:,} |" for name, count in counts.items())
    words, d = network.read.embed.weight.shape
    hidden = network.read.layer.feed_forward[0].out_features
    estimate = 4 * d * d + 2 * d * hidden + words * d
    return f"""## What it is

Cross-modal attention of the words over patches of 4×4 pixels (`src/sayso/training/grounder/network.py`), then a verification network.

| part | parameters |
|---|---|
{rows}
| all | {sum(counts.values()):,} |

Equation 22 for the words' part, whose feed-forward network has {hidden} units instead of 4·d: 4·d² + 2·d·{hidden} + V·d = {estimate:,} for
d = {d} and V = {words}; biases and norms are the rest.
"""


def _count(module: object) -> int:
    return sum(parameter.numel() for parameter in module.parameters())  # type: ignore[attr-defined]
