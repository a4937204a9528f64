"""`sayso train skills`: what recorded runs teach about how well and how fast the robot's skills work."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import typer
from rich.console import Console

from sayso.bags.reading import Bag
from sayso.bags.skill_runs import SkillRun, skill_runs
from sayso.domain import load_domain
from sayso.domain.model import Domain
from sayso.errors import SaysoError
from sayso.memory_format import ENVIRONMENT, users_memory
from sayso.planning.trial_file import TrialFile
from sayso.planning.trials import SkillTrial, place_at, trial_of
from sayso.replay.homes import home_of
from sayso.training.learnt_skills import learnt_skills, skills_table


@dataclass(frozen=True, slots=True)
class Taught:
    """What the bags hold."""

    homes: dict[str, Domain]  # by name
    trials: tuple[SkillTrial, ...]
    problems: tuple[str, ...]  # of the bags, one line each


def taught_by(bags: Sequence[Path], domain: Path | None = None) -> Taught:
    """The trials of these bags, each in the home of its recording, or in this one.

    Raises:
        SaysoError: a bag or a home cannot be read; nothing is learnt then.
    """
    homes, trials, problems = dict[str, Domain](), list[SkillTrial](), list[str]()
    for path in bags:
        with Bag(path) as bag:
            home = load_domain(domain or home_of(bag))
            homes[home.name] = home
            trials += _trials(home, skill_runs(bag))
            problems += [f"{path.name}: {problem}" for problem in bag.problems]
    return Taught(homes, tuple(trials), tuple(problems))


def train_skills(bags: Sequence[Path], domain: Path | None = None, memory: Path | None = None, dry_run: bool = False) -> None:
    """Learn from these bags and print what is learnt now.

    Raises:
        SaysoError: a bag, a home or the memory file cannot be read or written; nothing is learnt then.
    """
    path = memory or users_memory()
    if path is None and not dry_run:
        raise SaysoError(f"nothing is remembered because ${ENVIRONMENT} is empty: name a file with --memory, or unset it")
    taught = taught_by(bags, domain)
    for problem in taught.problems:
        typer.echo(problem, err=True)
    known, new = list(taught.trials), 0
    if path is not None and not dry_run:
        new = TrialFile(path).write(taught.trials) if known else 0
        known = [trial for trial in TrialFile(path).read() if trial.home in taught.homes]
    rows = list(learnt_skills(known, taught.homes))
    if rows:
        Console(highlight=False).print(skills_table(rows))
    typer.echo(f"{len(taught.trials)} trials in {len(bags)} recordings" + ("" if dry_run else f", {new} of them new, in {path}"), err=True)


def _trials(home: Domain, runs: Iterable[SkillRun]) -> Iterator[SkillTrial]:
    for run in runs:
        if run.before is None:  # the place and the distance are unknown
            continue
        at, xy = place_at(home, run.before), (run.before.x, run.before.y)
        trial = trial_of(home, run.outcome, at, xy, (run.utterance_id, run.stamp), run.after)
        if trial is not None:
            yield replace(trial, time=run.recorded)
