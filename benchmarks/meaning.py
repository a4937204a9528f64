"""What sentences mean: our labelled sets, the RoboCup grammars, people's commands and talk; errors, questions, posterior and time.

The sets are in benchmarks/meaning; docs/benchmarks.md explains labels and verdicts. `held_out`, the unseen templates of the grammars and
the hand-written sentences are only measured: --wrong lists failures of the other sets. People's commands and talk need SAYSO_DATA, and the
tagger's rows torch.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.markup import escape

from _meaning_judge import JudgedSentence, ignored
from _meaning_labels import read_labels
from _meaning_rows import about_rows, example_row, failures, overall_rows, questions, set_rows, well, wrong_among_executed
from _meaning_sets import SECRET, judged_sets
from _meaning_share import Share
from sayso.console.bench import Row, load_benchmark, part, unmeasured
from sayso.console.watch import counted
from sayso.domain import load_domain
from sayso.errors import SaysoError
from sayso.pipeline import Pipeline

HERE = Path(__file__).parent
SETS = (
    "development",
    "crowd",
    "study",
    "family",
    "held_out",
    "examples",
    "own_home",
    "homes",
    "gpsr",
    "hand_written",
    "others",
    "people",
    "talk",
    "corpora",
    "time",
)
GOALS = {
    "development": (85.0, 95.0),
    "crowd": (85.0, 95.0),
    "study": (85.0, 95.0),
    "family": (85.0, 95.0),
    "held_out": (85.0, 95.0),
    "own_home": (None, 95.0),
    "homes_development": (None, 95.0),
    "homes_held_out": (None, 95.0),
}
STYLES = {"executed": "red"}  # of verdicts in the list of failures
ROUNDS = 5  # of the time measurement


def run(quick: bool = False, only: str = "", wrong: bool = False) -> Iterator[Row]:
    """Yield all rows, or those of one set; `wrong` also prints the sentences that went wrong.

    Raises:
        SaysoError: there is no such set.
    """
    if only and only not in SETS:
        raise SaysoError(f"no set '{only}'; known: {', '.join(SETS)}")
    chosen = (only,) if only else SETS
    found: dict[str, Sequence[JudgedSentence]] = {}
    for name, judged in judged_sets(chosen, quick):
        if isinstance(judged, SaysoError):
            yield unmeasured(f"{name}: whole meaning right", "%", "higher", judged)
            continue
        found[name] = judged
        yield from _set_rows(name, judged)
        if wrong and name not in SECRET:
            _list(name, judged)
    if "examples" in found:
        yield example_row(found["examples"], found.get("own_home", ()))
    if not only:
        yield from overall_rows(found)
    for name, rows in {"people": _people, "talk": _talk, "corpora": _corpora, "time": _times}.items():
        if name in chosen:
            yield from part(name, partial(rows, quick))


def _set_rows(name: str, judged: Sequence[JudgedSentence]) -> Iterator[Row]:
    if name.startswith("gpsr"):
        yield from _gpsr_rows(name, judged)
        return
    yield from set_rows(name, judged, GOALS.get(name, (None, None)))


def _gpsr_rows(name: str, judged: Sequence[JudgedSentence]) -> Iterator[Row]:
    goal = 90.0 if name == "gpsr_unseen" else 98.0
    yield Share(sum(each.verdict == "right" for each in judged), len(judged)).row(f"{name}: parsed to the right meaning", "higher", goal)
    yield Share(sum(map(well, judged)), len(judged)).row(f"{name}: right or asked well", "higher")
    yield wrong_among_executed(judged).row(f"{name}: wrong among executed", "lower", 1.0)
    yield questions(judged).row(f"{name}: questions", "lower", 15.0)
    yield from about_rows(name, judged)


def _people(quick: bool) -> Iterator[Row]:
    """People's commands of public corpora, none of which is talk."""
    from sayso.training.data import corpora

    pipeline = Pipeline(load_domain())
    try:
        parts = {"tagE dev": corpora.tage("dev"), "HuRIC": corpora.huric()}
    except SaysoError as missing:
        yield unmeasured('people: commands rejected as "not meant for me"', "%", "lower", missing, 4.0)
        return
    shares = {}
    for name, sentences in parts.items():
        texts = [each.text for each in sentences if each.frames][: 12 if quick else None]
        shares[name] = Share(sum(ignored(pipeline.understand(text)) for text in counted(texts, name)), len(texts))
    whole = Share(sum(each.k for each in shares.values()), sum(each.n for each in shares.values()))
    row = whole.row('people: commands rejected as "not meant for me"', "lower", 4.0)
    row.baselines.update({name: share.value for name, share in shares.items()})
    yield row


def _talk(quick: bool) -> Iterator[Row]:
    """Sentences that are for nobody, or for another machine."""
    from sayso.training.data import corpora

    measure = "CLINC150 out of scope, test: reactions other than a rejection"
    try:
        texts = [each.text for each in corpora.clinc150("oos_test")][: 20 if quick else None]
    except SaysoError as missing:
        yield unmeasured(measure, "%", "lower", missing, 0.5)
        return
    pipeline = Pipeline(load_domain())
    understood = [pipeline.understand(text) for text in counted(texts, "talk")]
    done = Share(sum(each.decision in ("execute", "defer") for each in understood), len(texts))
    refused = Share(sum(each.decision == "reject" and not ignored(each) for each in understood), len(texts))
    accepted = sum(each.decision != "reject" for each in understood)
    yield Share(accepted, len(texts)).row(measure, "lower", 0.5, executed=done, refused_by_name=refused)


def _corpora(quick: bool) -> Iterator[Row]:
    """The rows of `sayso bench roles`."""
    try:
        yield from load_benchmark(HERE / "roles.py").run(quick)
    except SaysoError as missing:
        yield unmeasured("tagE dev and HuRIC: roles", "%", "higher", missing)


def _times(quick: bool) -> Iterator[Row]:
    """Milliseconds from text to decision and plan: the medians over warm rounds, with the lowest and highest round as spread."""
    path = next(path for name in ("development", "examples") if (path := HERE / "meaning" / f"{name}.yaml").is_file())
    texts = [label.say for label in read_labels(path)][: 8 if quick else None]
    process = [sys.executable, str(HERE / "_meaning_time.py"), str(1 if quick else ROUNDS)]
    done = subprocess.run(process, input="\n".join(texts), capture_output=True, text=True, timeout=900, check=False)
    for name, q, goal in (("p50", 0.5, 8.0), ("p99", 0.99, 16.0)):
        measure = f"text → meaning, one sentence of {path.stem}, one core, {name}"
        if done.returncode:
            reason = (done.stderr.strip().splitlines() or ["the process died"])[-1]
            yield unmeasured(measure, "ms", "lower", reason, goal)
            continue
        rounds = [1e3 * float(np.quantile(taken, q)) for taken in json.loads(done.stdout)]
        yield Row(measure, float(np.median(rounds)), "ms", "lower", goal, spread=(min(rounds), max(rounds)), n=len(texts) * len(rounds))


def _list(name: str, judged: Sequence[JudgedSentence]) -> None:
    console = Console(soft_wrap=True, highlight=False)
    console.rule(f"{name}: neither right nor asked well")
    for verdict, said, done, expected in failures(judged):
        console.print(f"[bold]{verdict:<9}[/] {escape(said)}", style=STYLES.get(verdict, ""))
        console.print(f"{'':<10}{escape(done)}\n{'':<10}expected {escape(expected)}")
