"""Synthetic speech for calibration and for the recorded sentences: voices of flite and espeak-ng, rooms and noise.

Both programs are small, free and in every distribution (`apt install flite espeak-ng`); festival, SVOX Pico, RHVoice and Kokoro add voices
for the stop training. None is needed to run Sayso.
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sayso.errors import AbsentVoiceError, AudioError
from sayso.speech.files import read_sound
from sayso.training.speech.kokoro import kokoro
from sayso.types import SAMPLE_RATE, FloatArray


@dataclass(frozen=True, slots=True)
class Voice:
    """A synthesiser and its voice: flite's "slt", espeak-ng's "en-us+f2", festival's (text2wave's) "ked_diphone", kokoro's "am_adam"."""

    program: str
    name: str


PACKAGES = {
    "flite": "flite",
    "espeak-ng": "espeak-ng",
    "pico2wave": "libttspico-utils",  # Debian: in non-free, Ubuntu: in multiverse
    "text2wave": "festival festvox-kdlpc16k festvox-us-slt-hts festvox-italp16k festvox-itapc16k festvox-suopuhe-mv festvox-ca-ona-hts "
    "festvox-czech-dita festvox-czech-krb festvox-czech-machac festvox-czech-ph",
    "RHVoice-test": "rhvoice rhvoice-english",  # Debian: in non-free, because its models cannot be trained again; they are under the LGPL
}
TUNING_VOICES = (Voice("flite", "slt"), Voice("flite", "awb"), *(Voice("espeak-ng", name) for name in ("en-us", "en-gb+f2", "en-us+m3")))
HELD_OUT_VOICES = (Voice("flite", "rms"), Voice("flite", "kal16"), *(Voice("espeak-ng", name) for name in ("en-us+f4", "en-gb+m7")))


def speak(text: str, voice: Voice, pace: float = 1.0, pitch: float = 1.0) -> FloatArray:
    """The sentence as (N,) samples in [-1, 1] at 16 kHz; `pace` above 1 is faster, `pitch` above 1 higher (not for festival and Kokoro).

    Raises:
        AudioError: the program is not installed or does not know the voice.
        SaysoError: Kokoro's weights cannot be downloaded.
    """
    if voice.program == "kokoro":
        return kokoro(text, voice.name, pace)
    packages = "flite espeak-ng" if voice.program in ("flite", "espeak-ng") else PACKAGES[voice.program]
    if shutil.which(voice.program) is None:
        raise AbsentVoiceError(f"{voice.program} is not installed: run `apt install {packages}`")
    with tempfile.TemporaryDirectory() as folder:
        wav = Path(folder) / "speech.wav"
        done = subprocess.run(_command(text, voice, pace, pitch, wav), input=text, capture_output=True, text=True, check=False)
        if done.returncode or not wav.is_file():
            message = " ".join(done.stderr.split())  # several lines when espeak-ng warns of more voices than it lists
            why = f"{voice.program} cannot say it with the voice {voice.name}: {message or 'it wrote no sound'}"
            raise AudioError(f"{why}; if the voice is missing, run `apt install {packages}`")
        return read_sound(wav).samples.astype(np.float64) / 32768.0


def _command(text: str, voice: Voice, pace: float, pitch: float, wav: Path) -> list[str]:
    if voice.program == "flite":
        features = ["--setf", f"duration_stretch={1 / pace:.3f}", *(["--setf", f"f0_shift={pitch:.3f}"] if pitch != 1.0 else [])]
        return ["flite", "-voice", voice.name, *features, "-t", text, "-o", str(wav)]
    if voice.program == "pico2wave":
        spoken = f'<speed level="{100 * pace:.0f}"><pitch level="{100 * pitch:.0f}">{text}</pitch></speed>'
        return ["pico2wave", "-l", voice.name, "-w", str(wav), spoken]
    if voice.program == "text2wave":  # reads the text from its input
        return ["text2wave", "-eval", f"(voice_{voice.name})", "-eval", f"(Parameter.set 'Duration_Stretch {1 / pace:.3f})", "-o", str(wav)]
    if voice.program == "RHVoice-test":  # so does this
        return ["RHVoice-test", "-p", voice.name, "-r", f"{100 * pace:.0f}", "-t", f"{100 * pitch:.0f}", "-o", str(wav)]
    return ["espeak-ng", "-v", voice.name, "-s", f"{160 * pace:.0f}", "-p", f"{min(50 * pitch, 99):.0f}", "-w", str(wav), "--", text]


def in_a_room(
    speech: FloatArray, chance: np.random.Generator, snr: float, reverberation: float = 0.2, silence: float = 0.6
) -> NDArray[np.int16]:
    """The speech at a microphone in a furnished room: at some distance, with noise, and silence before and after.

    Args:
        speech: (N,) at 16 kHz.
        chance: draws the echoes and the noise.
        snr: dB, of the speech's mean power to the noise's.
        reverberation: s for the echoes to fall by 60 dB.
        silence: s before and after.
    """
    from scipy.signal import fftconvolve

    times = np.arange(int(reverberation * SAMPLE_RATE) + 1) / SAMPLE_RATE
    echoes = 0.02 * chance.standard_normal(len(times)) * 10.0 ** (-3.0 * times / reverberation)
    echoes[0] = 1.0
    wet = fftconvolve(speech, echoes)
    power = float(np.mean(np.square(wet))) or 1.0
    pause = np.zeros(int(silence * SAMPLE_RATE))
    sound = np.concatenate([pause, wet, pause])
    sound += room_noise(len(sound), chance) * np.sqrt(power / 10.0 ** (snr / 10.0))
    samples: NDArray[np.int16] = np.round(sound / max(np.abs(sound).max(), 1e-9) * 0.5 * 32767).astype(np.int16)
    return samples


def room_noise(length: int, chance: np.random.Generator) -> FloatArray:
    """(length,) noise of unit power with a spectrum that falls by 3 dB an octave, like that of a quiet room."""
    spectrum = np.fft.rfft(chance.standard_normal(length))
    frequencies = np.maximum(np.fft.rfftfreq(length, 1.0 / SAMPLE_RATE), 30.0)
    noise: FloatArray = np.fft.irfft(spectrum / np.sqrt(frequencies), length)
    return noise / float(np.sqrt(np.mean(np.square(noise))))
