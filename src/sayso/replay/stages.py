"""The stages of a configuration, made once per process."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sayso.domain import load_domain
from sayso.errors import DomainError, SaysoError
from sayso.models import manifest
from sayso.paths import models_from
from sayso.pipeline import Pipeline
from sayso.replay.types import ReplayConfig
from sayso.yaml_source import changed, read_plain

if TYPE_CHECKING:
    from sayso.grounding.spoken import SpokenGrounder
    from sayso.speech.recognise import SpeechToText

# Node parameters that affect a replay, as fields of ReplayConfig. The others only affect how nodes run.
_PARAMETERS = {
    ("speech_to_text", "backend"): "backend",
    ("speech_to_text", "whisper_weights"): "whisper_weights",
    ("action_selector", "answer_within"): "answer_within",
    ("action_selector", "correct_within"): "correct_within",
    ("intent_classifier", "head"): "head",
    ("intent_classifier", "lm_weight"): "lm_weight",
}
_CHOICES = {"backend": ("moonshine", "pocketsphinx", "whisper", "faster_whisper"), "head": ("linear", "kernel")}
_RANGES = {"answer_within": (1.0, 600.0, " of seconds"), "correct_within": (0.0, 600.0, " of seconds"), "lm_weight": (0.0, 20.0, "")}
_NODES = ("speech_to_text", "intent_classifier", "action_selector", "visual_grounder", "planner")


class Stages:
    """Pipeline, recogniser and grounder; the last two are loaded on first use."""

    def __init__(self, config: ReplayConfig) -> None:
        """Raises SaysoError if the domain or a model cannot be read."""
        from sayso.intent import IntentClassifier
        from sayso.selection.choosing.calibration import stored

        self.config = config
        self.domain = load_domain(config.domain)
        head: Any = config.head
        with models_from(config.models):
            classify = IntentClassifier(self.domain, lm_weight=config.lm_weight, head=head)
            self.pipeline = Pipeline(self.domain, classify, stored(self.domain)[0])

    @cached_property
    def recognise(self) -> SpeechToText:
        """The recogniser."""
        from sayso.speech.recognise import SpeechOptions, SpeechToText

        if self.config.backend not in _CHOICES["backend"]:
            raise SaysoError(f"backend {self.config.backend!r}: {', '.join(_CHOICES['backend'][:-1])} or {_CHOICES['backend'][-1]}")
        backend: Any = self.config.backend
        return SpeechToText(self.domain, SpeechOptions(backend, whisper_weights=self.config.whisper_weights))

    @cached_property
    def ground(self) -> SpokenGrounder:
        """The grounder."""
        from sayso.grounding import VisualGrounder
        from sayso.grounding.spoken import SpokenGrounder
        from sayso.intent.meaning.answers import AnswerDescriber

        with models_from(self.config.models):
            return SpokenGrounder(VisualGrounder(), AnswerDescriber(self.domain))


def stages(config: ReplayConfig) -> Stages:
    """The stages of a configuration. The last few are cached until the domain file changes."""
    return _stages(config, changed(config.domain) if config.domain else (0, 0))


@lru_cache(maxsize=4)
def _stages(config: ReplayConfig, _changed: tuple[int, int]) -> Stages:
    return Stages(config)


def parameters(file: Path) -> dict[str, Any]:
    """The fields of ReplayConfig that a ROS parameter file sets (/**/node: ros__parameters: …).

    Raises:
        SaysoError: the file cannot be read, or a value is invalid.
    """
    try:
        content = read_plain(file) or {}
    except DomainError as unreadable:
        raise SaysoError(f"--params {unreadable}") from None
    if not isinstance(content, dict) or not all(
        isinstance(entry, dict) and isinstance(entry.get("ros__parameters"), dict) for entry in content.values()
    ):
        raise SaysoError(f"--params {file}: a parameter file is a mapping of nodes to ros__parameters, as config/nodes.yaml")
    found: dict[str, Any] = {}
    for name, entry in content.items():
        nodes = _NODES if (node := str(name).rsplit("/", 1)[-1]) in ("**", "*") else (node,)
        for parameter, value in entry["ros__parameters"].items():
            found.update(_field(file, one, parameter, value) for one in nodes if (one, parameter) in _PARAMETERS)
            if parameter == "domain" and value and set(nodes) & set(_NODES):
                found["domain"] = Path(value)
    return found


def _field(file: Path, node: str, parameter: str, value: Any) -> tuple[str, Any]:
    name = _PARAMETERS[node, parameter]
    if name in _RANGES:
        low, high, of = _RANGES[name]
        if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
            raise SaysoError(f"--params {file}: {node}.{parameter}: {value!r} is not a number{of} from {low:g} to {high:g}")
        return name, float(value)
    if not isinstance(value, str):
        raise SaysoError(f"--params {file}: {node}.{parameter}: {value!r} is not a text")
    if name in _CHOICES and value not in _CHOICES[name]:
        raise SaysoError(f"--params {file}: {node}.{parameter}: {value!r} is neither {' nor '.join(_CHOICES[name])}")
    return name, (Path(value) if value else None) if name == "whisper_weights" else value


def fingerprint(config: ReplayConfig) -> Mapping[str, str]:
    """Hashes of what the results depend on: the domain with its includes, and each model."""
    with models_from(config.models):
        models = {name: entry.sha256 for name, entry in sorted(manifest().items())}
    domain = load_domain(config.domain)
    return {"domain": hashlib.sha256(domain.model_dump_json().encode()).hexdigest(), **models}
