"""The shipped encoder as a trainable network again: its lowest layers stay as they are and serve both, the others are copied and tuned."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import torch
from numpy.typing import NDArray
from onnx import numpy_helper
from torch import Tensor, nn

from sayso.errors import ModelError
from sayso.models import model_path

Arrays = dict[str, NDArray[np.float32]]
_SELF, _AFTER = "attention.self", "attention.output"
# The weights of a layer in the order in which its exported graph multiplies with them.
MULTIPLIED = (f"{_SELF}.query", f"{_SELF}.key", f"{_SELF}.value", f"{_AFTER}.dense", "intermediate.dense", "output.dense")


class Trunk(nn.Module):
    """Word pieces → vectors: a BERT of which the word-piece table and the lowest `shared` layers are frozen.

    Args:
        shared: layers that stay as in encoder.onnx.
        start: a sentence-transformers model by folder or name; None: the shipped encoder, its 8-bit weights widened.
    """

    def __init__(self, shared: int, start: str | None = None) -> None:
        super().__init__()
        from transformers import BertConfig, BertModel

        if start is None:
            self.bert: Any = BertModel(
                BertConfig(hidden_size=384, num_hidden_layers=6, num_attention_heads=12, intermediate_size=1536), add_pooling_layer=False
            )
            _load(self.bert, model_path("encoder.onnx"))
        else:
            from transformers import AutoModel

            self.bert = AutoModel.from_pretrained(start)
        self.shared = shared
        frozen = [self.bert.embeddings if shared else self.bert.embeddings.word_embeddings, *self.bert.encoder.layer[:shared]]
        for part in frozen:
            part.requires_grad_(False)

    @property
    def width(self) -> int:
        """Dimensions of the vectors."""
        return int(self.bert.config.hidden_size)

    def forward(self, ids: Tensor, mask: Tensor) -> Tensor:
        """(B, T) word pieces and 1 where there is one → (B, T, D)."""
        return self.upper(self.lower(ids, mask), mask)

    def lower(self, ids: Tensor, mask: Tensor) -> Tensor:
        """(B, T, D) after the shared layers, which learn nothing."""
        with torch.set_grad_enabled(torch.is_grad_enabled() and self.shared == 0):
            hidden = self.bert.embeddings(input_ids=ids)
            for layer in self.bert.encoder.layer[: self.shared]:
                hidden = _run(layer, hidden, _bias(mask, hidden))
        return hidden

    def upper(self, hidden: Tensor, mask: Tensor) -> Tensor:
        """(B, T, D) after the layers that are tuned."""
        bias = _bias(mask, hidden)
        for layer in self.bert.encoder.layer[self.shared :]:
            hidden = _run(layer, hidden, bias)
        return hidden

    def train(self, mode: bool = True) -> Trunk:
        """Training mode; the shared layers drop nothing, so that they give what the shipped encoder gives."""
        super().train(mode)
        if self.shared:
            for part in (self.bert.embeddings, *self.bert.encoder.layer[: self.shared]):
                part.eval()
        return self


def _bias(mask: Tensor, hidden: Tensor) -> Tensor:
    """(B, 1, 1, T) 0 where attention may look, a large negative number elsewhere."""
    return (1.0 - mask[:, None, None, :].to(hidden.dtype)) * -1e4


def _run(layer: Any, hidden: Tensor, bias: Tensor) -> Tensor:
    found = layer(hidden, bias)
    return found[0] if isinstance(found, tuple) else found


def _load(bert: nn.Module, path: Path) -> None:
    """Widen the 8-bit weights of an exported encoder, in the order in which its graph uses them.

    Raises:
        ModelError: the graph is none of six layers as `sayso train encoder` exports them.
    """
    graph = onnx.load(str(path)).graph
    held: Arrays = {each.name: numpy_helper.to_array(each) for each in graph.initializer}
    layers = range(len(bert.encoder.layer))
    state = multiplied(held, [f"encoder.layer.{layer}.{part}.weight" for layer in layers for part in MULTIPLIED], path)
    for name in bert.state_dict():
        plain = name.replace(".", "/")
        found = next((held[each] for each in (name, plain) if each in held), None)
        if found is not None:
            state[name] = torch.from_numpy(np.array(found))
    shape = bert.embeddings.token_type_embeddings.weight.shape
    for name, values in held.items():
        if name.startswith("onnx::Add") and values.shape == shape[1:]:  # the vector of the only kind of text, which the export folds
            state["embeddings.token_type_embeddings.weight"] = torch.from_numpy(np.stack([values, np.zeros_like(values)]))
    state["embeddings.word_embeddings.weight"] = torch.from_numpy(widened(held, "embeddings/word_embeddings/weight"))
    missing = [name for name in bert.state_dict() if name not in state and "_ids" not in name]
    if missing:
        raise ModelError(f"{path} lacks {', '.join(missing[:4])}")
    bert.load_state_dict(state, strict=False)


def multiplied(held: Arrays, names: Sequence[str], path: Path) -> dict[str, Tensor]:
    """The weights that a quantised graph multiplies with, by the names that they have in the network, in the order of the graph.

    Raises:
        ModelError: the graph of that path has another number of them.
    """
    found = [name.removesuffix("_quantized") for name in held if "onnx::MatMul" in name and name.endswith("_quantized")]
    if len(found) != len(names):
        raise ModelError(f"{path}: {len(found)} weights, not {len(names)}: it is no graph of this network")
    return {name: torch.from_numpy(widened(held, each).T.copy()) for name, each in zip(names, found, strict=True)}


def widened(held: Arrays, name: str) -> NDArray[np.float32]:
    """A weight of a quantised graph in single precision."""
    scale, zero = held[f"{name}_scale"], held[f"{name}_zero_point"]
    return ((held[f"{name}_quantized"].astype(np.float32) - zero.astype(np.float32)) * scale).astype(np.float32)
