"""The model card of the intent head, written anew with every training."""

from __future__ import annotations

from collections.abc import Mapping

from sayso.intent.head import FEATURES, IntentHead
from sayso.intent.learning import ACCEPTED, FOLDS, RIDGE

CARD = """# intents.safetensors

What a clause means: P(k|t) = softmax(W h + b) over {count} intents on the sentence encoder `encoder.onnx`, and how far out of scope it is.
Made by `sayso train intents`, which writes this card as well. Licence: Apache-2.0.

- **Learnt from** {templates} example templates of `config/intents.yaml`, expanded with the names of the default home and with names that
  no home need have, some politer, some without articles; {chatter} templates of sentences that are no commands{background}.
  Exact names are read as one name of their kind, so that another home's names need no retraining; other intents are learnt on first use.
- **How**: multinomial logistic regression (ridge {ridge:g}, every intent and every template of it weighing the same), temperature and
  threshold from {folds}-fold cross-fitting with whole templates held out, of those that the encoder was not tuned on.
  P_train(k) is uniform and stored.
- **Out of scope**: log-odds in nats over {features}; the threshold takes in {accepted:.0%} of the held-out commands.
- **Size**: W ({count}, {dim}), b ({count},): {parameters:,} parameters, and {prototypes} prototypes of {dim} numbers in half precision.

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
    return CARD.format(
        count=len(head.intents), dim=head.W.shape[1], templates=len(head.prototypes),
        chatter=len(head.chatter) - background, background=clinc,
        ridge=RIDGE, folds=FOLDS, features=", ".join(FEATURES), accepted=ACCEPTED, parameters=head.W.size + head.b.size,
        prototypes=len(head.prototypes) + len(head.chatter),
        rows="\n".join(f"| {part} | {name} | {_number(value)} |" for part in measures for name, value in measures[part].items()),
    )  # fmt: skip


def _number(value: float) -> str:
    return f"{value:g}" if value == round(value) else f"{value:.3f}"
