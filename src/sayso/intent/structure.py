"""The structure of a sentence: a head on the encoder's word vectors, trained by `sayso train structure` on sentences marked by hand.

The head marks acts and their roles, conditions, asides, what is taken back or forbidden, and talk that is not for the robot. It knows
neither rules nor the home. The classifier uses its acts, as a second opinion on each clause's intent.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sayso.errors import ModelError
from sayso.models import model_path, onnx_session
from sayso.types import FloatArray

STRUCTURE = "structure.onnx"
LAYERS = ("acts", "moods", "conditions", "roles")
OTHER = ("other", "hint")  # acts that say nothing about the intent


class StructureTagger:
    """Vectors of words → P(tag) of each word, in four rows of tags."""

    def __init__(self, path: Path | None = None) -> None:
        """Load the shipped model, or one from a file.

        Raises:
            ModelError: the file is missing, altered, or not such a model.
        """
        path = path or model_path(STRUCTURE)
        try:
            self._session: Any = onnx_session(path)
            labels = json.loads(self._session.get_modelmeta().custom_metadata_map["layers"])
            self.layers: dict[str, tuple[str, ...]] = {layer: tuple(labels[layer]) for layer in LAYERS}
        except Exception as unreadable:  # onnxruntime's errors have no common base class
            raise ModelError(f"{path} does not read structures: recreate it with 'sayso train structure'") from unreadable

    def read(self, vectors: NDArray[np.float32], layer: str) -> FloatArray:
        """(n, 2L + 1) P(tag) of each word in a layer, tags as in `tags_of`, from the (n, D) vectors of n ≥ 1 words."""
        (log_p,) = self._session.run([layer], {"words": vectors})
        return np.exp(np.asarray(log_p, np.float64))

    def acts(self, vectors: NDArray[np.float32], intents: tuple[str, ...]) -> FloatArray:
        """(n, K + 1) P(word belongs to an act of each intent), and in the last column P(it belongs to no act, or to another one)."""
        p = self.read(vectors, "acts")
        mass = {label: p[:, 2 * at + 1] + p[:, 2 * at + 2] for at, label in enumerate(self.layers["acts"])}
        other = p[:, 0] + np.sum([mass[label] for label in OTHER if label in mass], axis=0)
        known = [mass.get(intent, np.zeros(len(p))) for intent in intents]
        return np.stack([*known, other], axis=1)
