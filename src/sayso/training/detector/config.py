"""The configuration of the detector: detector.yaml, checked."""

from __future__ import annotations

from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from sayso.training.config import read_config

DEFAULT = Path(__file__).with_name("detector.yaml")


class Split(BaseModel):
    """Some photographs of a data set."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    set: str
    split: str
    kinds: tuple[str, ...] = ()  # that the publisher marks; empty: all of the detector's


class DetectorConfig(BaseModel):
    """All settings; detector.yaml explains each."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    package: str
    sha256: str = Field(pattern="[0-9a-f]{64}")
    topology: str
    weights: str
    outputs: dict[str, str]
    views: tuple[tuple[int, bool], ...] = Field(min_length=1)
    floor: float = Field(gt=0.0, lt=1.0)
    smallest: float = Field(ge=0.0, lt=1.0)
    false_alarms: float = Field(gt=0.0, lt=1.0)
    seed: int
    tuning: tuple[Split, ...]


def load_config(path: Path | None = None) -> DetectorConfig:
    """Read and check that file; default: the configuration of the model in models/.

    Raises:
        SaysoError: the file is missing or has an invalid value.
    """
    return read_config(path or DEFAULT, DetectorConfig)
