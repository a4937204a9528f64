"""`sayso replay`: recorded bags through the stages again, judged by what must come of them."""

from __future__ import annotations

import io
import time
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from sayso.console import engines, versus
from sayso.errors import SaysoError

if TYPE_CHECKING:
    from rich.console import Console

    from sayso.replay.results import Bagful
    from sayso.replay.session import Job
    from sayso.replay.types import ReplayConfig, UtteranceRecord

SHOWN = 20  # utterances of a bag that are listed on the console; of more, only those that are not as they must be


def replay(
    bags: Annotated[
        list[Path], typer.Argument(readable=False, help="Bags (MCAP or sqlite3: folders or files), or folders of sound files.")
    ],
    *,
    start: Annotated[
        Literal["audio", "transcript", "intent", "action"] | None,
        typer.Option(
            "--from", help="First input taken from the bag; default: transcripts, or the sound where there are none.", show_default=False
        ),
    ] = None,
    domain: Annotated[Path | None, typer.Option("--domain", "-d", help="Another home than the recording's.", show_default=False)] = None,
    params: Annotated[
        Path | None, typer.Option("--params", help="Parameters of the nodes, as config/nodes.yaml.", show_default=False)
    ] = None,
    models: Annotated[
        Path | None, typer.Option("--models", help="Folder of other models, with a manifest.yaml.", show_default=False)
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", help="Folder of the results; default: a new one in runs.", show_default=False)
    ] = None,
    remap: Annotated[list[str] | None, typer.Option("--remap", help="recorded:=ours, for topics of other names; may be repeated.")] = None,
    namespace: Annotated[str, typer.Option("--namespace", help="Of the robot, where a bag has several.")] = "",
    accept: Annotated[bool, typer.Option("--accept", help="Keep this run beside each bag as what must come of it.")] = False,
    expect: Annotated[Path | None, typer.Option("--expect", help="Folder of the expectations, instead of beside the bags.")] = None,
    min_exact: Annotated[
        float | None, typer.Option("--min-exact", min=0.0, max=1.0, help="Share of expectations that must be met.")
    ] = None,
    media: Annotated[bool, typer.Option("--media/--no-media", help="Keep sounds and pictures, and put them into the report.")] = True,
    grounding: Annotated[bool, typer.Option("--grounding/--no-grounding", help="Look at the recorded pictures anew.")] = True,
    against: Annotated[
        list[Path] | None, typer.Option("--against", help="Compare with another domain, file of parameters, or folder of models.")
    ] = None,
    engine: Annotated[Literal["local", "ray"], typer.Option("--engine", help="local: bag by bag; ray: many at once.")] = "local",
    address: Annotated[str, typer.Option("--address", help="Of a Ray cluster; default: processes of this machine.")] = "",
    workers: Annotated[int, typer.Option("--workers", min=0, help="Processes of this machine; 0: one for each core.")] = 0,
) -> None:
    """Play recorded bags through the stages, without ROS and as fast as they go, and compare with what must come of them.

    What must come of a bag is in BAG.expected.yaml beside it, written by hand or by --accept; sound files are named by their sentence,
    and oov_… must give nothing. The results: utterances.jsonl, summary.json and report.html.

    Examples: `sayso replay runs/2026-01-02_03-04-05/bag` · `sayso replay config/sentences --min-exact 0.9` ·
    `sayso replay lab/*.mcap --domain my_home.yaml --remap /mic/audio:=audio --out replayed` ·
    `sayso replay lab/*.mcap --domain new.yaml --against old.yaml` · `sayso replay week47/* --engine ray --out week47_results`

    Exit code: 0 when everything is as expected, 1 when it is not or a bag cannot be read, 2 when the options cannot be used.
    """
    from sayso.console.replay_report import write_replay_report
    from sayso.console.stages import plain_console
    from sayso.replay.compare import compare
    from sayso.replay.results import is_ok, summary_of, write_results
    from sayso.replay.session import jobs
    from sayso.replay.stages import fingerprint

    if (address or workers) and engine != "ray":
        raise SaysoError("--address and --workers are of --engine ray")
    config = configuration(start, domain, params, models, remap or (), namespace, grounding=grounding)
    other = versus.other_configuration(config, against) if against else None
    console = plain_console()
    chosen = jobs(bags)
    folder = _made(out or _new_folder())
    with engines.chosen_engine(engine, address, workers, folder) as played_by:
        played = _played(console, chosen, config, expect, folder if media else None, played_by)
        others = _played(plain_console(io.StringIO()), chosen, other, expect, None, played_by) if other else []
    summary = summary_of(played, config, fingerprint(config), min_exact)
    write_results(played, folder, summary)
    comparison = None
    if other and against:
        write_results(others, folder / versus.FOLDER, summary_of(others, other, fingerprint(other), min_exact))
        names = ", ".join(path.name for path in against), "this run"
        comparison = compare([bag.result for bag in others], [bag.result for bag in played], names)
        versus.write_comparison(comparison, folder)
        versus.show_comparison(console, comparison)
    engines.write_tables([folder, *([folder / versus.FOLDER] if other else [])])
    page = write_replay_report(played, folder, summary, versus.shown(comparison) if comparison else None)
    if accept:
        for file in _accept(played, expect):
            console.print(f"accepted: {file}", soft_wrap=True)
    ok = is_ok(played, min_exact)
    console.print(f"{verdict(played, min_exact, accept=accept)}\n{page}", soft_wrap=True)
    if not ok and not (accept and not any(bag.result.failed for bag in played)):
        raise typer.Exit(1)


def _played(
    console: Console, chosen: list[Job], config: ReplayConfig, expect: Path | None, out: Path | None, played_by: engines.Engine
) -> list[Bagful]:
    """Each bag, shown as soon as it is played."""
    from sayso.replay.session import session

    played = []
    with console.status("") if console.is_terminal else _Quiet() as status:
        status.update("loading the models …")
        for bag in session(chosen, config, expectations=expect, out=out, engine=played_by(chosen, status.update)):
            played.append(bag)
            show(console, bag)
            status.update(f"{len(played)} of {len(chosen)} bags …")
    return played


def configuration(
    start: Any, domain: Path | None, params: Path | None, models: Path | None, remap: Iterable[str], namespace: str, *, grounding: bool
) -> ReplayConfig:
    """The options as a configuration.

    Raises:
        SaysoError: they cannot be used.
    """
    from sayso.replay.stages import parameters
    from sayso.replay.types import ReplayConfig

    told = parameters(params) if params else {}
    if domain is not None:
        told["domain"] = domain
    if models is not None and not (models / "manifest.yaml").is_file():
        raise SaysoError(f"--models {models}: has no manifest.yaml; 'sayso train' writes models with one")
    pairs = []
    for text in remap:
        theirs, found, ours = text.partition(":=")
        if not found or not theirs or not ours:
            raise SaysoError(f"--remap {text}: RECORDED:=OURS, as in --remap /mic/audio:=audio")
        pairs.append((theirs, ours))
    return ReplayConfig(start=start, models=models, remap=tuple(pairs), namespace=namespace, grounding=grounding, **told)


def show(console: Console, bag: Bagful) -> None:
    """One bag in a few lines: how it came out, what is not as it must be, what could not be read."""
    from sayso.replay.results import tally

    result, one = bag.result, tally(bag)
    if result.failed:
        console.print(f"✗ {result.bag}: {result.failed}", soft_wrap=True)
        return
    judged = f", {one.met} of {one.expected} as expected" if one.expected else ""
    changed = sum(bool(record.changed) for record in result.records)
    recorded = sum(bool(record.recorded_decision) for record in result.records)
    against = f", {recorded - changed} of {recorded} as recorded" if recorded else ""
    console.print(
        f"{'✓' if one.met == one.expected else '✗'} {result.bag}: {_many(one.utterances, 'utterance')}{judged}{against}", soft_wrap=True
    )
    few = len(result.records) <= SHOWN
    for record in result.records:
        where = record.file or f"{record.t:.1f} s"
        if few and record.verdict != "missing":
            console.print(f"    {where}: {_became(record)}", soft_wrap=True)
        for trouble in (record.wrong, record.error):
            if trouble:
                console.print(f"  ✗ {where}: {trouble}", soft_wrap=True)
    for problem in result.problems:
        console.print(f"  ! {problem}", soft_wrap=True)


def _became(record: UtteranceRecord) -> str:
    """What was heard, and what came of it."""
    if record.stop:
        return f"“{record.text}” → stops at once"
    came = f"{record.decision} {record.action if record.decision != 'reject' else ''}".strip()
    return f"“{record.text}” → {came or record.reason or 'nothing'}" if record.text else f"nothing that makes a sentence ({record.reason})"


def verdict(bags: list[Bagful], min_exact: float | None, *, accept: bool = False) -> str:
    """The last line."""
    from sayso.replay.results import is_ok, tally

    tallies = [tally(bag, min_exact) for bag in bags]
    met, expected = sum(one.met for one in tallies), sum(one.expected for one in tallies)
    utterances = sum(one.utterances for one in tallies)
    failed = sum(bool(bag.result.failed) for bag in bags)
    told = f"{_many(utterances, 'utterance')} of {_many(len(bags), 'bag')}"
    if expected:
        told += f", {met} of {expected} as expected ({met / expected:.1%})"
    elif not accept:
        told += "; nobody has said what must come of them (--accept)"
    if failed:
        told += f", {_many(failed, 'bag')} failed"
    return told if is_ok(bags, min_exact) else f"{told}: not as it must be"


def _many(count: int, name: str) -> str:
    return f"{count} {name}{'' if count == 1 else 's'}"


def _accept(bags: list[Bagful], folder: Path | None) -> Iterable[Path]:
    from sayso.replay.expectations import accepted, beside, write_expected
    from sayso.replay.results import write_accepted

    for bag in bags:
        if not bag.result.failed:
            file = beside(bag.path, folder).expected
            write_expected(accepted(bag.result.records, bag.expected), file)
            write_accepted(bag, folder)
            yield file


def _made(folder: Path) -> Path:
    """The folder of the results: a place that takes nothing is found before hours of replay, not after."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        partial = folder / ".partial"
        partial.write_bytes(b"")
        partial.unlink()
    except OSError as refused:
        raise SaysoError(f"--out {folder}: cannot be written ({refused.strerror}); name another place") from None
    return folder


def _new_folder() -> Path:
    from sayso.paths import work_dir

    return work_dir() / "runs" / time.strftime("replay_%Y-%m-%d_%H-%M-%S")


class _Quiet:
    """In the place of a moving line of progress, where there is no terminal."""

    def __enter__(self) -> _Quiet:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def update(self, text: str) -> None:
        """Nothing is shown."""
