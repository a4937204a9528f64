"""The numbers, voices and sentences that the spotter of "stop" is made with: stop.yaml, checked."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from sayso.training.config import read_config
from sayso.training.voices import Voice

DEFAULT = Path(__file__).with_name("stop.yaml")
Part = Literal["train", "tuning", "held_out"]
PARTS: tuple[Part, ...] = ("train", "tuning", "held_out")


class Program(BaseModel):
    """The voices of one synthesiser, and how much each says."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    names: tuple[str, ...] = Field(min_length=1)
    stops: int = Field(gt=0)
    others: int = Field(gt=0)


class Hard(BaseModel):
    """What holds the word, or a word like it, and is no call to stop."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    taken_back: tuple[str, ...]  # said before it
    going_on: tuple[str, ...]  # said after it
    like_it: tuple[str, ...]


class StopConfig(BaseModel):
    """Everything the training depends on; what each number means stands beside it in stop.yaml."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    seed: int
    channels: int = Field(gt=0)
    kernel: int = Field(gt=1)
    dilations: tuple[int, ...] = Field(min_length=1)
    clips: int = Field(gt=0)
    seconds: float = Field(ge=2.0)
    steps: int = Field(gt=0)
    batch: int = Field(gt=1)
    learning_rate: float = Field(gt=0.0)
    warm_up: int = Field(gt=0)
    false_stops_per_hour: float = Field(gt=0.0)
    voices: dict[Part, dict[str, Program]]
    words: dict[str, int]
    before: tuple[str, ...]
    after: tuple[str, ...]
    hard: Hard

    def speakers(self, part: Part) -> tuple[tuple[Voice, int, int], ...]:
        """(voice, how many stops, how many other sentences) of that part."""
        said = self.voices[part].items()
        return tuple((Voice(program, name), each.stops, each.others) for program, each in said for name in each.names)


def load_stop_config(path: Path | None = None) -> StopConfig:
    """That file; default: stop.yaml beside this module.

    Raises:
        SaysoError: the file is missing or says something that cannot be.
    """
    return read_config(path or DEFAULT, StopConfig)
