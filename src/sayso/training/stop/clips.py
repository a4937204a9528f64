"""Training clips of one length: phrases in sequence, in a room and in noise, with the time at which the stop word ends."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy.signal import fftconvolve

from sayso.speech.stopping.features import log_mel, windows_in
from sayso.speech.stopping.spotter import STRIDE, decided_at
from sayso.speech.stopping.verifier import at_speed
from sayso.training.speech.voices import room_noise
from sayso.training.stop.sounds import Sound, SpokenPhrase
from sayso.types import SAMPLE_RATE

FROM, UNTIL = 0.15, 0.40  # s after the word: the network must fire in this interval
UNSURE = 0.06, 0.60  # s before and after the word's end: outside FROM … UNTIL, decisions in this interval have no loss
LULL = 0.30  # s without speech after the word; earlier speech revokes the stop
NEVER = -10.0  # s
Mixed = TypeVar("Mixed")
Ends = tuple[float, float]  # s: end of the valid stop, and end of the stop word; NEVER without one
_PARTS = ("stop", "hard", "sentence", "noise")
_SHARES = (0.38, 0.27, 0.30, 0.05)
_RECORDED = {
    "stop": 0.2,
    "hard": 0.33,
    "sentence": 0.35,
}  # share of recordings of people in each kind, so that a human voice alone does not mean stop
_LOUD = (0.35, 0.3, 0.35)  # shares of much, some and little noise
_BEHIND = 0.3  # share of the clips with a second speaker, if `behind` is given
_AT_ONCE = 256  # clips mixed ahead
_EDGE = SAMPLE_RATE // 10  # samples at a recording's end that hold its noise


@dataclass(frozen=True, slots=True)
class Bank:
    """The material of the clips."""

    sounds: dict[str, list[SpokenPhrase]]  # by kind, synthetic
    recorded: dict[str, list[SpokenPhrase]]  # by kind
    by_voice: dict[str, list[SpokenPhrase]]  # phrases before and after in the same voice, without stops
    talk: list[Sound]  # source of babble noise
    noises: list[Sound]


def bank(sounds: Sequence[SpokenPhrase], noises: Sequence[Sound]) -> Bank:
    """Sort phrases and noises by their use."""
    kinds, recorded = (
        {kind: [each for each in sounds if each.kind == kind and each.recorded == real] for kind in ("stop", "hard", "sentence")}
        for real in (False, True)
    )
    voices = {voice: [each for each in sounds if each.voice == voice and each.kind != "stop"] for voice in {each.voice for each in sounds}}
    talk = [each.samples for each in kinds["sentence"] + recorded["sentence"] if len(each.samples) > SAMPLE_RATE]
    return Bank(kinds, recorded, voices, talk, list(noises))


def clips(made_of: Bank, number: int, seconds: float, seed: int) -> Iterator[tuple[NDArray[np.float32], Ends]]:
    """Yield `number` times (`frames_in(seconds)`, BANDS) features and the ends of the words."""

    def mixed(index: int) -> tuple[NDArray[np.float32], Ends]:
        sound, ends = clip(made_of, seconds, np.random.default_rng((seed, index)))
        return log_mel(sound)[: frames_in(seconds)], ends

    yield from mixed_ahead(mixed, number)


def mixed_ahead(mixed: Callable[[int], Mixed], number: int) -> Iterator[Mixed]:
    """Yield `mixed` of 0, 1 …, computed on all cores, in order."""
    with ThreadPoolExecutor(os.cpu_count()) as pool:  # numpy, scipy and soxr release the lock in most of this work
        for begin in range(0, number, _AT_ONCE):
            yield from pool.map(mixed, range(begin, min(begin + _AT_ONCE, number)))


def frames_in(seconds: float) -> int:
    """The number of frames of such a clip, a multiple of STRIDE."""
    return windows_in(int(seconds * SAMPLE_RATE)) // STRIDE * STRIDE


def clip(
    made_of: Bank, seconds: float, chance: np.random.Generator, lead: float = 0.0, behind: tuple[float, float] | None = None
) -> tuple[Sound, Ends]:
    """A random clip: (N,) sound and the ends of the words in it.

    Args:
        made_of: the phrases and noises.
        seconds: length of the clip.
        chance: draws everything.
        lead: s without speech at the beginning.
        behind: range of dB by which a second speaker is quieter, in some of the clips.
    """
    kind = str(chance.choice(_PARTS, p=_SHARES))
    length = int(seconds * SAMPLE_RATE)
    sound, stop, word = np.zeros(length, np.float32), -1, -1
    if kind != "noise":
        dry, stop, word = _row(made_of, kind, chance)
        dry, stop, word = _at_speed(dry, stop, word, float(chance.uniform(0.8, 1.25)))
        # At least 0.7 s of the clip follow the word, by a random amount: its place in the clip must carry no information.
        latest = length - (word if word >= 0 else len(dry) // 2) - int(chance.uniform(0.7, 1.6) * SAMPLE_RATE)
        start = int(min((lead + chance.uniform(0.0, 1.2)) * SAMPLE_RATE, latest))
        begun = dry[max(-start, 0) :][: length - max(start, 0)]
        sound[max(start, 0) : max(start, 0) + len(begun)] = begun
        stop, word = (each + start if each >= 0 else -1 for each in (stop, word))
        if behind and chance.random() < _BEHIND:
            other = _piece(made_of.talk[chance.integers(len(made_of.talk))], length, chance)
            sound += other * np.float32(level_of(sound) / level_of(other) * 10.0 ** (-chance.uniform(*behind) / 20.0))
    return heard_in_a_room(sound, made_of, chance), (_time(stop), _time(word))


def heard_in_a_room(speech: Sound, made_of: Bank, chance: np.random.Generator, snr: float | None = None) -> Sound:
    """Speech with the room's echoes, noise at that SNR (dB; None: random), and the microphone's level."""
    wet = _echoed(speech, chance) if chance.random() < 0.6 else speech
    power = level_of(wet) ** 2 or 1e-3
    if snr is None:
        snr = float(chance.choice((chance.uniform(2.0, 12.0), chance.uniform(12.0, 25.0), chance.uniform(25.0, 50.0)), p=_LOUD))
    mixed = wet + noise(len(wet), made_of, chance) * np.float32(np.sqrt(power / 10.0 ** (snr / 10.0)))
    level = np.float32(10.0 ** (chance.uniform(-32.0, 0.0) / 20.0) / (np.abs(mixed).max() + 1e-9))
    if chance.random() < 0.12:
        level *= np.float32(3.0) / max(level * np.abs(mixed).max(), np.float32(0.3))  # too loud for the microphone
    rounded = np.round(np.clip(mixed * level, -1.0, 1.0) * 32767 + chance.uniform(-1.0, 1.0, len(mixed))) / 32768
    return rounded.astype(np.float32)


def noise(length: int, made_of: Bank, chance: np.random.Generator) -> Sound:
    """(length,) noise of unit power: a quiet room, a recorded one, or several people talking."""
    drawn = chance.random()
    if drawn < 0.4 or not made_of.noises:
        return room_noise(length, chance).astype(np.float32)
    if drawn < 0.75:
        return _unit(_piece(made_of.noises[chance.integers(len(made_of.noises))], length, chance))
    return babble(made_of.talk, length, chance)


def babble(talk: Sequence[Sound], length: int, chance: np.random.Generator) -> Sound:
    """(length,) noise of unit power: several people talking at once."""
    talking = [_unit(_piece(talk[int(chance.integers(len(talk)))], length, chance)) for _ in range(int(chance.integers(3, 7)))]
    return _unit(np.sum(talking, axis=0, dtype=np.float32))


def targets(ends: NDArray[np.float32], decisions: int) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """(B, 2) s, `Ends` → (B, 2, decisions) 1 where each output must fire, and the weights in the loss, 0 where unsure."""
    after = np.array([decided_at(each) for each in range(decisions)]) - ends[:, :, None]
    fire = (after >= FROM) & (after <= UNTIL)
    unsure = (after > -UNSURE[0]) & (after < UNSURE[1])
    return fire.astype(np.float32), (fire | ~unsure).astype(np.float32)


def _row(made_of: Bank, kind: str, chance: np.random.Generator) -> tuple[Sound, int, int]:
    """A sequence of phrases in one voice, with the samples at which the valid stop and the stop word end; −1 without one."""
    real = bool(made_of.recorded[kind]) and chance.random() < _RECORDED[kind]
    main = _drawn((made_of.recorded if real else made_of.sounds)[kind], chance)
    others = made_of.by_voice[main.voice] or made_of.sounds["sentence"]
    parts: list[Sound] = [noise_of(main, 1.0)] if main.recorded else []
    if chance.random() < 0.4:
        parts += [_drawn(others, chance).samples, noise_of(main, chance.uniform(0.2, 0.9))]
    begins = sum(map(len, parts))
    until = main.word_end
    word = -1 if until is None else begins + until
    stop = word if main.end is not None else -1
    parts.append(main.samples)
    follows = chance.random()
    if stop >= 0 and follows < 0.12:  # "stop" with speech right after it: not a call to stop
        parts[-1] = main.samples[:until]
        parts += [noise_of(main, chance.uniform(0.0, 0.05)), _drawn(others, chance).samples]
        stop = -1
    elif follows < 0.4:
        parts += [noise_of(main, chance.uniform(LULL, 1.2)), _drawn(others, chance).samples]
    if main.recorded:
        parts.append(noise_of(main, 1.5))
    return np.concatenate(parts), stop, word


def _drawn(sounds: Sequence[SpokenPhrase], chance: np.random.Generator) -> SpokenPhrase:
    return sounds[int(chance.integers(len(sounds)))]


def noise_of(each: SpokenPhrase, seconds: float) -> Sound:
    """The sound between phrases: silence, or a recording's own noise, mirrored to length."""
    length = int(seconds * SAMPLE_RATE)
    if not each.recorded:
        return np.zeros(length, np.float32)
    return np.pad(each.samples[-_EDGE:], (0, length), mode="symmetric")[-length:] if length else np.zeros(0, np.float32)


def _time(sample: int) -> float:
    return sample / SAMPLE_RATE if sample >= 0 else NEVER


def _at_speed(sound: Sound, stop: int, word: int, speed: float) -> tuple[Sound, int, int]:
    stop, word = (int(each / speed) if each >= 0 else -1 for each in (stop, word))
    return at_speed(sound, speed), stop, word


def level_of(sound: Sound) -> float:
    """Root mean square of the loud samples; 0 for silence."""
    loud = sound[np.abs(sound) > 0.01 * (np.abs(sound).max() + 1e-9)]
    return float(np.sqrt(np.mean(loud**2))) if len(loud) else 0.0


def _echoed(speech: Sound, chance: np.random.Generator) -> Sound:
    fall = chance.uniform(0.1, 0.5)  # s for the echoes to fall by 60 dB
    times = np.arange(int(fall * SAMPLE_RATE)) / SAMPLE_RATE
    echoes = chance.standard_normal(len(times)) * 10.0 ** (-3.0 * times / fall)
    echoes *= np.sqrt(10.0 ** (chance.uniform(-15.0, 0.0) / 10.0) / np.sum(echoes**2))
    echoes[0] = 1.0
    wet: Sound = fftconvolve(speech, echoes.astype(np.float32))[: len(speech)].astype(np.float32)
    return wet


def _piece(sound: Sound, length: int, chance: np.random.Generator) -> Sound:
    """A random piece of that length, with the sound looped."""
    return np.resize(np.roll(sound, -int(chance.integers(len(sound)))), length)


def _unit(sound: Sound) -> Sound:
    return sound / np.float32(np.sqrt(np.mean(sound**2)) + 1e-6)
