"""Fine-tuning of a sentence-transformers model on several tasks at once, by its own trainer and a loss for each task."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import numpy as np
import torch
from datasets import DatasetDict
from rich.progress import Progress
from sentence_transformers import SentenceTransformer, SentenceTransformerTrainer, SentenceTransformerTrainingArguments
from sentence_transformers.sentence_transformer.losses import BatchAllTripletLoss, BatchHardTripletLossDistanceFunction
from sentence_transformers.sentence_transformer.training_args import MultiDatasetBatchSamplers
from sentence_transformers.util import semantic_search
from torch import nn

from sayso.paths import work_dir
from sayso.training.encoder.batches import Drawn, draw
from sayso.training.encoder.hub import load_encoder
from sayso.training.encoder.losses import LabelLoss, TagLoss
from sayso.training.encoder.runs import arguments, progress_bar, run_to_the_end
from sayso.training.encoder.tasks import COMMANDS, Tasks, TuningConfig, gather, load_tuning

TUNED = "tuned"  # subfolder of the finished model


class TuningTrainer(SentenceTransformerTrainer):
    """sentence-transformers' trainer without its model card, whose examples take half a minute."""

    def add_model_card_callback(self, default_args_dict: dict[str, Any]) -> None:
        """Add none."""


def tune(given: Path | None = None, config_path: Path | None = None, threads: int = 2) -> Path:
    """Tune an encoder; an interrupted run continues. Returns the folder of a sentence-transformers model, for `export_encoder`.

    Args:
        given: a folder or a name on the hub; default: all-MiniLM-L6-v2.
        config_path: the configuration; default: tuning.yaml.
        threads: processor cores to use.

    Raises:
        SaysoError: the encoder, the configuration or a data set is not usable, or the loss became infinite or NaN.
    """
    config = load_tuning(config_path)
    torch.set_num_threads(threads)
    model = load_encoder(given)
    # Other settings or another encoder: another run, which does not continue from these checkpoints.
    mark = hashlib.sha256(f"{given} {config.model_dump_json()}".encode()).hexdigest()[:8]
    folder = work_dir() / "build" / "encoder" / mark
    with progress_bar() as progress:
        stages = [gather(config, stage) for stage in config.stages]
        if config.masking.steps:
            from sayso.training.encoder.masked import pretrain

            pretrain(model, texts_of(stages[0]), config, folder / "masked", progress)
        for number, (stage, tasks) in enumerate(zip(config.stages, stages, strict=True), 1):
            fit(model, draw(tasks, stage, config), config, folder / f"stage_{number}", progress)
        said = f"held-out templates of the default home: {nearest_right(model, stages[0]):.3f} have the intent of their nearest example"
        progress.console.print(said, highlight=False)
    model.save_pretrained(str(folder / TUNED), create_model_card=False)
    return folder / TUNED


def fit(model: SentenceTransformer, drawn: dict[str, Drawn], config: TuningConfig, folder: Path, progress: Progress) -> None:
    """Train the model in place on the tasks of a stage; only the table of word pieces stays as it is.

    Raises:
        SaysoError: the loss became infinite or NaN.
    """
    torch.manual_seed(config.seed)
    longest, model.max_seq_length = model.max_seq_length, config.longest
    model[0].auto_model.get_input_embeddings().requires_grad_(False)
    losses = {name: loss_of(model, each, config) for name, each in drawn.items()}
    names = [name for loss in losses.values() for name, _ in loss.named_parameters()]
    rates = {"head": config.head_learning_rate, "tags": config.tag_learning_rate}
    settings = arguments(folder, batch=config.batch, learning_rate=config.learning_rate, warm_up=config.warm_up, seed=config.seed)
    model.model_card_data.local_files_only = True  # the card of each checkpoint would ask the hub about the model
    trainer = TuningTrainer(
        model=model,
        args=SentenceTransformerTrainingArguments(
            **settings,
            multi_dataset_batch_sampler=MultiDatasetBatchSamplers.PROPORTIONAL,
            learning_rate_mapping={rf"^[^.]+\.{part}\.": rate for part, rate in rates.items() if any(n.startswith(part) for n in names)},
        ),
        train_dataset=DatasetDict({name: each.sentences for name, each in drawn.items()}),
        loss=losses,
    )
    run_to_the_end(trainer, progress, "tuning the encoder", losses)
    model.max_seq_length = longest
    model.eval()


def loss_of(model: SentenceTransformer, drawn: Drawn, config: TuningConfig) -> nn.Module:
    """The loss of a task: on tagged words, or on whole sentences as `config.loss` says."""
    if drawn.annotation is not None:
        return TagLoss(model, drawn.tagged, drawn.annotation)
    if config.loss == "triplet":
        cosine = BatchHardTripletLossDistanceFunction.cosine_distance
        triplets: nn.Module = BatchAllTripletLoss(model, distance_metric=cosine, margin=config.margin)
        return triplets
    return LabelLoss(model, len(drawn.labels), config.scale, config.label_smoothing)


def texts_of(tasks: Tasks) -> list[str]:
    """All sentences of the tasks, in a fixed order."""
    return [text for by_label in tasks.sentences.values() for texts in by_label.values() for text in texts]


def nearest_right(model: SentenceTransformer, tasks: Tasks) -> float:
    """Share of the held-out templates whose nearest training sentence has their intent."""
    known = list({(text, label): None for label, texts in tasks.sentences[COMMANDS].items() for text in texts})
    corpus: Any = model.encode([text for text, _ in known], convert_to_tensor=True, show_progress_bar=False)
    queries: Any = model.encode([each.text for each in tasks.held_out], convert_to_tensor=True, show_progress_bar=False)
    found = semantic_search(queries, corpus, top_k=1)
    right = [known[hits[0]["corpus_id"]][1] == each.label for hits, each in zip(found, tasks.held_out, strict=True)]
    return float(np.mean(right)) if right else float("nan")
