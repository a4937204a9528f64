"""Training of the grounding network: gradient descent with checkpoints for interrupted runs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import binary_cross_entropy_with_logits, smooth_l1_loss

from sayso.grounding.words import COLOR
from sayso.nn import head_similarity
from sayso.training.checkpoint import Checkpoint
from sayso.training.grounder.batches import Batch, Batches
from sayso.training.grounder.config import GrounderConfig, TrainingStage
from sayso.training.grounder.network import GroundingNetwork, attention_and_null
from sayso.training.grounder.proposals import proposals
from sayso.training.grounder.units import UnitWords
from sayso.training.precision import bfloat16_where_fast

CHECKPOINT_EVERY = 500  # steps
DENSE = 64  # units that every patch is asked about in a step
PROPOSED = 3  # one in so many pairs is also judged on a region that the network proposes
BACKGROUND = 0.1  # weight of the background's patches, which are twenty times as many
Report = Callable[[int, dict[str, float]], None]


def fit(network: GroundingNetwork, batches: Batches, words: UnitWords, config: GrounderConfig, checkpoint: Path, report: Report) -> None:
    """Train the network in place; continues from the checkpoint if there is one.

    Args:
        network: with its initial weights.
        batches: source of the examples.
        words: word vectors of the units.
        config: steps, learning rate, weight of the heads' diversity.
        checkpoint: file with network, optimiser and step.
        report: called with the step and the losses after each step.
    """
    network.to(memory_format=torch.channels_last).train()
    table = torch.from_numpy(batches.fits)
    begun = 0
    for number, stage in enumerate(config.stages):
        optimiser = torch.optim.AdamW(network.parameters(), lr=stage.learning_rate, weight_decay=0.02)
        schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, stage.learning_rate, total_steps=stage.steps + 1, pct_start=0.05)
        file = checkpoint.with_stem(f"{checkpoint.stem}-{number}")
        kept = Checkpoint(file, CHECKPOINT_EVERY, network=network, optimiser=optimiser, schedule=schedule)
        for done in range(kept.resume(), stage.steps):
            # Seeded by the step, so a resumed run draws the same.
            rng = np.random.default_rng((config.seed, begun + done))
            torch.manual_seed(config.seed * 1_000_003 + begun + done)
            loss, parts = losses(network, batches.draw(rng, stage.whole), words.draw(rng), table, stage)
            optimiser.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(network.parameters(), 1.0)
            optimiser.step()
            schedule.step()
            report(begun + done + 1, parts)
            kept.keep(done + 1, stage.steps)
        begun += stage.steps
    network.eval()


def losses(
    network: GroundingNetwork, batch: Batch, words: tuple[Tensor, Tensor], table: Tensor, stage: TrainingStage
) -> tuple[Tensor, dict[str, float]]:
    """The loss and its parts: misread patches, wrong verdicts on regions, attention off the thing, similar heads, wrong middles.

    The verdicts on proposals are judged in a stage that has them.

    Args:
        network: to train.
        batch: B windows.
        words: (U, T, 388) word vectors and colours of all units, and (U, T) which of them there are.
        table: (looks, U) what fits what; NaN where nobody knows.
        stage: weight of the heads' similarity; whether the network's own proposals are judged.
    """
    with bfloat16_where_fast():
        V = network.patches(batch.pictures, batch.depth, batch.focal)
    V = V.float()
    L = network.units(*words)
    some = torch.randperm(len(L))[:DENSE]
    dense = network.scores(L[some], V).mean(dim=1)  # (B, U, n)
    misread = _misread(dense, batch, table[:, some], words[0][some, 0, -COLOR] > 0.5)
    asked = L[batch.units]  # (B, P, d)
    scores = network.scores(asked, V)  # (B, h, P, n)
    verdicts = network.judge(asked, V, scores, batch.regions)
    known = batch.fits.isfinite()
    wrong = binary_cross_entropy_with_logits(verdicts[known], batch.fits[known])
    pointing, alike = _pointing(scores, batch, table)
    on_it = batch.coverage.sum(dim=1) > 0.3
    middles = smooth_l1_loss(network.middle(V)[on_it], batch.middles[on_it]) if on_it.any() else V.sum() * 0.0
    loss = 2.0 * misread + wrong + 0.1 * pointing + stage.diversity * alike + 0.1 * middles
    parts = {"misread": misread, "verdicts": wrong, "pointing": pointing, "heads alike": alike, "middles": middles}
    if stage.proposals:
        some = slice(0, None, PROPOSED)  # of the pairs
        regions, fits = proposals(scores[:, :, some].detach(), batch, batch.units[:, some], table)
        colors = words[0][batch.units[:, some], 0, -COLOR] > 0.5
        known = fits.isfinite() & ~(batch.gray[:, None] & colors)
        on_proposals = network.judge(asked[:, some], V, scores[:, :, some], regions)
        parts["proposals"] = binary_cross_entropy_with_logits(on_proposals[known], fits[known])
        loss = loss + parts["proposals"]
    return loss, {name: float(part.detach()) for name, part in parts.items()}


def _misread(dense: Tensor, batch: Batch, table: Tensor, colors: Tensor) -> Tensor:
    """Whether each patch shows what each unit means. The background fits no noun; its colours are not known."""
    there = (batch.looks >= 0).to(dense.dtype)
    fits = table[batch.looks.clamp(min=0)]  # (B, K, U)
    unknown = fits.isnan()
    covered = batch.coverage * there.unsqueeze(-1)
    target = torch.einsum("bkn,bku->bun", covered, torch.nan_to_num(fits)).clamp(0.0, 1.0)
    any_thing = covered.sum(dim=1, keepdim=True).clamp(max=1.0)  # (B, 1, n)
    blank = torch.einsum("bkn,bku->bun", covered, unknown.to(dense.dtype))
    weights = torch.where(colors[None, :, None], any_thing, torch.where(any_thing > 0, 1.0, BACKGROUND)) * (1.0 - blank).clamp(min=0.0)
    weights = weights * ~(batch.gray[:, None] & colors).unsqueeze(-1)
    each = binary_cross_entropy_with_logits(dense, target, reduction="none")
    # Where a unit fits weighs more: each noun fits few of the patches that show things.
    weights = weights * (1.0 + 9.0 * target)
    return (each * weights).sum() / weights.sum()


def _pointing(scores: Tensor, batch: Batch, table: Tensor) -> tuple[Tensor, Tensor]:
    """How little of the attention over whole windows is on what fits, or on the null slot if nothing does; and the heads' similarity."""
    whole = (batch.regions.mean(dim=-1) == 1.0) & batch.fits.isfinite()  # (B, P)
    if not whole.any():
        return scores.sum() * 0.0, scores.sum() * 0.0
    fits = torch.nan_to_num(table[batch.looks.clamp(min=0)]) * (batch.looks >= 0).unsqueeze(-1)  # (B, K, U)
    asked = fits.gather(2, batch.units.unsqueeze(1).expand(-1, fits.shape[1], -1))  # (B, K, P)
    target = torch.einsum("bkn,bkp->bpn", batch.coverage, asked)[whole]  # (W, n)
    attention, null = attention_and_null(scores.transpose(1, 2)[whole])  # (W, h, n), (W, h)
    on_it = (attention.mean(dim=1) * target.clamp(max=1.0)).sum(dim=-1)
    there = target.sum(dim=-1) > 0
    right = torch.where(there, on_it, null.mean(dim=1))
    alike = head_similarity(attention[there]).mean() if there.any() else scores.sum() * 0.0
    return -right.clamp(min=1e-6).log().mean(), alike
