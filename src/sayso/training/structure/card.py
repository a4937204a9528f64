"""The model card of the head that reads structures, models/structure.md, written by every training."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from sayso.training.structure.config import StructureConfig

if TYPE_CHECKING:
    from sayso.training.structure.head import StructureHead

CARD = """# structure.onnx

Reads the structure of a sentence: acts with their intents and roles, conditions and times, asides, words that are taken back, bans,
questions, and talk that is not for the robot.

- **Made** by `sayso train structure`, which also writes this card.
- **Licence**: Apache-2.0.
- **Language**: English.

## What it is

A head on the vectors that `encoder.onnx` gives the words: {layers} layers of self-attention, then a row of tags B, I and O for each
layer of the structure. {parameters:,} parameters, 8-bit weights, {size:.1f} MB; no torch at run time.

It knows no home and no rules. The classifier multiplies its P(k|t) by the share of a clause's words that belong to an act k.

## Training

{trained:,} sentences that the team wrote and marked by hand (`src/sayso/training/structure/sentences`), with and without commas, and
some requests joined in pairs; {steps:,} steps.

## Measured

On {measured:,} sentences of the same writers that were not trained on. Other people's sentences are harder: see docs/benchmarks.md.

| | |
|---|---|
{rows}

## How to make it again

`sayso train structure`. `src/sayso/training/structure/structure.yaml` (seed {seed}) has every number.
"""


def structure_card(config: StructureConfig, head: StructureHead, trained: int, measured: int, size: int, found: Mapping[str, float]) -> str:
    """The text of models/structure.md.

    Args:
        config: the numbers of the training.
        head: the trained network.
        trained: number of sentences trained on.
        measured: number of sentences held out.
        size: bytes of the file.
        found: name of a measure → value in [0, 1].
    """
    rows = "\n".join(f"| {name} | {value:.1%} |" for name, value in found.items())
    parameters = sum(each.numel() for each in head.parameters())
    return CARD.format(
        layers=config.layers, parameters=parameters, size=size / 1e6, trained=trained, steps=config.steps, measured=measured,
        seed=config.seed, rows=rows,
    )  # fmt: skip
