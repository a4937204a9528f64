"""The configuration of `sayso train structure`."""

from __future__ import annotations

from pathlib import Path

from pydantic import Field

from sayso.training.config import read_config
from sayso.training.word_head import WordHeadConfig

DEFAULT = Path(__file__).with_name("structure.yaml")


class StructureConfig(WordHeadConfig):
    """All settings of the training; structure.yaml explains each number."""

    layers: int = Field(gt=0)
    pairs: float = Field(ge=0.0, le=1.0)
    held_out: float = Field(ge=0.0, lt=1.0)


def load_structure_config(path: Path | None = None) -> StructureConfig:
    """Read and check that file; default: the configuration of the model in models/.

    Raises:
        SaysoError: the file is missing or has an invalid value.
    """
    return read_config(path or DEFAULT, StructureConfig)
