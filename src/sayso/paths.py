"""Where the project's own files are: configuration, models and recorded sentences, in a checkout or installed beside it."""

from __future__ import annotations

import os
from pathlib import Path

from sayso.errors import SaysoError


def project_root() -> Path:
    """The folder that holds config/ and models/: $SAYSO_ROOT, else the checkout this package is installed from.

    Raises:
        SaysoError: neither holds a config/ folder.
    """
    root = Path(os.environ.get("SAYSO_ROOT") or Path(__file__).resolve().parents[2])
    if not (root / "config").is_dir():
        raise SaysoError(f"no config/ in {root}: set SAYSO_ROOT to the Sayso checkout")
    return root


def config_dir() -> Path:
    """Domain files, scenes and node parameters."""
    return project_root() / "config"


def models_dir() -> Path:
    """Trained weights, their cards and the manifest."""
    return project_root() / "models"


def default_domain() -> Path:
    """The home that is used where no domain file is named."""
    return config_dir() / "home.yaml"
