#!/usr/bin/env python3
"""Make the sound files in config/sentences/ again: flite's voice in a small room. `apt install flite`, then run this.

Each file is named by its sentence. Files that begin with "oov_" are talk that is not for the robot and must be rejected.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import soundfile

from sayso.training.speech.voices import Voice, in_a_room, speak
from sayso.types import SAMPLE_RATE

FOLDER = Path(__file__).resolve().parents[1] / "config" / "sentences"
VOICE = Voice("flite", "rms")
PACE = 0.92
SENTENCES = (
    "bring me the red cup from the kitchen",
    "bring me the cup",
    "the weather is nice today",
    "stop",
    "go to the kitchen",
    "come here",
    "turn left",
    "move forward one meter",
    "find the keys",
    "pick up the apple",
    "put the red book on the desk",
    "give the banana to anna",
    "bring the glasses to carla",
    "take the vase to the sideboard",
    "go to the kitchen and bring me the red cup",
    "go to the dock",
    "pour me some water",
    "bring me the red cup",
    "go to the office",
    "take the keys to anna",
    "put the blue book on the desk",
    "find the phone",
    "bring me the green bottle",
    "pick up the umbrella",
    "give the newspaper to anna",
    "bring the laptop to anna and go to the dock",
)
OTHER_TALK = (
    "the stock market fell by three percent on monday",
    "my grandfather was born in a small village",
    "volunteers are cleaning the beach this morning",
)


def main() -> None:
    """Write every file, or only those of the sentences on the command line."""
    for sentence in (*SENTENCES, *OTHER_TALK):
        if len(sys.argv) > 1 and sentence not in sys.argv[1:]:
            continue
        name = ("oov_" if sentence in OTHER_TALK else "") + sentence.replace(" ", "_")
        chance = np.random.default_rng([ord(letter) for letter in sentence])
        sound = in_a_room(speak(sentence, VOICE, PACE), chance, snr=28.0, reverberation=0.15, silence=0.7)
        soundfile.write(FOLDER / f"{name}.flac", sound, SAMPLE_RATE, format="FLAC", subtype="PCM_16")


if __name__ == "__main__":
    main()
