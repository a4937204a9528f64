"""Spoken tasks, judged by ground truth: the same ten in the apartment, the warehouse and random apartments with failing skills.

From sound to outcome with the real recogniser, stages, grounder and planner, on the embedded simulation in one process (no ROS). In the
random apartments skills fail on purpose (blocked routes, dropped things), as often as config/tasks.yaml says. When the robot asks about the
correct task, the simulated person confirms it; other actions do not count. If it sees several things that fit alike and asks which one is
meant, the person names the right one.

Baseline: the tasks in which no skill failed, which is the result of a robot that gives up at the first failure.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from _task_settings import task_settings
from sayso.console.bench import Row
from sayso.console.transcribe import transcripts
from sayso.console.watch import counted
from sayso.domain import Domain, load_domain
from sayso.evaluation.circumstances import Troubles
from sayso.evaluation.execution import Execution, Rehearsal
from sayso.grounding.seeing_once import SeeingOnce
from sayso.grounding.spoken import SpokenGrounder
from sayso.paths import config_dir
from sayso.pipeline import Pipeline
from sayso.random_home import random_home
from sayso.scene import Scene, load_scene
from sayso.speech.files import sentence_of
from sayso.speech.recognise import SpeechToText

HOMES = 10  # random apartments, each with every task
FIRST_SEED = 11


@dataclass(frozen=True)
class HomeTally:
    """The tasks of one home."""

    executions: tuple[Execution, ...]

    @property
    def done(self) -> int:
        """The number done, by the ground truth."""
        return sum(execution.done for execution in self.executions)

    @property
    def asked(self) -> int:
        """The number before which the robot asked."""
        return sum(execution.asked for execution in self.executions)

    @property
    def smooth(self) -> int:
        """The number done without a failed skill."""
        return sum(execution.done and not execution.failed_skills for execution in self.executions)

    @property
    def skills(self) -> int:
        """The number of skills run."""
        return sum(len(execution.outcomes) for execution in self.executions)

    @property
    def failed_skills(self) -> int:
        """The number of failed skills."""
        return sum(execution.failed_skills for execution in self.executions)


def run(quick: bool = False) -> Iterator[Row]:
    """Yield all rows; --quick: two tasks each, one random apartment."""
    settings = task_settings()
    files = [config_dir() / name for name in settings["tasks"]][: 2 if quick else None]
    grounder = SeeingOnce()
    undisturbed = []
    for name, domain_file, scene_file in (
        ("apartment", config_dir() / "home.yaml", config_dir() / "scenes" / "apartment.yaml"),
        ("warehouse", config_dir() / "warehouse.yaml", config_dir() / "scenes" / "warehouse.yaml"),
    ):
        undisturbed.append(_executed(name, load_domain(domain_file), load_scene(scene_file), files, grounder, 0))
        yield _row(f"spoken tasks done, {name}", undisturbed[-1:], goal=None if quick else len(files))
    tallies = []
    troubles = Troubles(settings["troubles"]["interrupted"])
    for seed in range(FIRST_SEED, FIRST_SEED + (1 if quick else HOMES)):
        with tempfile.TemporaryDirectory() as folder:
            scene_file, domain_file = random_home(seed, Path(folder), frozenset(settings["needed"]))
            scene = load_scene(scene_file)
            gripper = scene.gripper.model_copy(update={"fails": settings["troubles"]["gripper"]})
            failing = scene.model_copy(update={"gripper": gripper})
            tallies.append(_executed(f"random apartment {seed}", load_domain(domain_file), failing, files, grounder, seed, troubles))
    yield _row("spoken tasks done, random apartments, failing skills", tallies, goal=None if quick else 95)
    skills, failed = sum(tally.skills for tally in tallies), sum(tally.failed_skills for tally in tallies)
    yield Row("skills that failed there, of all that were run", 100 * failed / max(skills, 1), "%", "lower", n=skills)
    everywhere = [*undisturbed, *tallies]
    count = sum(len(tally.executions) for tally in everywhere)
    yield Row("tasks that the robot asked about first", float(sum(tally.asked for tally in everywhere)), f"of {count}", "lower", n=count)


def _executed(
    name: str, domain: Domain, scene: Scene, files: list[Path], grounder: SeeingOnce, seed: int, troubles: Troubles | None = None
) -> HomeTally:
    """Run every task in one home, each from the start; prints failures to stderr."""
    recogniser = SpeechToText(domain)
    pipeline = Pipeline(domain)
    rehearsal = Rehearsal(domain, scene, SpokenGrounder(grounder, pipeline.describe), pipeline)
    executions = []
    try:
        for number, file in enumerate(counted(files, f"tasks, {name}")):
            heard = next(transcripts(file, recogniser))
            execution = rehearsal(heard, seed=100 * seed + number, troubles=troubles, meant=sentence_of(file))
            executions.append(execution)
            if not execution.done:
                wrong = "; ".join(f"{check.what} must be {check.wanted}, is {check.found}" for check in execution.checks if not check.ok)
                print(f"{name}: “{heard.text}”: {wrong}", file=sys.stderr)
    finally:
        rehearsal.close()
    return HomeTally(tuple(executions))


def _row(measure: str, tallies: list[HomeTally], goal: float | None) -> Row:
    count = sum(len(tally.executions) for tally in tallies)
    baselines = {"giving up at the first failure": float(sum(tally.smooth for tally in tallies))}
    return Row(measure, float(sum(tally.done for tally in tallies)), f"of {count}", "higher", goal, baselines, n=count)
