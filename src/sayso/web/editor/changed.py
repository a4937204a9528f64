"""A field of the home's files that an edit changes, and what the modules of edits share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from sayso.errors import SaysoError
from sayso.scene import Scene
from sayso.yaml_source import Location, choices

DIGITS = 3  # of metres
Asked = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Changed:
    """A field that gets another value, or is removed."""

    file: Literal["domain", "scene"]
    location: Location
    value: Any = None
    remove: bool = False


def known(name: str, all_known: Mapping[str, Any]) -> str:
    """The name, if it is one of these.

    Raises:
        SaysoError: it is not; names the likely one.
    """
    if name not in all_known:
        raise SaysoError(f"unknown '{name}'; {choices(name, all_known)}")
    return name


def drawn(scene: Scene | None) -> Scene:
    """The scene.

    Raises:
        SaysoError: the home has none.
    """
    if scene is None:
        raise SaysoError("this home has no scene: `sayso new scene` writes a first one")
    return scene


def metres(*values: float) -> list[float]:
    """Lengths as people write them into the files: rounded, and whole numbers without a point."""
    rounded = (round(float(value), DIGITS) for value in values)
    return [int(value) if value.is_integer() else value for value in rounded]
