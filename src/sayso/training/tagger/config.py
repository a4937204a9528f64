"""What `sayso train tagger` goes by."""

from __future__ import annotations

from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from sayso.training.config import read_config

DEFAULT = Path(__file__).with_name("tagger.yaml")


class TaggerConfig(BaseModel):
    """Every number of the training; what each means stands beside it in tagger.yaml."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    seed: int
    drawn: int = Field(gt=0)
    steps: int = Field(gt=0)
    batch: int = Field(gt=1)
    learning_rate: float = Field(gt=0.0)
    width: int = Field(gt=0)
    dropout: float = Field(ge=0.0, lt=1.0)


def load_tagger_config(path: Path | None = None) -> TaggerConfig:
    """The checked configuration of that file, or the one that made the model in models/.

    Raises:
        SaysoError: the file is missing or says something that cannot be.
    """
    return read_config(path or DEFAULT, TaggerConfig)
