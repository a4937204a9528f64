"""`sayso train intents`: the head of the intent classifier, its manifest entry and its card."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.progress import Progress

from sayso.domain import load_domain
from sayso.encoder import SentenceEncoder
from sayso.intent.calibration import HeldOut
from sayso.intent.fitting import Fitted
from sayso.intent.geometry import ndcg, relevance
from sayso.intent.head import KINDS, IntentHead
from sayso.intent.learning import learn
from sayso.intent.linear_head import softmax
from sayso.intent.scope import out_of_scope
from sayso.intent.store import SHIPPED, cached
from sayso.models import model_path, record_model
from sayso.paths import models_dir
from sayso.training.intents.background import FAR, background_texts
from sayso.training.intents.card import intent_card
from sayso.training.intents.enrolment import enrolment_measures, fitted_enrolling, leave_outs
from sayso.training.intents.laplace import doubt_measures
from sayso.training.scores import auroc, expected_calibration_error
from sayso.types import FloatArray

DEVELOPMENT = ("benchmarks/meaning/development.yaml", "tests/data/commands.yaml")  # hand-written sentences of a checkout


def train_intents(domain_file: Path | None, evaluate: Path | None) -> None:
    """Train the head; the default home's goes to models/, another domain's to the user's cache."""
    console = Console(stderr=True)
    domain = load_domain(domain_file)
    encode = SentenceEncoder()
    with Progress(console=console, transient=True) as bar:
        task = bar.add_task("training", total=1.0)
        texts = background_texts()
        background = encode(texts) if texts else np.zeros((0, len(encode(["stop"])[0])), np.float32)
        head, parts = learn(domain, encode, background, lambda what, share: bar.update(task, description=what, completed=share))
        bar.update(task, description="enrolling each intent from five examples")
        left_out = leave_outs(parts)
        head = replace(head, enrolling=fitted_enrolling(parts, left_out))
    path = _destination(domain_file, encode)
    head.save(path)
    if domain_file is None:
        source = "examples of config/intents.yaml" + (
            f"; CLINC150 oos_train and {len(FAR)} far intents (CC BY 3.0), HWU64 (CC BY 4.0)" if texts else ""
        )
        record_model(SHIPPED, licence="Apache-2.0", source=source, command="sayso train intents")
    size = f"{len(head.intents)} intents, {len(head.kernel.prototypes)} templates, {len(texts)} background sentences"
    console.print(f"{path}: {size}", highlight=False)
    measured = {f"held-out templates, {kind} head": held_out_measures(parts.held_out[kind], head.scales[kind]) for kind in KINDS}
    measured |= {"geometry, " + kind + " head": {"ndcg": agreement(head.reading(kind), parts)} for kind in KINDS}
    measured["linear head, Laplace posterior"] = doubt_measures(parts)
    measured["each intent left out in turn"] = enrolment_measures(parts, head.enrolling, left_out) if head.enrolling else {}
    for part, values in measured.items():
        console.print(f"{part}: " + ", ".join(f"{name} {value:.3f}" for name, value in values.items()), highlight=False)
    if evaluate is not None:
        from sayso.training.intents.evaluation import evaluated

        for kind in KINDS:
            measured |= {f"{evaluate.name}, {part}, {kind} head": values for part, values in evaluated(domain, evaluate, kind).items()}
        console.print_json(json.dumps(measured))
    if domain_file is None:
        lasting = {part: {name: value for name, value in values.items() if not name.startswith("ms ")} for part, values in measured.items()}
        (models_dir() / "intents.md").write_text(intent_card(head, len(texts), lasting), encoding="utf-8")


def _destination(domain_file: Path | None, encode: SentenceEncoder) -> Path:
    if domain_file is None:
        return models_dir() / SHIPPED
    path = cached(load_domain(domain_file), encode, IntentHead.load(model_path(SHIPPED)).around.chatter)
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


def held_out_measures(held_out: HeldOut, scale: FloatArray) -> dict[str, float]:
    """Accuracy, expected calibration error (15 bins) and out-of-scope AUROC on held-out templates."""
    p = softmax(held_out.logits)
    right = p.argmax(1) == held_out.labels
    weights = held_out.weights / held_out.weights.sum()
    inside, outside = out_of_scope(held_out.features, scale), out_of_scope(held_out.outside_features, scale)
    return {
        "accuracy": float(weights @ right),
        "ece": expected_calibration_error(p.max(1), right, weights),
        "auroc": auroc(-inside, -outside),
        "chatter accepted": float((outside <= 0).mean()) if len(outside) else float("nan"),
    }


def agreement(head: IntentHead, parts: Fitted) -> float:
    """NDCG between the ranking by probability and by inverse distance to each intent's nearest prototype (equation 12)."""
    distance = np.sqrt(parts.readings.nearest.min(2))
    logits, _ = parts.readings.calibrated(head.kind, 1.0, head.kernel.precision)
    return ndcg(relevance(distance), softmax(logits))
