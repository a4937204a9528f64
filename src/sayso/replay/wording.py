"""The stages' results as short texts and single numbers: the fields of a record."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

from sayso.paraphrase import modifiers_in_words, role_in_words, said_for
from sayso.pipeline import Understanding
from sayso.replay.types import rounded
from sayso.types import Action, ActionBelief, IntentBelief, Role, SkillCall, Transcript

FEW = 6  # alternatives and intents that are kept in the details
NEGLIGIBLE = 0.005
BETWEEN = "; "


def actions_text(actions: Iterable[Action]) -> str:
    """bring(recipient=operator, theme=red_cup); go(goal=dock)."""
    return BETWEEN.join(map(str, actions))


def calls_text(calls: Iterable[SkillCall]) -> str:
    """navigate_to(goal=counter); look_for(object=red_cup)."""
    return BETWEEN.join(map(str, calls))


def intents_text(belief: IntentBelief) -> str:
    """The intent of each clause."""
    return BETWEEN.join(clause.intent for clause in belief.clauses)


def chosen_p(belief: ActionBelief) -> float | None:
    """The posterior of the chosen action, of the least certain clause; None if there is none."""
    best = _best(belief)
    return min((candidate.probability for candidate in best.values()), default=None)


def _best(belief: ActionBelief) -> dict[tuple[int, int], Any]:
    best: dict[tuple[int, int], Any] = {}
    for candidate in belief.candidates:
        place = (candidate.clause, candidate.part)
        if place not in best or candidate.probability > best[place].probability:
            best[place] = candidate
    return best


def heard_fields(transcript: Transcript) -> dict[str, Any]:
    """The fields of a transcript."""
    best = math.exp(transcript.alternatives[0].log_p) if transcript.alternatives else None
    return {
        "text": transcript.text,
        "p_text": best,
        "confidence": transcript.confidence,
        "rejected": transcript.rejected,
        "seconds": max(transcript.stamp - transcript.started, 0.0) if transcript.started else 0.0,
    }


def understood_fields(understood: Understanding) -> dict[str, Any]:
    """The fields of intents, decision and plan."""
    intents, belief, plan = understood.intent_belief, understood.action_belief, understood.plan
    clauses, best = intents.clauses, _best(belief)
    return {
        "rejected": understood.transcript.rejected or intents.rejected,
        "clauses": len(clauses),
        "intent": intents_text(intents),
        "p_intent": min((float(clause.probabilities.max()) for clause in clauses), default=None),
        "out_of_scope": _finite(max((clause.out_of_scope for clause in clauses), default=math.nan)),
        "roles": ", ".join(f"{role.name}={_means(role)}" for clause in clauses for role in clause.roles),
        "decision": belief.decision,
        "action": actions_text(belief.chosen),
        "p": chosen_p(belief),
        "utility": min((candidate.utility for candidate in best.values()), default=None),
        "reason": belief.reason,
        "question": belief.question,
        "options": actions_text(belief.options),
        "plan": calls_text(plan.ahead) if plan else "",
        "value": plan.value if plan else None,
        "plan_reason": understood.plan_reason,
    }


def detail(understood: Understanding) -> Mapping[str, Any]:
    """Details for the report: alternatives, intents with roles, candidates."""
    transcript, intents = understood.transcript, understood.intent_belief
    heard = [(math.exp(one.log_p), one.text) for one in transcript.alternatives]
    rows = sorted(understood.action_belief.candidates, key=lambda row: (row.clause, row.part, -row.probability, str(row.action)))
    return {
        "heard": [[rounded(p), text] for p, text in worth_showing(heard)],
        "clauses": [
            {
                "text": clause.text,
                "intents": [
                    [rounded(p), name]
                    for p, name in worth_showing(sorted(zip(clause.probabilities.tolist(), intents.intents, strict=True), reverse=True))
                ],
                "roles": [
                    {"name": role.name, "text": said_for(role), "means": role_in_words(role) or _means(role), "score": rounded(role.score)}
                    for role in clause.roles
                ],
                "notes": list(modifiers_in_words(clause)),
                "out_of_scope": rounded(_finite(clause.out_of_scope) or 0.0),
            }
            for clause in intents.clauses
        ],
        "candidates": [
            {
                "action": str(row.action),
                **{name: rounded(float(getattr(row, name))) for name in ("likelihood", "prior", "probability", "utility")},
            }
            for row in rows
            if row.probability >= NEGLIGIBLE
        ][: 2 * FEW],
        "then": understood.action_belief.then,
    }


def worth_showing(rows: list[tuple[float, str]]) -> list[tuple[float, str]]:
    """The first few rows, without negligible ones except the first."""
    return [row for index, row in enumerate(rows[:FEW]) if index == 0 or row[0] >= NEGLIGIBLE]


def _means(role: Role) -> str:
    return role.entity or role.text if math.isnan(role.value) else f"{role.value:.4g} {role.unit}".rstrip()


def _finite(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None
