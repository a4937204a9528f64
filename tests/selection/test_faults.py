"""Sentences of first trials that went wrong, and their neighbours: each is understood, or asked about; nothing else is done."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

import pytest
import yaml

from sayso.domain import load_domain
from sayso.paths import project_root
from sayso.pipeline import Pipeline, Understanding
from sayso.types import Action

FAULTS = yaml.safe_load((project_root() / "tests" / "data" / "faults.yaml").read_text(encoding="utf-8"))
CASES = [(home, case) for home, kinds in FAULTS.items() for cases in kinds.values() for case in cases]
TALK = "meant for me"


@lru_cache
def pipeline(home: str) -> Pipeline:
    return Pipeline(load_domain(None if home == "default" else project_root() / home))


def kind(found: Understanding) -> str:
    """What the robot decided: do, look, later, ask, answer, refuse or ignore."""
    if found.decision == "execute":
        return "look" if all(action.name in ("survey", "find") for action in found.actions) else "do"
    if found.decision == "reject":
        return "ignore" if TALK in found.question else "refuse"
    return {"defer": "later", "confirm": "ask"}.get(found.decision, found.decision)


def does(action: Action, wanted: str) -> bool:
    """Whether an action is the wanted one, as name(values)."""
    name, _, values = wanted.removesuffix(")").partition("(")
    given = [f"{float(value):.4f}".rstrip("0").rstrip(".") if _is_number(value) else value for _, value in action.arguments]
    named = [value for value in values.split() if value != "*"]
    return action.name == name and all(value in given for value in named) and ("*" in values or len(given) == len(named))


def _is_number(value: str) -> bool:
    return re.fullmatch(r"-?\d+(\.\d+)?", value) is not None


@pytest.mark.parametrize(("home", "case"), CASES, ids=[case["say"] for _, case in CASES])
def test_a_fault_of_a_first_trial_stays_mended(home: str, case: dict[str, Any]) -> None:
    found = pipeline(home).understand(case["say"])
    wanted = case.get("do", [])
    done = len(found.actions) == len(wanted) > 0 and all(map(does, found.actions, wanted)) and found.decision == "execute"
    seen = f"{found.decision} {[str(action) for action in found.actions]} “{found.question}”"
    assert done or kind(found) in case.get("or", []), seen
    if not done:
        assert re.search(case.get("says", ""), found.question), seen
    assert "never" not in case or not re.search(case["never"], f"{[str(action) for action in found.actions]} {found.question}"), seen
