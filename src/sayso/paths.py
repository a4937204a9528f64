"""Where the project's own files are: configuration, models and recorded sentences, in a checkout or installed beside it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

from sayso.errors import SaysoError

_models: ContextVar[Path | None] = ContextVar("models", default=None)  # instead of the project's own


def project_root() -> Path:
    """The folder that holds config/ and models/: $SAYSO_ROOT, else the checkout this package is installed from, else what colcon installed.

    Raises:
        SaysoError: none of them holds a config/ folder.
    """
    chosen = os.environ.get("SAYSO_ROOT")
    here = Path(__file__).resolve()
    installed = (parent / "share/sayso" for parent in here.parents[2:])  # <prefix>/lib/python3…/site-packages/sayso
    for root in (Path(chosen),) if chosen else (here.parents[2], *installed):
        if (root / "config").is_dir():
            return root
    raise SaysoError(f"no config/ in {chosen or here.parents[2]}: set SAYSO_ROOT to the Sayso checkout")


def config_dir() -> Path:
    """Domain files, scenes and node parameters."""
    return project_root() / "config"


def models_dir() -> Path:
    """Trained weights, their cards and the manifest."""
    return _models.get() or project_root() / "models"


@contextmanager
def models_from(folder: Path | None) -> Iterator[None]:
    """Within the block, models are read from that folder, which has a manifest of its own; None: from the project's."""
    token = _models.set(folder)
    try:
        yield
    finally:
        _models.reset(token)


def default_domain() -> Path:
    """The home that is used where no domain file is named."""
    return config_dir() / "home.yaml"
