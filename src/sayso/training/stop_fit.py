"""Fitting the spotter of "stop": its clips, made once and kept, and gradient descent with checkpoints for an interrupted run."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn.functional import binary_cross_entropy_with_logits

from sayso.speech.stop_spotter import STRIDE
from sayso.training.checkpoint import Checkpoint, warm_cosine
from sayso.training.stop_clips import Bank, clips, targets
from sayso.training.stop_config import StopConfig
from sayso.training.stop_network import StopNetwork
from sayso.training.stop_sounds import Report

CHECKPOINT_EVERY = 200  # steps
_LATER = 12  # decisions of a clip's beginning that may be left out, so that it begins anywhere
_COLOUR = 0.25  # spread of a microphone's colour, in units of the features: about 4 dB
_WIDEST = 8  # bands that may be silenced
_MISSED = 3.0  # how much more a decision to fire weighs in the loss: there are few of them


def clips_once(made_of: Bank, config: StopConfig, folder: Path, report: Report) -> tuple[NDArray[np.float16], NDArray[np.float32]]:
    """(clips, frames, BANDS) features and (clips, 2) s; from the folder where they were made of these sounds before."""
    digest = hashlib.sha256(config.model_dump_json(include={"seed", "clips", "seconds"}).encode())
    for kind in made_of.sounds.values():
        for each in kind:
            digest.update(each.samples.tobytes())
    path = folder / f"clips-{digest.hexdigest()[:12]}.npz"
    if not path.exists():
        features, ends = [], []
        for done, (frames, stops) in enumerate(clips(made_of, config.clips, config.seconds, config.seed), 1):
            features.append(frames.astype(np.float16))
            ends.append(stops)
            report(done, config.clips)
        partial = path.with_suffix(".partial.npz")
        np.savez(partial, features=np.stack(features), ends=np.array(ends, np.float32))
        partial.replace(path)
    with np.load(path) as held:
        return held["features"], held["ends"]


def fit(
    network: StopNetwork,
    features: NDArray[np.float16],
    ends: NDArray[np.float32],
    config: StopConfig,
    folder: Path,
    report: Callable[[int, float], None],
) -> None:
    """Train the network in place; goes on from a checkpoint of the folder that began alike, with these clips and numbers.

    `report` is told the step and the loss, nats a decision, each step.
    """
    path = folder / f"{_key(network, features, config)}.pt"
    optimiser = torch.optim.AdamW(network.parameters(), lr=config.learning_rate, weight_decay=0.01)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimiser, lambda step: warm_cosine(step, config.steps, config.warm_up))
    checkpoint = Checkpoint(path, CHECKPOINT_EVERY, network=network, optimiser=optimiser, schedule=schedule)
    first = checkpoint.resume()
    network.train()
    fire, weight = (torch.from_numpy(each) for each in targets(ends, features.shape[1] // STRIDE))
    for step in range(first, config.steps):
        chance = np.random.default_rng((config.seed, step))  # an interrupted run draws what it would have drawn
        chosen = chance.choice(len(features), min(config.batch, len(features)), replace=False)
        later = int(chance.integers(_LATER))
        frames = torch.from_numpy(features[chosen, STRIDE * later :].astype(np.float32)) + _colours(len(chosen), chance)
        logits = network(_masked(frames, chance))[0]
        wanted, counts = fire[chosen, :, later:], weight[chosen, :, later:]
        counts = counts * (1.0 + (_MISSED - 1.0) * wanted)
        loss = binary_cross_entropy_with_logits(logits, wanted, counts, reduction="sum") / counts.sum()
        optimiser.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimiser.step()
        schedule.step()
        report(step + 1, loss.item())
        checkpoint.keep(step + 1, config.steps)
    network.eval()


def _colours(number: int, chance: np.random.Generator) -> Tensor:
    """(number, 1, BANDS): what another microphone would add, smooth over the bands."""
    knots = chance.normal(0.0, _COLOUR, (number, 6))
    places = np.linspace(0, 5, 40)
    left = np.minimum(places.astype(int), 4)
    share = places - left
    return torch.from_numpy((knots[:, left] * (1 - share) + knots[:, left + 1] * share).astype(np.float32))[:, None]


def _masked(frames: Tensor, chance: np.random.Generator) -> Tensor:
    """Some neighbouring bands silenced, others in each clip (SpecAugment, Park et al. 2019): no voice is to be known by a few of them."""
    bands = torch.arange(frames.shape[2])
    first = torch.from_numpy(chance.integers(0, frames.shape[2], len(frames)))[:, None]
    width = torch.from_numpy(chance.integers(0, _WIDEST, len(frames)))[:, None]
    return frames * ~((bands >= first) & (bands < first + width))[:, None]


def _key(network: StopNetwork, features: NDArray[np.float16], config: StopConfig) -> str:
    digest = hashlib.sha256(config.model_dump_json(exclude={"false_stops_per_hour"}).encode())
    for weight in network.state_dict().values():
        digest.update(weight.numpy().tobytes())
    digest.update(features[:: max(len(features) // 50, 1)].tobytes())
    return digest.hexdigest()[:12]
