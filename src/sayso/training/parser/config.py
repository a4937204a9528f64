"""The configuration of `sayso train parser`."""

from __future__ import annotations

from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from sayso.training.config import read_config
from sayso.training.parser.variation import Chances

DEFAULT = Path(__file__).with_name("parser.yaml")


class ParserConfig(BaseModel):
    """All settings of the training; parser.yaml explains each number."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    seed: int
    shared_layers: int = Field(ge=0)
    width: int = Field(gt=0)
    dropout: float = Field(ge=0.0, lt=1.0)
    longest: int = Field(gt=1)
    epochs: int = Field(gt=0)
    generated: int = Field(ge=0)
    batch: int = Field(gt=1)
    learning_rate: float = Field(gt=0.0)
    head_learning_rate: float = Field(gt=0.0)
    warm_up: float = Field(ge=0.0, lt=1.0)
    values: float = Field(ge=0.0)
    wrong: int = Field(ge=0)
    more_rate: float = Field(gt=0.0)
    held_out: float = Field(ge=0.0, lt=1.0)
    exchange: float = Field(ge=0.0, le=1.0)
    join: float = Field(ge=0.0, le=1.0)
    no_commas: float = Field(ge=0.0, le=1.0)
    around: float = Field(ge=0.0, le=1.0)
    condition: float = Field(ge=0.0, le=1.0)

    @property
    def chances(self) -> Chances:
        """How often sentences are varied."""
        return Chances(self.exchange, self.join, self.no_commas, self.around, self.condition)


def load_parser_config(path: Path | None = None) -> ParserConfig:
    """Read and check that file; default: the configuration of the model in models/.

    Raises:
        SaysoError: the file is missing or has an invalid value.
    """
    return read_config(path or DEFAULT, ParserConfig)
