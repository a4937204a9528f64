"""Hand-written sentences with their meanings: the reader of files like tests/data/commands.yaml."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sayso.domain import Domain
from sayso.errors import SaysoError
from sayso.training.selection.meanings import ANYTHING, Meaning, able, meant
from sayso.yaml_source import read_plain

UNKNOWN, PRONOUN = "?", "it"  # in the file: something the home does not have, and a pronoun without a referent
EACH = "&"  # in the file, between all things that are asked for: "the milk and the cereal"


def hand_written(domain: Domain, path: Path, part: str) -> tuple[list[tuple[str, tuple[Meaning, ...]]], list[str]]:
    """Each command with the meanings of its clauses, and the chatter: sentences that are not for the robot.

    Raises:
        SaysoError: the file cannot be read, or has no such part.
    """
    try:
        content: dict[str, Any] = read_plain(path)[part]
        clauses = {text: meaning.split("; ") for text, meaning in content["commands"].items()}
        commands = [(text, tuple(_meaning(domain, clause) for clause in each)) for text, each in clauses.items()]
        return commands, list(content["chatter"])
    except (KeyError, TypeError, AttributeError, ValueError) as unreadable:
        raise SaysoError(f"{path}: no sentences of the part '{part}' can be read: {unreadable!r}") from None


def _meaning(domain: Domain, clause: str) -> Meaning:
    """Read “bring theme=red_cup|blue_cup recipient=operator”: any of these things is right; quantities not given may have any value.

    Of things that are all asked for, “milk&cereal”, the meaning has the first.
    """
    intent, *pairs = clause.split()
    spec = domain.intents[intent]
    action = max(spec.actions, key=spec.actions.__getitem__)
    given = dict(pair.split("=") for pair in pairs)
    given = {role: value.split(EACH)[0] for role, value in given.items()}
    unknown = UNKNOWN in given.values()
    said = {role: tuple(value.split("|")) for role, value in given.items() if _is_entity(domain, value)}
    free = {role: ANYTHING for role, held in spec.roles.items() if not {*held.kinds} & {"place", "object", "person"}}
    fixed = {role: value for role, value in given.items() if role not in said and value not in (UNKNOWN, PRONOUN)}
    (found,) = able(domain, [meant(domain, spec, action, said, {**free, **fixed})])
    return Meaning(found.actions, found.possible and not unknown)


def _is_entity(domain: Domain, value: str) -> bool:
    return all(domain.entity(name) is not None for name in value.split("|"))
