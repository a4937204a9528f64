"""A published recogniser, Moonshine tiny (Jeffries et al. 2024, https://arxiv.org/abs/2410.15608; MIT), for scoring texts on a sound.

It was trained on 200,000 hours of speech. onnxruntime runs its files from the package moonshine-voice on one core; none of the package's
code is loaded. An encoder turns the sound into one vector per 24 ms; a decoder predicts the text from them token by token.
"""

from __future__ import annotations

from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from sayso.errors import AbsentPackageError, ModelError
from sayso.models import onnx_session, sha256_once

File = Literal["encoder", "decoder", "pieces"]
PACKAGE = "moonshine_voice"
INSTALL = "'pip install --no-deps moonshine-voice==0.1.0'"
FOLDER = "assets/tiny-en"
FILES: dict[File, tuple[str, str]] = {  # name and SHA-256 in moonshine-voice 0.1.0
    "encoder": ("encoder_model.ort", "94e90a4654fc45cdfedb77c4c08e1739f48862998e58fada384b25118134f221"),
    "decoder": ("decoder_model_merged.ort", "cf524c4862d36e9e5ab032eddc73637efd822d70e868ac575cf1a46e1e4708a0"),
    "pieces": ("tokenizer.bin", "6884b35fd6377d4c4d32336a0bc152f36b64d1e45b6503683cdc238250a8472d"),
}
BEGIN, END = 1, 2  # tokens
TOKENS_PER_S = 6.5  # at most, as its authors recommend: more is repetition
_LONGEST = 13  # tokens, of 2 s of speech
_PAST, _PRESENT = "past_key_values.", "present."
_HEADS, _WIDTH = 8, 36
_ONE = np.ones((1, 1), np.int64)

Log = NDArray[np.float64]
Past = dict[str, NDArray[np.float32]]  # the decoder's key–value cache, of the tokens and of the sound


def packaged(file: File) -> Path:
    """The path of the file in the package moonshine-voice.

    Raises:
        ModelError: the package is not installed, or its file differs.
    """
    spec = find_spec(PACKAGE)
    if spec is None or spec.origin is None:
        raise AbsentPackageError(f"the package moonshine-voice is not installed: {INSTALL}")
    name, digest = FILES[file]
    path = Path(spec.origin).parent / FOLDER / name
    if not path.is_file() or sha256_once(path) != digest:
        raise ModelError(f"{path} is not the {file} of moonshine-voice 0.1.0 (SHA-256 {digest[:12]}…): {INSTALL}")
    return path


def missing() -> str:
    """Why Moonshine is unavailable, and the remedy; empty if it is available."""
    try:
        for file in FILES:
            packaged(file)
    except ModelError as why:
        return str(why)
    return ""


@lru_cache(maxsize=1)
def sessions() -> tuple[Any, Any]:
    """The encoder's and the decoder's; two recognisers of a process share them, and so do processes that are forked afterwards.

    Raises:
        ModelError: the package moonshine-voice is missing or of another version.
    """
    return onnx_session(packaged("encoder")), onnx_session(packaged("decoder"))


class Moonshine:
    """Sound → the most probable text, and the probabilities of others."""

    def __init__(self) -> None:
        """Raises:
        ModelError: the package moonshine-voice is missing or of another version.
        """
        self._encoder, self._decoder = sessions()
        self._outputs = [each.name for each in self._decoder.get_outputs()]
        empty: NDArray[np.float32] = np.zeros((1, _HEADS, 0, _WIDTH), np.float32)
        self.no_past: Past = {each.name: empty for each in self._decoder.get_inputs() if each.name.startswith(_PAST)}

    def vectors(self, sound: NDArray[np.float32]) -> NDArray[np.float32]:
        """(N,) sound in [-1, 1] → (1, T, 288), one vector per 24 ms."""
        encoded: NDArray[np.float32] = self._encoder.run(
            None, {"input_values": sound[None], "attention_mask": np.ones((1, len(sound)), np.int64)}
        )[0]
        return encoded

    def best(self, vectors: NDArray[np.float32], longest: int = _LONGEST) -> tuple[list[int], Log]:
        """Greedy decoding of at most `longest` tokens.

        Returns:
            n tokens after BEGIN, ending with END unless the text was cut off; and (n, 32768) ln P of every token at each position.
        """
        tokens, past = [BEGIN], self.no_past
        rows: list[Log] = []
        while len(rows) < longest and tokens[-1] != END:
            logits, past = self.step(vectors, np.array([tokens[-1:]]), past)
            rows.append(_log_p(logits[0, -1]))
            tokens.append(int(rows[-1].argmax()))
        return tokens[1:], np.array(rows)

    def after(self, vectors: NDArray[np.float32], tokens: list[int]) -> Log:
        """(n, 32768) ln P of the next token after each prefix of the n tokens."""
        return _log_p(self.step(vectors, np.array([[BEGIN, *tokens]]), self.no_past)[0][0, 1:])

    def step(self, vectors: NDArray[np.float32], tokens: NDArray[np.int64], past: Past) -> tuple[NDArray[np.float32], Past]:
        """The next token of B texts of the same sound.

        Args:
            vectors: (1, T, 288).
            tokens: (B, n), those that follow `past`, or all from BEGIN on where `past` is `no_past`.
            past: as returned by the step before, its rows chosen by `chosen`.

        Returns:
            (B, n, 32768) logits after each token, and the new past.
        """
        has_past = past is not self.no_past
        logits, *present = self._decoder.run(
            None,
            {
                # The graph takes each 384th value of a mask over the samples. A single 1 stands for all of them, whatever the length.
                "encoder_attention_mask": _ONE,
                "input_ids": tokens,
                "encoder_hidden_states": vectors,
                "use_cache_branch": np.array([has_past]),
                **past,
            },
        )
        cache = {name.replace(_PRESENT, _PAST): each for name, each in zip(self._outputs[1:], present, strict=True)}
        if has_past:  # the cache of the sound is computed in the first step only
            cache.update({name: each for name, each in past.items() if ".encoder." in name})
        return logits, cache


def chosen(past: Past, rows: list[int]) -> Past:
    """The past of these texts; that of the sound is the same for all, and stays one row."""
    return {name: each if ".encoder." in name else each[rows] for name, each in past.items()}


def _log_p(logits: NDArray[np.float32]) -> Log:
    shifted = logits - logits.max(axis=-1, keepdims=True)
    log_p: Log = shifted.astype(np.float64) - np.log(np.exp(shifted).sum(axis=-1, keepdims=True, dtype=np.float64))
    return log_p
