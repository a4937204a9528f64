"""`sayso replay`: run recorded bags through the stages again and compare the results with the expectations."""

from __future__ import annotations

import io
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sayso.console import engines, versus
from sayso.console.options import takes
from sayso.console.replay_options import ReplayOptions, configuration
from sayso.errors import SaysoError
from sayso.runs import run_folder

if TYPE_CHECKING:
    from rich.console import Console

    from sayso.replay.compare import Comparison
    from sayso.replay.results import Bagful
    from sayso.replay.session import Job
    from sayso.replay.types import ReplayConfig, UtteranceRecord

SHOWN = 20  # if a bag has more utterances, only the ones that differ from the expectations are listed


@takes(ReplayOptions)
def replay(
    bags: Annotated[
        list[Path], typer.Argument(readable=False, help="Bags (MCAP or sqlite3: folders or files), or folders of sound files.")
    ],
    options: ReplayOptions,
) -> None:
    """Run recorded bags through the stages again, without ROS and as fast as possible, and compare with the expectations.

    A bag's expectations are in BAG.expected.yaml beside it: write it by hand, or let --accept write it. A folder of sound files needs
    none: each file is named by its sentence, and oov_… must be ignored. Results: utterances.jsonl, summary.json and report.html.

    Examples:

    - `sayso replay runs/2026-01-02_03-04-05/bag`

    - `sayso replay config/sentences --min-exact 0.9`

    - `sayso replay lab/*.mcap --domain my_home.yaml --remap /mic/audio:=audio --out replayed`

    - `sayso replay lab/*.mcap --domain new.yaml --against old.yaml`

    - `sayso replay week47/* --engine ray --out week47_results`

    Exit code: 0 if everything is as expected; 1 if it is not, or a bag cannot be read; 2 if the options cannot be used.
    """
    from sayso.console.replay_report import write_replay_report
    from sayso.console.stages import plain_console
    from sayso.replay.results import is_ok, summary_of, write_results
    from sayso.replay.session import jobs
    from sayso.replay.stages import fingerprint

    config = configuration(options)
    other = versus.other_configuration(config, options.against) if options.against else None
    console = plain_console()
    chosen = jobs(bags)
    folder = _made(options.out or run_folder("replay_"))
    with engines.chosen_engine(options.engine, options.address, options.workers, folder) as played_by:
        played = _played(console, chosen, config, options.expect, folder if options.media else None, played_by)
        others = _played(plain_console(io.StringIO()), chosen, other, options.expect, None, played_by) if other else []
    summary = summary_of(played, config, fingerprint(config), options.min_exact)
    write_results(played, folder, summary)
    comparison = None
    if other and options.against:
        write_results(others, folder / versus.FOLDER, summary_of(others, other, fingerprint(other), options.min_exact))
        comparison = _compared(console, others, played, options.against, folder)
    engines.write_tables([folder, *([folder / versus.FOLDER] if other else [])])
    page = write_replay_report(played, folder, summary, versus.shown(comparison) if comparison else None)
    if options.accept:
        for file in _accept(played, options.expect):
            console.print(f"accepted: {file}", soft_wrap=True)
    console.print(f"{verdict(played, options.min_exact, accept=options.accept)}\n{page}", soft_wrap=True)
    accepted = options.accept and not any(bag.result.failed for bag in played)
    if not accepted and not is_ok(played, options.min_exact):
        raise typer.Exit(1)


def _compared(console: Console, others: list[Bagful], played: list[Bagful], against: Iterable[Path], folder: Path) -> Comparison:
    """Both results of the same bags, shown and written."""
    from sayso.replay.compare import compare

    names = ", ".join(path.name for path in against), "this run"
    comparison = compare([bag.result for bag in others], [bag.result for bag in played], names)
    versus.write_comparison(comparison, folder)
    versus.show_comparison(console, comparison)
    return comparison


def _played(
    console: Console, chosen: list[Job], config: ReplayConfig, expect: Path | None, out: Path | None, played_by: engines.Engine
) -> list[Bagful]:
    """Play the bags and show each as soon as it is done."""
    from sayso.replay.session import session

    played = []
    with console.status("") if console.is_terminal else _Quiet() as status:
        status.update("loading the models …")
        for bag in session(chosen, config, expectations=expect, out=out, engine=played_by(chosen, status.update)):
            played.append(bag)
            show(console, bag)
            status.update(f"{len(played)} of {len(chosen)} bags …")
    return played


def show(console: Console, bag: Bagful) -> None:
    """Print a bag in a few lines: the counts, what differs from the expectations, what could not be read."""
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
    """The text and the decision of an utterance."""
    if record.stop:
        return f"“{record.text}” → stops at once"
    came = f"{record.decision} {record.action if record.decision != 'reject' else ''}".strip()
    return f"“{record.text}” → {came or record.reason or 'nothing'}" if record.text else f"not a sentence ({record.reason})"


def verdict(bags: list[Bagful], min_exact: float | None, *, accept: bool = False) -> str:
    """The last line."""
    from sayso.replay.results import is_ok, tally

    tallies = [tally(bag, min_exact) for bag in bags]
    met, expected = sum(one.met for one in tallies), sum(one.expected for one in tallies)
    utterances = sum(one.utterances for one in tallies)
    failed = sum(bool(bag.result.failed) for bag in bags)
    line = f"{_many(utterances, 'utterance')} of {_many(len(bags), 'bag')}"
    if expected:
        line += f", {met} of {expected} as expected ({met / expected:.1%})"
    elif not accept:
        line += "; no expectations yet (--accept writes them)"
    if failed:
        line += f", {_many(failed, 'bag')} failed"
    return line if is_ok(bags, min_exact) else f"{line}: not as expected"


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
    """Make the folder of the results. This fails before hours of replay, not after."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        partial = folder / ".partial"
        partial.write_bytes(b"")
        partial.unlink()
    except OSError as refused:
        raise SaysoError(f"--out {folder}: cannot be written ({refused.strerror}); name another folder") from None
    return folder


class _Quiet:
    """Stands in for the progress line if there is no terminal."""

    def __enter__(self) -> _Quiet:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def update(self, text: str) -> None:
        """Show nothing."""
