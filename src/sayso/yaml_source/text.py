"""The text of a YAML file as plain data with line numbers. Size, depth and aliases are bounded, so that no file exhausts the memory."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml
from yaml.reader import Reader

from sayso.errors import DomainError

LARGEST = 8_000_000  # bytes of a file
DEEPEST = 32  # levels of nesting
MOST = 300_000  # values, each use of an alias counted; the default home has 3,000

Location = tuple[str | int, ...]
Contradiction = tuple[Location, str]  # the field, and its mistake

_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # libyaml's parser is ten times as fast, where PyYAML has it


def text_of(path: Path) -> str:
    """The file's text.

    Raises:
        DomainError: the file is missing, is a folder, is too large, or is not UTF-8 text; names the line.
    """
    try:
        if path.exists() and not path.is_file():
            raise DomainError(f"{path}: cannot be read: it is {'a folder' if path.is_dir() else 'not a regular file'}; name a YAML file")
        if path.stat().st_size > LARGEST:
            raise DomainError(f"{path}: cannot be read: it is larger than {LARGEST // 1_000_000} MB; remove what is not needed")
        data = path.read_bytes()
    except FileNotFoundError:
        raise DomainError(f"{path}: there is no such file") from None
    except (OSError, ValueError) as unreadable:
        raise DomainError(f"{path}: cannot be read: {getattr(unreadable, 'strerror', None) or unreadable}") from None
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as wrong:
        line = data.count(b"\n", 0, wrong.start) + 1
        raise DomainError(f"{path}:{line}: not UTF-8: byte 0x{data[wrong.start]:02x}; save the file as UTF-8") from None
    if strange := Reader.NON_PRINTABLE.search(text):
        line = text.count("\n", 0, strange.start()) + 1
        raise DomainError(f"{path}:{line}: not YAML: the character U+{ord(strange.group()):04X} cannot stand in text; remove it")
    return text


def composed(path: Path, expected: str) -> yaml.MappingNode:
    """The file's top-level mapping.

    Args:
        path: of the file.
        expected: the file's form, for the message if it has another: "a domain file is a mapping with the keys places, …".

    Raises:
        DomainError: the text is not YAML, is empty, is nested too deeply, or is not a mapping.
    """
    text = text_of(path)
    try:
        _refuse_deep(path, text)
        node = yaml.compose(text, Loader=_LOADER)
    except yaml.MarkedYAMLError as malformed:
        line = malformed.problem_mark.line + 1 if malformed.problem_mark else 1
        raise DomainError(f"{path}:{line}: not YAML: {_remedy(malformed, text, line)}") from None
    except (yaml.YAMLError, RecursionError, ValueError):
        raise DomainError(f"{path}:1: not YAML") from None
    if node is None:
        raise DomainError(f"{path}:1: the file is empty: {expected}")
    if not isinstance(node, yaml.MappingNode):
        raise DomainError(f"{path}:1: {expected}")
    return node


class PlainData:
    """Turns the nodes of one file into dicts, lists and scalars. Collects the mistakes that it meets."""

    def __init__(self, path: Path) -> None:
        self.lines: dict[Location, tuple[Path, int]] = {(): (path, 1)}
        self.mistakes: list[Contradiction] = []
        self._path = path
        self._scalars = yaml.SafeLoader("")
        self._values = 0

    def mapping(self, node: yaml.MappingNode) -> dict[str, Any]:
        """The file as a dict.

        Raises:
            DomainError: aliases make it endless or too large.
        """
        return self._mapping(node, ())

    def _plain(self, node: yaml.Node, location: Location) -> Any:
        self._values += 1
        line = node.start_mark.line + 1
        if self._values > MOST:
            raise DomainError(f"{self._path}:{line}: more than {MOST} values, aliases (*name) counted; use fewer aliases")
        if len(location) > DEEPEST:
            raise DomainError(f"{self._path}:{line}: nested more than {DEEPEST} levels deep; an alias (*name) may contain itself")
        self.lines.setdefault(location, (self._path, line))
        if isinstance(node, yaml.MappingNode):
            return self._mapping(node, location)
        if isinstance(node, yaml.SequenceNode):
            return [self._plain(item, (*location, index)) for index, item in enumerate(node.value)]
        return self._scalar(node, location)

    def _mapping(self, node: yaml.MappingNode, location: Location) -> dict[str, Any]:
        result: dict[str, Any] = {}
        for key_node, value_node in node.value:
            line = key_node.start_mark.line + 1
            if not isinstance(key_node, yaml.ScalarNode):
                self._mistake((*location, "?"), line, "a key must be a word; put quotes around anything else")
                continue
            key = str(key_node.value)
            if key in result:
                self._mistake((*location, f"{key} "), line, f"'{key}' is given twice; remove or rename one of them")
                continue
            field = (*location, key)
            self.lines[field] = (self._path, line)
            result[key] = self._plain(value_node, field)
        return result

    def _scalar(self, node: yaml.Node, location: Location) -> Any:
        try:
            return self._scalars.construct_object(node)
        except (yaml.YAMLError, ValueError, OverflowError, KeyError, TypeError):
            self._mistake(location, node.start_mark.line + 1, f"'{str(node.value)[:40]}' is not a valid YAML value; put quotes around it")
            return None

    def _mistake(self, location: Location, line: int, message: str) -> None:
        self.lines.setdefault(location, (self._path, line))
        self.mistakes.append((location, message))


def _refuse_deep(path: Path, text: str) -> None:
    """Before `compose`, which recurses in C and would overflow the stack."""
    depth = 0
    for event in yaml.parse(text, Loader=_LOADER):
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
            if depth > DEEPEST:
                line = event.start_mark.line + 1 if event.start_mark else 1
                raise DomainError(f"{path}:{line}: nested more than {DEEPEST} levels deep; no file of ours needs that")
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1


def _remedy(malformed: yaml.MarkedYAMLError, text: str, line: int) -> str:
    problem = malformed.problem or "it cannot be read"
    lines = text.splitlines()
    around = lines[max(0, line - 2) : line]
    if "cannot start any token" in problem and any("\t" in one for one in around):
        return "a tab; YAML is indented with spaces"
    if "undefined alias" in problem:
        return f"{problem}; put quotes around a text that begins with *"
    if "another document" in problem or "single document" in problem:
        return "a second document begins here (---); write one per file"
    return f"{problem}; look for a missing colon, quote or bracket here or on the line before"
