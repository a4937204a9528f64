"""Labels of sentences: what each asks for, read from benchmarks/meaning/*.yaml. docs/benchmarks.md explains the keys."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import yaml

from sayso.errors import SaysoError

CONDITIONS = ("if", "unless", "when", "until", "before", "after")
TIMINGS = ("in", "at", "every", "for")
FREE = "?"  # a role's value that the home does not have, or that cannot be known beforehand
_CALL = re.compile(r"([^()]+?)\s*(?:\((.*)\))?", re.DOTALL)
_KEYS = {
    "say", "about", "do", "or_do", "keep", "rule", "question", "ask", "or_ask", "cannot", "nothing", "bad", *CONDITIONS, *TIMINGS,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Expression:
    """A word with arguments: next_to(bread), biggest."""

    name: str
    arguments: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LabelledAct:
    """An action that was asked for. Names, roles and values hold alternatives."""

    names: tuple[str, ...]
    roles: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...] = ()  # (roles, values): any of the values in any of the roles

    def values(self, role: str) -> tuple[str, ...]:
        """The values of that role, empty if there is none."""
        return next((values for roles, values in self.roles if role in roles), ())


@dataclass(frozen=True, slots=True)
class Label:
    """A sentence and what a listener who knows the home expects of the robot."""

    say: str
    about: str = ""
    do: tuple[tuple[LabelledAct, ...], ...] = ()  # sequences of actions, each of them right; empty: nothing to do
    keep: tuple[Expression, ...] = ()
    conditions: tuple[tuple[str, str], ...] = ()  # (kind, words)
    timings: tuple[tuple[str, str], ...] = ()  # (kind, seconds, "18:00" or words)
    rule: tuple[LabelledAct, ...] = ()
    question: tuple[Expression, ...] = ()  # alternatives
    ask: tuple[str, ...] | None = None  # words, one of which the robot must name; empty: any question
    or_ask: bool = False
    cannot: tuple[str, ...] = ()
    nothing: bool = False
    bad: bool = False
    template: str = ""  # of a generated sentence
    expected: str = ""  # the entry's other keys, for a person

    @property
    def wants_a_question(self) -> bool:
        """Whether nothing in the sentence can be acted on or answered."""
        return self.ask is not None or self.bad or bool(self.cannot and not self.do)


def read_labels(path: Path, part: str = "") -> list[Label]:
    """The labels of a file, or of a part of it.

    Raises:
        SaysoError: the file cannot be read, or an entry is malformed.
    """
    try:
        entries = yaml.safe_load(path.read_text(encoding="utf-8")) or []
    except OSError as unreadable:
        raise SaysoError(f"{path.name}: {unreadable.strerror}") from None
    except yaml.YAMLError as malformed:
        raise SaysoError(f"{path}: no labels can be read: {malformed}") from None
    found = []
    for number, entry in enumerate(entries[part] if part else entries, 1):
        try:
            found.append(as_label(entry))
        except (ValueError, TypeError, AttributeError) as wrong:
            raise SaysoError(f"{path}: entry {number}: {wrong}") from None
    return found


def as_label(entry: Mapping[Any, Any], template: str = "") -> Label:
    """One entry of a file.

    Raises:
        ValueError: it has no sentence, an unknown key, or nothing that is expected.
    """
    fields = {str(key): value for key, value in entry.items()}
    unknown = sorted(set(fields) - _KEYS)
    if unknown or not fields.get("say"):
        raise ValueError(f"unknown keys: {', '.join(unknown)}" if unknown else "it has no sentence under 'say'")
    if len(fields.keys() & (_KEYS - {"say", "about"})) == 0:
        raise ValueError(f"'{fields['say']}': nothing is expected")
    sequences = [fields["do"]] if "do" in fields else []
    sequences += fields.get("or_do", [])
    return Label(
        say=str(fields["say"]),
        about=str(fields.get("about", "")),
        do=tuple(acts for each in sequences for acts in product(*map(_alternatives, expressions(each)))),
        keep=tuple(map(as_expression, expressions(fields.get("keep")))),
        conditions=tuple((kind, str(fields[kind])) for kind in CONDITIONS if kind in fields),
        timings=tuple((kind, _clock(fields[kind]) if kind == "at" else str(fields[kind])) for kind in TIMINGS if kind in fields),
        rule=tuple(map(as_act, expressions(fields.get("rule")))),
        question=tuple(map(as_expression, expressions(fields.get("question")))),
        ask=tuple(map(str, _listed(fields["ask"]))) if "ask" in fields else None,
        or_ask=bool(fields.get("or_ask")),
        cannot=tuple(each.partition("(")[0].strip() for each in expressions(fields.get("cannot"))),
        nothing=bool(fields.get("nothing")),
        bad=bool(fields.get("bad")),
        template=template,
        expected="  ".join(
            f"{key}: {', '.join(expressions(value))}" for key, value in fields.items() if value and key not in ("say", "about", "or_do")
        ),
    )


def as_act(text: str) -> LabelledAct:
    """Read “bring(theme=red_cup|blue_cup, recipient=operator)”."""
    said = as_expression(text)
    pairs = [argument.partition("=") for argument in said.arguments]
    if not all(sign for _, sign, _ in pairs):
        raise ValueError(f"'{text}' is not of the form action(role=value, …)")
    roles = tuple((tuple(role.strip().split("|")), tuple(part.strip() for part in value.split("|"))) for role, _, value in pairs)
    return LabelledAct(tuple(said.name.split("|")), roles)


def _alternatives(text: str) -> list[LabelledAct]:
    """The acts of “bring(theme=milk)|pick_up(theme=milk)”."""
    return [as_act(part) for part in re.split(r"(?<=\))\s*\|", text)]


def as_expression(text: str) -> Expression:
    """Read “next_to(bread)” or “biggest”."""
    match = _CALL.fullmatch(text.strip())
    if match is None:
        raise ValueError(f"'{text}' is not of the form name(argument, …)")
    return Expression(match[1].strip(), tuple(_split(match[2] or "")))


def expressions(value: Any) -> list[str]:
    """The expressions of a list. YAML splits [a(b, c), d] at every comma; this joins what a bracket holds."""
    return list(_split(", ".join(map(str, _listed(value)))))


def _listed(value: Any) -> list[Any]:
    return [] if value is None else value if isinstance(value, list) else [value]


def _split(text: str) -> Iterator[str]:
    """Parts between the commas that no bracket encloses."""
    depth, part = 0, ""
    for letter in text:
        depth += (letter == "(") - (letter == ")")
        if letter == "," and depth == 0:
            yield part.strip()
            part = ""
        else:
            part += letter
    if part.strip():
        yield part.strip()


def _clock(value: Any) -> str:
    """A time of day as "18:00"; YAML 1.1 reads an unquoted 18:00 as 1080."""
    return f"{value // 60:02d}:{value % 60:02d}" if isinstance(value, int) else str(value)
