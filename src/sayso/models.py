"""Trained models: models/manifest.yaml lists each file of models/ with its SHA-256, which is checked before use."""

from __future__ import annotations

import hashlib
import os
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml

from sayso.errors import DomainError, ModelError
from sayso.paths import in_checkout, models_dir
from sayso.yaml_source import plain_yaml, text_of

MANIFEST = "manifest.yaml"
HEADING = "# The trained models and their sources. Written by `sayso train`; checked whenever a model is loaded.\n"


@dataclass(frozen=True, slots=True)
class ModelEntry:
    """The manifest's entry for one file."""

    name: str  # of the file in models/
    sha256: str
    size: int  # bytes
    licence: str  # SPDX
    source: str  # data and weights it was made from
    command: str  # that makes it again


def manifest() -> dict[str, ModelEntry]:
    """Every listed model by its file name.

    Raises:
        ModelError: the manifest is missing or malformed.
    """
    path = models_dir() / MANIFEST
    if not path.exists():
        raise ModelError(f"{path} is missing: restore it with '{_restore()}'")
    try:
        return dict(_listed(path, text_of(path)))
    except (DomainError, TypeError, AttributeError):
        raise ModelError(f"{path} is not a manifest of models: restore it with '{_restore()}'") from None


@lru_cache(maxsize=4)
def _listed(path: Path, text: str) -> dict[str, ModelEntry]:
    return {name: ModelEntry(name=name, **fields) for name, fields in (plain_yaml(text, path) or {}).items()}


def model_path(name: str) -> Path:
    """The path of a model file, after checking its SHA-256 against the manifest.

    The SHA-256 is computed once per process, and again only if the file has changed.

    Raises:
        ModelError: the file is missing, altered or unlisted; the message gives the command that restores it.
    """
    entry = manifest().get(name)
    if entry is None:
        raise ModelError(f"no model '{name}' in {models_dir() / MANIFEST}; listed: {', '.join(sorted(manifest())) or 'none'}")
    path = models_dir() / name
    remedy = f"restore it with '{_restore(name)}', or make it again with '{entry.command}'"
    try:
        digest = sha256_once(path)
    except OSError:
        raise ModelError(f"{path} is missing: {remedy}") from None
    if digest != entry.sha256:
        raise ModelError(f"{path} is not the file that {MANIFEST} lists (SHA-256 {digest[:12]}…, listed {entry.sha256[:12]}…): {remedy}")
    return path


def _restore(name: str = "") -> str:
    """The command that restores a file of models/, or all of them."""
    if str(models_dir()).endswith("sayso/share/models") and not in_checkout():
        return "pip install --force-reinstall --no-deps sayso"
    return f"git checkout -- models/{name}".rstrip("/")


def onnx_session(*files: Path) -> Any:
    """An ONNX graph, from a file or from several that are joined, run by onnxruntime on one core: other programs need the rest.

    A file is loaded once per process, and again only if it has changed: whoever uses its session, in any thread, shares the weights.

    Raises:
        Exception: the file cannot be read; onnxruntime's errors have no common base class.
    """
    status = [file.stat() for file in files]
    return _session(tuple(file.absolute() for file in files), tuple((each.st_mtime_ns, each.st_size) for each in status))


@lru_cache(maxsize=16)
def _session(files: tuple[Path, ...], changed: tuple[tuple[int, int], ...]) -> Any:  # noqa: ARG001 - keys of the cache
    import onnxruntime

    graph = str(files[0]) if len(files) == 1 else b"".join(file.read_bytes() for file in files)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    return onnxruntime.InferenceSession(graph, options, providers=["CPUExecutionProvider"])


def sha256(path: Path) -> str:
    """The SHA-256 of a file's content, in hexadecimal."""
    with path.open("rb") as file:
        digest = hashlib.sha256()
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


def sha256_once(path: Path) -> str:
    """The same, computed once per process and again only if the file has changed.

    Raises:
        OSError: the file cannot be read.
    """
    status = path.stat()
    return _sha256(path, status.st_mtime_ns, status.st_size)


@lru_cache(maxsize=64)
def _sha256(path: Path, modified: int, size: int) -> str:  # noqa: ARG001 - keys of the cache
    return sha256(path)


def record_model(name: str, *, licence: str, source: str, command: str) -> ModelEntry:
    """Add the present file models/NAME to the manifest, or update its entry.

    Raises:
        ModelError: the file is missing.
    """
    path = models_dir() / name
    if not path.is_file():
        raise ModelError(f"{path} cannot be listed: it is missing")
    entry = ModelEntry(name, sha256(path), path.stat().st_size, licence, source, command)
    entries = manifest() if (models_dir() / MANIFEST).exists() else {}
    entries[name] = entry
    plain = {key: {field: value for field, value in asdict(entries[key]).items() if field != "name"} for key in sorted(entries)}
    text = HEADING + yaml.safe_dump(plain, sort_keys=False, allow_unicode=True, width=140)
    # Renamed into place, so that no process reads half a manifest.
    partial = models_dir() / f".{MANIFEST}.{os.getpid()}"
    partial.write_text(text, encoding="utf-8")
    partial.replace(models_dir() / MANIFEST)
    return entry
