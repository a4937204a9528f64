"""openai-whisper as a recogniser: better on free speech, but larger and slower; the user must fetch its weights."""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sayso.domain import Domain
from sayso.errors import AbsentPackageError, ModelError
from sayso.extras import needed
from sayso.speech.recogniser import Recognition
from sayso.speech.whisper_texts import BEAM, Hypothesis, Listened, TextChoice, in_context, most_tokens, plain

GET = "https://github.com/openai/whisper#available-models-and-languages"

__all__ = ["WhisperRecogniser", "plain"]


class WhisperRecogniser:
    """Decodes utterances of up to 30 s with a beam. Its confidence concerns the words, not the command."""

    def __init__(self, weights: Path | None = None, alternatives: int = 5, domain: Domain | None = None) -> None:
        """Raises ModelError if whisper or its weights are missing; never downloads anything."""
        path = weights or _cached()
        if path is None or not path.is_file():
            where = path or Path("~/.cache/whisper/base.en.pt")
            raise AbsentPackageError(
                f"{where}: no whisper weights there; fetch a model named at {GET} once, and give its .pt file with --whisper"
            )
        try:
            import whisper
        except ImportError as missing:
            raise AbsentPackageError(f"whisper is not installed ({missing}): {needed('whisper')}") from None
        try:
            self._model: Any = whisper.load_model(str(path), device="cpu")
        except (pickle.UnpicklingError, RuntimeError, KeyError, TypeError, EOFError, ValueError, OSError) as broken:
            raise ModelError(f"{path}: not a whisper checkpoint ({type(broken).__name__}); fetch one named at {GET}") from None
        self._whisper = whisper
        self._options = whisper.DecodingOptions(
            language=domain.language if domain is not None else "en", beam_size=BEAM, fp16=False, without_timestamps=True
        )
        self._choose = TextChoice(domain, alternatives)

    def __call__(self, samples: NDArray[np.int16]) -> Recognition:
        """(N,) int16 at 16 kHz → Recognition."""
        return self._choose(samples, self.hear(samples))

    def hear(self, samples: NDArray[np.int16]) -> Listened:
        """The beam search, before the domain has its say."""
        import torch
        from whisper.decoding import DecodingTask

        mel = self._whisper.log_mel_spectrogram(in_context(samples), n_mels=self._model.dims.n_mels)
        with torch.no_grad(), _short_context(self._model.encoder, mel.shape[-1] // 2):
            task = DecodingTask(self._model, replace(self._options, sample_len=most_tokens(samples)))
            task.sequence_ranker = kept = _KeepAll()
            result = task.run(mel[None])[0]
        beam = [
            Hypothesis(task.tokenizer.decode(tokens.tolist()), log_p, len(tokens) + 1)
            for tokens, log_p in zip(kept.tokens, kept.log_p, strict=True)
        ]
        return Listened(beam, float(result.no_speech_prob), lambda texts: self._score(task, result.audio_features, texts))

    def _score(self, task: Any, features: Any, texts: Sequence[str]) -> list[Hypothesis]:
        """The texts with their probabilities, all in one run of the decoder."""
        import torch

        if not texts:
            return []
        begin = list(task.initial_tokens)
        tokens = [task.tokenizer.encode(f" {text}") for text in texts]
        longest = max(map(len, tokens))
        padded = torch.tensor([begin + each + [task.tokenizer.eot] * (longest - len(each)) for each in tokens])
        with torch.no_grad():
            logits = self._model.decoder(padded, features[None].expand(len(texts), -1, -1))[:, len(begin) - 1 : -1]
            log_p = logits.log_softmax(dim=-1).gather(2, padded[:, len(begin) :, None])[..., 0].numpy()
        return [Hypothesis(text, float(row[: len(each)].sum()), len(each)) for text, each, row in zip(texts, tokens, log_p, strict=True)]


class _KeepAll:
    """A ranker of sequences that keeps them: whisper returns only the best one."""

    tokens: list[Any]
    log_p: list[float]

    def rank(self, tokens: list[list[Any]], sum_logprobs: list[list[float]]) -> list[int]:
        self.tokens, self.log_p = tokens[0], sum_logprobs[0]
        return [int(np.argmax(self.log_p))]


@contextmanager
def _short_context(encoder: Any, vectors: int) -> Iterator[None]:
    """Let the encoder take fewer than the 1,500 vectors of 30 s: it checks the length against its positional embedding."""
    whole = encoder.positional_embedding
    encoder.positional_embedding = whole[:vectors]
    try:
        yield
    finally:
        encoder.positional_embedding = whole


def _cached() -> Path | None:
    """The largest model in whisper's own cache, or None."""
    found = [path for path in (Path.home() / ".cache" / "whisper").glob("*.pt") if path.is_file()]
    return max(found, key=lambda path: path.stat().st_size, default=None)
