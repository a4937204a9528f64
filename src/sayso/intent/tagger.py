"""Tags trigger words and role fillers with a head on the encoder's word vectors, trained by `sayso train tagger`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from sayso.encoder import SentenceEncoder
from sayso.errors import ModelError
from sayso.intent.tags import TaggedFrame, best_spans
from sayso.models import model_path, onnx_session

TAGGER = "tagger.onnx"


class Tagger:
    """Finds triggers first, then the arguments of each; words may be arguments of several triggers (semantic role labelling)."""

    def __init__(self, encode: SentenceEncoder, path: Path | None = None) -> None:
        """Load the shipped tagger, or one from a file.

        Raises:
            ModelError: the file is missing, altered, or not a tagger.
        """
        path = path or model_path(TAGGER)
        try:
            self._session: Any = onnx_session(path)
            metadata = self._session.get_modelmeta().custom_metadata_map
            self.triggers: tuple[str, ...] = tuple(json.loads(metadata["triggers"]))
            self.arguments: tuple[str, ...] = tuple(json.loads(metadata["arguments"]))
        except Exception as unreadable:  # onnxruntime's errors have no common base class
            raise ModelError(f"{path} is not a tagger: recreate it with 'sayso train tagger'") from unreadable
        self._encode = encode

    def __call__(self, words: Sequence[str]) -> tuple[TaggedFrame, ...]:
        """The requests in a sentence, in the order of their triggers."""
        if not words:
            return ()
        return self.read(self._encode.words(words))

    def read(self, vectors: Any) -> tuple[TaggedFrame, ...]:
        """The requests, from the (n, D) vectors of the words."""
        triggers = best_spans(self._run(vectors, np.zeros((1, len(vectors)), np.float32))[0], self.triggers)
        if not triggers:
            return ()
        at = np.zeros((len(triggers), len(vectors)), np.float32)
        for row, span in enumerate(triggers):
            at[row, span.first : span.last + 1] = 1.0
        arguments = self._run(vectors, at)[1]
        return tuple(TaggedFrame(span, best_spans(scores, self.arguments)) for span, scores in zip(triggers, arguments, strict=True))

    def _run(self, vectors: Any, at: Any) -> list[Any]:
        return [part.astype(np.float64) for part in self._session.run(None, {"words": vectors, "at": at})]
