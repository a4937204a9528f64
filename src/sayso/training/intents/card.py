"""The model card of the intent head, models/intents.md, written by every training."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from sayso.intent.calibration import ACCEPTED
from sayso.intent.fitting import FOLDS, RIDGE
from sayso.intent.head import IntentHead
from sayso.intent.kernel_head import NEAREST
from sayso.intent.scope import FEATURES
from sayso.training.intents.enrolment import ACCEPTED as ENROLLED_ACCEPTED
from sayso.training.intents.enrolment import DRAWS, SHOTS

CARD = """# intents.safetensors

Classifies a clause into {count} intents, on the vectors of the sentence encoder `encoder.onnx`, and scores how far out of scope it is.

- **Made** by `sayso train intents`, which also writes this card.
- **Licence**: Apache-2.0.
- **Language**: English.

## What it is

- **Two heads**; the node's parameter `head` chooses one. Linear: P(k|t) = softmax(W h + b). Gaussian kernel:
  P(k|t) ∝ exp(−‖h − e_k‖²/2σ_k²) over the {nearest} nearest prototypes of each intent.
- **Size**: W ({count}, {dim}), b ({count},): {parameters:,} parameters, and {prototypes} prototypes of {dim} numbers in half precision.
- **Out of scope**: log-odds in nats over {features}; the threshold accepts {accepted:.0%} of the held-out commands.
- **Enrolment**: an intent that a domain adds is classified by its prototypes alone. The weight of their kernel beside the trained intents
  (slope {slope:.2f}, offset {offset:.2f}) was fitted by leaving out each intent in turn and enrolling it from {shots} of its templates,
  {draws} draws each. The threshold of their own score accepts {enrolled:.0%} of their sentences.

## Training

- **Data**: {templates} example templates of `config/intents.yaml`, expanded with the names of the default home and other names, some
  politer, some without articles; {chatter} templates of sentences that are not commands{background}.
  Exact names are read as one name of their kind, so that another home's names need no retraining.
- **Method**: multinomial logistic regression (ridge {ridge:g}; every intent, and every template within it, has the same weight); one
  prototype for each template, with σ_k from {sigma_low:.2f} to {sigma_high:.2f} by maximum likelihood. Temperature and threshold of each
  head come from {folds}-fold cross-fitting over whole templates, among the templates that the encoder was not tuned on. P_train(k) is
  uniform and stored.

## Measured

`ndcg` compares the ranking of the intents by probability with the ranking by inverse distance to their nearest prototypes: how far a
head agrees with the geometry of its examples. The rows on commands.yaml (hand-written sentences) are of the whole stage, which multiplies
these probabilities by those of the roles that each intent would leave empty.

| measured on | measure | value |
|---|---|---|
{rows}

## Limits

Measured mostly on text, less on recognised speech. The most frequent mistake: a sentence about the past or about other people that
contains a whole command. The encoder was tuned on these intents; `sayso bench intents` measures intents that it was not tuned on.

## How to make it again

`sayso data download`, then `sayso train intents`.
"""


def intent_card(head: IntentHead, background: int, measures: Mapping[str, Mapping[str, float]]) -> str:
    """The text of models/intents.md.

    Args:
        head: the trained heads.
        background: the number of sentences of CLINC150 and HWU64 in the training.
        measures: name of the test set → measure → value.
    """
    public = "CLINC150's and HWU64's training parts (CC BY 3.0, Larson et al. 2019; CC BY 4.0, Liu et al. 2019)"
    clinc = f", and {background} of {public}" if background else ""
    sigma = np.sqrt(1 / (2 * head.kernel.precision))
    odds = head.enrolling.odds if head.enrolling else np.full(2, np.nan)
    W, chatter, prototypes = head.linear.W, head.around.chatter, head.kernel.prototypes
    return CARD.format(
        count=len(head.intents), dim=W.shape[1], templates=len(prototypes), nearest=NEAREST, sigma_low=sigma.min(), sigma_high=sigma.max(),
        chatter=len(chatter) - background, background=clinc, slope=odds[0], offset=odds[1], shots=SHOTS, draws=DRAWS,
        ridge=RIDGE, folds=FOLDS, features=", ".join(FEATURES), accepted=ACCEPTED, enrolled=ENROLLED_ACCEPTED,
        parameters=W.size + len(head.linear.b), prototypes=len(prototypes) + len(chatter),
        rows="\n".join(f"| {part} | {name} | {_number(value)} |" for part in measures for name, value in measures[part].items()),
    )  # fmt: skip


def _number(value: float) -> str:
    return f"{value:g}" if value == round(value) else f"{value:.3f}"
