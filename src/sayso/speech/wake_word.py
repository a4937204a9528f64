"""A wake word in streamed sound, by microWakeWord (https://github.com/kahrendt/microWakeWord, Apache-2.0).

The optional package pymicro-wakeword has the small networks (50–80 kB) and what runs them. They look at the sound every 30 ms.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sayso.errors import ModelError
from sayso.extras import require
from sayso.types import SAMPLE_RATE

WAKE_WORDS = ("okay_nabu", "hey_jarvis", "hey_mycroft", "alexa")  # in the package
_ONCE = 1.0  # s within which a word is reported once: its score stays high for half a second


class WakeWord:
    """Streamed sound → whether the wake word has just been said."""

    def __init__(self, name: str = WAKE_WORDS[0]) -> None:
        """Load a network: one of WAKE_WORDS, or the .json file of another one for microWakeWord.

        Raises:
            SaysoError: pymicro-wakeword is not installed (the extra "wake").
            ModelError: there is no such wake word, or its files cannot be used.
        """
        require("wake")
        from pymicro_wakeword import MicroWakeWord, MicroWakeWordFeatures, Model

        try:
            self._network: Any = MicroWakeWord.from_builtin(Model(name)) if name in WAKE_WORDS else MicroWakeWord.from_config(_file(name))
        except (OSError, KeyError, TypeError, ValueError, RuntimeError) as unusable:
            raise ModelError(f"wake word {name}: {' '.join(str(unusable).split())}") from None
        self.phrase = str(self._network.wake_word)  # as people say it: "Okay Nabu"
        self._features: Any = MicroWakeWordFeatures()
        self._quiet = 0  # samples until it may be reported again

    def __call__(self, samples: NDArray[np.int16]) -> bool:
        """(N,) further samples at 16 kHz → True if the word ends about here: between 0.1 s before and 0.2 s after its end."""
        scores = [self._network.process_streaming(each) for each in self._features.process_streaming(samples.tobytes())]
        said = any(scores) and self._quiet <= 0
        self._quiet = round(_ONCE * SAMPLE_RATE) if said else max(self._quiet - len(samples), 0)
        return said

    def reset(self) -> None:
        """Forget the sound so far."""
        self._network.reset()
        self._features.reset()
        self._quiet = 0


def _file(name: str) -> Path:
    path = Path(name).expanduser()
    if path.suffix != ".json" or not path.is_file():
        raise ValueError(f"neither a .json file of microWakeWord, nor one of {', '.join(WAKE_WORDS)}")
    return path
