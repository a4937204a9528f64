"""The commands of the grammars as sound: spoken by synthetic voices that no model was fitted on, in a quiet room, and recognised.

Synthetic voices are a smoke test of the way from sound to deed. They say nothing of how people speak.
"""

from __future__ import annotations

import shutil

import numpy as np

from _speech_sets import endpointed
from sayso.domain import Domain
from sayso.speech.recognise import SpeechToText
from sayso.training.speech.voices import HELD_OUT_VOICES, Voice, in_a_room, speak
from sayso.types import Transcript

SNR = 20.0  # dB
NEEDED = "no synthesiser: apt install flite espeak-ng"


def voices() -> tuple[Voice, ...]:
    """The held-out voices whose programs are installed."""
    return tuple(voice for voice in HELD_OUT_VOICES if shutil.which(voice.program))


def said_by(most: int) -> str:
    """The voices that say up to `most` commands of each home, and the programs that are missing: without these, fewer voices speak."""
    missing = sorted({voice.program for voice in HELD_OUT_VOICES} - {voice.program for voice in voices()})
    names = ", ".join(f"{voice.program} {voice.name}" for voice in voices()[:most])
    return f"{names}; {' and '.join(missing)} not installed" if missing else names


class SpokenCommands:
    """Says a command in a room, in one voice after the other, and hears it as the robot of a home does."""

    def __init__(self, domain: Domain) -> None:
        self._hear = SpeechToText(domain)
        self._voices = voices()

    def __call__(self, text: str, number: int) -> Transcript:
        """What is heard of the text; `number` chooses the voice and the noise.

        Raises:
            AudioError: the synthesiser fails.
        """
        sound = in_a_room(speak(text, self._voices[number % len(self._voices)]), np.random.default_rng(number), SNR)
        utterances = endpointed(sound)  # after a pause in the sentence there is a second one, which the robot is too busy to follow
        return self._hear(utterances[0] if utterances else sound, utterance_id=f"gpsr-{number}")
