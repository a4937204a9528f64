"""The vocabulary of a domain file: kinds of values, names, and literals such as "on(theme, goal)"."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Annotated, Literal

from pydantic import AfterValidator, Field

EntityKind = Literal["place", "object", "person", "quantity", "direction", "words"]
Probability = Annotated[float, Field(ge=0.0, le=1.0)]
Hour = Annotated[float, Field(ge=0.0, le=24.0)]
_LITERAL = re.compile(r"^(?P<name>[a-z_]+)\((?P<arguments>[a-z_, *]*)\)$")
ANY = "*"  # in `removes`: any argument


def _literal(text: str) -> str:
    if not _LITERAL.match(text) or ANY in text:
        raise ValueError(f"'{text}' is not of the form predicate(argument, …); in a [list] of YAML, quote what holds a comma")
    return text


def _named(text: str) -> str:
    if not text.strip():
        raise ValueError("a name must not be empty")
    return text


def _pattern(text: str) -> str:
    if any(ANY in argument and argument != ANY for argument in parse_literal(text)[1]):
        raise ValueError(f"'{text}': * stands for a whole argument")
    return text


Literal_ = Annotated[str, AfterValidator(_literal)]  # "holding(theme)": a predicate over arguments and constants
Pattern_ = Annotated[str, AfterValidator(_pattern)]  # "robot_at(*)": a literal, or every literal of that form
Name = Annotated[str, AfterValidator(_named)]
# The shipped skills that move nothing: these run even while the robot is stopped, and with any charge.
MOTIONLESS = frozenset({"say", "greet", "tell", "wait", "stop", "resume", "cancel"})


@lru_cache(maxsize=1024)
def parse_literal(text: str) -> tuple[str, tuple[str, ...]]:
    """Split “has(recipient, theme)” → ("has", ("recipient", "theme"))."""
    match = _LITERAL.match(text)
    if match is None:
        raise ValueError(f"'{text}' is not of the form predicate(argument, …); in a [list] of YAML, quote what holds a comma")
    arguments = tuple(part.strip() for part in match["arguments"].split(",") if part.strip())
    return match["name"], arguments
