"""The configuration of the grounder training: grounder.yaml, checked."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from sayso.training.config import read_config
from sayso.training.grounder.phrases import HeldOutLooks, Words

DEFAULT = Path(__file__).with_name("grounder.yaml")
SPLITS = ("train", "tune", "test")


class TrainingStage(BaseModel):
    """One course of gradient descent; the next one goes on with its weights."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    steps: int = Field(gt=0)
    learning_rate: float = Field(gt=0.0)
    whole: float = Field(ge=0.0, le=1.0)
    diversity: float = Field(ge=0.0)
    proposals: bool


class GrounderConfig(BaseModel):
    """All settings of the training; grounder.yaml explains each number."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    seed: int
    apartment: dict[str, int]
    homes: dict[str, int]
    pictures_per_home: dict[str, int]
    seeds: dict[str, int]
    batch: int = Field(gt=0)
    pairs: int = Field(gt=1)
    stages: tuple[TrainingStage, ...] = Field(min_length=1)
    visible: int = Field(gt=0)
    false_alarms: float = Field(gt=0.0, lt=1.0)
    held_out: HeldOutLooks
    survey: dict[str, Annotated[str, Field(pattern="^#[0-9a-f]{6}$")]]
    words: Words

    def pictures(self, split: str) -> int:
        """The number of pictures of that split."""
        return self.apartment[split] + self.homes[split] * self.pictures_per_home[split]

    @property
    def steps(self) -> int:
        """Of all stages."""
        return sum(stage.steps for stage in self.stages)

    @property
    def digest(self) -> str:
        """A short hash of what the network depends on."""
        return hashlib.sha256(self.model_dump_json(exclude={"survey"}).encode()).hexdigest()[:12]


def load_config(path: Path | None = None) -> GrounderConfig:
    """Read and check that file; default: the configuration of the model in models/.

    Raises:
        SaysoError: the file is missing or has an invalid value.
    """
    return read_config(path or DEFAULT, GrounderConfig)
