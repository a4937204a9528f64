"""YAML as plain data that knows where each field stands, so that what is wrong with it can be said with file and line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import yaml
from pydantic import BaseModel, ConfigDict, ValidationError

from sayso.errors import DomainError

_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # libyaml's parser reads ten times as fast, where PyYAML has it
_SCALARS = yaml.SafeLoader("")

Location = tuple[str | int, ...]
Checked = TypeVar("Checked", bound=BaseModel)


class StrictModel(BaseModel):
    """What a YAML file of ours says: an unknown field is an error, and nothing changes after loading."""

    model_config = ConfigDict(extra="forbid", frozen=True)


@dataclass
class YamlSource:
    """Plain data, and for every field the file and line it stands in."""

    value: dict[str, Any] = field(default_factory=dict)
    lines: dict[Location, tuple[Path, int]] = field(default_factory=dict)

    def error(self, location: Location, message: str) -> DomainError:
        """What is wrong with that field, or with the nearest one around it that is written down."""
        where = location
        while where and where not in self.lines:
            where = where[:-1]
        path, line = self.lines.get(where, (Path("?"), 0))
        name = ".".join(str(part) for part in location)
        return DomainError(f"{path}:{line}: {name}: {message}")

    def checked(self, model: type[Checked]) -> Checked:
        """The data as that model.

        Raises:
            DomainError: a field is missing, unknown or not what it must be; the first of them.
        """
        try:
            return model.model_validate(self.value)
        except ValidationError as invalid:
            first = invalid.errors(include_url=False)[0]
            raise self.error(tuple(first["loc"]), first["msg"]) from None

    def refuse(self, contradictions: Iterator[tuple[Location, str]]) -> None:
        """Raises the first of the contradictions, if there is any."""
        for location, message in contradictions:
            raise self.error(location, message)


def read_yaml(path: Path, expected: str) -> YamlSource:
    """That file with what it `include`s merged in; what the including file says wins, entry by entry.

    Args:
        path: of the file; includes are relative to the file that names them.
        expected: what the file is, for the message where it is not: "a domain file is a mapping with the keys …".

    Raises:
        DomainError: a file is missing, is no YAML, gives a key twice or includes itself.
    """
    source = YamlSource()
    _read(path, source, expected, including=())
    return source


def resolved(path: Path | str) -> Path:
    """Its whole path, links followed.

    Raises:
        DomainError: no file can be there: a null character, links in a circle.
    """
    try:
        return Path(path).resolve()
    except (OSError, RuntimeError, ValueError) as impossible:  # RuntimeError: of links in a circle, before Python 3.13
        raise DomainError(f"{path}:1: cannot be read: {impossible}") from None


def changed(path: Path) -> tuple[int, int]:
    """When the file was changed (ns) and how long it is, so that what was read of it is not kept for longer; zeros where it is missing."""
    try:
        status = path.stat()
    except OSError:
        return 0, 0
    return status.st_mtime_ns, status.st_size


def listed(names: Iterable[str] | Mapping[str, object]) -> str:
    """The first dozen of them in order, for a message."""
    ordered = sorted(names)
    return ", ".join(ordered[:12]) + (", …" if len(ordered) > 12 else "")


def _read(path: Path, into: YamlSource, expected: str, including: tuple[Path, ...]) -> None:
    if path in including:
        raise DomainError(f"{path}:1: include: the file includes itself")
    try:
        node = yaml.compose(path.read_text(encoding="utf-8"), Loader=_LOADER)
    except (OSError, UnicodeDecodeError) as unreadable:
        raise DomainError(f"{path}:1: cannot be read: {unreadable}") from None
    except yaml.MarkedYAMLError as malformed:
        line = malformed.problem_mark.line + 1 if malformed.problem_mark else 1
        raise DomainError(f"{path}:{line}: not YAML: {malformed.problem}") from None
    except yaml.YAMLError:
        raise DomainError(f"{path}:1: not YAML: it holds characters that text does not have") from None
    if not isinstance(node, yaml.MappingNode):
        raise DomainError(f"{path}:1: {expected}")
    lines: dict[Location, tuple[Path, int]] = {(): (path, 1)}
    data = _plain(node, (), path, lines)
    for file in _included(data.pop("include", []), path, lines):
        _read(file, into, expected, (*including, path))
    # What the including file says comes last and wins, entry by entry: a user's home changes one sentence of ours.
    for key, value in data.items():
        held = into.value.get(key)
        if isinstance(held, dict) and isinstance(value, dict):
            held.update(value)
        else:
            into.value[key] = value
    into.lines.update(lines)


def _included(names: object, path: Path, lines: Mapping[Location, tuple[Path, int]]) -> list[Path]:
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise DomainError(f"{path}:{lines[('include',)][1]}: include: a list of file names is expected")
    try:
        return [resolved(path.parent / name) for name in names]
    except DomainError:
        raise DomainError(f"{path}:{lines[('include',)][1]}: include: no file can be named so: {listed(map(repr, names))}") from None


def _plain(node: yaml.Node, location: Location, path: Path, lines: dict[Location, tuple[Path, int]]) -> Any:
    lines[location] = (path, node.start_mark.line + 1)
    if isinstance(node, yaml.MappingNode):
        result: dict[str, Any] = {}
        for key_node, value_node in node.value:
            key = str(key_node.value)
            if key in result:
                raise DomainError(f"{path}:{key_node.start_mark.line + 1}: '{key}' is given twice")
            field_location = (*location, key)
            result[key] = _plain(value_node, field_location, path, lines)
            lines[field_location] = (path, key_node.start_mark.line + 1)
        return result
    if isinstance(node, yaml.SequenceNode):
        return [_plain(item, (*location, index), path, lines) for index, item in enumerate(node.value)]
    return _SCALARS.construct_object(node)
