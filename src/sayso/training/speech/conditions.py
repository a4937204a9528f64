"""Rooms, noises and microphones as data (conditions.yaml), and how a sentence sounds in them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from sayso.errors import SaysoError
from sayso.training.speech.noise import Noise, noise
from sayso.types import SAMPLE_RATE, FloatArray
from sayso.yaml_source import read_plain

TABLE = Path(__file__).with_name("conditions.yaml")
VOLUME = 60.0  # m³, of a kitchen with a living room
FACING = 2.0  # how much louder a mouth is in front than on average, in power
SILENCE = 0.6  # s before and after the sentence
PEAK = -6.0  # dBFS of the loudest sample where no level is given
TELEPHONE = (300.0, 3_400.0)  # Hz
MU = 255.0  # of the µ-law in ITU-T G.711

Samples = NDArray[np.int16]


@dataclass(frozen=True, slots=True)
class RoomCondition:
    """One kind of room, noise and microphone; a trial draws from its ranges."""

    name: str
    share: float  # of the trials, in proportion
    noise: tuple[Noise, ...]  # one is drawn
    snr: tuple[float, ...]  # dB, of the speech's mean power to the noise's; one is drawn
    echo: tuple[float, float]  # s in which the echoes fall by 60 dB
    distance: float  # m from the mouth to the microphone
    level: tuple[float, float] = (PEAK, PEAK)  # dBFS of the loudest sample
    over: tuple[float, float] | None = None  # dB above the full scale, instead of a level
    band: Literal["", "telephone"] = ""

    def __call__(self, speech: FloatArray, talk: Sequence[FloatArray], chance: np.random.Generator) -> Samples:
        """(N,) speech as this microphone gives it; `talk` are the sentences of babble, `chance` draws everything."""
        wet = self._echoed(speech, chance)
        pause = np.zeros(int(SILENCE * SAMPLE_RATE))
        power, sound = float(np.mean(np.square(wet))) or 1.0, np.concatenate([pause, wet, pause])
        behind = noise(self.noise[int(chance.integers(len(self.noise)))], len(sound), talk, chance)
        return self.recorded(sound + behind * np.sqrt(power / 10.0 ** (float(chance.choice(self.snr)) / 10.0)), chance)

    def recorded(self, sound: FloatArray, chance: np.random.Generator) -> Samples:
        """Any sound as this microphone gives it."""
        if self.band == "telephone":
            sound = by_telephone(sound)
        peak = float(chance.uniform(*(self.over or self.level)))
        loud = sound / max(float(np.abs(sound).max()), 1e-9) * 10.0 ** (peak / 20.0)
        samples: Samples = np.round(np.clip(loud, -1.0, 1.0) * 32767).astype(np.int16)
        return samples

    def _echoed(self, speech: FloatArray, chance: np.random.Generator) -> FloatArray:
        from scipy.signal import fftconvolve

        lasts = float(chance.uniform(*self.echo))
        times = np.arange(int(lasts * SAMPLE_RATE) + 1) / SAMPLE_RATE
        tail = chance.standard_normal(len(times)) * 10.0 ** (-3.0 * times / lasts)
        tail[0] = 0.0
        # Direct sound and echoes are equally loud at the critical distance 0.057 √(Q V / T) (Kuttruff, Room Acoustics).
        critical = 0.057 * np.sqrt(FACING * VOLUME / lasts)
        tail *= self.distance / critical / float(np.sqrt(np.sum(np.square(tail))))
        tail[0] = 1.0
        wet: FloatArray = fftconvolve(speech, tail)
        return wet


@lru_cache(maxsize=1)
def conditions(path: Path = TABLE) -> tuple[RoomCondition, ...]:
    """The conditions of the table.

    Raises:
        SaysoError: a condition has an unknown field or noise.
    """
    found = []
    for name, fields in read_plain(path).items():
        kinds = tuple(fields["noise"]) if isinstance(fields["noise"], list) else (fields["noise"],)
        if unknown := set(kinds) - set(get_args(Noise)):
            raise SaysoError(f"{path}: '{name}' has the noise {', '.join(sorted(unknown))}; known: {', '.join(get_args(Noise))}")
        ranges: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in fields.items()}
        try:
            found.append(RoomCondition(name, **{**ranges, "noise": kinds}))
        except TypeError as wrong:
            raise SaysoError(f"{path}: '{name}': {' '.join(str(wrong).split()[1:])}") from None
    return tuple(found)


def drawn(chance: np.random.Generator) -> RoomCondition:
    """One condition, as often as its share says."""
    every = conditions()
    shares = np.array([each.share for each in every])
    return every[int(chance.choice(len(every), p=shares / shares.sum()))]


def by_telephone(sound: FloatArray) -> FloatArray:
    """(N,) at 16 kHz as after a telephone line: its band, its rate of 8 kHz and its 8 bits in µ-law."""
    from scipy.signal import butter, resample_poly, sosfiltfilt

    passed = sosfiltfilt(butter(4, TELEPHONE, "bandpass", fs=SAMPLE_RATE, output="sos"), sound)
    line = resample_poly(passed, 1, 2)
    line = line / max(float(np.abs(line).max()), 1e-9)
    squeezed = np.round(np.sign(line) * np.log1p(MU * np.abs(line)) / np.log1p(MU) * 127.0) / 127.0
    restored = np.sign(squeezed) * np.expm1(np.abs(squeezed) * np.log1p(MU)) / MU
    heard: FloatArray = resample_poly(restored, 2, 1)[: len(sound)]
    return heard
