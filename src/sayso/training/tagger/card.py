"""The model card of the tagger, written anew with every training."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from sayso.training.tagger.batches import TagScores
from sayso.training.tagger.config import TaggerConfig
from sayso.training.tagger.sentences import Annotation

if TYPE_CHECKING:
    from sayso.training.tagger.head import TagHead

CARD = """# tagger.onnx

Which words of an utterance ask for something, and which fill whose roles ({roles}): tags B, I and O on
the vectors that `encoder.onnx` gives the words, triggers first, then the arguments of each trigger. Made by `sayso train tagger`, which
writes this card as well. Licence: Apache-2.0.

- **Head**: a transformer layer on all words, two more for the words as one trigger sees them (its mean vector, and how far away it is), the
  likeliest path of tags by Viterbi. {parameters:,} parameters, 8-bit weights, {size:.1f} MB. No torch at run time.
- **Learnt from** {drawn:,} sentences in {steps:,} steps (`src/sayso/training/tagger/tagger.yaml`, seed {seed}), half of them as
  recognisers and hesitant speakers make them: two in five are people's, of tagE's training part (MIT; Sarkar et al. 2023), its frame
  elements renamed; the others are compounds of one to four of the default home's examples (five in six of the templates), with names from
  everywhere in the place of the home's.
- It knows that encoder's vectors alone: with another encoder, rules find clauses and roles.

| not learnt from | triggers, F1 | arguments, F1 | whole sentence exact |
|---|---|---|---|
{rows}

English only. tagE's annotators were not always of one mind about what a place belongs to: much of what counts as wrong is that.
"""


def tagger_card(config: TaggerConfig, head: TagHead, annotation: Annotation, size: int, measured: Mapping[str, TagScores]) -> str:
    """The text of models/tagger.md.

    Args:
        config: what it was trained by.
        head: what was learnt.
        annotation: its labels.
        size: of the file, bytes.
        measured: measured on → scores.
    """
    rows = (
        f"| {name} ({each.sentences}) | {each.trigger_f1:.1%} | {each.argument_f1:.1%} | {each.exact:.1%} |"
        for name, each in measured.items()
    )
    return CARD.format(
        roles=", ".join(annotation.arguments), parameters=sum(each.numel() for each in head.parameters()), size=size / 1e6,
        drawn=config.drawn, steps=config.steps, seed=config.seed, rows="\n".join(rows),
    )  # fmt: skip
