"""Find a sentence encoder by its folder, or download it by its name on the Hugging Face hub (in training only)."""

from __future__ import annotations

import re
from pathlib import Path

from sayso.errors import ModelError

NEEDED = ("config.json", "model.safetensors", "tokenizer.json")
HUB_NAME = re.compile(r"[\w.-]+/[\w.-]+")


def encoder_folder(given: Path) -> Path:
    """The folder of the encoder; a name like `sentence-transformers/all-MiniLM-L12-v2` is downloaded once to the hub's own cache.

    Raises:
        ModelError: the folder does not exist or lacks a file, or the hub is unreachable or does not have the encoder.
    """
    folder = given.expanduser()
    if not folder.is_dir():
        if not HUB_NAME.fullmatch(str(given)):
            raise ModelError(
                f"{given} is neither a folder nor a name on the Hugging Face hub, such as sentence-transformers/all-MiniLM-L12-v2"
            )
        folder = _from_hub(str(given))
    missing = [name for name in NEEDED if not (folder / name).is_file()]
    if missing:
        raise ModelError(f"{folder} has no {', '.join(missing)}: a BERT sentence encoder with safetensors weights is needed")
    return folder


def _from_hub(name: str) -> Path:
    try:
        from huggingface_hub import snapshot_download
    except ImportError:
        raise ModelError(
            f"{name} is not a folder, and downloading it from the hub needs huggingface_hub: 'pip install transformers'"
        ) from None
    try:
        return Path(snapshot_download(name, allow_patterns=list(NEEDED)))
    except Exception as refused:  # the hub's client and its transport have different errors
        reason = (str(refused).strip().splitlines() or [type(refused).__name__])[0]
        hint = "without a network, give the folder of a downloaded encoder"
        raise ModelError(f"{name} is not a folder, and the Hugging Face hub does not provide it ({reason}): {hint}") from refused
