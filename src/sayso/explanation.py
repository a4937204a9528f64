"""The reasons for a decision: as plain text for people, and as plain data for JSON."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from sayso.paraphrase import meaning_in_words, modifiers_in_words, said_for

if TYPE_CHECKING:
    from sayso.pipeline import Understanding
    from sayso.types import ActionBelief, ActionCandidate, Clause, IntentBelief, Role, SkillCall

NEGLIGIBLE = 0.001  # candidates with a smaller posterior are left out of the text


def as_text(understanding: Understanding) -> str:
    """The clauses, the candidates with likelihood, prior, posterior and utility, the prior's factors, the decision and the plan."""
    return "\n".join(_lines(understanding))


def as_data(understanding: Understanding, text: str | None = None) -> dict[str, Any]:
    """All results of the stages, as plain data for JSON; `text` replaces the transcript's text."""
    plan = understanding.plan.ahead if understanding.plan else ()
    meant, decided = meaning_as_data(understanding.intent_belief), decision_as_data(understanding.action_belief)
    weighed: dict[int, list[dict[str, Any]]] = {}
    for candidate in decided["candidates"]:
        weighed.setdefault(candidate["clause"], []).append({name: value for name, value in candidate.items() if name != "clause"})
    return {
        "text": understanding.transcript.text if text is None else text,
        **meant,
        "clauses": [{**clause, "candidates": weighed.get(index, [])} for index, clause in enumerate(meant["clauses"])],
        **decided,
        "plan": [call_as_data(call) for call in plan],
    }


def meaning_as_data(intents: IntentBelief) -> dict[str, Any]:
    """What may have been said, and what each clause means."""
    return {
        "hearings": [{"text": hearing.text, "p": hearing.p} for hearing in intents.hearings],
        "clauses": [_clause(clause, intents.intents) for clause in intents.clauses],
        "out_of_scope": _number(max((clause.out_of_scope for clause in intents.clauses), default=math.nan)),
    }


def decision_as_data(actions: ActionBelief) -> dict[str, Any]:
    """The candidates with the terms of their posterior, and the decision."""
    return {
        "candidates": [{"clause": candidate.clause, **_candidate(candidate)} for candidate in actions.candidates],
        "decision": actions.decision,
        "reason": actions.reason,
        "question": actions.question,
        "then": actions.then,
        "utilities": dict(actions.utilities),
        "notes": list(actions.notes),
    }


def call_as_data(call: SkillCall) -> dict[str, Any]:
    """A skill with its arguments."""
    return {"skill": call.name, "arguments": dict(call.arguments)}


def worth_showing(belief: ActionBelief) -> list[ActionCandidate]:
    """The candidates whose posterior is not negligible."""
    return [candidate for candidate in belief.candidates if candidate.probability >= NEGLIGIBLE]


def by_factors(candidates: Iterable[ActionCandidate]) -> dict[str, list[ActionCandidate]]:
    """The candidates grouped by the factors of their prior, written as "2 visible · 0.1 unusual place"; "1" if there are none."""
    alike: dict[str, list[ActionCandidate]] = {}
    for candidate in candidates:
        factors = " · ".join(f"{factor:.3g} {name}" for name, factor in candidate.factors)
        alike.setdefault(factors or "1", []).append(candidate)
    return alike


def _lines(understanding: Understanding) -> Iterator[str]:
    intents, belief = understanding.intent_belief, understanding.action_belief
    yield f"heard: {understanding.transcript.text or 'nothing'}"
    yield from (f"  {hearing.p:.2f} {hearing.text}" for hearing in intents.hearings)
    for clause in intents.clauses:
        strange = f", {clause.out_of_scope:.1f} nats out of scope" if clause.out_of_scope > 0.0 else ""
        yield f"clause “{clause.text}”: {clause.intent} {clause.probabilities.max():.2f}{', negated' if clause.negated else ''}{strange}"
        yield from (f"  {line}" for line in modifiers_in_words(clause))
        yield from (f"  {role.name} “{said_for(role)}” → {meaning_in_words(role) or '?'}" for role in clause.roles)
    shown = worth_showing(belief)
    if shown:
        width = max(len(str(candidate.action)) for candidate in shown)
        yield f"{'candidate':{width}}  likelihood    prior  posterior  utility"
        for each in shown:
            figures = f"{each.likelihood:10.4f}  {each.prior:7.4f}  {each.probability:9.4f}  {each.utility:+7.3f}"
            yield f"{each.action!s:{width}}  {figures}"
        groups = by_factors(shown)
        for factors, alike in groups.items():
            names = ", ".join(str(each.action) for each in alike)
            yield f"prior ∝ {factors}" + (f"  for {names}" if len(groups) > 1 else "")
    if belief.utilities:
        yield "expected utility: " + ", ".join(f"{decision} {utility:+.3f}" for decision, utility in belief.utilities)
    yield from (f"note: {note}" for note in belief.notes)
    yield f"decision: {belief.decision}" + (f": {belief.reason}" if belief.reason else "")
    if belief.question:
        yield f"says: {belief.question}"
    if belief.then:
        yield f"then decides: {belief.then}"
    if understanding.plan is not None and understanding.plan.ahead:
        yield f"plan: {', '.join(map(str, understanding.plan.ahead))}"
    elif understanding.plan_reason:
        yield f"plan: {understanding.plan_reason}"


def _clause(clause: Clause, intents: tuple[str, ...]) -> dict[str, Any]:
    return {
        "text": clause.text,
        "span": [clause.start, clause.end],
        "intent": clause.intent,
        "probabilities": dict(zip(intents, clause.probabilities.tolist(), strict=True)),
        "roles": [_role(role) for role in clause.roles],
        "out_of_scope": _number(clause.out_of_scope),
        "negated": clause.negated,
        "modifiers": dataclasses.asdict(clause.modifiers, dict_factory=_given),
        "left_over": list(clause.left_over),
    }


def _role(role: Role) -> dict[str, Any]:
    span = [role.start, role.end]
    said: dict[str, Any] = {"role": role.name, "text": role.text, "span": span, "entity": role.entity, "score": role.score}
    if role.description is not None:
        said["description"] = dataclasses.asdict(role.description, dict_factory=_given)
    return {**said, "value": role.value, "unit": role.unit} if math.isfinite(role.value) else said


def _given(fields: list[tuple[str, Any]]) -> dict[str, Any]:
    """The fields that hold something."""
    return {name: value for name, value in fields if value not in ("", (), None) and not (isinstance(value, float) and math.isnan(value))}


def _candidate(candidate: ActionCandidate) -> dict[str, Any]:
    return {
        "action": candidate.action.name,
        "arguments": dict(candidate.action.arguments),
        "likelihood": candidate.likelihood,
        "prior": candidate.prior,
        "factors": dict(candidate.factors),
        "posterior": candidate.probability,
        "utility": candidate.utility,
    }


def _number(value: float) -> float | None:
    """None for NaN and infinity, which JSON does not have."""
    return float(value) if math.isfinite(value) else None
