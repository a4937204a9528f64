"""How a sentence moves through the layers of the encoder: residual connections x_l = x_{l−1} + F(x_{l−1}), equation 21."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sayso.errors import ModelError
from sayso.models import model_path, onnx_session, sha256_once
from sayso.types import FloatArray

LAYERS_FILE = "encoder_layers.onnx"
LAYERS = "layers"  # the output that it adds to the encoder
ENCODER_KEY = "encoder"  # its metadata: SHA-256 of the encoder.onnx that it belongs to


class EncoderLayers:
    """Text → the sentence vector after each layer. encoder_layers.onnx holds only the nodes that add this output to encoder.onnx."""

    def __init__(self, pieces: Callable[[str], NDArray[np.int64]], folder: Path | None = None) -> None:
        """Load encoder.onnx a second time, with that output.

        Args:
            pieces: text → (1, T) the ids of its word pieces.
            folder: of the encoder; default: models/.

        Raises:
            ModelError: encoder_layers.onnx is missing or belongs to another encoder.
        """
        remedy = f"make it with 'sayso train encoder --layers{f' --output {folder}' if folder else ''}'"
        encoder = folder / "encoder.onnx" if folder else model_path("encoder.onnx")
        path = folder / LAYERS_FILE if folder else encoder.parent / LAYERS_FILE
        if not path.is_file():
            raise ModelError(f"there is no {path}: {remedy}")
        path = path if folder else model_path(LAYERS_FILE)
        try:
            # Protocol buffers are merged by appending one to the other.
            self._session: Any = onnx_session(encoder, path)
        except Exception as unreadable:  # onnxruntime's errors have no common base class
            raise ModelError(f"{path} was not made for {encoder}: {remedy}") from unreadable
        if self._session.get_modelmeta().custom_metadata_map.get(ENCODER_KEY) != sha256_once(encoder):
            raise ModelError(f"{path} was not made for {encoder}: {remedy}")
        self._pieces = pieces

    def __call__(self, text: str) -> NDArray[np.float32]:
        """(L + 1, D) pooled vectors: of the token embeddings, then after each layer; the last one, normalised, is the embedding."""
        ids = self._pieces(text)
        found: NDArray[np.float32] = self._session.run([LAYERS], {"input_ids": ids, "attention_mask": np.ones_like(ids)})[0][0]
        return found


def turns(layers: NDArray[Any]) -> FloatArray:
    """(L + 1, D) → (L − 1,) the cosine between successive displacements h_l − h_{l−1} and h_{l+1} − h_l (equation 21).

    1: straight on; 0: a right turn; below 0: the layer takes back what the last one did. Without a displacement it is 0.
    """
    steps = np.diff(np.asarray(layers, np.float64), axis=0)
    lengths = np.linalg.norm(steps, axis=1)
    products = (steps[1:] * steps[:-1]).sum(1)
    scale = lengths[1:] * lengths[:-1]
    return np.asarray(np.divide(products, scale, out=np.zeros_like(products), where=scale > 0.0), np.float64)
