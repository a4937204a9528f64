"""YAML files as checked objects: every mistake is reported with its file, line, field and remedy."""

from sayso.yaml_source.drafts import drafting
from sayso.yaml_source.source import StrictModel, YamlSource, changed, companion, no_file, plain_yaml, read_plain, read_yaml, resolved
from sayso.yaml_source.text import Contradiction, Location, text_of
from sayso.yaml_source.words import choices, listed, unknown

__all__ = [
    "Contradiction",
    "Location",
    "StrictModel",
    "YamlSource",
    "changed",
    "choices",
    "companion",
    "drafting",
    "listed",
    "no_file",
    "plain_yaml",
    "read_plain",
    "read_yaml",
    "resolved",
    "text_of",
    "unknown",
]
