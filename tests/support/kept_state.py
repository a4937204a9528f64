"""A confirmed command, a task and a rule, for tests of files that keep them."""

from __future__ import annotations

from sayso.agenda.entries import DeferredTask, Observable, StandingRule
from sayso.selection.memory.memory_file import ConfirmedAction
from sayso.selection.memory.situation import Situation
from sayso.types import Action

BRING = Action("bring", (("recipient", "operator"), ("theme", "red_cup")))
SAID = ConfirmedAction(1.5, "home", "u1", 0, BRING, "chosen", Situation("kitchen", "", "anna", "find", "full"), {"bring": 0.75})
TASK = DeferredTask("1", "u1", "at six", "go", (BRING,), 1.5, trigger=Observable("seen", "anna"), guards=(Observable("robot_at", "hall"),))
RULE = StandingRule("2", "u2", "don't", "go", "go_to", (("goal", "hall"),), 1.5, ends=Observable("idle", negated=True))
