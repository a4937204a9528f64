"""`sayso ask`: each stage's result for a sentence, without ROS and without a robot."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sayso.console.options import takes
from sayso.errors import SaysoError
from sayso.explanation import as_data, by_factors, worth_showing

if TYPE_CHECKING:
    from rich.console import Console

    from sayso.domain import Domain
    from sayso.intent import IntentClassifier
    from sayso.intent.geometry import Geometry
    from sayso.intent.parser.tree import ParsedSentence
    from sayso.pipeline import Pipeline, Understanding
    from sayso.types import ActionBelief, Context


@dataclass(frozen=True, slots=True, kw_only=True)
class AskOptions:
    """The options as given, in the order of `--help`."""

    file: Annotated[str | None, typer.Option("--file", "-f", help="One sentence per line; - is standard input.", show_default=False)] = None
    domain: Annotated[Path | None, typer.Option("--domain", "-d", help="Domain file of another home.", show_default=False)] = None
    at: Annotated[str, typer.Option("--at", help="Place where the robot is.", show_default=False)] = ""
    holding: Annotated[str, typer.Option("--holding", help="Object in the gripper.", show_default=False)] = ""
    battery: Annotated[float, typer.Option("--battery", min=0.0, max=1.0, help="Charge of the battery; 0.03 is 3 %.")] = 1.0
    head: Annotated[str, typer.Option("--head", help="Head of the intent classifier: linear or kernel.")] = "linear"
    encoder: Annotated[
        Path | None, typer.Option("--encoder", help="Folder of another encoder, from 'sayso train encoder --from'.", show_default=False)
    ] = None
    image: Annotated[
        Path | None,
        typer.Option("--image", "-i", help="Tell what SENTENCE, a description, means in this picture.", show_default=False),
    ] = None
    backend: Annotated[str, typer.Option("--backend", help="With --image: ours (simulated), detector (photographs), or a folder.")] = "ours"
    out: Annotated[Path | None, typer.Option("--out", "-o", help="With --image: draw it into this file.", show_default=False)] = None
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object per sentence and nothing else.")] = False
    explain: Annotated[
        bool, typer.Option("--explain", help="Also print why: path through the encoder, likelihood, prior, posterior, utilities.")
    ] = False


@takes(AskOptions)
def ask(
    sentence: Annotated[str | None, typer.Argument(help="What you say to the robot.", show_default=False)] = None,
    options: AskOptions = AskOptions(),
) -> None:
    """Show how the robot understands a sentence: intents, roles, actions, decision and plan. Nothing moves.

    Examples:

    - `sayso ask "bring me the red cup from the kitchen"`

    - `sayso ask "put it on the desk" --holding red_cup --explain`

    - `sayso ask "bring me the red cup" --battery 0.03`

    - `sayso ask --file sentences.txt --json > understood.jsonl`

    - `tail -f said.txt | sayso ask --file - --json`

    - `sayso ask --image kitchen.png "the cup left of the bread" --out found.png`

    - `sayso ask --image kitchen.png "how many cups"`

    Exit code: 0, also for rejected sentences; 2 if the file, the picture, the domain or the models cannot be read.
    """
    if options.image is not None:
        _ask_about_picture(sentence, options)
        return
    if options.out is not None:
        raise typer.BadParameter("--out needs --image")
    if (sentence is None) == (options.file is None):
        raise typer.BadParameter("give a sentence, or --file FILE with one sentence per line")
    sentences = iter([sentence]) if sentence is not None else _lines(options.file or "-")
    from sayso.agenda import Now
    from sayso.console.stages import plain_console
    from sayso.domain import load_domain
    from sayso.selection import Diary, WorldView

    home = load_domain(options.domain)
    console = plain_console()
    with nullcontext() if options.as_json or not console.is_terminal else console.status("Loading the models …"):
        pipeline, classifier, stale = _pipeline(home, options.head, options.encoder)
    if stale and not options.as_json:
        console.print(stale, style="yellow")
    context = replace(robot_at(pipeline, options.at, options.holding), battery=options.battery)
    diary = Diary(home)  # "why did you ask?" is about the sentence before
    for text in sentences:
        now = Now.at(time.time())
        understanding = pipeline.understand(text, context, WorldView.of(context, recent=diary.recollection(now)))
        diary.heard(understanding.intent_belief)
        diary.decided(understanding.action_belief, now.ros)
        if options.as_json:
            more = (
                {"geometry": [_geometry_data(classifier.geometry(clause)) for clause in understanding.clauses]} if options.explain else {}
            )
            _write({**as_data(understanding, text), **more})
        else:
            show(console, understanding, classifier if options.explain else None)


def _ask_about_picture(sentence: str | None, options: AskOptions) -> None:
    """`ask --image`: the description's meaning in a picture."""
    from sayso.console.see import SeeOptions, ask_about

    if sentence is None or options.image is None:
        raise typer.BadParameter('--image needs a description: sayso ask --image FILE "the red cup"')
    more = SeeOptions(out=options.out, backend=options.backend, domain=options.domain, as_json=options.as_json)
    ask_about(options.image, sentence, more)


def _write(data: dict[str, Any]) -> None:
    """Print one line of JSON at once."""
    sys.stdout.write(json.dumps(data, ensure_ascii=False, allow_nan=False) + "\n")
    sys.stdout.flush()


def _pipeline(home: Domain, head: str, encoder: Path | None) -> tuple[Pipeline, IntentClassifier, str]:
    """The stages, the first one of them, and a warning if the home's calibration is out of date."""
    from sayso.intent import IntentClassifier
    from sayso.intent.head import KINDS
    from sayso.pipeline import Pipeline
    from sayso.selection.choosing.calibration import stored

    kind = next((kind for kind in KINDS if kind == head), None)
    if kind is None:
        raise typer.BadParameter(f"--head {head}: choose {' or '.join(KINDS)}")
    classifier = IntentClassifier(home, encoder, head=kind)
    options, stale = stored(home) if encoder is None else (None, "")  # they were calibrated with the shipped encoder
    return Pipeline(home, classifier, options), classifier, stale


def robot_at(pipeline: Pipeline, at: str, holding: str) -> Context:
    """The robot's situation: at that place, or where it starts.

    Raises:
        SaysoError: the domain has no such place or object.
    """
    from sayso.types import Context
    from sayso.yaml_source import choices

    home = pipeline.domain
    for name, known, option in ((at, home.places, "--at"), (holding, home.objects, "--holding")):
        if name and name not in known:
            raise SaysoError(f"{option}: the domain has no '{name}'; {choices(name, known)}")
    if not at:
        return replace(pipeline.default_context(), holding=holding)
    x, y, yaw = home.places[at].pose
    return Context(x=x, y=y, yaw=yaw, place=at, holding=holding)


def show(console: Console, understanding: Understanding, explained_by: IntentClassifier | None = None) -> None:
    """Print each stage's result, and the reasons for it as the classifier that read the sentence gives them."""
    from rich.padding import Padding

    from sayso.console.stages import StageView

    view = StageView(console)
    for stage in (understanding.transcript, understanding.intent_belief, understanding.action_belief):
        view.show(stage)
    if explained_by is not None:
        found = {clause.text: explained_by.geometry(clause) for clause in understanding.intent_belief.clauses}
        read = explained_by.readings(understanding.transcript.text)
        for table in (*_readings_table(read), *_geometry_table(found), *_explained(understanding.action_belief)):
            console.print(Padding(table, (0, 0, 0, 9)))
    if understanding.plan is not None and understanding.plan.ahead:
        view.show(understanding.plan)
    elif understanding.plan_reason:
        console.print(f"plan     {understanding.plan_reason}")
    console.print()


def _readings_table(found: Sequence[ParsedSentence]) -> Iterator[Any]:
    """The parser's likeliest structures."""
    from rich.table import Table
    from rich.text import Text

    if found:
        table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
        table.add_column("P", justify="right")
        table.add_column("parser")
        for reading in found:
            table.add_row(f"{reading.p:.3f}", Text(str(reading)))
        yield table


def _geometry_table(found: Mapping[str, Geometry]) -> Iterator[Any]:
    """How each clause moved through the encoder's layers, and how well the ranking of its intents fits their distances."""
    from rich.table import Table
    from rich.text import Text

    if not found:
        return
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for name in ("encoder", "cos of steps through layers", "NDCG"):
        table.add_column(name)
    for clause, geometry in found.items():
        turns = " ".join(f"{turn:+.2f}" for turn in geometry.turns)
        table.add_row(clause, turns or "?", f"{geometry.agreement:.3f}")
    yield table
    yield from (Text(each, "dim") for each in dict.fromkeys(geometry.missing for geometry in found.values()) if each)


def _geometry_data(geometry: Geometry) -> dict[str, Any]:
    return {"turns": geometry.turns.tolist(), "ndcg": geometry.agreement} | ({"missing": geometry.missing} if geometry.missing else {})


def _explained(belief: ActionBelief) -> Iterator[Any]:
    """Tables that explain the decision: likelihood, prior with factors, posterior and utility; expected utility of each decision."""
    from rich.table import Table
    from rich.text import Text

    from sayso.console.stages import call_text

    matter = worth_showing(belief)
    if matter:
        table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
        table.add_column("candidate")
        for name in ("P(c|a) ∝", "P(a|ctx)", "P(a|c,ctx)", "utility"):
            table.add_column(name, justify="right", no_wrap=True)
        for candidate in matter:
            figures = (candidate.likelihood, candidate.prior, candidate.probability, candidate.utility)
            table.add_row(call_text(candidate.action), *(f"{figure:.4f}" for figure in figures))
        yield table
        groups = by_factors(matter)
        for factors, alike in groups.items():
            names = ", ".join(call_text(candidate.action) for candidate in alike)
            yield Text.assemble(("P(a|ctx) ∝ ", "dim"), factors, (f"  for {names}" if len(groups) > 1 else "", "dim"))
    if belief.utilities:
        worth = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
        worth.add_column("decision")
        worth.add_column("expected utility", justify="right")
        for decision, utility in belief.utilities:
            worth.add_row(decision, f"{utility:+.3f}")
        yield worth


def _lines(file: str) -> Iterator[str]:
    """The lines of a file as they arrive, without line ends; bytes that are not UTF-8 are replaced."""
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
