"""The recognisers that the benchmark `speech` compares, all behind one interface, and Moonshine without the domain as their baseline."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from _speech_text import spelled
from sayso.domain import Domain
from sayso.errors import SaysoError
from sayso.models import onnx_session
from sayso.speech import moonshine
from sayso.speech.recognise import Backend, SpeechOptions, SpeechToText
from sayso.types import SAMPLE_RATE, Transcript, TranscriptAlternative

Recognise = Callable[[NDArray[np.int16]], Transcript]
PLAIN = "moonshine unbiased"
NAMES = (*get_args(Backend), PLAIN)
_TOKENS_A_SECOND = 6.5  # as its authors recommend; more is repetition
_BEGIN, _END = 1, 2
_PAST, _PRESENT = "past_key_values.", "present."
_SPACE = "▁"


@dataclass(frozen=True, slots=True)
class SpokenBackend:
    """A recogniser by its name, with a folder or file of weights if one was given."""

    name: str
    weights: Path | None = None

    def __call__(self, domain: Domain) -> Recognise:
        """The recogniser for the domain.

        Raises:
            SaysoError: its package or its weights are missing.
        """
        if self.name == PLAIN:
            return PlainMoonshine()
        options = SpeechOptions(backend=self.name)  # type: ignore[arg-type]
        return SpeechToText(domain, replace(options, whisper_weights=self.weights) if self.weights else options)


def chosen_backends(asked: str) -> list[SpokenBackend]:
    """All, or those asked for: "pocketsphinx,whisper=tiny.en.pt", the default first.

    Raises:
        SaysoError: there is no such backend.
    """
    names = [part.partition("=") for part in asked.split(",") if part.strip()] or [(name, "", "") for name in NAMES]
    for name, _, _ in names:
        if name not in NAMES:
            raise SaysoError(f"no backend '{name}'; known: {', '.join(NAMES)}")
    backends = [SpokenBackend(name, Path(weights) if weights else None) for name, _, weights in names]
    return sorted(backends, key=lambda backend: backend.name != SpeechOptions().backend)


def why_missing(backend: SpokenBackend, domain: Domain) -> str:
    """Why the backend cannot be measured, in one line; empty if it can."""
    if backend.name in ("moonshine", PLAIN) and (why := moonshine.missing()):
        return why.splitlines()[0]  # otherwise the stage would fall back on pocketsphinx, which would be measured twice
    try:
        backend(domain)
    except (SaysoError, ImportError) as missing:
        return str(missing).splitlines()[0]
    return ""


class PlainMoonshine:
    """Moonshine tiny, greedy, without the domain, its language model or a rejection: the published recogniser as it is."""

    def __init__(self) -> None:
        """Raises:
        ModelError: the package moonshine-voice is missing or of another version.
        """
        encoder, decoder = moonshine.packaged("encoder"), moonshine.packaged("decoder")
        self._encoder, self._decoder = onnx_session(encoder), onnx_session(decoder)
        self._outputs = [each.name for each in self._decoder.get_outputs()][1:]
        self._pieces = _pieces(decoder.with_name("tokenizer.bin"))
        empty: NDArray[np.float32] = np.zeros((1, 8, 0, 36), np.float32)
        self._no_past = {each.name: empty for each in self._decoder.get_inputs() if each.name.startswith(_PAST)}

    def __call__(self, samples: NDArray[np.int16]) -> Transcript:
        """(N,) int16 at 16 kHz → one text; ln P is that of its tokens."""
        sound = samples.astype(np.float32) / 32768.0
        inputs = {"input_values": sound[None], "attention_mask": np.ones((1, len(sound)), np.int64)}
        vectors = self._encoder.run(None, inputs)[0]
        tokens, log_p = self._greedy(vectors, max(2, round(_TOKENS_A_SECOND * len(sound) / SAMPLE_RATE)))
        text = spelled(self._text(tokens))
        alternatives = (TranscriptAlternative(text, log_p),) if text else ()
        return Transcript("", len(sound) / SAMPLE_RATE, alternatives, 1.0 if text else 0.0)

    def _greedy(self, vectors: NDArray[np.float32], longest: int) -> tuple[list[int], float]:
        tokens, log_p, past = [_BEGIN], 0.0, self._no_past
        while len(tokens) <= longest and tokens[-1] != _END:
            logits, *present = self._decoder.run(None, self._inputs(vectors, tokens[-1], past))
            row = logits[0, -1].astype(np.float64)
            tokens.append(int(row.argmax()))
            log_p += float(row.max() - np.logaddexp.reduce(row))
            cache = dict(zip((name.replace(_PRESENT, _PAST) for name in self._outputs), present, strict=True))
            if past is not self._no_past:  # the cache of the sound is computed in the first step only
                cache.update({name: each for name, each in past.items() if ".encoder." in name})
            past = cache
        return tokens[1:], log_p

    def _inputs(self, vectors: NDArray[np.float32], token: int, past: dict[str, NDArray[np.float32]]) -> dict[str, Any]:
        return {
            "encoder_attention_mask": np.ones((1, vectors.shape[1]), np.int64),
            "input_ids": np.array([[token]], np.int64),
            "encoder_hidden_states": vectors,
            "use_cache_branch": np.array([past is not self._no_past]),
            **past,
        }

    def _text(self, tokens: list[int]) -> str:
        words = b"".join(self._pieces[token] for token in tokens if token > _END)
        return words.decode("utf-8", "ignore").replace(_SPACE, " ")


def _pieces(path: Path) -> list[bytes]:
    """The pieces of tokenizer.bin by token: each is its length in bytes, in one byte or two, then its bytes; 0 is an unused token."""
    content, at = path.read_bytes(), 0
    pieces: list[bytes] = []
    while at < len(content):
        size = content[at]
        at += 1
        if size >= 128:
            size, at = content[at] * 128 + size - 128, at + 1
        pieces.append(content[at : at + size])
        at += size
    return pieces
