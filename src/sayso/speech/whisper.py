"""openai-whisper as a recogniser: better on free speech, but larger and slower; the user must fetch its weights."""

from __future__ import annotations

import pickle
import re
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sayso.errors import ModelError
from sayso.extras import needed
from sayso.speech.recogniser import Recognition, normalised

GET = "https://github.com/openai/whisper#available-models-and-languages"
TEMPERATURES = (0.0, 0.2, 0.4, 0.6)  # whisper has no n-best list; results at several temperatures replace it
# whisper's default thresholds
NO_SPEECH = 0.6  # above: no speech
LEAST_LOG_P = -1.0  # nats per token; below: the decoding failed
REPETITION = 2.4  # compression ratio of the text; above: it repeats itself, as on noise


class WhisperRecogniser:
    """Decodes utterances of up to 30 s. It does not know the domain: its confidence concerns the words, not the command."""

    def __init__(self, weights: Path | None = None, alternatives: int = 5) -> None:
        """Raises ModelError if whisper or its weights are missing; never downloads anything."""
        path = weights or _cached()
        if path is None or not path.is_file():
            where = path or Path("~/.cache/whisper/base.en.pt")
            raise ModelError(f"{where}: no whisper weights there; fetch a model named at {GET} once, and give its .pt file with --whisper")
        try:
            import whisper
        except ImportError as missing:
            raise ModelError(f"whisper is not installed ({missing}): {needed('whisper')}") from None
        try:
            self._model: Any = whisper.load_model(str(path), device="cpu")
        except (pickle.UnpicklingError, RuntimeError, KeyError, TypeError, EOFError, ValueError, OSError) as broken:
            raise ModelError(f"{path}: not a whisper checkpoint ({type(broken).__name__}); fetch one named at {GET}") from None
        self._whisper = whisper
        self._alternatives = alternatives

    def __call__(self, samples: NDArray[np.int16]) -> Recognition:
        """(N,) int16 at 16 kHz → Recognition; a text's log score is the sum over its tokens."""
        sound = self._whisper.pad_or_trim(samples.astype(np.float32) / 32768.0)
        mel = self._whisper.log_mel_spectrogram(sound, n_mels=self._model.dims.n_mels)
        results = self._decode(mel)
        scores: dict[str, float] = {}
        for result in results:
            text = plain(result.text)
            if text:
                score = float(result.avg_logprob) * (len(result.tokens) + 1)
                scores[text] = max(scores.get(text, score), score)
        greedy = results[0]
        silent = greedy.no_speech_prob > NO_SPEECH and greedy.avg_logprob < LEAST_LOG_P
        if silent or not scores:
            return Recognition((), 0.0, f"no speech in it (probability {greedy.no_speech_prob:.2f})")
        confidence = float(np.clip(np.exp(greedy.avg_logprob), 0.0, 1.0))
        return Recognition(normalised(list(scores.items()), self._alternatives), confidence, _objection(greedy))

    def _decode(self, mel: Any) -> list[Any]:
        """One result per temperature, deterministic for a given sound."""
        import torch

        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(0)
            return [
                self._whisper.decode(
                    self._model,
                    mel,
                    self._whisper.DecodingOptions(language="en", temperature=temperature, fp16=False, without_timestamps=True),
                )
                for temperature in TEMPERATURES[: self._alternatives]
            ]


def _objection(result: Any) -> str:
    if result.avg_logprob < LEAST_LOG_P:
        return f"the words are too doubtful ({result.avg_logprob:.2f} nats a token)"
    if result.compression_ratio > REPETITION:
        return "it says the same over and over, as whisper does on noise"
    return ""


def plain(text: str) -> str:
    """The text in lower case without punctuation except apostrophes: "Go to the kitchen, please." → "go to the kitchen please"."""
    return " ".join(re.sub(r"[^a-z0-9' ]+", " ", text.lower().replace("’", "'")).split())


def _cached() -> Path | None:
    """The largest model in whisper's own cache, or None."""
    found = [path for path in (Path.home() / ".cache" / "whisper").glob("*.pt") if path.is_file()]
    return max(found, key=lambda path: path.stat().st_size, default=None)
