"""The fields of an edit that a page asks for, each checked: nothing else reaches the files."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

from sayso.errors import SaysoError

LONGEST = 200  # characters of a name or sentence
MOST = 60  # names or sentences
FAR = 1000.0  # m
HEAVIEST = 1e6
_ID = re.compile(r"[a-z][a-z0-9_]{0,59}")


def name_of(asked: Mapping[str, Any], field: str) -> str:
    """An id: small letters, digits and underscores."""
    given = asked.get(field)
    if not isinstance(given, str) or not _ID.fullmatch(given):
        raise SaysoError(f"{field}: an id is expected, of small letters, digits and underscores, that begins with a letter")
    return given


def text_of(value: Any, field: str) -> str:
    """A text on one line."""
    if not isinstance(value, str) or not (line := " ".join(value.split())):
        raise SaysoError(f"{field}: a text is expected")
    if len(line) > LONGEST or not line.isprintable():
        raise SaysoError(f"{field}: at most {LONGEST} characters, and none that cannot be shown")
    return line


def texts_of(value: Any, field: str) -> list[str]:
    """A list of texts, each once."""
    if not isinstance(value, list) or len(value) > MOST:
        raise SaysoError(f"{field}: a list of at most {MOST} texts is expected")
    return list(dict.fromkeys(text_of(each, field) for each in value))


def number_of(value: Any, field: str, largest: float = FAR) -> float:
    """A finite number."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value) or abs(value) > largest:
        raise SaysoError(f"{field}: a number between -{largest:g} and {largest:g} is expected")
    return float(value)


def weights_of(value: Any, field: str) -> dict[str, float]:
    """Weights of places."""
    if not isinstance(value, dict) or len(value) > MOST:
        raise SaysoError(f"{field}: weights of at most {MOST} places are expected")
    found = {name_of({field: place}, field): number_of(weight, field, HEAVIEST) for place, weight in value.items()}
    return {place: int(weight) if weight.is_integer() else weight for place, weight in found.items()}
