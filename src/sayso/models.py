"""Trained models: each file in models/ stands in models/manifest.yaml with its SHA-256 and is checked before it is used."""

from __future__ import annotations

import hashlib
import os
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml

from sayso.errors import ModelError
from sayso.paths import in_checkout, models_dir

MANIFEST = "manifest.yaml"
HEADING = "# The trained models and where each comes from. Written by the `sayso train` commands; checked whenever a model is loaded.\n"


@dataclass(frozen=True, slots=True)
class ModelEntry:
    """What the manifest says of one file."""

    name: str  # of the file in models/
    sha256: str
    size: int  # bytes
    licence: str  # SPDX
    source: str  # what it was made from
    command: str  # makes it anew


def manifest() -> dict[str, ModelEntry]:
    """Every listed model by its file name.

    Raises:
        ModelError: there is no manifest, or it is not of this form.
    """
    path = models_dir() / MANIFEST
    try:
        listed = yaml.safe_load(path.read_text(encoding="utf-8")) or {}
        return {name: ModelEntry(name=name, **fields) for name, fields in listed.items()}
    except OSError:
        raise ModelError(f"{path} is missing: restore it with '{_restore()}'") from None
    except (yaml.YAMLError, TypeError, AttributeError, UnicodeDecodeError):
        raise ModelError(f"{path} is not a manifest of models: restore it with '{_restore()}'") from None


def model_path(name: str) -> Path:
    """The path of a model file whose content is the one that the manifest lists.

    The SHA-256 is taken once per process, and again only when the file has changed.

    Raises:
        ModelError: the file is missing, altered or unlisted; one line that says which command mends it.
    """
    entry = manifest().get(name)
    if entry is None:
        raise ModelError(f"no model '{name}' in {models_dir() / MANIFEST}; listed: {', '.join(sorted(manifest())) or 'none'}")
    path = models_dir() / name
    mend = f"restore it with '{_restore(name)}', or make it anew with '{entry.command}'"
    try:
        digest = sha256_once(path)
    except OSError:
        raise ModelError(f"{path} is missing: {mend}") from None
    if digest != entry.sha256:
        raise ModelError(f"{path} is not the file that {MANIFEST} lists (SHA-256 {digest[:12]}…, listed {entry.sha256[:12]}…): {mend}")
    return path


def _restore(name: str = "") -> str:
    """The command that brings back a file of models/, or all of them."""
    if str(models_dir()).endswith("sayso/share/models") and not in_checkout():
        return "pip install --force-reinstall --no-deps sayso"
    return f"git checkout -- models/{name}".rstrip("/")


def onnx_session(path: Path) -> Any:
    """The graph of an ONNX file, to be run by onnxruntime on one core: robots have others to do with the rest.

    Raises:
        Exception: the file cannot be read; onnxruntime's errors share no base of their own.
    """
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def sha256(path: Path) -> str:
    """The SHA-256 of a file's content, in hexadecimal."""
    with path.open("rb") as file:
        digest = hashlib.sha256()
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


def sha256_once(path: Path) -> str:
    """The same, read once per process and again only when the file has changed.

    Raises:
        OSError: it cannot be read.
    """
    status = path.stat()
    return _sha256(path, status.st_mtime_ns, status.st_size)


@lru_cache(maxsize=64)
def _sha256(path: Path, modified: int, size: int) -> str:  # noqa: ARG001 - what the cache is keyed by
    return sha256(path)


def record_model(name: str, *, licence: str, source: str, command: str) -> ModelEntry:
    """Add models/NAME, as it lies there now, to the manifest, or bring its entry up to date.

    Raises:
        ModelError: the file is not there.
    """
    path = models_dir() / name
    if not path.is_file():
        raise ModelError(f"{path} cannot be listed: it is missing")
    entry = ModelEntry(name, sha256(path), path.stat().st_size, licence, source, command)
    entries = manifest() if (models_dir() / MANIFEST).exists() else {}
    entries[name] = entry
    plain = {key: {field: value for field, value in asdict(entries[key]).items() if field != "name"} for key in sorted(entries)}
    text = HEADING + yaml.safe_dump(plain, sort_keys=False, allow_unicode=True, width=140)
    # Renamed into place, so that nobody ever reads half a manifest.
    partial = models_dir() / f".{MANIFEST}.{os.getpid()}"
    partial.write_text(text, encoding="utf-8")
    partial.replace(models_dir() / MANIFEST)
    return entry
