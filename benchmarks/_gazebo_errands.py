"""Errands in a real Gazebo, judged by its poses: the ten of `sayso bench tasks` in the apartment, the warehouse and random homes.

They are spoken; in the apartment they are typed, too.
"""

from __future__ import annotations

import io
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from _task_settings import task_settings
from sayso.bags.messages import GroundTruth
from sayso.console.bench import Row
from sayso.console.watch import counted
from sayso.domain import load_domain
from sayso.errors import RosError
from sayso.evaluation.answering import spoken_answer
from sayso.evaluation.judge import Check
from sayso.paths import config_dir
from sayso.pipeline import Pipeline
from sayso.random_home import random_home
from sayso.speech.files import sentence_of
from sayso.types import Transcript

LIMIT = 600.0  # s of wall time for an errand
PACE = 0.5  # simulated seconds a second: two cores carry Gazebo, its renderer and all nodes
HOMES = ("apartment", "warehouse", "random homes")
SEEDS = (11, 12, 13)  # of the random homes


@dataclass(frozen=True, slots=True)
class GazeboErrand:
    """A sentence, as a sound file named by it, in a home."""

    sound: Path
    domain_file: str = ""  # that names its scene; empty: the default home

    def typed(self, watch: Any, deadline: float, poll: Callable[[], Any]) -> tuple[Check, ...]:
        """Type it, wait and judge."""
        from sayso_nodes.commands.errand import carry_out

        return carry_out(sentence_of(self.sound), "done", watch, self.domain, deadline, poll, self.answer)

    def spoken(self, watch: Any, deadline: float, poll: Callable[[], Any]) -> tuple[Check, ...]:
        """Play its sound, wait and judge."""
        from sayso_nodes.commands.demo_acts import DemoSentence, perform

        return perform(DemoSentence(self.sound, "done"), watch, self.domain, deadline, poll, self.answer).checks

    def answer(self, heard: Transcript) -> str:
        """What the person answers who meant this sentence."""
        return spoken_answer(_person(self.domain_file), heard, sentence_of(self.sound))

    @property
    def domain(self) -> Any:
        """Of its home."""
        return _person(self.domain_file).domain


SAY = {"typed": GazeboErrand.typed, "spoken": GazeboErrand.spoken}


class EndedErrand(NamedTuple):
    """How an errand ended."""

    checks: tuple[Check, ...]
    seconds: float  # simulated
    before: GroundTruth
    after: GroundTruth


@cache
def _person(domain_file: str) -> Pipeline:
    return Pipeline(load_domain(domain_file or None))


def errand_rows(programs: Any, folder: Path, home: str, limit: int) -> Iterator[Row]:
    """The errands of one of HOMES; `limit`: the first so many in each home, 0: all."""
    errands = [GazeboErrand(sound, file) for file in _domain_files(home, folder) for sound in sounds(limit)]
    for how in _ways(home):
        say, done, took = SAY[how], 0, []
        for errand in counted(errands, f"{how} errands, {home}"):
            what, began = f"{how} “{sentence_of(errand.sound)}”, {home}", time.monotonic()
            try:
                checks, seconds = in_gazebo(programs, folder / "world", errand, say)[:2]
            except RosError as error:
                print(f"{what}: not done: {error}", file=sys.stderr)
                continue
            wrong = told(checks)
            print(f"{what}: {wrong or 'done'}; {seconds:.0f} simulated s, {time.monotonic() - began:.0f} s", file=sys.stderr, flush=True)
            took.append(seconds)
            done += not wrong
        beside = {"simulated seconds, mean": float(np.mean(took)) if took else None}
        yield _row(how, home, float(done), len(errands), beside)


def untaken_errands(home: str, reason: str) -> Iterator[Row]:
    """The same rows without a value."""
    for how in _ways(home):
        yield _row(how, home, None, len(sounds()) * (len(SEEDS) if home == HOMES[-1] else 1), {}, reason)


def _ways(home: str) -> tuple[str, ...]:
    return tuple(SAY) if home == HOMES[0] else ("spoken",)


def _row(how: str, home: str, value: float | None, count: int, beside: dict[str, float | None], reason: str = "") -> Row:
    goal = 0.9 * count if home == HOMES[-1] else count
    n = 0 if value is None else count
    return Row(f"{how} errands done, by Gazebo's poses, {home}", value, f"of {count}", "higher", goal, beside, n=n, reason=reason)


def told(checks: tuple[Check, ...]) -> str:
    """What is wrong, in words; empty if nothing is."""
    return "; ".join(f"{check.what} must be {check.wanted}, is {check.found}" for check in checks if not check.ok)


def sounds(limit: int = 0) -> list[Path]:
    """The sentences of the errands, as sound files named by them: the first so many, or all."""
    return [config_dir() / name for name in task_settings()["tasks"]][: limit or None]


def _domain_files(home: str, folder: Path) -> Iterator[str]:
    if home == "apartment":
        yield ""
    elif home == "warehouse":
        yield str(config_dir() / "warehouse.yaml")
    else:
        needed = frozenset(task_settings()["needed"])
        for seed in SEEDS:
            (folder / f"home_{seed}").mkdir(parents=True, exist_ok=True)
            yield str(random_home(seed, folder / f"home_{seed}", needed)[1])


Say = Callable[[GazeboErrand, Any, float, Callable[[], Any]], tuple[Check, ...]]  # typed or spoken


def in_gazebo(programs: Any, folder: Path, errand: GazeboErrand, say: Say) -> EndedErrand:
    """One errand in a new Gazebo with new nodes.

    Raises:
        RosError: the world or a node ended, or was too late.
    """
    from sayso_nodes.running.gazebo_server import RunningGazebo
    from sayso_nodes.running.gazebo_world import write

    write(folder, errand.domain_file, pace=PACE)
    env = _env()
    with RunningGazebo(programs, folder, env, folder / "log") as gazebo:
        return _carried_out("gazebo", folder / "log", env, errand, say, gazebo.check)


def in_mujoco(folder: Path, errand: GazeboErrand, say: Say) -> EndedErrand:
    """One errand in the embedded simulation with new nodes.

    Raises:
        RosError: a node ended, or was too late.
    """
    return _carried_out("sim", folder / "log", _env(), errand, say)


def _env() -> dict[str, str]:
    from sayso_nodes.commands.demo import free_domain

    return {"ROS_DOMAIN_ID": str(free_domain()), "ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST"}


def _carried_out(
    variant: str, log: Path, env: dict[str, str], errand: GazeboErrand, say: Say, check: Callable[[], None] = lambda: None
) -> EndedErrand:
    from rich.console import Console

    from sayso.console.stages import StageView
    from sayso_nodes.commands.demo_watch import RowWatch
    from sayso_nodes.graph import load_graph
    from sayso_nodes.running.processes import RunningGraph

    nodes = (*load_graph(variant).nodes, "wav_player")
    with ExitStack() as stack:
        graph = stack.enter_context(RunningGraph(variant, domain_file=errand.domain_file or None, env=env, log_dir=log, nodes=nodes))
        graph.wait_active(LIMIT, meanwhile=check)
        watch = stack.enter_context(RowWatch(StageView(Console(file=io.StringIO())), int(env["ROS_DOMAIN_ID"]), check))
        watch.wait(lambda: watch.world is not None, "the world's ground truth", time.monotonic() + LIMIT, graph.poll)
        began, before = watch.seconds, watch.world
        checks = say(errand, watch, time.monotonic() + LIMIT, graph.poll)
        assert before is not None
        return EndedErrand(checks, watch.seconds - began, before, watch.world)
