"""Fine-tuning of the sentence encoder on several tasks at once, with a head for each (multi-task learning, Liu et al. 2019)."""

from __future__ import annotations

import math
import shutil
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

import torch
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from torch import Tensor, nn
from torch.nn.functional import cross_entropy, normalize

from sayso.errors import SaysoError
from sayso.paths import work_dir
from sayso.training.checkpoint import Checkpoint, warm_cosine
from sayso.training.data.hearing import heard_words
from sayso.training.encoder.export import packaged_encoder
from sayso.training.encoder.tasks import COMMANDS, Stage, Tasks, TuningConfig, gather, load_tuning
from sayso.training.tagger.batches import as_heard_tagged, pooling, targets
from sayso.training.tagger.head import TagHead
from sayso.training.tagger.sentences import Tagged

CHECKPOINT_EVERY = 100  # steps
WARM_UP = 200  # steps


class MultiTaskModel(nn.Module):
    """The encoder with a head for each task, all on the same h."""

    def __init__(self, tasks: Tasks, config: TuningConfig) -> None:
        super().__init__()
        from transformers import AutoTokenizer, BertModel

        source = str(packaged_encoder())
        self.bert = BertModel.from_pretrained(source, add_pooling_layer=False)
        self.bert.embeddings.requires_grad_(False)
        self.tokenizer: Any = AutoTokenizer.from_pretrained(source)
        self.labels = {name: sorted(by_label) for name, by_label in tasks.sentences.items()}
        width = self.bert.config.hidden_size
        self.heads = nn.ModuleDict({name: nn.Linear(width, len(labels)) for name, labels in self.labels.items()})
        self.annotations = {name: each.annotation for name, each in tasks.tagged.items()}
        self.tag_heads = nn.ModuleDict(
            {name: TagHead(len(each.triggers), len(each.arguments), width) for name, each in self.annotations.items()}
        )
        for head in self.heads.values():
            nn.init.normal_(head.weight, std=0.3 / math.sqrt(width))
        self.scale, self.longest = config.scale, config.longest

    def embed(self, texts: list[str]) -> Tensor:
        """(B, D) embeddings of length 1: the mean over the tokens, as in the exported encoder."""
        batch = self.tokenizer(texts, padding=True, truncation=True, max_length=self.longest, return_tensors="pt")
        mask = batch["attention_mask"].unsqueeze(-1).float()
        hidden = self.bert(**batch).last_hidden_state
        return normalize((hidden * mask).sum(1) / mask.sum(1), dim=1)

    def words(self, sentences: Sequence[Sequence[str]]) -> Tensor:
        """(B, n, D) vectors of words, the mean over each word's pieces."""
        batch = self.tokenizer([list(each) for each in sentences], is_split_into_words=True, padding=True, return_tensors="pt")
        hidden = self.bert(**batch).last_hidden_state
        pool = pooling([batch.word_ids(row) for row in range(len(sentences))], max(map(len, sentences)))
        return pool @ hidden

    def forward(self, task: str, texts: list[str]) -> Tensor:
        """(B, labels of the task) logits."""
        logits: Tensor = self.heads[task](self.scale * self.embed(texts))
        return logits

    def tag_loss(self, task: str, batch: Sequence[Tagged]) -> Tensor:
        """The loss of a batch of tagged sentences."""
        head: Any = self.tag_heads[task]
        loss: Tensor = head.loss(self.words([each.words for each in batch]), **targets(batch, self.annotations[task]))
        return loss


def tune(config_path: Path | None = None, threads: int = 2) -> Path:
    """Tune the packaged encoder; an interrupted run continues. Returns a folder for `export_encoder`.

    Raises:
        SaysoError: the configuration or a data set is not usable, or the loss became infinite or NaN.
    """
    config = load_tuning(config_path)
    torch.set_num_threads(threads)
    folder = work_dir() / "build" / "encoder"
    folder.mkdir(parents=True, exist_ok=True)
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[said]}"),
    )
    before: MultiTaskModel | None = None
    with Progress(*columns, console=Console(stderr=True)) as progress:
        for number, stage in enumerate(config.stages, 1):
            torch.manual_seed(config.seed + number - 1)
            reader = MultiTaskModel(tasks := gather(config, stage), config)
            if before is not None:
                reader.bert.load_state_dict(before.bert.state_dict())
            _fit(reader, tasks, config, stage, folder / f"checkpoint_{number}.pt", progress)
            before = reader
    reader.bert.save_pretrained(folder)
    shutil.copyfile(packaged_encoder() / "tokenizer.json", folder / "tokenizer.json")
    return folder


def accuracy(reader: MultiTaskModel, tasks: Tasks) -> float:
    """Share of the held-out templates classified correctly."""
    reader.eval()
    right = 0
    with torch.no_grad():
        for at in range(0, len(tasks.held_out), 64):
            part = tasks.held_out[at : at + 64]
            best = reader(COMMANDS, [each.text for each in part]).argmax(1).tolist()
            right += sum(reader.labels[COMMANDS][index] == each.label for index, each in zip(best, part, strict=True))
    reader.train()
    return right / max(len(tasks.held_out), 1)


def _fit(reader: MultiTaskModel, tasks: Tasks, config: TuningConfig, stage: Stage, path: Path, progress: Progress) -> None:
    groups = [
        {"params": reader.bert.encoder.parameters(), "lr": config.learning_rate},
        {"params": reader.heads.parameters(), "lr": config.head_learning_rate},
        {"params": reader.tag_heads.parameters(), "lr": config.tag_learning_rate},
    ]
    optimiser = torch.optim.AdamW(groups, weight_decay=0.01)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimiser, lambda step: warm_cosine(step, stage.steps, WARM_UP))
    checkpoint = Checkpoint(path, CHECKPOINT_EVERY, reader=reader, optimiser=optimiser, schedule=schedule)
    first = checkpoint.resume()
    bar = progress.add_task("tuning the encoder", total=stage.steps, completed=first, said="")
    reader.train()
    names, shares = list(stage.shares), list(stage.shares.values())
    for step in range(first, stage.steps):
        chance = Random(f"{config.seed} {step}")  # seeded by the step, so a resumed run draws the same
        torch.manual_seed(config.seed * 1_000_003 + step)
        task = chance.choices(names, shares)[0]
        if task in tasks.tagged:
            drawn = (tasks.tagged[task].draw(chance) for _ in range(config.batch))
            loss = reader.tag_loss(task, [as_heard_tagged(each, heard_words(each.words, chance)) for each in drawn])
        else:
            texts, labels = tasks.draw(task, config.batch, config.chatter, chance)
            wanted = torch.tensor([reader.labels[task].index(label) for label in labels])
            loss = cross_entropy(reader(task, texts), wanted, label_smoothing=config.label_smoothing)
        if not torch.isfinite(loss):
            raise SaysoError(f"{path.stem}: the loss of step {step} ({task}) is not finite; {path} has the state before it")
        optimiser.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(reader.parameters(), 1.0)
        optimiser.step()
        schedule.step()
        progress.update(bar, completed=step + 1, said=f"{task}: loss {loss.item():.2f}")
        checkpoint.keep(step + 1, stage.steps)
    progress.console.print(f"held-out templates of the default home: accuracy {accuracy(reader, tasks):.3f}", highlight=False)
