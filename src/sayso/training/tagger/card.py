"""The model card of the tagger, models/tagger.md, written by every training."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from sayso.training.tagger.batches import TagScores
from sayso.training.tagger.config import TaggerConfig
from sayso.training.tagger.sentences import Annotation

if TYPE_CHECKING:
    from sayso.training.tagger.head import TagHead

CARD = """# tagger.onnx

Finds the words that ask for something and the words that fill each role ({roles}).

- **Made** by `sayso train tagger`, which also writes this card.
- **Licence**: Apache-2.0.
- **Language**: English.

## What it is

It puts tags B, I and O on the vectors that `encoder.onnx` gives the words: first the triggers, then the arguments of each trigger. The head
is a transformer layer on all words, two more on the words as seen from one trigger (its mean vector and the distance to it), and a Viterbi
search for the likeliest path of tags. {parameters:,} parameters, 8-bit weights, {size:.1f} MB; no torch at run time.

It works with that encoder only: with another encoder, rules find clauses and roles.

## Training

{drawn:,} sentences in {steps:,} steps, half of them changed as recognisers and hesitant speakers would:

- two in five are people's sentences, the training part of tagE (MIT; Sarkar et al. 2023), with renamed frame elements;
- the others join one to four of the default home's examples (five in six of the templates), with names from many sources in place of the
  home's.

## Measured

On sentences that were not trained on:

| measured on | triggers, F1 | arguments, F1 | whole sentence exact |
|---|---|---|---|
{rows}

## Limits

tagE's annotators disagree about where a place phrase attaches; many of the errors counted here are such cases.

## How to make it again

`sayso data download`, then `sayso train tagger`. `src/sayso/training/tagger/tagger.yaml` (seed {seed}) has every number.
"""


def tagger_card(config: TaggerConfig, head: TagHead, annotation: Annotation, size: int, measured: Mapping[str, TagScores]) -> str:
    """The text of models/tagger.md.

    Args:
        config: the numbers of the training.
        head: the trained network.
        annotation: its labels.
        size: bytes of the file.
        measured: name of the test set → scores.
    """
    rows = (
        f"| {name} ({each.sentences}) | {each.trigger_f1:.1%} | {each.argument_f1:.1%} | {each.exact:.1%} |"
        for name, each in measured.items()
    )
    return CARD.format(
        roles=", ".join(annotation.arguments), parameters=sum(each.numel() for each in head.parameters()), size=size / 1e6,
        drawn=config.drawn, steps=config.steps, seed=config.seed, rows="\n".join(rows),
    )  # fmt: skip
