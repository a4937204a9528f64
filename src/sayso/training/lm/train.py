"""`sayso train lm`: the command language model, its weight against the recogniser, its manifest entry and its card."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from datetime import datetime, timezone
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

from sayso.domain import load_domain
from sayso.errors import AbsentProgramError, SaysoError
from sayso.intent import IntentClassifier
from sayso.intent.command_lm import MODEL, CommandLanguageModel, Pieces, perplexity
from sayso.intent.hypotheses import Hypotheses
from sayso.intent.plain import PlainText
from sayso.models import record_model
from sayso.paths import models_dir, work_dir
from sayso.training.lm.card import Findings, card
from sayso.training.lm.export import export
from sayso.training.lm.fit import fit
from sayso.training.lm.network import CommandNetwork
from sayso.training.lm.ngram import NGram
from sayso.training.lm.speech import WAREHOUSE, SpokenCommand, development, recognised
from sayso.training.lm.speech import held_out as spoken_held_out
from sayso.training.lm.text import Text, as_heard_right, encoded, gather, held_out, load_config, sub_vocabulary
from sayso.training.lm.weights import Fitted, LogP, fit_weights, measured
from sayso.training.speech.voices import HELD_OUT_VOICES, TUNING_VOICES
from sayso.types import FloatArray
from sayso.yaml_source import read_plain

ORDERS = {"bigram": 2, "trigram": 3, "5-gram": 5}
SPOKEN = (240, 160)  # sentences of each kind for fitting and for evaluation
SOURCE = "trained on commands of the example domains, GPSRCmdGen, tagE, ALFRED, HWU64, SNIPS and CLINC150; see command_lm.md"
COMMAND = "sayso train lm"


def train_lm(config_path: Path | None = None, threads: int = 2, evaluate: Path | None = None) -> None:
    """Train and write models/command_lm.onnx and models/command_lm.md; an interrupted run continues.

    Args:
        config_path: default: the lm.yaml beside this module.
        threads: of torch.
        evaluate: further sentences for evaluation, a file like tests/data/commands.yaml.

    Raises:
        SaysoError: the configuration, a data set or a synthesiser is missing.
    """
    for program in ("flite", "espeak-ng"):
        if shutil.which(program) is None:
            raise AbsentProgramError(
                f"{program} is not installed, but the model's weight is fitted on speech: run `apt install flite espeak-ng`"
            )
    config, hand_written = load_config(config_path), _commands(evaluate) if evaluate is not None else ()
    torch.set_num_threads(threads)
    torch.manual_seed(config.seed)
    folder = work_dir() / "build" / "lm"
    path = folder / MODEL  # copied to models/ at the end, which stays usable until then
    what, said = TextColumn("{task.description}"), TextColumn("{task.fields[said]}")
    with Progress(what, BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(), said, console=Console(stderr=True)) as progress:
        reading = progress.add_task("reading the text", total=None, said="")
        text = gather(config)
        vocabulary = sub_vocabulary(text.learnt, config.vocabulary)
        pieces = Pieces(vocabulary)
        learnt = encoded(text.learnt, pieces)
        progress.update(reading, total=len(learnt), completed=len(learnt), said="sentences")
        network = CommandNetwork(len(vocabulary), config.dim, config.layers, config.heads, config.dropout)
        last = encoded(text.finishing(config.finish.sources), pieces)
        for doing, texts, numbers in (("training on all sentences", learnt, config), ("training on commands", last, config.finishing)):
            bar = progress.add_task(doing, total=numbers.steps, said="")
            fit(network, texts, numbers, folder, partial(_show, progress, bar))
            progress.update(bar, completed=numbers.steps)
        export(network, vocabulary, 0.0, 0.0, path)
        models = {name: _log_p(NGram(learnt, order, len(vocabulary)), pieces) for name, order in ORDERS.items()}
        models["transformer"] = CommandLanguageModel(path)
        spoken = recognised(development(SPOKEN[0]), TUNING_VOICES, 1, folder / "development.jsonl", progress)
        plain = PlainText(load_domain())
        fitted = {name: fit_weights(spoken, log_p, plain) for name, log_p in models.items()}
        export(network, vocabulary, *fitted["transformer"][:2], path)
        spoken = recognised(spoken_held_out(SPOKEN[1], hand_written), HELD_OUT_VOICES, 2, folder / "held-out.jsonl", progress)
        findings = Findings(_perplexities(models, pieces, text, hand_written), fitted, _understood(models, fitted, spoken))
    parameters = sum(weight.numel() for weight in network.parameters())
    written = card(
        config,
        {name: len(texts) for name, texts in text.by_source.items()},
        parameters,
        path.stat().st_size,
        findings,
        datetime.now(timezone.utc).date(),
    )
    shutil.copyfile(path, models_dir() / MODEL)
    (models_dir() / MODEL).with_suffix(".md").write_text(written, encoding="utf-8")
    record_model(MODEL, licence="Apache-2.0", source=SOURCE, command=COMMAND)
    Console().print(written, markup=False)


def _show(progress: Progress, bar: TaskID, step: int, loss: float) -> None:
    progress.update(bar, completed=step, said=f"loss {loss:.2f}")


def _commands(file: Path) -> tuple[str, ...]:
    """The commands of all parts of a file like tests/data/commands.yaml."""
    try:
        parts: Any = read_plain(file)
        return tuple(str(text) for part in parts.values() for text in part["commands"])
    except (AttributeError, KeyError, TypeError) as unreadable:
        raise SaysoError(f"{file}: no commands can be read ({type(unreadable).__name__}: {unreadable})") from None


def _log_p(model: NGram, pieces: Pieces) -> LogP:
    return lambda texts: model.log_p(encoded(texts, pieces))


def _perplexities(models: dict[str, LogP], pieces: Pieces, text: Text, hand_written: Sequence[str]) -> dict[str, dict[str, float]]:
    """Test set → model → perplexity of a piece, with the numbers of sentences and pieces."""
    parts: dict[str, Sequence[str]] = {**held_out(), "text held back": text.held_back}
    if hand_written:
        parts["hand-written commands"] = [as_heard_right(each) for each in hand_written]
    table = {}
    for name, texts in parts.items():
        count = sum(len(row) - 1 for row in encoded(texts, pieces))
        perplexities = {model: perplexity(_in_parts(log_p, texts), count) for model, log_p in models.items()}
        table[name] = {"sentences": len(texts), "pieces": count, **perplexities}
    return table


def _in_parts(log_p: LogP, texts: Sequence[str]) -> FloatArray:
    return np.concatenate([log_p(texts[at : at + 64]) for at in range(0, len(texts), 64)])


def _understood(models: dict[str, LogP], fitted: dict[str, Fitted], spoken: list[SpokenCommand]) -> dict[str, dict[str, dict[str, float]]]:
    """Part → model ("none" is the recogniser alone) → measure → value."""
    table: dict[str, dict[str, dict[str, float]]] = {}
    for domain_file in (None, WAREHOUSE):
        domain = load_domain(domain_file)
        classify, plain = IntentClassifier(domain, lm_weight=0.0), PlainText(domain)
        weighers = {name: Hypotheses(log_p, plain, *fitted[name][:2]) for name, log_p in models.items()}
        for part in dict.fromkeys(each.part for each in spoken if (each.part == "warehouse") == (domain_file is not None)):
            group = [each for each in spoken if each.part == part]
            table[part] = {name: measured(group, weigh, classify) for name, weigh in {"none": None, **weighers}.items()}
    return table
