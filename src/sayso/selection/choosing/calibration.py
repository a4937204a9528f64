"""Calibration files of `sayso calibrate`: conformal sets, valid only for the domain and classifier they were made with."""

from __future__ import annotations

import hashlib
import math
import os
import re
from pathlib import Path
from typing import Annotated

import yaml
from pydantic import BaseModel, ConfigDict, Field

from sayso.domain.model import Domain
from sayso.errors import DomainError, ModelError, SaysoError
from sayso.models import manifest, model_path
from sayso.selection.choosing.conformal import ConformalSet
from sayso.yaml_source import read_yaml

SHIPPED = "selection.yaml"
RECIPE = "5"  # increment whenever the same words would get another posterior
CLASSIFIER = ("encoder.onnx", "intents.safetensors", "parser.onnx")
HEADING = "# Conformal sets: which actions a question offers. Written by `sayso calibrate`; docs/choosing.md explains them.\n"
Share = Annotated[float, Field(ge=0.0, le=1.0)]


class Level(BaseModel):
    """The quantiles for one ε, and their performance on held-out interactions."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    clear: Annotated[float, Field(ge=0.0)]  # quantile for clear interactions; inf: nothing can be ruled out
    unclear: Annotated[float, Field(ge=0.0)]  # quantile for those in which several things may be meant
    doubtful: Annotated[float, Field(ge=0.0)] = math.inf  # quantile for those whose words were perhaps not understood
    coverage: Share  # of the sets before the most probable action is forced in
    offered: Share  # of interactions that are not clear, whose offered set holds what was meant
    size: Annotated[float, Field(ge=0.0)]  # mean number of actions in the offered set
    others: Share = 0.0  # of interactions that are not clear, whose set holds something else than the candidates


class Calibration(BaseModel):
    """The content of a calibration file."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    key: str  # hash of the domain and classifier
    domain: str
    source: str  # for information: "generated" or the bags
    n: Annotated[int, Field(ge=1)]  # interactions calibrated on
    held_out: Annotated[int, Field(ge=0)]  # interactions measured on
    unclear: Share  # of interactions in which no action has nearly all the mass
    missing: Share  # of interactions in which the meant action was not a candidate
    epsilon: Annotated[float, Field(gt=0.0, lt=1.0)]  # the ε in use
    levels: dict[float, Level]

    @property
    def conformal_set(self) -> ConformalSet:
        """The conformal set of the ε in use."""
        level = self.levels[self.epsilon]
        return ConformalSet(self.epsilon, level.clear, level.unclear, level.doubtful)


def key_of(domain: Domain) -> str:
    """A hash of everything the posterior depends on: intents, names, priors and goals of the domain, and the classifier's files.

    Costs, wording and durations of skills do not affect the posterior and are left out.

    Raises:
        ModelError: there is no manifest of models.
    """
    digest = hashlib.sha256(RECIPE.encode())
    for part in ("places", "objects", "people", "intents", "priors", "chatter", "speaker"):
        digest.update(repr(getattr(domain, part)).encode())
    digest.update(repr({name: (spec.goal, spec.defaults) for name, spec in domain.actions.items()}).encode())
    digest.update(repr({name: (spec.arguments, spec.effects) for name, spec in domain.skills.items()}).encode())
    listed = manifest()
    digest.update(repr([listed[name].sha256 for name in CLASSIFIER if name in listed]).encode())
    return digest.hexdigest()[:24]


def cached(domain: Domain) -> Path:
    """The calibration file in the user's cache for a domain of this name."""
    from platformdirs import user_cache_path

    return user_cache_path("sayso") / "selection" / f"{re.sub(r'[^a-z0-9]+', '_', domain.name.lower())}.yaml"


def stored(domain: Domain) -> tuple[ConformalSet | None, str]:
    """The conformal sets calibrated for exactly this domain and classifier; prefers the user's own to the shipped ones.

    Returns:
        The sets, or None if no file fits; and one line for the user if a file exists but is out of date or unusable.
    """
    try:
        own = cached(domain)
        calibration = read_calibration(own if own.is_file() else model_path(SHIPPED))
        if calibration.key == key_of(domain):
            return calibration.conformal_set, ""
    except SaysoError as unusable:
        return None, f"question options are not calibrated: {unusable}"
    if calibration.domain != domain.name:
        return None, ""  # never calibrated
    stale = f"the calibration of question options is for an earlier '{domain.name}' or other models"
    return None, f"{stale} and is not used: run 'sayso calibrate' again"


def read_calibration(path: Path) -> Calibration:
    """Read a calibration file.

    Raises:
        ModelError: it is missing or malformed; one line with the command that recreates it.
    """
    try:
        calibration = read_yaml(path, "a calibration is a mapping with the keys key, epsilon, levels …").checked(Calibration)
    except DomainError as error:
        raise ModelError(f"{error.findings[0]}; recreate it with 'sayso calibrate'") from None
    if calibration.epsilon not in calibration.levels:
        raise ModelError(f"{path}: epsilon: {calibration.epsilon:g} is none of the levels; recreate it with 'sayso calibrate'")
    return calibration


def write_calibration(calibration: Calibration, path: Path) -> None:
    """Write the file as YAML, atomically: to a temporary file that is then renamed.

    Raises:
        ModelError: it cannot be written there.
    """
    text = HEADING + yaml.safe_dump(calibration.model_dump(), sort_keys=False, allow_unicode=True, width=140)
    partial = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        partial.write_text(text, encoding="utf-8")
        partial.replace(path)
    except OSError as unwritable:
        raise ModelError(f"{path}: the calibration cannot be written ({unwritable.strerror})") from None
