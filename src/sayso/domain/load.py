"""Reading a domain file: YAML with its includes, checked against the model and for contradictions."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from sayso.domain.check import contradictions
from sayso.domain.model import Domain
from sayso.paths import default_domain
from sayso.yaml_source import Contradiction, changed, companion, no_file, read_yaml, resolved


def load_domain(path: Path | str | None = None) -> Domain:
    """The checked domain of that file, or the default home.

    Raises:
        DomainError: the file is missing, is not YAML, or has mistakes; names file, line and remedy of each.
    """
    file = resolved(path) if path else default_domain()
    return _load(file, changed(file))


@lru_cache(maxsize=8)
def _load(path: Path, _changed: tuple[int, int]) -> Domain:
    source = read_yaml(path, "a domain file is a mapping with the keys places, objects, people, …")
    intents = source.value.get("intents")
    for name, intent in intents.items() if isinstance(intents, dict) else ():
        if isinstance(intent, dict):
            intent.setdefault("actions", {name: 1.0})
    return source.checked(Domain, contradictions, lambda domain: _missing_scene(domain, path))


def _missing_scene(domain: Domain, path: Path) -> Iterator[Contradiction]:
    if domain.scene and not companion(domain.scene, path).exists():
        yield ("scene",), no_file(domain.scene, "scenes")
