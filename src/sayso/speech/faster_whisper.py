"""faster-whisper, which runs Whisper by CTranslate2 with 8-bit weights: the same texts as openai-whisper in a fraction of the time."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sayso.domain import Domain
from sayso.errors import AbsentPackageError, ModelError
from sayso.extras import needed
from sayso.speech.recogniser import Recognition
from sayso.speech.whisper_texts import BEAM, Hypothesis, Listened, TextChoice, in_context, most_tokens

GET = "https://huggingface.co/Systran"
TINY = 1e-9  # stands for probabilities that CTranslate2 rounds to 0
FILES = ("model.bin", "config.json", "tokenizer.json")  # without the last, faster-whisper would download one


class FasterWhisperRecogniser:
    """Decodes utterances of up to 30 s with a beam. Its confidence concerns the words, not the command."""

    def __init__(self, folder: Path | None, alternatives: int = 5, domain: Domain | None = None) -> None:
        """Raises ModelError if faster-whisper or its weights are missing; never downloads anything."""
        _check(folder)
        try:
            from faster_whisper import WhisperModel
            from faster_whisper.tokenizer import Tokenizer
        except ImportError as missing:
            raise AbsentPackageError(f"faster-whisper is not installed ({missing}): {needed('faster-whisper')}") from None
        try:
            self._model: Any = WhisperModel(str(folder), device="cpu", compute_type="int8", cpu_threads=1, local_files_only=True)
        except Exception as broken:  # of CTranslate2, of the tokenizer and of its JSON
            raise ModelError(f"{folder}: not a Whisper model of CTranslate2 ({_first_line(broken)}); fetch one named at {GET}") from broken
        self._tokenizer: Any = Tokenizer(
            self._model.hf_tokenizer,
            self._model.model.is_multilingual,
            task="transcribe",
            language=domain.language if domain is not None else "en",
        )
        self._prompt = self._model.get_prompt(self._tokenizer, [], without_timestamps=True)
        self._choose = TextChoice(domain, alternatives)

    def __call__(self, samples: NDArray[np.int16]) -> Recognition:
        """(N,) int16 at 16 kHz → Recognition."""
        return self._choose(samples, self.hear(samples))

    def hear(self, samples: NDArray[np.int16]) -> Listened:
        """The beam search, before the domain has its say."""
        sound = in_context(samples)
        mel = self._model.feature_extractor(sound, padding=0)[:, : len(sound) // self._model.feature_extractor.hop_length]
        encoded = self._model.encode(mel)
        result = self._model.model.generate(
            encoded, [self._prompt], beam_size=BEAM, num_hypotheses=BEAM, length_penalty=0.0,
            max_length=len(self._prompt) + most_tokens(samples), return_scores=True, return_no_speech_prob=True,
        )[0]  # fmt: skip
        beam = [
            Hypothesis(self._tokenizer.decode(tokens), float(log_p), len(tokens) + 1)
            for tokens, log_p in zip(result.sequences_ids, result.scores, strict=True)
        ]
        return Listened(beam, float(result.no_speech_prob), lambda texts: self._score(encoded, mel.shape[1], texts))

    def _score(self, encoded: Any, frames: int, texts: Sequence[str]) -> list[Hypothesis]:
        """The texts with their probabilities; `align` is CTranslate2's way to the probabilities of a given text."""
        import ctranslate2

        if not texts:
            return []
        tokens = [self._tokenizer.encode(f" {text}") for text in texts]
        repeated = ctranslate2.StorageView.from_array(np.repeat(np.array(encoded), len(texts), axis=0))
        found = self._model.model.align(repeated, self._prompt, tokens, [frames] * len(texts), median_filter_width=1)
        return [
            Hypothesis(text, float(np.log(np.maximum(each.text_token_probs, TINY)).sum()), len(each.text_token_probs))
            for text, each in zip(texts, found, strict=True)
        ]


def _check(folder: Path | None) -> None:
    missing = FILES if folder is None else [name for name in FILES if not (folder / name).is_file()]
    if missing:
        where = folder or "no folder given"
        raise AbsentPackageError(
            f"{where}: {', '.join(missing)} of faster-whisper missing; fetch a model named at {GET} once, "
            "such as faster-whisper-base.en, and give its folder with --whisper"
        )


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0]
