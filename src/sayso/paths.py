"""Paths of the project's own files (configuration, models, recorded sentences), in a checkout or an installation."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

from sayso.errors import SaysoError

_models: ContextVar[Path | None] = ContextVar("models", default=None)  # replaces the project's own folder


def project_root() -> Path:
    """The folder with config/ and models/: $SAYSO_ROOT, else the copies in the wheel, the checkout, or colcon's installation.

    Raises:
        SaysoError: none of them has a config/ folder.
    """
    chosen = os.environ.get("SAYSO_ROOT")
    here = Path(__file__).resolve()
    # <prefix>/lib/python3…/site-packages/sayso: colcon's files are in <prefix>/share/sayso
    places = (here.parent / "share", here.parents[2], *(parent / "share/sayso" for parent in here.parents[2:]))
    for root in (Path(chosen),) if chosen else places:
        if (root / "config").is_dir():
            return root
    raise SaysoError(f"no config/ in {chosen or here.parents[2]}: set SAYSO_ROOT to the Sayso checkout")


def in_checkout() -> bool:
    """Whether the project's files are in a checkout, which also has benchmarks, requirements and a Makefile."""
    return (project_root() / "pyproject.toml").is_file()


def work_dir() -> Path:
    """The folder of data/ and build/: the checkout, or `writable_dir()` if Sayso is installed."""
    return project_root() if "SAYSO_ROOT" in os.environ or in_checkout() else writable_dir()


def writable_dir() -> Path:
    """The current directory, or the user's data directory if the current one is read-only."""
    if os.access(Path.cwd(), os.W_OK):
        return Path.cwd()
    from platformdirs import user_data_path

    return user_data_path("sayso")


def config_dir() -> Path:
    """Domain files, scenes and node parameters."""
    return project_root() / "config"


def models_dir() -> Path:
    """Trained weights, their cards and the manifest."""
    return _models.get() or project_root() / "models"


@contextmanager
def models_from(folder: Path | None) -> Iterator[None]:
    """Within the block, read models from that folder, which has its own manifest; None: from the project's."""
    token = _models.set(folder)
    try:
        yield
    finally:
        _models.reset(token)


def default_domain() -> Path:
    """The domain file that is used if none is given."""
    return config_dir() / "home.yaml"
