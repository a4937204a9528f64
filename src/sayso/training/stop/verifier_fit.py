"""Training of the stop verifier: on moments at which the spotter errs or nearly does, and on moments at which it is right."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn.functional import binary_cross_entropy_with_logits, interpolate

from sayso.speech.stopping.spotter import StopSpotter, decided_at
from sayso.speech.stopping.verifier import PEAK, SEEN
from sayso.training.checkpoint import descend
from sayso.training.precision import bfloat16_where_fast
from sayso.training.stop.clips import NEVER, UNSURE, UNTIL, Bank, babble, clip, level_of, mixed_ahead
from sayso.training.stop.config import StopConfig, VerifierRun
from sayso.training.stop.fit import counted_from, digest_of, made_once
from sayso.training.stop.sounds import Report, SpokenPhrase
from sayso.training.stop.verifier_network import MOMENTS, StopVerifierNetwork
from sayso.types import SAMPLE_RATE

FROM = 0.12  # s after the word from which it must say yes: the spotter's earliest detection
CHECKPOINT_EVERY = 200  # steps
_LEAD = 1.5  # s without speech at a clip's beginning, so that `SEEN` samples precede most of the speech
_LIKELIEST = 0.75  # share of the negative moments taken where the spotter's score is highest
_APART = 5  # decisions between two moments of a clip
_COLOUR = 4.0 / 8.7  # standard deviation of a microphone's frequency response in nepers: 4 dB
_BANDS = 10  # of that response
_TALKED_OVER = 0.5  # share of the sounds with other people talking
_LESS_LOUD = (5.0, 20.0)  # dB, relative to the sound itself
_LONGEST = 8  # moments masked at once at most, in every other clip


def moments_once(
    made_of: Bank, spotter: StopSpotter, config: StopConfig, folder: Path, report: Report
) -> tuple[NDArray[np.int16], NDArray[np.float32]]:
    """(n, SEEN) sound and (n,) 1 where it ends with a call to stop, from further clips.

    Cached in the folder under a digest of the sounds and the spotter.
    """
    verifier, seed = config.verifier, config.seed
    stops = evenly(made_of.sounds["stop"], tuple(config.words))
    made_of = replace(made_of, sounds={**made_of.sounds, "stop": stops})
    settings = verifier.model_dump_json(include={"seconds", "clips", "behind"})
    spotter.reset()
    of_noise = spotter.scores(np.random.default_rng(0).normal(0.0, 3000.0, SAMPLE_RATE).astype(np.int16))

    def mixed(index: int) -> tuple[NDArray[np.int16], float]:
        sound, (stop, _) = clip(made_of, verifier.seconds, np.random.default_rng((seed, 2, index)), _LEAD, verifier.behind)
        return np.round(np.clip(sound, -1.0, 1.0) * 32767).astype(np.int16), stop

    def fill(sounds: NDArray[np.int16]) -> NDArray[np.float32]:
        wanted = np.zeros(len(sounds), np.float32)
        for index, (sound, stop) in enumerate(mixed_ahead(mixed, verifier.clips)):
            spotter.reset()
            picked = moments_of(spotter.scores(sound), stop, np.random.default_rng((seed, 3, index)))
            for row, (decision, yes) in enumerate(picked, len(picked) * index):
                until = round(decided_at(decision) * SAMPLE_RATE)
                sounds[row], wanted[row] = sound[until - SEEN : until], yes
            report(index + 1, verifier.clips)
        return wanted

    path = folder / f"moments-{digest_of(made_of, f'{seed} {settings} {of_noise.tolist()}')}.npy"
    return made_once(path, (2 * verifier.clips, SEEN), np.int16, fill)


def evenly(said: Sequence[SpokenPhrase], words: Sequence[str]) -> list[SpokenPhrase]:
    """Repeat the phrases of rarer words, so that all words are drawn about equally often; rare words would be doubted."""
    by_word = [[each for each in said if word in each.text] for word in words]
    most = max(map(len, by_word))
    return [each for phrases in by_word if phrases for each in phrases * round(most / len(phrases))]


def moments_of(p_stop: NDArray[np.float32], stop: float, chance: np.random.Generator) -> tuple[tuple[int, bool], tuple[int, bool]]:
    """Two decisions of a clip, and whether each follows the stop, which ends `stop` s after the clip's beginning.

    A negative is mostly the decision with the spotter's highest score.
    """
    after = np.array([decided_at(index) for index in range(len(p_stop))])
    whole = after >= SEEN / SAMPLE_RATE
    yes = np.flatnonzero(whole & (after >= stop + FROM) & (after <= stop + UNTIL)) if stop != NEVER else np.empty(0, int)
    no = np.flatnonzero(whole & ((after < stop - UNSURE[0]) | (after > stop + UNSURE[1])))
    likeliest = int(no[p_stop[no].argmax()])
    first = likeliest if chance.random() < _LIKELIEST else int(chance.choice(no))
    if len(yes):
        return (int(chance.choice(yes)), True), (first, False)
    far = no[np.abs(no - first) > _APART]
    return (first, False), (int(far[p_stop[far].argmax()]), False)


def fit_verifier(
    network: StopVerifierNetwork,
    sounds: NDArray[np.int16],
    wanted: NDArray[np.float32],
    config: StopConfig,
    folder: Path,
    report: Callable[[int, float], None],
) -> None:
    """Train the network in place to tell which sounds end with a call to stop.

    The head is trained alone first: gradients of an untrained head would spoil the pretrained encoder (Kumar et al. 2022).
    Continues from a checkpoint in the folder with the same sounds and numbers. `report` is called with the step, counted over the runs,
    and the loss in nats a moment.
    """
    torch.manual_seed(config.seed)
    done = 0
    for run in config.verifier.runs:
        _fit(network, sounds, wanted, config, run, folder, counted_from(done, report))
        done += run.steps


def _fit(
    network: StopVerifierNetwork,
    sounds: NDArray[np.int16],
    wanted: NDArray[np.float32],
    config: StopConfig,
    run: VerifierRun,
    folder: Path,
    report: Callable[[int, float], None],
) -> None:
    network.encoder.requires_grad_(run.encoder > 0)
    groups = [{"params": network.encoder.parameters(), "lr": run.encoder}, {"params": network.head.parameters(), "lr": run.head}]
    optimiser = torch.optim.AdamW([group for group in groups if group["lr"]], weight_decay=config.verifier.decay)
    path = folder / f"{_key(network, sounds, config, run)}.pt"

    def loss_of(step: int) -> Tensor:
        chance = np.random.default_rng((config.seed, step))  # seeded by the step, so a resumed run draws the same
        chosen = np.sort(chance.choice(len(sounds), min(config.batch, len(sounds)), replace=False))
        heard = _coloured(torch.from_numpy(talked_over(sounds[chosen].astype(np.float32), wanted[chosen], chance)), chance)
        with bfloat16_where_fast():
            logits = network.head(_silenced(network.encoder(heard), chance))
        return binary_cross_entropy_with_logits(logits.float(), torch.from_numpy(wanted[chosen]))

    descend(network, optimiser, run.steps, config.warm_up, (path, CHECKPOINT_EVERY), loss_of, report)


def _key(network: StopVerifierNetwork, sounds: NDArray[np.int16], config: StopConfig, run: VerifierRun) -> str:
    settings = config.verifier.model_dump_json(include={"layers", "dropped", "decay"}) + run.model_dump_json()
    digest = hashlib.sha256(f"{settings} {config.seed} {config.batch} {config.warm_up}".encode())
    for weight in network.state_dict().values():
        digest.update(weight.numpy().tobytes())
    digest.update(sounds[:: max(len(sounds) // 50, 1)].tobytes())
    return digest.hexdigest()[:12]


def talked_over(sounds: NDArray[np.float32], wanted: NDArray[np.float32], chance: np.random.Generator) -> NDArray[np.float32]:
    """(B, SEEN) sounds, half of them with babble made of the negatives, played backwards so that it has no words."""
    talk = [each[::-1] for each in sounds[wanted == 0]]
    if not talk:
        return sounds
    mixed = sounds.copy()
    for index in np.flatnonzero(chance.random(len(sounds)) < _TALKED_OVER):
        level = level_of(sounds[index]) * 10.0 ** (-chance.uniform(*_LESS_LOUD) / 20.0)
        mixed[index] += np.float32(level) * babble(talk, SEEN, chance)
    return mixed


def _coloured(sounds: Tensor, chance: np.random.Generator) -> Tensor:
    """(B, SEEN): with random microphone responses, and the level that `verifier.prepared` gives."""
    knots = torch.from_numpy(chance.normal(0.0, _COLOUR, (len(sounds), 1, _BANDS)).astype(np.float32))
    gains = interpolate(knots, SEEN // 2 + 1, mode="linear", align_corners=True)[:, 0].exp()
    heard = torch.fft.irfft(torch.fft.rfft(sounds) * gains, SEEN)
    return heard * (PEAK / heard.abs().amax(dim=1, keepdim=True).clamp(min=1.0))


def _silenced(moments: Tensor, chance: np.random.Generator) -> Tensor:
    """(B, MOMENTS, C) with neighbouring moments masked in half of them, so that no single moment decides."""
    first = torch.from_numpy(chance.integers(0, MOMENTS - _LONGEST, (len(moments), 1)))
    length = torch.from_numpy(chance.integers(1, _LONGEST, (len(moments), 1)) * (chance.random((len(moments), 1)) < 0.5))
    place = torch.arange(MOMENTS)
    return moments * ~((place >= first) & (place < first + length))[..., None]
