"""A file without its mistakes, so that the rest can be checked as well and all mistakes are reported at once."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from copy import deepcopy
from typing import Any, Generic, TypeVar, get_args

from pydantic import BaseModel, ValidationError

from sayso.yaml_source.text import Contradiction, Location
from sayso.yaml_source.words import bare, kind_at

Checked = TypeVar("Checked", bound=BaseModel)
Check = Callable[[Checked], Iterator[Contradiction]]


class Remainder(Generic[Checked]):
    """The data as a model, without the fields and entries that are wrong, and without what depends on them."""

    def __init__(self, model: type[Checked], data: dict[str, Any], wrong: Iterable[Location], before: Iterable[Check[Checked]]) -> None:
        """`part` is None where too little is left.

        Args:
            model: of the file.
            data: of the whole file.
            wrong: locations of the mistakes.
            before: checks that the remainder passes.
        """
        self._model, self._data = model, data
        self._wrong = {_written(data, location) for location in wrong}
        self.part: Checked | None = None
        while () not in self._wrong:
            part: Checked | None = None
            try:
                part = model.model_validate(self._without())
                found = [location for check in before for location, _ in check(part)]
            except ValidationError as invalid:  # a required field was left out: the entry around it goes too
                found = [blamed(error) for error in invalid.errors(include_url=False)]
            more = {_written(data, self.original(location)) for location in found} - self._wrong
            if not more:
                self.part = None if found else part
                break
            self._wrong |= more

    def original(self, location: Location) -> Location:
        """The location in the whole file: list items after omitted ones have a higher index there."""
        found: Location = ()
        for part in location:
            whole = part
            if isinstance(whole, int):
                for gone in sorted(wrong[-1] for wrong in self._wrong if wrong[:-1] == found and isinstance(wrong[-1], int)):
                    whole += gone <= whole
            found = (*found, whole)
        return found

    def follows(self, location: Location, message: str) -> bool:
        """Whether a contradiction is only a consequence: in the same place as a mistake, or about a name that was left out with it."""
        if any(location[: len(wrong)] == wrong or wrong[: len(location)] == location for wrong in self._wrong):
            return True
        names = {name for wrong in self._wrong for name in _words(wrong[-1], *wrong[2:], _value(self._data, wrong))}
        names |= {str(entry) for _, entry, _ in self._stand_ins()}
        return not names.isdisjoint(re.findall(r"'(\w+)", re.sub("did you mean '[^']*'", "", message)))

    def _without(self) -> dict[str, Any]:
        data = deepcopy(self._data)
        # Long locations first, and late items of a list before early ones.
        for location in sorted(self._wrong, key=lambda wrong: (len(wrong), [str(part).zfill(9) for part in wrong]), reverse=True):
            parent = _value(data, location[:-1])
            if isinstance(parent, dict):
                parent.pop(location[-1], None)
            elif isinstance(parent, list) and isinstance(location[-1], int) and location[-1] < len(parent):
                del parent[location[-1]]
        for location, numbers in self._stand_ins().items():
            entry = _value(data, location[:-1])
            if isinstance(entry, dict):
                entry[location[-1]] = numbers
        texts = (name for name, field in self._model.model_fields.items() if field.is_required() and field.annotation is str)
        return {**dict.fromkeys(texts, ""), **data}  # a home without a name can be checked all the same

    def _stand_ins(self) -> dict[Location, list[float]]:
        """Numbers for required fields that were left out, such as a pose: the rest of their entry can be checked all the same."""
        found: dict[Location, list[float]] = {}
        for location in self._wrong:
            if len(location) != 3 or isinstance(location[1], int):
                continue
            owner = kind_at(self._model, location[:-1])
            field = getattr(owner, "model_fields", {}).get(location[-1])
            numbers = get_args(field.annotation) if field is not None and field.is_required() else ()
            if numbers and all(bare(kind) is float for kind in numbers):
                found[location] = [1.0] * len(numbers)
        return found


def blamed(error: Any) -> Location:
    """What to leave out for a validation error: the field, or the entry that lacks one."""
    location: Location = tuple(part for part in error["loc"] if part != "[key]")
    return location[:-1] if error["type"] == "missing" and len(location) > 1 else location


def _written(data: dict[str, Any], location: Location) -> Location:
    """The location, or the nearest one around it that the file has: a field may be wrong by its default."""
    while len(location) > 1 and not _has(_value(data, location[:-1]), location[-1]):
        location = location[:-1]
    return location


def _has(container: Any, key: str | int) -> bool:
    if isinstance(container, list):
        return isinstance(key, int) and key < len(container)
    return isinstance(container, dict) and key in container


def _value(data: Any, location: Location) -> Any:
    for part in location:
        if not _has(data, part):
            return None
        data = data[part]
    return data


def _words(*values: Any) -> Iterator[str]:
    """Every name in keys and texts."""
    for value in values:
        if isinstance(value, dict):
            yield from _words(*value, *value.values())
        elif isinstance(value, list):
            yield from _words(*value)
        elif isinstance(value, str):
            yield from re.findall(r"\w+", value)
