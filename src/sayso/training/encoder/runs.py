"""What both kinds of training share: a progress bar, checkpoints that continue with the heads, and a check of the loss."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from torch import nn
from transformers import PrinterCallback, Trainer, TrainerCallback

from sayso.errors import SaysoError
from sayso.training.encoder.losses import heads_of, restore_heads

CHECKPOINT_EVERY = 100  # steps
HEADS = "heads.pt"  # of the losses, in each checkpoint; written last
LOGGED_EVERY = 10  # steps


class BarCallback(TrainerCallback):
    """Shows the step and the loss, and ends the run if the loss is not finite."""

    def __init__(self, progress: Progress, title: str) -> None:
        self._progress, self._title = progress, title
        self._bar = progress.add_task(title, total=None, result="")

    def on_train_begin(self, args: Any, state: Any, control: Any, **_: Any) -> None:  # noqa: ARG002 - the trainer's signature
        """Set the number of steps."""
        self._progress.update(self._bar, total=state.max_steps, completed=state.global_step)

    def on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:  # noqa: ARG002
        """Move the bar."""
        self._progress.update(self._bar, completed=state.global_step)

    def on_log(self, args: Any, state: Any, control: Any, logs: dict[str, Any] | None = None, **_: Any) -> None:  # noqa: ARG002
        """Show the loss.

        Raises:
            SaysoError: it is infinite or NaN.
        """
        loss = float((logs or {}).get("loss", 0.0))
        if not math.isfinite(loss):
            raise SaysoError(
                f"{self._title}: the loss of step {state.global_step} is not finite; the last checkpoint has the state before it"
            )
        if "loss" in (logs or {}):
            self._progress.update(self._bar, result=f"loss {loss:.2f}")


class HeadsCallback(TrainerCallback):
    """Keeps the heads of the losses in the checkpoints, because the trainer saves only the encoder."""

    def __init__(self, losses: dict[str, nn.Module], resumed: Path | None) -> None:
        self._losses, self._resumed = losses, resumed

    def on_train_begin(self, args: Any, state: Any, control: Any, **_: Any) -> None:  # noqa: ARG002 - the trainer's signature
        """Restore the heads of the checkpoint that the run continues from."""
        if self._resumed is not None:
            restore_heads(self._losses, torch.load(self._resumed / HEADS, weights_only=True))

    def on_save(self, args: Any, state: Any, control: Any, **_: Any) -> None:  # noqa: ARG002
        """Complete a checkpoint."""
        folder = Path(args.output_dir) / f"checkpoint-{state.global_step}"
        torch.save(heads_of(self._losses), folder / "heads.partial")
        (folder / "heads.partial").replace(folder / HEADS)


def run_to_the_end(trainer: Trainer, progress: Progress, title: str, losses: dict[str, nn.Module]) -> None:
    """Train; an interrupted run continues from its last complete checkpoint.

    Raises:
        SaysoError: the loss became infinite or NaN.
    """
    folder = Path(trainer.args.output_dir)
    complete = [path.parent for path in folder.glob(f"checkpoint-*/{HEADS}")]
    resumed = max(complete, key=lambda path: int(path.name.rpartition("-")[2]), default=None)
    trainer.remove_callback(PrinterCallback)
    trainer.add_callback(BarCallback(progress, title))
    trainer.add_callback(HeadsCallback(losses, resumed))
    trainer.train(resume_from_checkpoint=str(resumed) if resumed else None)


def arguments(folder: Path, *, batch: int, learning_rate: float, warm_up: int, seed: int) -> dict[str, Any]:
    """The settings of a trainer that both kinds of training have in common."""
    return {
        "output_dir": str(folder),
        "num_train_epochs": 1,
        "per_device_train_batch_size": batch,
        "learning_rate": learning_rate,
        "warmup_steps": warm_up,
        "lr_scheduler_type": "cosine",
        "weight_decay": 0.01,
        "seed": seed,
        "use_cpu": True,
        "dataloader_pin_memory": False,
        "save_steps": CHECKPOINT_EVERY,
        "save_total_limit": 2,  # the newest may be incomplete
        "logging_steps": LOGGED_EVERY,
        "logging_nan_inf_filter": False,
        "disable_tqdm": True,
        "report_to": "none",
    }


@contextmanager
def progress_bar() -> Iterator[Progress]:
    """A progress bar on stderr; the libraries' own are switched off."""
    from datasets.utils.logging import disable_progress_bar
    from transformers.utils import logging

    disable_progress_bar()
    logging.disable_progress_bar()
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[result]}"),
    )
    with Progress(*columns, console=Console(stderr=True)) as progress:
        yield progress
