"""Evaluation on held-out sentences: intents, roles, calibration, out of scope."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from sayso.domain import Domain
from sayso.intent import IntentClassifier
from sayso.intent.head import Kind
from sayso.training.scores import auroc, expected_calibration_error
from sayso.types import Clause, IntentBelief, Role, Transcript, TranscriptAlternative
from sayso.yaml_source import read_plain

INFORMING = frozenset(("answer", "count", "describe", "find"))  # intents whose acts answer a question


def transcript_of(text: str) -> Transcript:
    """A transcript with this text as its only alternative."""
    return Transcript("", 0.0, (TranscriptAlternative(text, 0.0),), 1.0)


def evaluated(domain: Domain, path: Path, head: Kind = "linear") -> dict[str, dict[str, float]]:
    """Each measure of each part of a file like tests/data/commands.yaml.

    Raises:
        SaysoError: the file cannot be read.
    """
    parts: dict[str, Any] = read_plain(path)
    classifier = IntentClassifier(domain, head=head)
    return {part: _measured(classifier, content["commands"], content["chatter"]) for part, content in parts.items()}


def _measured(classifier: IntentClassifier, commands: dict[str, str], chatter: list[str]) -> dict[str, float]:
    began = time.perf_counter()
    beliefs = [(classifier(transcript_of(text)), expected.split("; ")) for text, expected in commands.items()]
    seconds = time.perf_counter() - began
    inside = np.array([strangeness(belief) for belief, _ in beliefs])
    outside = np.array([strangeness(classifier(transcript_of(text))) for text in chatter])
    split = [(belief, expected) for belief, expected in beliefs if len(belief.clauses) == len(expected)]
    clauses = [pair for belief, expected in split for pair in zip(belief.clauses, expected, strict=True)]
    right = np.array([_intent_right(clause, expected.split()[0]) for clause, expected in clauses])
    confidence = np.array([clause.probabilities.max() for clause, _ in clauses])
    roles = [right for clause, expected in clauses for right in role_judgements(clause, expected)]
    return {
        "commands": len(commands),
        "chatter": len(chatter),
        "split as expected": len(split) / len(beliefs),
        "intents right (all of a command)": float(np.mean([intents_right(belief, expected) for belief, expected in beliefs])),
        "intents right (clause)": float(right.mean()),
        "roles right": float(np.mean(roles)),
        "ece": expected_calibration_error(confidence, right, np.ones(len(right))),
        "auroc out of scope": auroc(-inside, -outside),
        "commands rejected": float((inside > 0).mean()),
        "chatter accepted": float((outside <= 0).mean()),
        "ms a command": 1000 * seconds / len(commands),
    }


def strangeness(belief: IntentBelief) -> float:
    """The largest out-of-scope score of its clauses; inf without clauses, and for what is declined by name."""
    scores = (math.inf if clause.modifiers.mood == "unable" else clause.out_of_scope for clause in belief.clauses)
    return max(scores, default=math.inf)


def intents_right(belief: IntentBelief, expected: list[str]) -> bool:
    """Whether the command was split as expected and each clause has the expected intent."""
    split = len(belief.clauses) == len(expected)
    return split and all(_intent_right(clause, one.split()[0]) for clause, one in zip(belief.clauses, expected, strict=True))


def _intent_right(clause: Clause, expected: str) -> bool:
    """Whether the clause has that intent, or is a question that an act of this intent would answer."""
    mood = clause.modifiers.mood
    return clause.intent == expected or (mood == "question" and expected in INFORMING) or (mood == "unable" and expected == "answer")


def role_judgements(clause: Clause, expected: str) -> Iterator[bool]:
    """For each expected role, whether it was found and linked correctly."""
    for assignment in expected.split()[1:]:
        name, value = assignment.split("=")
        role = clause.role(name)
        yield role is not None and _as_expected(role, value)


def _as_expected(role: Role, value: str) -> bool:
    if value == "?":
        return not role.entity
    if "&" in value:  # "the milk and the cereal": one role with parts, or the first of them
        parts = role.description.parts if role.description is not None else ()
        named = {candidate for part in parts for candidate, _ in part.candidates[:1]}
        return (named or {role.entity}) <= set(value.split("&"))
    if value == "it":
        return role.text in {"it", "this", "that", "them"} and not role.entity
    if role.kind == "quantity":
        return math.isclose(role.value, float(value), rel_tol=1e-3)
    if role.kind == "words":
        return role.text.replace(" ", "_") == value
    wanted = set(value.split("|"))
    best = {entity for entity, score in role.candidates if score >= role.score - 1e-9} or {role.entity}
    return best == wanted
