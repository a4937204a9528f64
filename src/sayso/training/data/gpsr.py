"""Sentences from the RoboCup@Home grammar for general-purpose service robots (GPSRCmdGen, Matamoros 2017).

The grammar's rules have the form `$name = a | b (c | d)`.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from random import Random
from xml.etree import ElementTree

from sayso.training.data.corpora import data_folder, unreadable_data

GRAMMARS = (("GPSRGrammar.txt", "CommonRules.txt"), ("egpsr/EGPSRGrammar.txt", "egpsr/CommonRules.txt"))
_SYMBOL = re.compile(r"\$\w+|[()|{}]|[^\s()|{}$]+")
DEEPEST = 40  # the format allows no recursion


def gpsr(count: int, seed: int) -> list[str]:
    """At most `count` distinct sentences from both grammars.

    Raises:
        SaysoError: the grammars are missing.
    """
    folder = data_folder() / "gpsr_grammar"
    chance = Random(f"{seed} gpsr")
    found: dict[str, None] = {}
    try:
        names = _names(folder)
        for files in GRAMMARS:
            rules = _rules(folder / file for file in files)
            for _ in range(count // len(GRAMMARS)):
                found[" ".join(_derived("$main", rules, names, chance))] = None
    except (OSError, ElementTree.ParseError, UnicodeDecodeError) as unreadable:
        message = f"{folder}: the grammars cannot be read ({unreadable}): SAYSO_DATA must name the folder of the data sets"
        raise unreadable_data(message, unreadable) from None
    return list(found)


def _rules(files: Iterator[Path]) -> dict[str, list[list[str]]]:
    """Name → its right-hand sides, as symbols."""
    rules: dict[str, list[list[str]]] = defaultdict(list)
    for file in files:
        for line in file.read_text(encoding="utf-8-sig").splitlines():
            if line.startswith("$") and "=" in line:
                name, _, right = line.partition("=")
                rules[name.strip().lower()].append(_SYMBOL.findall(right))
    return rules


def _derived(name: str, rules: Mapping[str, list[list[str]]], names: Mapping[str, list[str]], chance: Random, depth: int = 0) -> list[str]:
    """The words of one random sentence of the rule; all alternatives are equally likely."""
    sides = rules.get(name.lower(), []) if depth < DEEPEST else []
    if not sides:
        return [name.lstrip("$")]
    symbols = iter(chance.choice(sides))
    return _sequence(symbols, rules, names, chance, depth)


def _sequence(
    symbols: Iterator[str], rules: Mapping[str, list[list[str]]], names: Mapping[str, list[str]], chance: Random, depth: int
) -> list[str]:
    """One random alternative of the symbols up to the closing bracket or the end."""
    choices: list[list[str]] = [[]]
    for symbol in symbols:
        if symbol == ")":
            break
        if symbol == "|":
            choices.append([])
        elif symbol == "(":
            choices[-1] += _sequence(symbols, rules, names, chance, depth)
        elif symbol == "{":
            choices[-1] += _filled(symbols, names, chance)
        elif symbol.startswith("$"):
            choices[-1] += _derived(symbol, rules, names, chance, depth + 1)
        else:
            choices[-1].append(symbol)
    return chance.choice(choices)


def _filled(symbols: Iterator[str], names: Mapping[str, list[str]], chance: Random) -> list[str]:
    """A random name for {kind number meta: a note to the referee}; nothing for {void}."""
    inside: list[str] = []
    depth = 1
    for symbol in symbols:
        depth += (symbol == "{") - (symbol == "}")
        if not depth:
            break
        inside.append(symbol)
    known = names.get(inside[0].rstrip("?")) if inside else None
    return chance.choice(known).split() if known else []


def _names(folder: Path) -> dict[str, list[str]]:
    def found(file: str, path: str, attribute: str = "") -> list[str]:
        nodes = ElementTree.parse(folder / file).getroot().iterfind(path)  # noqa: S314 - a published data set
        return [(node.get(attribute) or "") if attribute else (node.text or "") for node in nodes]

    objects = found("Objects.xml", ".//object", "name")
    people = found("Names.xml", "name")
    return {
        "object": objects, "aobject": objects, "kobject": objects, "sobject": objects,
        "category": found("Objects.xml", "category", "name"),
        "room": found("Locations.xml", "room", "name"),
        "beacon": found("Locations.xml", ".//location[@isBeacon='true']", "name"),
        "placement": found("Locations.xml", ".//location[@isPlacement='true']", "name"),
        "location": found("Locations.xml", ".//location", "name"),
        "name": people, "male": people, "female": people,
        "gesture": found("Gestures.xml", "gesture", "name"),
        "question": ["question"],
        "pron": ["him", "her"],
    }  # fmt: skip
