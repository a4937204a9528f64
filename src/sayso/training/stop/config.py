"""The numbers, voices and sentences of the stop training: stop.yaml, checked."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from sayso.training.config import read_config
from sayso.training.speech.voices import Voice

DEFAULT = Path(__file__).with_name("stop.yaml")
Part = Literal["train", "tuning", "held_out"]
PARTS: tuple[Part, ...] = ("train", "tuning", "held_out")


class Program(BaseModel):
    """The voices of one synthesiser, the number of phrases of each, and the factor on how often they are drawn in training."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    names: tuple[str, ...] = Field(min_length=1)
    stops: int = Field(gt=0)
    hard: int = Field(gt=0)
    sentences: int = Field(gt=0)
    times: int = Field(1, gt=0)


class Hard(BaseModel):
    """Phrases that contain the word, or a similar one, and are not a call to stop."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    taken_back: tuple[str, ...]  # said before it
    going_on: tuple[str, ...]  # said after it
    like_it: tuple[str, ...]


class Member(BaseModel):
    """One of the averaged networks, and the augmentation of its clips at each step."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    seed: int
    steps: int = Field(gt=0)
    dropped: float = Field(ge=0.0, lt=1.0)
    decay: float = Field(ge=0.0)
    masks: int = Field(ge=0)
    throats: tuple[float, float] | None = None
    behind: tuple[float, float] | None = None


class FurtherTraining(BaseModel):
    """Steps and learning rate of a further run of each network."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    steps: int = Field(gt=0)
    learning_rate: float = Field(gt=0.0)


class Again(BaseModel):
    """Further runs of each network, in which clips with a higher loss are drawn more often."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    clips: int = Field(gt=0)  # including those of the first run
    runs: tuple[FurtherTraining, ...]


class VerifierRun(BaseModel):
    """Steps of a run of the verifier, and the learning rates of its pretrained encoder and its head."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    steps: int = Field(gt=0)
    encoder: float = Field(ge=0.0)
    head: float = Field(gt=0.0)


class Verifier(BaseModel):
    """The larger network that verifies detections, and its training."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    layers: int = Field(ge=1, le=6)
    dropped: float = Field(ge=0.0, lt=1.0)
    decay: float = Field(ge=0.0)
    seconds: float = Field(gt=3.5)
    clips: int = Field(gt=0)
    behind: tuple[float, float]
    runs: tuple[VerifierRun, ...] = Field(min_length=1)
    asked_from: float = Field(gt=0.0, lt=1.0)
    weight: float = Field(gt=0.0)
    speeds: tuple[float, ...] = Field(min_length=1)


class RecogniserConfig(BaseModel):
    """The published recogniser that decides doubtful cases; it is not trained."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    asked: tuple[float, float]
    weight: float = Field(gt=0.0)
    least: float = Field(lt=0.0)
    none: float = Field(le=0.0)


class StopConfig(BaseModel):
    """All settings of the training; stop.yaml explains each number."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    seed: int
    members: tuple[Member, ...] = Field(min_length=1)
    front: tuple[int, int]
    channels: int = Field(gt=0)
    kernel: int = Field(gt=1)
    dilations: tuple[int, ...] = Field(min_length=1)
    clips: int = Field(gt=0)
    seconds: float = Field(ge=2.0)
    batch: int = Field(gt=1)
    learning_rate: float = Field(gt=0.0)
    warm_up: int = Field(gt=0)
    again: Again
    verifier: Verifier
    recogniser: RecogniserConfig
    false_stops_per_hour: float = Field(gt=0.0)
    pitch: tuple[float, float]
    voices: dict[Part, dict[str, Program]]
    words: dict[str, int]
    before: tuple[str, ...]
    after: tuple[str, ...]
    hard: Hard

    def speakers(self, part: Part) -> tuple[tuple[Voice, Program], ...]:
        """Each voice of that part with its program."""
        return tuple((Voice(program, name), each) for program, each in self.voices[part].items() for name in each.names)


def load_stop_config(path: Path | None = None) -> StopConfig:
    """Read that file; default: stop.yaml beside this module.

    Raises:
        SaysoError: the file is missing or has an invalid value.
    """
    return read_config(path or DEFAULT, StopConfig)
