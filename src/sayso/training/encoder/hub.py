"""A sentence encoder by its folder, or by its name on the Hugging Face hub: only there, and only in training, a network is asked."""

from __future__ import annotations

import re
from pathlib import Path

from sayso.errors import ModelError

NEEDED = ("config.json", "model.safetensors", "tokenizer.json")
HUB_NAME = re.compile(r"[\w.-]+/[\w.-]+")


def encoder_folder(given: Path) -> Path:
    """The folder that holds the encoder; a name like `sentence-transformers/all-MiniLM-L12-v2` is downloaded, once, to the hub's own cache.

    Raises:
        ModelError: no such folder, something is missing in it, or the hub cannot be reached or does not have it.
    """
    folder = given.expanduser()
    if not folder.is_dir():
        if not HUB_NAME.fullmatch(str(given)):
            raise ModelError(f"{given} is no folder, nor a name on the Hugging Face hub, such as sentence-transformers/all-MiniLM-L12-v2")
        folder = _from_hub(str(given))
    missing = [name for name in NEEDED if not (folder / name).is_file()]
    if missing:
        raise ModelError(f"{folder} has no {', '.join(missing)}: a BERT sentence encoder with its weights as safetensors is needed")
    return folder


def _from_hub(name: str) -> Path:
    try:
        from huggingface_hub import snapshot_download
    except ImportError:
        raise ModelError(
            f"{name} is no folder here, and to ask the hub for it huggingface_hub is needed: 'pip install transformers'"
        ) from None
    try:
        return Path(snapshot_download(name, allow_patterns=list(NEEDED)))
    except Exception as refused:  # the hub's client and its transport each raise their own
        reason = (str(refused).strip().splitlines() or [type(refused).__name__])[0]
        mend = "without a network, give the folder of an encoder that you have"
        raise ModelError(f"{name} is no folder here, and cannot be had from the Hugging Face hub ({reason}): {mend}") from refused
