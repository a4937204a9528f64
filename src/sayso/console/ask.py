"""`sayso ask`: what each stage makes of a sentence, without ROS and without a robot."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sayso.errors import SaysoError

if TYPE_CHECKING:
    from rich.console import Console

    from sayso.pipeline import Understanding
    from sayso.types import ActionBelief, ActionCandidate, Clause, Role

NEGLIGIBLE = 0.001  # posterior of a candidate that --explain leaves out


def ask(
    sentence: Annotated[str | None, typer.Argument(help="What is said to the robot.", show_default=False)] = None,
    *,
    file: Annotated[str | None, typer.Option("--file", "-f", help="One sentence a line; - is standard input.", show_default=False)] = None,
    domain: Annotated[Path | None, typer.Option("--domain", "-d", help="Another home than the default one.", show_default=False)] = None,
    at: Annotated[str, typer.Option("--at", help="Place the robot is at.", show_default=False)] = "",
    holding: Annotated[str, typer.Option("--holding", help="Object in its gripper.", show_default=False)] = "",
    head: Annotated[str, typer.Option("--head", help="Which head reads: linear, or kernel, over the examples.")] = "linear",
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object a sentence and nothing else.")] = False,
    explain: Annotated[
        bool, typer.Option("--explain", help="Also why: likelihood, each factor of the prior, posterior, utilities.")
    ] = False,
) -> None:
    """Show what the robot makes of a sentence: intents, roles, actions, decision and plan. Nothing moves.

    Examples: `sayso ask "bring me the red cup from the kitchen"`,
    `sayso ask --file sentences.txt --json > understood.jsonl`, `tail -f said.txt | sayso ask --file - --json`.

    Exit code: 0 when every sentence was answered, rejections among them; 2 when the file, the domain or the models cannot be read.
    """
    if (sentence is None) == (file is None):
        raise typer.BadParameter("give a sentence, or --file FILE with one sentence a line")
    sentences = iter([sentence]) if sentence is not None else _lines(file or "-")
    from sayso.console.stages import plain_console
    from sayso.domain import load_domain

    home = load_domain(domain)
    for name, known, option in ((at, home.places, "--at"), (holding, home.objects, "--holding")):
        if name and name not in known:
            raise SaysoError(f"{option}: the domain has no '{name}'; it has {', '.join(sorted(known))}")
    console = plain_console()
    waiting = nullcontext() if as_json or not console.is_terminal else console.status("Loading the models …")
    with waiting:
        from sayso.intent import IntentClassifier
        from sayso.intent.head import KINDS
        from sayso.pipeline import Pipeline
        from sayso.selection.calibration import stored
        from sayso.types import Context

        kind = next((kind for kind in KINDS if kind == head), None)
        if kind is None:
            raise typer.BadParameter(f"--head {head}: choose {' or '.join(KINDS)}")
        options, stale = stored(home)
        if stale and not as_json:
            console.print(stale, style="yellow")
        pipeline = Pipeline(home, IntentClassifier(home, head=kind), options)
    place = home.places[at] if at else None
    context = Context(x=place.pose[0], y=place.pose[1], yaw=place.pose[2], place=at) if place else pipeline.default_context()
    context = Context(x=context.x, y=context.y, yaw=context.yaw, place=context.place, holding=holding)
    for text in sentences:
        understanding = pipeline.understand(text, context)
        if as_json:
            sys.stdout.write(json.dumps(understanding_to_json(understanding, text), ensure_ascii=False, allow_nan=False) + "\n")
            sys.stdout.flush()
        else:
            show(console, understanding, explain)


def understanding_to_json(understanding: Understanding, text: str | None = None) -> dict[str, Any]:
    """All of an understanding as plain data for JSON; `text` is what was typed, where that is not the transcript's text."""
    intents, actions = understanding.intent_belief, understanding.action_belief
    weighed: dict[int, list[dict[str, Any]]] = {}
    for candidate in actions.candidates:
        weighed.setdefault(candidate.clause, []).append(_candidate(candidate))
    clauses = [{**_clause(clause, intents.intents), "candidates": weighed.get(index, [])} for index, clause in enumerate(intents.clauses)]
    plan = understanding.plan.ahead if understanding.plan else ()
    return {
        "text": understanding.transcript.text if text is None else text,
        "clauses": clauses,
        "out_of_scope": _number(max((clause.out_of_scope for clause in intents.clauses), default=math.nan)),
        "candidates": [{"clause": candidate.clause, **_candidate(candidate)} for candidate in actions.candidates],
        "decision": actions.decision,
        "reason": actions.reason,
        "question": actions.question,
        "utilities": dict(actions.utilities),
        "notes": list(actions.notes),
        "plan": [{"skill": call.name, "arguments": dict(call.arguments)} for call in plan],
    }


def show(console: Console, understanding: Understanding, explain: bool = False) -> None:
    """Print each stage's result."""
    from rich.padding import Padding

    from sayso.console.stages import StageView

    view = StageView(console)
    for stage in (understanding.transcript, understanding.intent_belief, understanding.action_belief):
        view.show(stage)
    if explain:
        for table in _explained(understanding.action_belief):
            console.print(Padding(table, (0, 0, 0, 9)))
    if understanding.plan is not None and understanding.plan.ahead:
        view.show(understanding.plan)
    elif understanding.plan_reason:
        console.print(f"plan     {understanding.plan_reason}")
    console.print()


def _explained(belief: ActionBelief) -> Iterator[Any]:
    """Why: likelihood, prior with its factors, posterior and utility of the candidates that matter; what each decision is worth."""
    from rich.table import Table
    from rich.text import Text

    from sayso.console.stages import call_text

    matter = [candidate for candidate in belief.candidates if candidate.probability >= NEGLIGIBLE]
    if matter:
        table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
        table.add_column("candidate")
        for name in ("P(c|a) ∝", "P(a|ctx)", "P(a|c,ctx)", "utility"):
            table.add_column(name, justify="right", no_wrap=True)
        for candidate in matter:
            figures = (candidate.likelihood, candidate.prior, candidate.probability, candidate.utility)
            table.add_row(call_text(candidate.action), *(f"{figure:.4f}" for figure in figures))
        yield table
        alike: dict[str, list[str]] = {}
        for candidate in matter:
            why = " · ".join(f"{factor:.3g} {name}" for name, factor in candidate.factors)
            alike.setdefault(why or "1", []).append(call_text(candidate.action))
        for why, actions in alike.items():
            yield Text.assemble(("P(a|ctx) ∝ ", "dim"), why, (f"  for {', '.join(actions)}" if len(alike) > 1 else "", "dim"))
    if belief.utilities:
        worth = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
        worth.add_column("decision")
        worth.add_column("expected utility", justify="right")
        for decision, utility in belief.utilities:
            worth.add_row(decision, f"{utility:+.3f}")
        yield worth


def _lines(file: str) -> Iterator[str]:
    """The lines of a file as they come, without their ends; bytes that are no UTF-8 are replaced."""
    if file == "-":
        for line in iter(sys.stdin.readline, ""):
            yield line.rstrip("\r\n")
        return
    try:
        with Path(file).open(encoding="utf-8", errors="replace") as lines:
            for line in lines:
                yield line.rstrip("\r\n")
    except OSError as unreadable:
        raise SaysoError(f"--file {file}: {unreadable.strerror}") from None


def _clause(clause: Clause, intents: tuple[str, ...]) -> dict[str, Any]:
    return {
        "text": clause.text,
        "span": [clause.start, clause.end],
        "intent": clause.intent,
        "probabilities": dict(zip(intents, clause.probabilities.tolist(), strict=True)),
        "roles": [_role(role) for role in clause.roles],
        "out_of_scope": _number(clause.out_of_scope),
        "negated": clause.negated,
    }


def _role(role: Role) -> dict[str, Any]:
    span = [role.start, role.end]
    said: dict[str, Any] = {"role": role.name, "text": role.text, "span": span, "entity": role.entity, "score": role.score}
    return {**said, "value": role.value, "unit": role.unit} if math.isfinite(role.value) else said


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
    """JSON knows neither NaN nor infinity."""
    return float(value) if math.isfinite(value) else None
