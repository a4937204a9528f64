"""The model card of the parser, models/parser.md, written by every training."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from sayso.training.parser.config import ParserConfig

if TYPE_CHECKING:
    from sayso.training.parser.network import ParserNetwork

CARD = """# parser.onnx

Reads the structure of a sentence: acts with their intents, roles with their restrictions, conditions with what lies within, times, bans,
questions, words that are taken back, and what is not for the robot; each reading with its probability.

- **Made** by `sayso train parser`, which also writes this card.
- **Licence**: Apache-2.0.
- **Language**: English.
- **Use**: what its structures mean in a home is composed by code; P(meaning) decides with
  other evidence whether the robot acts or asks. [docs/understanding.md](../docs/understanding.md)

## What it is

A conditional random field over all sets of labelled spans that nest (docs/mathematics.md), on the vectors of a transformer: the lowest
{shared} layers are those of `encoder.onnx`, whose weights it maps from that file; the other {own} are tuned.
{parameters:,} parameters, 8-bit weights, {size:.1f} MB; no torch at run time. It knows no home: names are linked afterwards.

## Training

{trained:,} marked sentences: {people:,} of people, from public sets (`src/sayso/training/parser/marks/people` has the marks,
the sentences stay their publishers'), and {written:,} that the team wrote; in each of {epochs} epochs {generated:,} further ones of
templates, and variations: fillers exchanged, requests joined, commas dropped. All were marked by the team, each by one person.

## Measured

On sentences that were not trained on, of the same sources, so new sources are harder. The marks of one person are the truth here.

| measure | people's, n = {n_people} | the team's, n = {n_own} |
|---|---|---|
{rows}

Calibration on both: temperature {temperature:.2f}; said is the share of the likeliest readings' mass with the
same outline, right the share of sentences in which that outline is the marked one:

| said | n | mean said | right |
|---|---|---|---|
{bins}

## How to make it again

`sayso train parser`, then `sayso train parser --more 1`, with the data sets (`SAYSO_DATA`). `src/sayso/training/parser/parser.yaml`
(seed {seed}) has every number.
"""


def parser_card(
    config: ParserConfig,
    network: ParserNetwork,
    facts: Mapping[str, float],
    tables: tuple[Mapping[str, float], Mapping[str, float]],
    bins: str,
) -> str:
    """The text of models/parser.md.

    Args:
        config: the numbers of the training.
        network: trained.
        facts: trained, people, written, n_people, n_own: numbers of sentences; size: bytes of the file; temperature.
        tables: measure → value in [0, 1], on people's sentences and on the team's.
        bins: the rows of the table of calibration.
    """
    people, own = tables
    rows = "\n".join(f"| {name} | {value:.1%} | {own[name]:.1%} |" for name, value in people.items())
    layers = len(network.trunk.bert.encoder.layer)
    return CARD.format(
        shared=config.shared_layers, own=layers - config.shared_layers, epochs=config.epochs, generated=config.generated, seed=config.seed,
        parameters=sum(each.numel() for each in network.parameters() if each.requires_grad), rows=rows, bins=bins,
        **{name: value for name, value in facts.items() if name != "size"}, size=facts["size"] / 1e6,
    )  # fmt: skip
