"""Text → sentence embedding, by a sentence-transformers model in ONNX with 8-bit weights, exported by `sayso train encoder`."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sayso.encoder.layers import EncoderLayers
from sayso.encoder.pieces import cut, word_pieces
from sayso.errors import ModelError
from sayso.models import model_path, onnx_session

REMEMBERED = 4096  # cached embeddings: n-best lists repeat the same texts


class SentenceEncoder:
    """h = encoder(t), of length 1. The graph has all modules of the sentence-transformers model: transformer, pooling, normalisation.

    Runs one text at a time: 8-bit activations are scaled per batch, so in a batch an embedding would depend on the other texts.
    """

    def __init__(self, folder: Path | None = None) -> None:
        """The shipped encoder, or one from a folder written by `sayso train encoder --from … --output FOLDER`, which is tried at once.

        Raises:
            ModelError: a file is missing or altered.
        """
        self._paths = [folder / name if folder else model_path(name) for name in ("encoder.onnx", "tokenizer.json")]
        self._folder = folder
        self._known: OrderedDict[str, NDArray[np.float32]] = OrderedDict()
        if folder is not None:
            self._loaded  # noqa: B018 - of the shipped one, the checksums were compared

    @cached_property
    def _loaded(self) -> tuple[Any, tuple[Any, int]]:
        """Network, and tokenizer with its limit, loaded when the first text needs them: most sentences are read by the parser alone."""
        try:
            session, pieces = onnx_session(self._paths[0]), word_pieces(self._paths[1])
        except Exception as unreadable:  # both libraries raise bare Exceptions
            remedy = "make one with 'sayso train encoder --output FOLDER'"
            raise ModelError(f"no encoder can be read from {self._paths[0].parent}: {remedy}") from unreadable
        return session, pieces

    @property
    def _session(self) -> Any:
        return self._loaded[0]

    def _ids(self, text: str) -> NDArray[np.int64]:
        """(1, T) the word pieces of a text."""
        tokenizer, limit = self._loaded[1]
        return np.array([cut(tokenizer.encode(text).ids, limit)], np.int64)

    def __call__(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """(N, D) embeddings, rows of length 1."""
        return np.stack([self._embedding(text) for text in texts])

    def words(self, words: Sequence[str]) -> NDArray[np.float32]:
        """(n, D) vectors of the words of one sentence, each the mean over its pieces; zeros for words beyond MAX_TOKENS."""
        tokenizer, limit = self._loaded[1]
        encoded = tokenizer.encode(list(words), is_pretokenized=True)
        ids = np.array([cut(encoded.ids, limit)], np.int64)
        embedding, tokens = (
            part[0] for part in self._session.run(["embedding", "tokens"], {"input_ids": ids, "attention_mask": np.ones_like(ids)})
        )
        self._remember(" ".join(words), embedding)  # a later call may need it: one pass serves both
        pool = np.zeros((len(words), len(tokens)), np.float32)
        for piece, word in enumerate(encoded.word_ids[: len(tokens) - 1]):
            if word is not None:
                pool[word, piece] = 1.0
        return np.asarray(pool @ tokens / np.maximum(pool.sum(1, keepdims=True), 1.0), np.float32)

    def tokens(self, text: str) -> NDArray[np.float32]:
        """(T, D) vectors of the word pieces of a text, by the last layer."""
        ids = self._ids(text)
        found: NDArray[np.float32] = self._session.run(["tokens"], {"input_ids": ids, "attention_mask": np.ones_like(ids)})[0][0]
        return found

    @cached_property
    def layers(self) -> EncoderLayers:
        """The same encoder with an output after each layer.

        Raises:
            ModelError: its encoder_layers.onnx is missing or belongs to another encoder.
        """
        return EncoderLayers(self._ids, self._folder)

    def _embedding(self, text: str) -> NDArray[np.float32]:
        known = self._known.get(text)
        if known is None:
            ids = self._ids(text)
            known = self._session.run(["embedding"], {"input_ids": ids, "attention_mask": np.ones_like(ids)})[0][0]
            self._remember(text, known)
        return known

    def _remember(self, text: str, embedding: NDArray[np.float32]) -> None:
        self._known[text] = embedding
        if len(self._known) > REMEMBERED:
            self._known.popitem(last=False)
