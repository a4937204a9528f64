"""The conformal sets of a domain, as `sayso calibrate` keeps them: only used for the domain and classifier that they were made with."""

from __future__ import annotations

import hashlib
import os
import re
from pathlib import Path
from typing import Annotated

import yaml
from pydantic import BaseModel, ConfigDict, Field

from sayso.domain.model import Domain
from sayso.errors import DomainError, ModelError, SaysoError
from sayso.models import manifest, model_path
from sayso.selection.conformal import ConformalSet
from sayso.yaml_source import read_yaml

SHIPPED = "selection.yaml"
RECIPE = "1"  # changes whenever the same words would get another posterior
CLASSIFIER = ("encoder.onnx", "intents.safetensors", "tagger.onnx")
HEADING = "# Conformal sets: which actions a question offers. Written by `sayso calibrate`; docs/choosing.md explains them.\n"
Share = Annotated[float, Field(ge=0.0, le=1.0)]


class Level(BaseModel):
    """One ε: the quantiles, and how they did on interactions that were not calibrated on."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    clear: Annotated[float, Field(ge=0.0)]  # quantile of interactions with one action far ahead; inf: nothing can be ruled out
    unclear: Annotated[float, Field(ge=0.0)]  # of the others
    coverage: Share  # of the sets, before the most probable action is forced in
    offered: Share  # of the unclear interactions: what was meant is in the set that is offered
    size: Annotated[float, Field(ge=0.0)]  # mean number of actions in that set


class Calibration(BaseModel):
    """What a calibration file holds."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    key: str  # of the domain and classifier
    domain: str
    source: str  # for people: "generated" or the bags
    n: Annotated[int, Field(ge=1)]  # interactions calibrated on
    held_out: Annotated[int, Field(ge=0)]  # and measured on
    unclear: Share  # of the interactions: no action has nearly all the mass
    missing: Share  # in so many the meant action was no candidate at all
    epsilon: Annotated[float, Field(gt=0.0, lt=1.0)]  # the one in use
    levels: dict[float, Level]

    @property
    def conformal_set(self) -> ConformalSet:
        """Of the ε in use."""
        level = self.levels[self.epsilon]
        return ConformalSet(self.epsilon, level.clear, level.unclear)


def key_of(domain: Domain) -> str:
    """A hash of what the posterior depends on: intents, names, priors and goals of the domain, and the classifier's files.

    What only decides (costs, wording, skills' durations) changes no posterior and leaves it as it is.

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
    """The file in the user's cache for the domain of that name."""
    from platformdirs import user_cache_path

    return user_cache_path("sayso") / "selection" / f"{re.sub(r'[^a-z0-9]+', '_', domain.name.lower())}.yaml"


def stored(domain: Domain) -> tuple[ConformalSet | None, str]:
    """The conformal sets calibrated for exactly this domain and classifier; the user's own rather than the shipped ones.

    Returns:
        The sets, or None where there are none that fit; and one line for the user where there were, and they fit no longer.
    """
    try:
        own = cached(domain)
        calibration = read_calibration(own if own.is_file() else model_path(SHIPPED))
        if calibration.key == key_of(domain):
            return calibration.conformal_set, ""
    except SaysoError as unusable:
        return None, f"the options of questions are not calibrated: {unusable}"
    if calibration.domain != domain.name:
        return None, ""  # never calibrated
    stale = f"the options of questions were calibrated for '{domain.name}' as it was, or for other models"
    return None, f"{stale}, and are not used: 'sayso calibrate' makes them anew"


def read_calibration(path: Path) -> Calibration:
    """What that file says.

    Raises:
        ModelError: it is missing, or not of this form; one line with the command that mends it.
    """
    try:
        calibration = read_yaml(path, "a calibration is a mapping with the keys key, epsilon, levels …").checked(Calibration)
    except DomainError as spoilt:
        raise ModelError(f"{spoilt.findings[0]}; make it anew with 'sayso calibrate'") from None
    if calibration.epsilon not in calibration.levels:
        raise ModelError(f"{path}: epsilon: {calibration.epsilon:g} is none of the levels; make it anew with 'sayso calibrate'")
    return calibration


def write_calibration(calibration: Calibration, path: Path) -> None:
    """As YAML, renamed into place, so that nobody ever reads half of it.

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
