"""The configuration of `sayso train tagger`."""

from __future__ import annotations

from pathlib import Path

from pydantic import Field

from sayso.training.config import read_config
from sayso.training.word_head import WordHeadConfig

DEFAULT = Path(__file__).with_name("tagger.yaml")


class TaggerConfig(WordHeadConfig):
    """All settings of the training; tagger.yaml explains each number."""

    drawn: int = Field(gt=0)


def load_tagger_config(path: Path | None = None) -> TaggerConfig:
    """Read and check that file; default: the configuration of the model in models/.

    Raises:
        SaysoError: the file is missing or has an invalid value.
    """
    return read_config(path or DEFAULT, TaggerConfig)
