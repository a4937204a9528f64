"""The model card of the intent head, written anew with every training."""

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

What a clause means, over {count} intents on the sentence encoder `encoder.onnx`, and how far out of scope it is, by two heads of which the
node's parameter `head` chooses one: the linear P(k|t) = softmax(W h + b), and the Gaussian kernel P(k|t) ∝ exp(−‖h − e_k‖²/2σ_k²) over the
{nearest} nearest prototypes of each intent. Made by `sayso train intents`, which writes this card as well. Licence: Apache-2.0.

- **Learnt from** {templates} example templates of `config/intents.yaml`, expanded with the names of the default home and with names that
  no home need have, some politer, some without articles; {chatter} templates of sentences that are no commands{background}.
  Exact names are read as one name of their kind, so that another home's names need no retraining.
- **How**: multinomial logistic regression (ridge {ridge:g}, every intent and every template of it weighing the same); a prototype for each
  template, and σ_k, {sigma_low:.2f} to {sigma_high:.2f}, by maximum likelihood. Temperature and threshold of each head from
  {folds}-fold cross-fitting with whole templates held out, of those that the encoder was not tuned on. P_train(k) is uniform and stored.
- **Out of scope**: log-odds in nats over {features}; the threshold takes in {accepted:.0%} of the held-out commands.
- **Enrolment**: an intent that a domain adds is understood through its prototypes alone. How their kernel competes with what was learnt
  (slope {slope:.2f}, offset {offset:.2f}) was fitted by leaving out each intent, enrolled from {shots} of its templates, {draws} draws
  each; the threshold of their own score takes in {enrolled:.0%} of their sentences. The encoder was tuned on these intents: how it does
  on intents that nothing was tuned on is in the benchmark (`sayso bench intents`).
- **Size**: W ({count}, {dim}), b ({count},): {parameters:,} parameters, and {prototypes} prototypes of {dim} numbers in half precision.
- **NDCG** below compares the ranking of the intents by probability with that by inverse distance to their nearest prototypes: how far a
  head agrees with the geometry of its examples.

| measured on | measure | value |
|---|---|---|
{rows}

The classifier weighs these probabilities with the roles that each intent would leave empty, and reports the product; the rows on
hand-written sentences are of the whole stage. English only. It has been measured on text, less on what recognisers make of it.
Sentences about the past or about others that hold a whole command are its commonest mistake.
"""


def intent_card(head: IntentHead, background: int, measures: Mapping[str, Mapping[str, float]]) -> str:
    """The text of models/intents.md.

    Args:
        head: what was learnt.
        background: how many sentences of CLINC150 it was learnt with.
        measures: measured on → measure → value.
    """
    clinc = f", and {background} of CLINC150's training part (CC BY 3.0, Larson et al. 2019)" if background else ""
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
