"""Each stage's result as one compact block, for a terminal or a pipe.

`StageView(console).show(result)` prints a result; `block(result)` is the same as a rich renderable. Probabilities are drawn as bars,
so that doubt is visible at a glance.
"""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass
from functools import singledispatch
from typing import TextIO

from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from sayso.console.drawing import Flow, Portable, bars
from sayso.domain.wording import listed
from sayso.paraphrase import modifiers_in_words, role_in_words, said_for
from sayso.types import (
    Action,
    ActionBelief,
    ActionCandidate,
    Clause,
    Grounding,
    IntentBelief,
    ObjectBelief,
    Outcome,
    PlanState,
    Role,
    SkillCall,
    SkillOutcome,
    Transcript,
)

WIDTH = 100  # columns at most; longer lines are hard to read
FEW = 4  # alternatives, intents and actions shown; the bag holds the rest
_DECISION = {"execute": "green", "confirm": "yellow", "ask": "yellow", "defer": "cyan", "answer": "cyan", "reject": "red"}


@dataclass(frozen=True, slots=True)
class SkillProgress:
    """The progress of the skill that the robot is executing."""

    call: SkillCall
    progress: float  # in [0, 1]
    status: str  # one line for a person


@dataclass(frozen=True, slots=True)
class RobotSpeech:
    """The robot's sentence."""

    text: str


Stage = (
    RobotSpeech | Transcript | IntentBelief | ActionBelief | Grounding | PlanState | SkillOutcome | SkillProgress | ObjectBelief | Outcome
)


class StageView:
    """Prints each stage as it happens, with the time since the end of the speech if it is known."""

    def __init__(self, console: Console | None = None) -> None:
        self.console = console or plain_console()

    def show(self, stage: Stage, seconds: float | None = None) -> None:
        """Print one stage's block; the `seconds` since the end of the speech go into the margin."""
        width = min(self.console.width, WIDTH)
        self.console.print(Portable(block(stage, seconds)), width=width, soft_wrap=False)

    def note(self, text: str | Text, name: str = "") -> None:
        """Print a line between the stages, with `name` in the margin."""
        self.console.print(Portable(_row(name, text, "")), width=min(self.console.width, WIDTH), highlight=False)

    def heading(self, text: str) -> None:
        """Print a line that introduces the next ones."""
        self.console.print(Portable(Text(f"┄┄ {text}", style="bold")), width=min(self.console.width, WIDTH), highlight=False)


def plain_console(file: TextIO | None = None) -> Console:
    """A console that uses colours only on a terminal and prints text unchanged."""
    return Console(file=file or sys.stdout, highlight=False, emoji=False, markup=False)


def block(stage: Stage, seconds: float | None = None) -> RenderableType:
    """A stage as a renderable: name in the margin, result, seconds since the end of the speech."""
    return _row(_name(stage), body(stage), "" if seconds is None else f"+{seconds:.2f} s")


def _row(name: str, found: RenderableType, when: str) -> Table:
    grid = Table.grid(padding=(0, 1))
    grid.expand = True
    grid.add_column(width=8, no_wrap=True, style="bold cyan")
    grid.add_column(ratio=1, overflow="fold")
    if when:
        grid.add_column(width=9, no_wrap=True, justify="right", style="dim")
    grid.add_row(name, found, *([when] if when else []))
    return grid


def _name(stage: Stage) -> str:
    names: dict[type, str] = {
        Transcript: "heard",
        IntentBelief: "intent",
        ActionBelief: "action",
        Grounding: "looks",
        PlanState: "plan",
        SkillOutcome: "robot",
        SkillProgress: "robot",
        ObjectBelief: "believes",
        Outcome: "outcome",
        RobotSpeech: "says",
    }
    return names[type(stage)]


@singledispatch
def body(stage: object) -> RenderableType:
    """A stage's result, without the margin."""
    raise TypeError(f"{type(stage).__name__} is not a stage")


@body.register
def _(stage: Transcript) -> RenderableType:
    head = Text(f"“{stage.text}”", style="bold") if stage.text else Text("nothing", style="bold")
    lines: list[RenderableType] = [head]
    if stage.rejected:
        lines.append(Text(f"✗ {stage.rejected}", style="red"))
    if len(stage.alternatives) > 1:
        lines.append(bars((math.exp(alternative.log_p), Text(alternative.text)) for alternative in stage.alternatives[:FEW]))
    if stage.alternatives:
        lines.append(Text(f"confidence {stage.confidence:.2f}", style="dim"))
    return Group(*lines)


@body.register
def _(stage: IntentBelief) -> RenderableType:
    if stage.rejected and not stage.clauses:
        return Text(f"✗ {stage.rejected}", style="red")
    lines: list[RenderableType] = []
    for clause in stage.clauses:
        if len(stage.clauses) > 1 or clause.negated:
            lines.append(Text.assemble((f"“{clause.text}”", "bold"), (" (negated)", "yellow") if clause.negated else ""))
        lines.append(_intents(stage.intents, clause))
        lines.extend(role_line(role) for role in clause.roles)
        lines.extend(Text(line, style="magenta") for line in modifiers_in_words(clause))
        if clause.out_of_scope > 0:
            lines.append(Text(f"✗ out of scope by {clause.out_of_scope:.1f} nats", style="red"))
    if stage.rejected:
        lines.append(Text(f"✗ {stage.rejected}", style="red"))
    return Group(*lines)


def _intents(intents: tuple[str, ...], clause: Clause) -> Table:
    order = clause.probabilities.argsort()[::-1][:FEW]
    return bars((float(clause.probabilities[k]), Text(intents[k])) for k in order)


def role_line(role: Role) -> Text:
    """A role, its words and their referent."""
    line = Text.assemble((f"{role.name} ", "cyan"), (f"“{said_for(role)}”", "") if role.text else ("(not said)", "dim"))
    if not math.isnan(role.value):
        line.append(f" → {role.value:.4g} {role.unit}".rstrip())
    elif described := role_in_words(role):
        line.append(f" → {described}", style="bold")
    elif role.entity:
        line.append(f" → {role.entity}", style="bold")
        line.append(f"  {role.score:.2f}", style="dim")
        rivals = [f"{entity} {score:.2f}" for entity, score in role.candidates if entity != role.entity][:3]
        if rivals:
            line.append(f"  or {', '.join(rivals)}", style="dim")
    elif role.kind != "words":
        line.append(" → ?", style="yellow")
    return line


@body.register
def _(stage: ActionBelief) -> RenderableType:
    clauses = sorted({candidate.clause for candidate in stage.candidates})
    lines: list[RenderableType] = [
        bars((row.probability, Text(str(row.action))) for row in _likeliest(stage, clause)) for clause in clauses
    ]
    colour = _DECISION[stage.decision]
    lines.append(Text.assemble((stage.decision, f"bold {colour}"), f": {stage.reason}" if stage.reason else ""))
    if stage.question:
        if stage.question != stage.reason:
            lines.append(Text(f"“{stage.question}”", style=colour))
        if stage.decision == "ask" and len(stage.options) > 1:
            lines.extend(_option(number, option) for number, option in enumerate(stage.options, 1))
    if stage.then:
        lines.append(Text(f"then decides about “{stage.then}”", style=colour))
    lines.extend(Text(note, style="yellow") for note in stage.notes)
    return Group(*lines)


def _likeliest(belief: ActionBelief, clause: int) -> list[ActionCandidate]:
    """The most probable candidates of a clause; if it has several parts, the best of each."""
    rows = sorted((each for each in belief.candidates if each.clause == clause), key=lambda each: -each.probability)
    parts = sorted({row.part for row in rows})
    return [next(row for row in rows if row.part == part) for part in parts] if len(parts) > 1 else rows[:FEW]


def _option(number: int, option: Action) -> Text:
    return Text.assemble((f"  {number} ", "bold"), str(option))


@body.register
def _(stage: Grounding) -> RenderableType:
    sign = ("✓ ", "green") if stage.found else ("· ", "dim")
    doubt = stage.entropy / math.log(max(stage.attention.size, 2))
    where = ""
    if stage.found and not math.isnan(stage.point[0]):
        where = f"  at ({stage.point[0]:.2f}, {stage.point[1]:.2f}, {stage.point[2]:.2f}) m"
    elif not stage.found:
        where = "  not here"
    head = Text.assemble(sign, f"“{stage.phrase}”", where)
    if not stage.found:
        return Text.assemble(head, (f"  {stage.confidence:.2f} sure, doubt {doubt:.2f}", "dim"))
    entropy = Text.assemble("doubt ", (f"(entropy {stage.entropy:.2f} nats)", "dim"))
    return Group(head, bars([(stage.confidence, Text("sure")), (doubt, entropy)], all_rows=True))


@body.register
def _(stage: PlanState) -> RenderableType:
    calls = [Text(f"✓ {call_text(call)}", style="green") for call in stage.done]
    for index, call in enumerate(stage.ahead):
        now = index == 0 and stage.status == "running"
        calls.append(Text(f"{'▶' if now else '·'} {call_text(call)}", style="bold" if now else "dim"))
    if stage.status == "running":
        bound = f", at most {stage.bound:.2f}" if math.isfinite(stage.bound) else ""
        done = f"done with {100.0 * stage.p_done:.0f} %, " if math.isfinite(stage.p_done) else ""
        return Group(Flow(calls), Text(f"{done}value {stage.value:.2f}{bound}", style="dim"))
    if stage.status == "asking":
        things = listed([each.words for each in stage.choices], "or")
        return Group(Flow(calls), Text(f"waits for an answer: {things}", style="yellow"))
    ended = Text(stage.status, style="green" if stage.status == "succeeded" else "red")
    return Group(Flow(calls), ended) if calls else ended


def call_text(call: SkillCall | Action) -> str:
    """The call in short: pick(red_cup). The name of the skill says what its argument is."""
    return f"{call.name}({', '.join(value for _, value in call.arguments)})"


@body.register
def _(stage: SkillProgress) -> RenderableType:
    label = Text.assemble(call_text(stage.call), (f"  {stage.status}", "dim"))
    return bars([(stage.progress, label)], all_rows=True)


@body.register
def _(stage: SkillOutcome) -> RenderableType:
    took = f"  {stage.seconds:.1f} s"
    if stage.succeeded:
        return Text.assemble(("✓ ", "green"), call_text(stage.call), (took, "dim"))
    return Text.assemble(("✗ ", "red"), call_text(stage.call), f": {stage.reason}" if stage.reason else "", (took, "dim"))


@body.register
def _(stage: ObjectBelief) -> RenderableType:
    order = stage.probabilities.argsort()[::-1][:FEW]
    rows = bars((float(stage.probabilities[index]), Text(stage.places[index])) for index in order)
    return Group(Text(f"where is {stage.object_id}?"), rows)


@body.register
def _(stage: RobotSpeech) -> RenderableType:
    return Text(f"“{stage.text}”", style="italic")


@body.register
def _(stage: Outcome) -> RenderableType:
    sign = ("✓ done", "bold green") if stage.succeeded else ("✗ not done", "bold red")
    what = f"  {stage.action}" if stage.action else ""
    return Text.assemble(sign, what, f": {stage.reason}" if stage.reason else "", (f"  {stage.seconds:.1f} s", "dim"))
