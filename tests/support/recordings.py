"""The recorded sentences, and one recogniser for all tests of the speech stage: loading it is slow."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sayso.domain import load_domain
from sayso.paths import config_dir
from sayso.speech.files import read_sound
from sayso.speech.recognise import SpeechToText
from sayso.types import SAMPLE_RATE

SENTENCES = sorted((config_dir() / "sentences").glob("*.flac"))


def recording(sentence: str) -> Path:
    """The file of that sentence."""
    return config_dir() / "sentences" / f"{sentence.replace(' ', '_')}.flac"


def sound(sentence: str) -> NDArray[np.int16]:
    """(N,) samples of that sentence."""
    return read_sound(recording(sentence)).samples


@lru_cache(maxsize=1)
def recogniser() -> SpeechToText:
    """The recogniser of the default home."""
    return SpeechToText(load_domain())


def silence(seconds: float) -> NDArray[np.int16]:
    """Silence as a sound card records it: noise in the last bits."""
    return np.random.default_rng(1).integers(-2, 3, round(seconds * SAMPLE_RATE)).astype(np.int16)


def hiss(seconds: float, level: float = 3000.0, seed: int = 2) -> NDArray[np.int16]:
    """White noise with that root mean square."""
    noise = np.random.default_rng(seed).normal(0.0, level, round(seconds * SAMPLE_RATE))
    return np.clip(noise, -32768, 32767).astype(np.int16)
