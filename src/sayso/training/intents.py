"""`sayso train intents`: the head of the intent classifier, its manifest entry and its card."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.progress import Progress

from sayso.domain import load_domain
from sayso.intent.encoder import SentenceEncoder
from sayso.intent.grammar import word_set
from sayso.intent.head import IntentHead, softmax
from sayso.intent.learning import HeldOut, learn
from sayso.intent.normalise import normalise
from sayso.intent.store import SHIPPED, cached
from sayso.models import model_path, record_model
from sayso.paths import models_dir
from sayso.training.corpora import clinc150, data_folder
from sayso.training.intent_card import intent_card
from sayso.training.scores import auroc, expected_calibration_error
from sayso.types import FloatArray

# CLINC150's in-scope intents that are far from anything a robot at home is asked for.
FAR = word_set(
    "transfer balance freeze_account pay_bill bill_balance interest_rate routing min_payment order_checks pin_change "
    "report_fraud spending_history transactions apr credit_score credit_limit new_card rewards_balance card_declined "
    "damaged_card book_flight book_hotel car_rental flight_status travel_alert visa_application vaccines exchange_rate "
    "insurance payday pto_balance pto_request taxes w2 rollover_401k income direct_deposit application_status oil_change_how "
    "tire_pressure gas_type mpg jump_start nutrition_info calories recipe ingredient_substitution restaurant_reviews "
    "accept_reservations international_visa plug_type translate definition gas last_maintenance"
)
PER_FAR = 4


def train_intents(domain_file: Path | None, evaluate: Path | None) -> None:
    """Learn the head; of the default home it is the shipped one, of another domain it goes to the user's cache."""
    console = Console(stderr=True)
    domain = load_domain(domain_file)
    encode = SentenceEncoder()
    with Progress(console=console, transient=True) as bar:
        task = bar.add_task("learning", total=1.0)
        texts = background_texts()
        background = encode(texts) if texts else np.zeros((0, len(encode(["stop"])[0])), np.float32)
        head, held_out = learn(domain, encode, background, lambda what, share: bar.update(task, description=what, completed=share))
    path = _destination(domain_file)
    head.save(path)
    if domain_file is None:
        source = "examples of config/intents.yaml" + (f"; CLINC150 oos_train and {len(FAR)} far intents (CC BY 3.0)" if texts else "")
        record_model(SHIPPED, licence="Apache-2.0", source=source, command="sayso train intents")
    measures = held_out_measures(held_out, head.scale)
    size = f"{len(head.intents)} intents, {len(head.prototypes)} templates, {len(texts)} background sentences"
    console.print(f"{path}: {size}", highlight=False)
    console.print("on held-out templates: " + ", ".join(f"{name} {value:.3f}" for name, value in measures.items()), highlight=False)
    parts: dict[str, dict[str, float]] = {"held-out templates": measures}
    if evaluate is not None:
        from sayso.training.intent_evaluation import evaluated

        parts |= {f"{evaluate.name}, {part}": values for part, values in evaluated(domain, evaluate).items()}
        console.print_json(json.dumps(parts))
    if domain_file is None:
        lasting = {part: {name: value for name, value in values.items() if not name.startswith("ms ")} for part, values in parts.items()}
        (models_dir() / "intents.md").write_text(intent_card(head, len(texts), lasting), encoding="utf-8")


def _destination(domain_file: Path | None) -> Path:
    if domain_file is None:
        return models_dir() / SHIPPED
    path = cached(load_domain(domain_file), IntentHead.load(model_path(SHIPPED)).chatter)
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


def background_texts() -> list[str]:
    """Sentences of CLINC150's training part that are no commands for a robot; none where the data are not there."""
    if not (data_folder() / "clinc150").is_dir():
        Console(stderr=True).print(f"no {data_folder() / 'clinc150'}: learning from the domain's own chatter only", highlight=False)
        return []
    texts = [each.text for each in clinc150("oos_train")]
    left = dict.fromkeys(FAR, PER_FAR)
    for each in clinc150("train"):
        if left.get(each.label, 0):
            left[each.label] -= 1
            texts.append(each.text)
    return [normalise(text).replace(",", "") for text in texts]


def held_out_measures(held_out: HeldOut, scale: FloatArray) -> dict[str, float]:
    """Accuracy, expected calibration error (15 bins) and AUROC of out of scope on templates that were not learnt from."""
    p = softmax(held_out.logits)
    right = p.argmax(1) == held_out.labels
    weights = held_out.weights / held_out.weights.sum()
    inside, outside = held_out.features @ scale[:-1], held_out.outside_features @ scale[:-1]
    return {
        "accuracy": float(weights @ right),
        "ece": expected_calibration_error(p.max(1), right, weights),
        "auroc": auroc(inside, outside),
        "chatter accepted": float((outside + scale[-1] > 0).mean()) if len(outside) else float("nan"),
    }
