"""The text of a YAML file as plain data with line numbers.

Size, depth, aliases and the length of values are bounded, so that no file exhausts the memory or the user's patience.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from yaml.reader import Reader

from sayso.errors import DomainError
from sayso.yaml_source.drafts import draft_of

LARGEST = 4_000_000  # bytes of a file with all that it includes; the default home has 0.2 million
DEEPEST = 32  # levels of nesting
MOST = 100_000  # values of a file with all that it includes, each use of an alias counted; the default home has 3,000
LONGEST_KEY = 200  # characters
LONGEST_VALUE = 50_000  # characters
LARGEST_NUMBER = 2**63  # whole numbers beyond it are no one's intention, and Python refuses to print the longest

Location = tuple[str | int, ...]
Contradiction = tuple[Location, str]  # the field, and its mistake

_PLAIN_TAGS = ("tag:yaml.org,2002:map", "tag:yaml.org,2002:seq")
_TOO_MANY = f"more than {MOST} values, includes and each use of an alias (*name) counted; remove what is not needed"
LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # libyaml's parser is ten times as fast, where PyYAML has it


@dataclass
class Spent:
    """What was read so far of a file with its includes."""

    size: int = 0  # bytes
    values: int = 0  # each use of an alias counted

    def read(self, path: Path, size: int) -> None:
        """A text of that many bytes comes in addition; raises DomainError if it is too large."""
        self.size += size
        if self.size > LARGEST:
            whole = "it is" if self.size == size else "with the files read before, it is"
            raise DomainError(f"{path}: cannot be read: {whole} larger than {LARGEST // 1_000_000} MB; remove what is not needed")


def text_of(path: Path, spent: Spent | None = None) -> str:
    """The file's text.

    Args:
        path: of the file.
        spent: on the files read before, if it is one of several.

    Raises:
        DomainError: the file is missing, is a folder, is too large, or is not UTF-8 text; names the line.
    """
    draft = draft_of(path)
    try:
        if draft is None and path.exists() and not path.is_file():
            raise DomainError(f"{path}: cannot be read: it is {'a folder' if path.is_dir() else 'not a regular file'}; name a YAML file")
        (spent or Spent()).read(path, path.stat().st_size if draft is None else len(draft.encode()))
        data = path.read_bytes() if draft is None else draft.encode()
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


def composed(path: Path, text: str) -> yaml.Node | None:
    """The top node of a text; None if it is empty.

    Args:
        path: of the file, for messages.
        text: of the file.

    Raises:
        DomainError: the text is not YAML, is too large, or is nested too deeply.
    """
    try:
        _refuse_monsters(path, text)
        return yaml.compose(text, Loader=LOADER)
    except yaml.MarkedYAMLError as malformed:
        line = malformed.problem_mark.line + 1 if malformed.problem_mark else 1
        raise DomainError(f"{path}:{line}: not YAML: {_remedy(malformed, text, line)}") from None
    except (yaml.YAMLError, RecursionError, ValueError):
        raise DomainError(f"{path}:1: not YAML") from None


class PlainData:
    """Turns the nodes of one file into dicts, lists and scalars. Collects the mistakes that it meets."""

    def __init__(self, path: Path, spent: Spent | None = None) -> None:
        """For a file; `spent` on the files read before, if it is one of several."""
        self.lines: dict[Location, tuple[Path, int]] = {(): (path, 1)}
        self.mistakes: list[Contradiction] = []
        self._path = path
        self._scalars = yaml.SafeLoader("")
        self._spent = spent or Spent()

    def of(self, node: yaml.Node) -> Any:
        """The file as a dict, a list or a scalar.

        Raises:
            DomainError: aliases make it endless or too large.
        """
        return self._plain(node, ())

    def _plain(self, node: yaml.Node, location: Location) -> Any:
        self._spent.values += 1 + (len(node.value) // 100 if isinstance(node, yaml.ScalarNode) else 0)
        line = node.start_mark.line + 1
        if self._spent.values > MOST:
            raise DomainError(f"{self._path}:{line}: {_TOO_MANY}")
        if len(location) > DEEPEST:
            raise DomainError(f"{self._path}:{line}: nested more than {DEEPEST} levels deep; an alias (*name) may contain itself")
        self.lines.setdefault(location, (self._path, line))
        if isinstance(node, yaml.CollectionNode) and node.tag not in _PLAIN_TAGS:
            self._mistake(location, line, f"the tag {node.tag.replace('tag:yaml.org,2002:', '!!')[:40]} has no meaning here; remove it")
            return None
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
            if len(key) > LONGEST_KEY:
                self._mistake((*location, key[:40]), line, f"a key has {len(key)} characters; {LONGEST_KEY} are the most")
                continue
            if key in result:
                self._mistake((*location, f"{key} "), line, f"'{key}' is given twice; remove or rename one of them")
                continue
            field = (*location, key)
            self.lines[field] = (self._path, line)
            result[key] = self._plain(value_node, field)
        return result

    def _scalar(self, node: yaml.Node, location: Location) -> Any:
        line = node.start_mark.line + 1
        if len(node.value) > LONGEST_VALUE:
            self._mistake(location, line, f"a value has {len(node.value)} characters; {LONGEST_VALUE} are the most")
            return None
        try:
            value = self._scalars.construct_object(node)
        except (yaml.YAMLError, ValueError, OverflowError, KeyError, TypeError):
            self._mistake(location, line, f"'{str(node.value)[:40]}' is not a valid YAML value; put quotes around it")
            return None
        if isinstance(value, int) and abs(value) >= LARGEST_NUMBER:
            self._mistake(location, line, f"the number '{str(node.value)[:40]}' is too large; put quotes around it if it is a text")
            return None
        return value

    def _mistake(self, location: Location, line: int, message: str) -> None:
        self.lines.setdefault(location, (self._path, line))
        self.mistakes.append((location, message))


def _refuse_monsters(path: Path, text: str) -> None:
    """Before `compose`, which recurses in C and would overflow the stack, and keeps every node in memory."""
    depth = nodes = 0
    for event in yaml.parse(text, Loader=LOADER):
        if isinstance(event, yaml.NodeEvent):
            nodes += 1
            if nodes > 2 * MOST:  # keys and values
                raise DomainError(f"{path}:{_line_of(event)}: {_TOO_MANY}")
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
            if depth > DEEPEST:
                raise DomainError(f"{path}:{_line_of(event)}: nested more than {DEEPEST} levels deep; no file of ours needs that")
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1


def _line_of(event: yaml.Event) -> int:
    return event.start_mark.line + 1 if event.start_mark else 1


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
