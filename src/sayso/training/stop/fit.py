"""Training of the stop spotter: cached clips, and gradient descent with checkpoints for interrupted runs."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn.functional import binary_cross_entropy_with_logits

from sayso.speech.stopping.features import BANDS, SCALE
from sayso.speech.stopping.spotter import STRIDE
from sayso.training.checkpoint import descend
from sayso.training.stop.clips import NEVER, Bank, clips, frames_in, targets
from sayso.training.stop.config import Member, StopConfig
from sayso.training.stop.network import StopNetwork
from sayso.training.stop.sounds import Report

CHECKPOINT_EVERY = 200  # steps
_LATER = 12  # decisions by which a clip's beginning is randomly cut
_MANY = 1000  # from this number of steps, compiling the network (a minute) saves time
_COLOUR = 0.25  # standard deviation of a microphone's frequency response, in units of the features: about 4 dB
_WIDEST = 8  # neighbouring bands masked at once, at most
_ALONE = 0.4  # share of the clips without background speech
Number = TypeVar("Number", np.float16, np.int16)
_MISSED = 3.0  # weight of the rare decisions to fire in the loss


@dataclass(frozen=True, slots=True)
class Course:
    """Steps, learning rate and sampling odds of a run."""

    steps: int
    learning_rate: float
    odds: NDArray[np.float64] | None = None  # (clips,) probability of each clip; None: uniform


def clips_once(made_of: Bank, config: StopConfig, folder: Path, report: Report) -> tuple[NDArray[np.float16], NDArray[np.float32]]:
    """(clips, frames, BANDS) features and (clips, 2) s, for all runs; cached in the folder under a digest of their material."""
    number = config.again.clips
    shape = number, frames_in(config.seconds), BANDS

    def fill(features: NDArray[np.float16]) -> NDArray[np.float32]:
        ends = np.empty((number, 2), np.float32)
        for index, (frames, stops) in enumerate(clips(made_of, number, config.seconds, config.seed)):
            features[index], ends[index] = frames, stops
            report(index + 1, number)
        return ends

    return made_once(folder / f"clips-{digest_of(made_of, f'{config.seed} {number} {config.seconds}')}.npy", shape, np.float16, fill)


def digest_of(made_of: Bank, settings: str) -> str:
    """12 letters that change with the material of the clips or with the settings."""
    digest = hashlib.sha256(settings.encode())
    for kind in made_of.sounds.values():
        for each in kind:
            digest.update(each.samples.tobytes() + str(each.word_end).encode())
    return digest.hexdigest()[:12]


def made_once(
    path: Path, shape: tuple[int, ...], kind: type[Number], fill: Callable[[NDArray[Number]], NDArray[np.float32]]
) -> tuple[NDArray[Number], NDArray[np.float32]]:
    """An array that `fill` fills, and the array that `fill` returns; read from the files if they are complete.

    The first array may have several GB: it is memory-mapped.
    """
    beside = path.with_suffix(".ends.npy")
    if not path.exists():
        partial = path.with_suffix(".partial.npy")
        values = np.lib.format.open_memmap(partial, "w+", kind, shape)  # type: ignore[no-untyped-call]
        np.save(beside, fill(values))
        values.flush()
        partial.replace(path)
    return np.load(path, mmap_mode="r"), np.load(beside)


def fit(
    network: StopNetwork,
    features: NDArray[np.float16],
    ends: NDArray[np.float32],
    config: StopConfig,
    member: Member,
    course: Course,
    folder: Path,
    report: Callable[[int, float], None],
) -> None:
    """Train the network in place; continues from a checkpoint in the folder with the same start, clips and numbers.

    `report` is called after each step with the step and the loss in nats a decision.
    """
    path = folder / f"{_key(network, features, config, member, course)}.pt"
    optimiser = torch.optim.AdamW(network.parameters(), lr=course.learning_rate, weight_decay=member.decay, fused=True)
    wordless = np.flatnonzero((ends == NEVER).all(axis=1))  # candidates for background speech
    decisions = features.shape[1] // STRIDE
    fire, weight = _wanted(ends, decisions)
    worth_it = course.steps >= _MANY and shutil.which("g++")  # a compiled step takes two thirds of the time
    logits_of = torch.compile(network) if worth_it else network

    def loss_of(step: int) -> Tensor:
        chance = np.random.default_rng((member.seed, step))  # seeded by the step, so a resumed run draws the same
        chosen = chance.choice(len(features), min(config.batch, len(features)), replace=False, p=course.odds)
        later = int(chance.integers(_LATER))
        heard = features[chosen].astype(np.float32)
        if member.behind:
            heard = _heard_before(heard, features[chance.choice(wordless, len(chosen))].astype(np.float32), member.behind, chance)
        until = later + decisions - _LATER + 1  # constant length, because other shapes would be compiled again
        frames = torch.from_numpy(heard[:, STRIDE * later : STRIDE * until])
        if member.throats:
            frames = _throats(frames, member.throats, chance)
        logits = logits_of(_masked(frames + _colours(len(chosen), chance), member.masks, chance))[0]
        wanted, counts = fire[chosen, :, later:until], weight[chosen, :, later:until]
        return binary_cross_entropy_with_logits(logits, wanted, counts, reduction="sum") / counts.sum()

    descend(network, optimiser, course.steps, config.warm_up, (path, CHECKPOINT_EVERY), loss_of, report)


def counted_from(steps: int, report: Callable[[int, float], None]) -> Callable[[int, float], None]:
    """`report` for a further run, with its steps counted from the end of the earlier runs."""
    return lambda step, loss: report(steps + step, loss)


def odds_by_loss(network: StopNetwork, features: NDArray[np.float16], ends: NDArray[np.float32], batch: int) -> NDArray[np.float64]:
    """(clips,) odds, one half uniform, one half in proportion to the network's loss on the clip.

    After long training most of the loss is on a few clips, and the others contribute little.
    """
    network.eval()
    fire, weight = _wanted(ends, features.shape[1] // STRIDE)
    losses = np.empty(len(features))
    with torch.no_grad():
        for at in range(0, len(features), batch):
            some = slice(at, at + batch)
            logits = network(torch.from_numpy(features[some].astype(np.float32)))[0]
            each = binary_cross_entropy_with_logits(logits, fire[some], weight[some], reduction="none")
            losses[some] = (each.sum((1, 2)) / weight[some].sum((1, 2))).numpy()
    odds: NDArray[np.float64] = 0.5 / len(losses) + 0.5 * losses / losses.sum()
    return odds


def _wanted(ends: NDArray[np.float32], decisions: int) -> tuple[Tensor, Tensor]:
    """(B, 2, decisions) targets, and their weights in the loss."""
    fire, weight = (torch.from_numpy(each) for each in targets(ends, decisions))
    return fire, weight * (1.0 + (_MISSED - 1.0) * fire)


def _heard_before(
    front: NDArray[np.float32], back: NDArray[np.float32], below: tuple[float, float], chance: np.random.Generator
) -> NDArray[np.float32]:
    """(B, T, BANDS): the clips, most of them with another clip without a stop in the background; powers add."""
    quieter = chance.uniform(*below, len(front)) * np.log(10.0) / 10.0 / SCALE
    shift = _loud(front) - _loud(back) - quieter
    shift[chance.random(len(front)) < _ALONE] = -np.inf
    loudness = (torch.from_numpy(each) * SCALE for each in (front, back + shift[:, None, None].astype(np.float32)))
    mixed: NDArray[np.float32] = (torch.logaddexp(*loudness) / SCALE).numpy()
    return mixed


def _loud(frames: NDArray[np.float32]) -> NDArray[np.float64]:
    """(B,) the 95 % quantile of the bands' levels, on every fourth frame."""
    level: NDArray[np.float64] = np.quantile(frames[:, ::STRIDE], 0.95, axis=(1, 2))
    return level


def _throats(frames: Tensor, stretched: tuple[float, float], chance: np.random.Generator) -> Tensor:
    """Each clip's bands stretched or compressed (vocal tract length perturbation, Jaitly and Hinton 2013)."""
    return _between(frames, np.arange(frames.shape[2]) * chance.uniform(*stretched, (len(frames), 1)))


def _colours(number: int, chance: np.random.Generator) -> Tensor:
    """(number, 1, BANDS): random frequency responses of microphones, smooth over the bands."""
    knots = torch.from_numpy(chance.normal(0.0, _COLOUR, (number, 1, 6)).astype(np.float32))
    return _between(knots, np.tile(np.linspace(0, 5, BANDS), (number, 1)))


def _between(values: Tensor, places: NDArray[np.float64]) -> Tensor:
    """Interpolate (B, T, P) values linearly at (B, Q) places on their last axis → (B, T, Q); constant beyond the ends."""
    last = values.shape[2] - 1
    places = np.clip(places, 0, last)
    left = np.minimum(places.astype(np.int64), last - 1)
    share = torch.from_numpy((places - left).astype(np.float32))[:, None]
    lower, upper = (torch.from_numpy(each)[:, None].expand(-1, values.shape[1], -1) for each in (left, left + 1))
    return values.gather(2, lower) * (1 - share) + values.gather(2, upper) * share


def _masked(frames: Tensor, times: int, chance: np.random.Generator) -> Tensor:
    """Mask random neighbouring bands of each clip, so that no few bands identify a voice (SpecAugment, Park et al. 2019)."""
    bands = torch.arange(frames.shape[2])
    for _ in range(times):
        first = torch.from_numpy(chance.integers(0, frames.shape[2], len(frames)))[:, None]
        width = torch.from_numpy(chance.integers(0, _WIDEST, len(frames)))[:, None]
        frames = frames * ~((bands >= first) & (bands < first + width))[:, None]
    return frames


def _key(network: StopNetwork, features: NDArray[np.float16], config: StopConfig, member: Member, course: Course) -> str:
    elsewhere = {"false_stops_per_hour", "members", "clips", "again", "verifier", "recogniser"}
    settings = config.model_dump_json(exclude=elsewhere) + member.model_dump_json()
    digest = hashlib.sha256(f"{settings} {course.steps} {course.learning_rate}".encode())
    for weight in network.state_dict().values():
        digest.update(weight.numpy().tobytes())
    digest.update(features[:: max(len(features) // 50, 1)].tobytes())
    return digest.hexdigest()[:12]
