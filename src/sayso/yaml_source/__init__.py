"""YAML files as checked objects: every mistake is reported with its file, line, field and remedy."""

from sayso.yaml_source.source import SHIPPED, StrictModel, YamlSource, changed, file_named, read_yaml, resolved
from sayso.yaml_source.text import Contradiction, Location
from sayso.yaml_source.words import choices, listed, unknown

__all__ = [
    "SHIPPED",
    "Contradiction",
    "Location",
    "StrictModel",
    "YamlSource",
    "changed",
    "choices",
    "file_named",
    "listed",
    "read_yaml",
    "resolved",
    "unknown",
]
