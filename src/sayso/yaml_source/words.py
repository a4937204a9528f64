"""What is wrong with a field, in our words: pydantic's error types translated, each with the remedy."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from difflib import get_close_matches
from types import NoneType
from typing import Annotated, Any, get_args, get_origin

from pydantic import BaseModel

from sayso.yaml_source.docstrings import field_docs
from sayso.yaml_source.text import Location

Details = Mapping[str, Any]  # pydantic's ErrorDetails


def listed(names: Iterable[str] | Mapping[str, object], most: int = 12) -> str:
    """The first of them in order, for a message."""
    ordered = sorted(names)
    return ", ".join(ordered[:most]) + (", …" if len(ordered) > most else "")


def unknown(what: str, name: str, known: Iterable[str]) -> str:
    """Say that a name is unknown, and list the known ones: "unknown place 'kichen'; did you mean 'kitchen'? known: hall, kitchen"."""
    return f"unknown {f'{what} ' if what else ''}'{name}'; {choices(name, known)}"


def choices(name: str, known: Iterable[str], most: int = 12) -> str:
    """A suggestion for the name, and the known names: "did you mean 'kitchen'? known: hall, kitchen"."""
    names = list(known)
    likely = get_close_matches(name, names, n=1)
    meant = f"did you mean '{likely[0]}'? " if likely else ""
    return f"{meant}known: {listed(names, most) or 'none'}"


def bare(kind: Any) -> Any:
    """The type without `Annotated` and `| None`."""
    while get_origin(kind) is Annotated or NoneType in get_args(kind):
        kind = next(part for part in get_args(kind) if part is not NoneType)
    return kind


def in_our_words(model: type[BaseModel], error: Details) -> tuple[Location, str]:
    """The field that a validation error of the model is about, and the message for the user."""
    location: Location = tuple(part for part in error["loc"] if part != "[key]")
    kind, given, limits = error["type"], error["input"], error.get("ctx", {})
    if kind == "missing" and location and isinstance(location[-1], int):  # of a tuple with a fixed length
        return location[:-1], _wrong_length(model, location[:-1], given)
    if kind == "too_long":
        return location, _wrong_length(model, location, given)
    if kind == "too_short":
        return location, f"at least {limits['min_length']} of them must be given, there {_are(len(given))}"
    if kind == "missing":
        return location, f"'{location[-1]}' is missing{_meaning(model, location)}"
    if kind == "extra_forbidden":
        owner = bare(kind_at(model, location[:-1]))
        known = owner.model_fields if hasattr(owner, "model_fields") else {}
        return location, f"unknown field '{location[-1]}'; {choices(str(location[-1]), known, most=len(known))}"
    if kind == "literal_error":
        allowed = re.findall(r"'([^']*)'", limits["expected"])
        return location, f"{_shown(given)} is not allowed; {choices(str(given), allowed)}"
    if kind == "value_error":
        return location, str(limits["error"])
    if kind in _LIMITS:
        word, name = _LIMITS[kind]
        return location, f"must be {word} {limits[name]:g}, this is {_shown(given)}"
    wanted = next((text for names, text in _WANTED.items() if kind in names), None)
    if wanted is None:
        return location, f"{error['msg']}, found {_shown(given)}"
    return location, f"{wanted} is expected, found {_shown(given)}{_quotes(kind, given)}{_meaning(model, location)}"


def doc_at(model: type[BaseModel], location: Location) -> str:
    """The docstring of the model's field at that location, or of the nearest one around it."""
    for end in range(len(location), 0, -1):
        owner = bare(kind_at(model, location[: end - 1]))
        if location[end - 1] in getattr(owner, "model_fields", {}):
            return field_docs(owner).get(str(location[end - 1]), "")
    return ""


def kind_at(model: type[BaseModel], location: Location) -> Any:
    """The type at that location; None where the model has none."""
    kind: Any = model
    for part in location:
        kind = bare(kind)
        arguments = get_args(kind)
        if not arguments and isinstance(kind, type) and issubclass(kind, BaseModel):
            field = kind.model_fields.get(str(part))
            kind = field.annotation if field else None
            continue
        if get_origin(kind) is dict:
            kind = arguments[1]
        elif get_origin(kind) is tuple:
            kind = arguments[0] if Ellipsis in arguments else arguments[part] if isinstance(part, int) and part < len(arguments) else None
        else:
            return None
    return kind


_LIMITS = {
    "greater_than_equal": ("at least", "ge"),
    "greater_than": ("above", "gt"),
    "less_than_equal": ("at most", "le"),
    "less_than": ("below", "lt"),
}
_WANTED = {
    ("string_type",): "text",
    ("float_type", "float_parsing"): "a number",
    ("int_type", "int_parsing", "int_from_float", "int_parsing_size"): "a whole number",
    ("finite_number",): "a finite number",
    ("bool_type", "bool_parsing"): "true or false",
    ("tuple_type", "list_type"): "a list [in brackets]",
    ("dict_type", "model_type", "model_attributes_type", "mapping_type"): "a mapping (field: value)",
}


def _wrong_length(model: type[BaseModel], location: Location, given: Any) -> str:
    wanted = len(get_args(bare(kind_at(model, location))))
    return f"{wanted} values are expected, there {_are(len(given))}{_meaning(model, location)}"


def _meaning(model: type[BaseModel], location: Location) -> str:
    doc = doc_at(model, location)
    return f" ({doc.rstrip('.')})" if doc else ""


def _quotes(kind: str, given: object) -> str:
    return "; put quotes around it" if kind == "string_type" and given is not None and not isinstance(given, dict | list) else ""


def _are(count: int) -> str:
    return f"is {count}" if count == 1 else f"are {count}"


def _shown(value: object) -> str:
    texts: tuple[tuple[type, Callable[[Any], str]], ...] = (
        (NoneType, lambda _: "nothing"),
        (bool, lambda value: "true" if value else "false"),
        (str, lambda value: f"'{value if len(value) <= 40 else value[:40] + '…'}'"),
        (dict, lambda _: "a mapping"),
        (list, lambda _: "a list"),
    )
    return next((show(value) for kind, show in texts if isinstance(value, kind)), str(value)[:40])
