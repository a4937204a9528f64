"""One field of a YAML text replaced, added or removed; every other character stays as it is, comments above all.

A round trip through a parser and a dumper lays out lines anew that nobody has touched: ruamel.yaml 0.19 joins a list in brackets that
stands on several lines, and drops the comment of a removed entry. Here, the parser only says where a field stands. Each result is read
again: it must hold exactly what was meant and every comment, or the change is refused.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from copy import deepcopy
from itertools import pairwise
from pathlib import Path
from typing import Any

import yaml

from sayso.errors import DomainError
from sayso.yaml_source.source import plain_yaml
from sayso.yaml_source.text import LOADER, Location, composed

DIGITS = 4  # of a number after its point: a tenth of a millimetre
_PLAIN = re.compile(r"[^\W\d_](?:[\w './-]|:(?=\w))*(?<! )")
_OTHERWISE = {"yes", "no", "on", "off", "true", "false", "null", "y", "n"}  # texts that YAML reads as something else
_COMMENT = re.compile(r"#[^\n]*")


def put(text: str, location: Location, value: Any, path: Path) -> str:
    """The text with that value at that location; mappings around it that are missing are added, items of lists are not.

    Raises:
        DomainError: it cannot be done without a loss: names file and line.
    """
    expected = deepcopy(plain_yaml(text, path))
    at = expected
    for key, inner in pairwise(location):
        if isinstance(at, dict) and at.get(key) is None and not isinstance(inner, int):
            at[key] = {}
        at = _item(at, key, path)
        if isinstance(inner, int):
            _item(at, inner, path)
    at[location[-1]] = value
    return _proven(text, _put(text, _top(text, path), location, value), expected, path)


def drop(text: str, location: Location, path: Path) -> str:
    """The text without the entry at that location. A comment at its side stays, on a line of its own.

    Raises:
        DomainError: it cannot be done without a loss: names file and line.
    """
    expected = deepcopy(plain_yaml(text, path))
    at = expected
    for key in location[:-1]:
        at = at[key]
    del at[location[-1]]
    return _proven(text, _drop(text, _top(text, path), location), expected, path)


def _item(holder: Any, key: str | int, path: Path) -> Any:
    """What a mapping or a list of the file holds under that key or number."""
    if isinstance(holder, dict) and key in holder:
        return holder[key]
    if isinstance(holder, list) and isinstance(key, int) and key < len(holder):
        return holder[key]
    raise DomainError(f"{path}: '{key}' does not stand in this file, perhaps in one that it includes; change it there, in a text editor")


def comments(text: str) -> list[tuple[int, int]]:
    """Where each comment of a YAML text begins and ends: only between tokens can one stand."""
    found, position = [], 0
    for token in yaml.scan(text, Loader=LOADER):
        if token.start_mark.index > position:
            gap = text[position : token.start_mark.index]
            found += [(position + each.start(), position + each.end()) for each in _COMMENT.finditer(gap)]
        position = max(position, token.end_mark.index)
    return found


def has_anchors(text: str) -> bool:
    """Whether one part of the text stands at several places, by & and *: to change it at one would change it at all."""
    return any(isinstance(event, yaml.NodeEvent) and event.anchor is not None for event in yaml.parse(text, Loader=LOADER))


def in_flow(value: Any) -> str:
    """A value on one line: {names: [red cup], size: 0.1}."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_key(key)}: {in_flow(each)}" for key, each in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(in_flow(each) for each in value) + "]"
    if isinstance(value, str) and _PLAIN.fullmatch(value) and value.lower() not in _OTHERWISE:
        return value
    if isinstance(value, float):
        return str(round(value, DIGITS) + 0.0)  # not -0.0
    return json.dumps(value, ensure_ascii=False)


def _key(name: str) -> str:
    return name if _PLAIN.fullmatch(name) else json.dumps(name, ensure_ascii=False)  # a key is always a text, "on" as well


def _proven(before: str, after: str, expected: Any, path: Path) -> str:
    """The text after the change, if it holds what is expected, and all comments."""
    kept = Counter(before[begin:end].rstrip() for begin, end in comments(before)) - Counter(after[a:b].rstrip() for a, b in comments(after))
    if kept or _rounded(plain_yaml(after, path)) != _rounded(expected):
        raise DomainError(f"{path}: this change would lose a comment or alter something else; make it in a text editor")
    return after


def _rounded(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _rounded(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_rounded(each) for each in value]
    return round(value, DIGITS) + 0.0 if isinstance(value, float) else value


def _top(text: str, path: Path) -> yaml.MappingNode:
    node = composed(path, text)
    if not isinstance(node, yaml.MappingNode):
        raise DomainError(f"{path}:1: it is not a mapping of names to values")
    return node


def _entry(node: yaml.Node, key: str | int) -> tuple[yaml.Node | None, yaml.Node] | None:
    """The key and the value of an entry; an item of a list has no key."""
    if isinstance(node, yaml.SequenceNode):
        return None, node.value[int(key)]
    pairs = node.value if isinstance(node, yaml.MappingNode) else []
    return next((pair for pair in pairs if pair[0].value == str(key)), None)


def _put(text: str, top: yaml.MappingNode, location: Location, value: Any) -> str:
    node: yaml.Node = top
    key_node: yaml.Node | None = None
    for depth, key in enumerate(location):
        found = _entry(node, key)
        if found is None:
            for outer in reversed(location[depth + 1 :]):
                value = {outer: value}
            return _inserted(text, node, key_node, str(key), value)
        key_node, node = found
    return _replaced(text, key_node, node, in_flow(value))


def _replaced(text: str, key: yaml.Node | None, node: yaml.Node, written: str) -> str:
    begin, end = node.start_mark.index, _end(text, node)
    if key is not None and (_is_block(node) or begin == end):  # what follows the colon, perhaps on the next lines
        begin = text.index(":", key.end_mark.index) + 1
        end = max(begin, end)
        written = f" {written}"
    return text[:begin] + written + text[end:]


def _inserted(text: str, node: yaml.Node, key_node: yaml.Node | None, key: str, value: Any) -> str:
    """The text with a new entry at the end of a mapping."""
    written = f"{_key(key)}: {in_flow(value)}"
    if not isinstance(node, yaml.MappingNode) or not node.value:
        return _replaced(text, key_node, node, f"{{{written}}}")
    last_key, last = node.value[-1]
    end = max(_end(text, last), last_key.end_mark.index)
    if node.flow_style:
        return f"{text[:end]}, {written}{text[end:]}"
    newline = "\r\n" if "\r\n" in text else "\n"
    if key_node is None and isinstance(value, dict) and value:  # a new section: one entry a line, as in our own files
        entries = (f"  {_key(name)}: {in_flow(each)}" for name, each in value.items())
        written = newline.join((f"{newline}{_key(key)}:", *entries))
    line_end = text.find("\n", end)
    line_end = len(text) if line_end < 0 else line_end - (newline == "\r\n")
    indent = " " * int(node.value[0][0].start_mark.column)
    return f"{text[:line_end]}{newline}{indent}{written}{text[line_end:] or newline}"


def _drop(text: str, top: yaml.MappingNode, location: Location) -> str:
    node: yaml.Node = top
    parent_key: yaml.Node | None = None
    for key in location[:-1]:
        parent_key, node = _entry(node, key) or (None, node)
    entries = list(node.value)
    index = next(each for each, (key, _) in enumerate(entries) if key.value == str(location[-1]))
    key, value = entries[index]
    begin, end = key.start_mark.index, max(_end(text, value), key.end_mark.index)
    if not _is_block(node):
        if index:
            begin = max(_end(text, entries[index - 1][1]), entries[index - 1][0].end_mark.index)
        elif len(entries) > 1:
            end = entries[1][0].start_mark.index
        return text[:begin] + text[end:]
    begin = text.rfind("\n", 0, begin) + 1
    line_end = text.find("\n", end) + 1
    end = line_end or len(text)
    indent = " " * key.start_mark.column
    kept = "".join(f"{indent}{text[a:b].rstrip()}\n" for a, b in comments(text) if begin <= a < end)
    shortened = text[:begin] + kept + text[end:]
    if len(entries) == 1 and parent_key is not None:  # a key without anything under it would stand for nothing
        colon = text.index(":", parent_key.end_mark.index) + 1
        shortened = f"{shortened[:colon]} {{}}{shortened[colon:]}"
    return shortened


def _is_block(node: yaml.Node) -> bool:
    return isinstance(node, yaml.CollectionNode) and not node.flow_style


def _end(text: str, node: yaml.Node) -> int:
    """Where the node's last character ends; the parser's mark of a block lies behind the comments that follow it."""
    if _is_block(node) and node.value:
        return max(_end(text, each) for each in _children(node))
    if isinstance(node, yaml.ScalarNode) and node.style in ("|", ">"):
        return len(text[: node.end_mark.index].rstrip())
    return int(node.end_mark.index)


def _children(node: yaml.Node) -> Iterator[yaml.Node]:
    last = node.value[-1]
    yield from last if isinstance(last, tuple) else (last,)
