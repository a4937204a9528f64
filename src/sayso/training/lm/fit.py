"""Training of the command language model: gradient descent with checkpoints for interrupted runs."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from sayso.training.checkpoint import Checkpoint, warm_cosine
from sayso.training.lm.network import CommandNetwork
from sayso.training.lm.text import LanguageModelConfig

CHECKPOINT_EVERY = 200  # steps
PADDING = -100  # a target without loss
NEIGHBOURHOOD = 50  # batches whose sentences are sorted by length together
Report = Callable[[int, float], None]


def fit(network: CommandNetwork, texts: Sequence[list[int]], config: LanguageModelConfig, folder: Path, report: Report) -> None:
    """Train the network in place on encoded texts; continues from a checkpoint in the folder with the same start, texts and numbers.

    `report` is called after each step with the step and the loss in nats a piece.
    """
    path = folder / f"{_key(network, texts, config)}.pt"
    optimiser = torch.optim.AdamW(network.parameters(), lr=config.learning_rate, betas=(0.9, 0.98), weight_decay=0.01)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimiser, lambda step: warm_cosine(step, config.steps, config.warm_up))
    checkpoint = Checkpoint(path, CHECKPOINT_EVERY, network=network, optimiser=optimiser, schedule=schedule)
    first = checkpoint.resume()
    network.train()
    a_round = max(len(texts) // config.batch, 1)
    order: list[list[int]] = []
    for step in range(first, config.steps):
        if not order or step % a_round == 0:
            order = _order(texts, config, step // a_round)
        torch.manual_seed(config.seed * 1_000_003 + step)  # seeded by the step, so a resumed run draws the same
        ids, targets = padded([texts[at] for at in order[step % a_round]])
        loss = cross_entropy(network.logits(network.hidden(ids)).flatten(0, 1), targets.flatten(), ignore_index=PADDING)
        optimiser.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimiser.step()
        schedule.step()
        report(step + 1, loss.item())
        checkpoint.keep(step + 1, config.steps)
    network.eval()


def padded(rows: Sequence[list[int]]) -> tuple[Tensor, Tensor]:
    """(B, n) inputs and (B, n) next pieces, PADDING after the end."""
    longest = max(map(len, rows)) - 1
    ids, targets = torch.zeros(len(rows), longest, dtype=torch.int64), torch.full((len(rows), longest), PADDING)
    for at, row in enumerate(rows):
        ids[at, : len(row) - 1] = torch.tensor(row[:-1])
        targets[at, : len(row) - 1] = torch.tensor(row[1:])
    return ids, targets


def _order(texts: Sequence[list[int]], config: LanguageModelConfig, turn: int) -> list[list[int]]:
    """Batches of similar length, in a random order that depends only on the seed and the number of the round."""
    chance = Random(f"{config.seed} {turn}")
    drawn = chance.sample(range(len(texts)), len(texts))
    width = config.batch * NEIGHBOURHOOD
    near = [sorted(drawn[at : at + width], key=lambda index: len(texts[index])) for at in range(0, len(drawn), width)]
    batches = [part[at : at + config.batch] for part in near for at in range(0, len(part), config.batch)]
    chance.shuffle(batches)
    return batches


def _key(network: CommandNetwork, texts: Sequence[list[int]], config: LanguageModelConfig) -> str:
    digest = hashlib.sha256(config.model_dump_json(exclude={"finish", "sources"}).encode())
    for weight in network.state_dict().values():
        digest.update(weight.numpy().tobytes())
    for row in texts:
        digest.update(str(row).encode())
    return digest.hexdigest()[:12]
