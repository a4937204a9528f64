"""The numbers, voices and sentences that the spotter of "stop" is made with: stop.yaml, checked."""

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
    """The voices of one synthesiser, how much each says, and how many times as often as other phrases theirs are drawn to learn from."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    names: tuple[str, ...] = Field(min_length=1)
    stops: int = Field(gt=0)
    hard: int = Field(gt=0)
    sentences: int = Field(gt=0)
    times: int = Field(1, gt=0)


class Hard(BaseModel):
    """What holds the word, or a word like it, and is no call to stop."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    taken_back: tuple[str, ...]  # said before it
    going_on: tuple[str, ...]  # said after it
    like_it: tuple[str, ...]


class Member(BaseModel):
    """One of the networks whose mean decides, and how its clips are varied at each step."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    seed: int
    steps: int = Field(gt=0)
    dropped: float = Field(ge=0.0, lt=1.0)
    decay: float = Field(ge=0.0)
    masks: int = Field(ge=0)
    throats: tuple[float, float] | None = None
    behind: tuple[float, float] | None = None


class FurtherTraining(BaseModel):
    """How long each network learns once more, and how fast."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    steps: int = Field(gt=0)
    learning_rate: float = Field(gt=0.0)


class Again(BaseModel):
    """Further runs of each network, in which clips come the oftener the more it errs on them."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    clips: int = Field(gt=0)  # those of the first run among them
    runs: tuple[FurtherTraining, ...]


class VerifierRun(BaseModel):
    """How long the verifier learns, and how fast its encoder, which has learnt already, and its head do."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    steps: int = Field(gt=0)
    encoder: float = Field(ge=0.0)
    head: float = Field(gt=0.0)


class Verifier(BaseModel):
    """The larger network that has the last word, and how it learns."""

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
    """The published recogniser that is asked where both are in doubt: it learns nothing."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    asked: tuple[float, float]
    weight: float = Field(gt=0.0)
    least: float = Field(lt=0.0)
    none: float = Field(le=0.0)


class StopConfig(BaseModel):
    """Everything the training depends on; what each number means stands beside it in stop.yaml."""

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
        """Each voice of that part, and how much it says."""
        return tuple((Voice(program, name), each) for program, each in self.voices[part].items() for name in each.names)


def load_stop_config(path: Path | None = None) -> StopConfig:
    """That file; default: stop.yaml beside this module.

    Raises:
        SaysoError: the file is missing or says something that cannot be.
    """
    return read_config(path or DEFAULT, StopConfig)
