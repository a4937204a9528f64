"""Homes of other kinds, each with intents of its own from five examples: their other sentences, judged by labels.

`meaning/homes/*.yaml` are the homes, as a user would write them, and `meaning/homes/sentences/*.yaml` the sentences: `development` and
`held_out`. A sentence is right if its actions are executed, or if the robot asks well: for what the label says, or whether it should do the
right thing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import yaml

from sayso.console.bench import Row
from sayso.domain import load_domain
from sayso.domain.model import Domain
from sayso.pipeline import Pipeline, Understanding
from sayso.types import Action

FOLDER = Path(__file__).parent / "meaning" / "homes"
PARTS = ("development", "held_out")
GOAL = 0.95
Outcome = Literal["executed", "asked", "asked badly", "declined", "wrong"]
_ACTION = re.compile(r"(?P<name>\w+)\((?P<roles>.*)\)")


@dataclass(frozen=True, slots=True)
class Judged:
    """A sentence of a home and what became of it."""

    home: str
    label: Mapping[str, Any]
    outcome: Outcome
    answer: str  # the actions, or what the robot says instead

    @property
    def right(self) -> bool:
        """Whether it was executed or rightly asked."""
        return self.outcome in ("executed", "asked")


def homes(progress: Callable[[str], None]) -> Iterator[Row]:
    """Yield the rows: executed or rightly asked, and wrong among the executed, of each half."""
    for part in PARTS:
        judged = list(judged_homes(part, progress))
        name = part.replace("_", " ")
        right = sum(each.right for each in judged) / len(judged)
        yield Row(f"five other homes, own intents: executed or rightly asked ({name})", right, "1", "higher", goal=GOAL, n=len(judged))
        executed = [each for each in judged if each.outcome in ("executed", "wrong")]
        wrong = sum(each.outcome == "wrong" for each in executed) / max(1, len(executed))
        yield Row(f"five other homes, own intents: wrong among executed ({name})", wrong, "1", "lower", goal=0.005, n=len(executed))


def judged_homes(part: str, progress: Callable[[str], None] = lambda _: None) -> Iterator[Judged]:
    """The sentences of that half in all homes."""
    for path in sorted(FOLDER.glob("*.yaml")):
        progress(path.stem)
        labels = yaml.safe_load((FOLDER / "sentences" / path.name).read_text(encoding="utf-8"))[part]
        yield from judged(path.stem, load_domain(path), labels)


def judged(name: str, home: Domain, labels: list[dict[str, Any]]) -> Iterator[Judged]:
    """These sentences in that home."""
    pipeline = Pipeline(home)
    for label in labels:
        understood = pipeline.understand(label["say"])
        yield Judged(name, label, outcome(label, understood), answer(understood))


def outcome(label: Mapping[str, Any], understood: Understanding) -> Outcome:
    """How well the decision suits the label."""
    meant = [wanted.split("|") for wanted in _split_roles(label.get("do", ()))]
    right = bool(meant) and len(meant) == len(understood.actions) and all(map(_fits, meant, understood.actions))
    if understood.decision == "execute":
        return "executed" if right else "wrong"
    if understood.decision == "confirm" and right:
        return "asked"
    said = understood.question.lower()
    if any(word in said for word in label.get("ask", ())) and understood.decision in ("ask", "confirm"):
        return "asked"
    if understood.decision == "reject":
        return "declined"
    options = understood.action_belief.options
    if meant and understood.decision == "ask" and len(meant) == 1 and any(_fits(meant[0], option) for option in options):
        return "asked" if label.get("or_ask") else "asked badly"
    return "asked badly"


def answer(understood: Understanding) -> str:
    """The actions to be executed, or the robot's words."""
    actions = "; ".join(map(str, understood.actions)) if understood.decision == "execute" else understood.question
    return f"{understood.decision}: {actions}"


def _split_roles(actions: list[str]) -> Iterator[str]:
    """Each action with "|" between its alternatives only: values with "|" are written out."""
    for action in actions:
        found = [match[0] for match in _ACTION.finditer(action)]
        alternatives = [wanted for each in found for wanted in _written_out(each)]
        yield "|".join(alternatives)


def _written_out(action: str) -> Iterator[str]:
    """The action with each of its alternative values: "put(goal=a|b)" → "put(goal=a)", "put(goal=b)"."""
    either = re.search(r"[\w.]+(?:\|[\w.]+)+", action)
    if either is None:
        yield action
        return
    for value in either[0].split("|"):
        yield from _written_out(action[: either.start()] + value + action[either.end() :])


def _fits(alternatives: list[str], action: Action) -> bool:
    return any(_same(wanted, action) for wanted in alternatives)


def _same(wanted: str, action: Action) -> bool:
    """Whether the action has the name and all roles of the label; other roles may have their defaults."""
    match = _ACTION.fullmatch(wanted)
    if match is None or match["name"] != action.name:
        return False
    roles = dict(re.split(r"\s*=\s*", pair.strip()) for pair in match["roles"].split(",") if pair.strip())
    return all(action.argument(role) == value for role, value in roles.items())
