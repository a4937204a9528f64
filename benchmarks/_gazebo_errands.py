"""Errands in a real Gazebo, judged by its poses: the ten of `sayso bench tasks` in the apartment, the warehouse and random homes."""

from __future__ import annotations

import io
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from _task_settings import task_settings
from sayso.console.bench import Row
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
        from sayso_nodes.errand import carry_out

        return carry_out(sentence_of(self.sound), "done", watch, self.domain, deadline, poll, self.answer)

    def spoken(self, watch: Any, deadline: float, poll: Callable[[], Any]) -> tuple[Check, ...]:
        """Play its sound, wait and judge."""
        from sayso_nodes.demo_acts import DemoSentence, perform

        return perform(DemoSentence(self.sound, "done"), watch, self.domain, deadline, poll, self.answer).checks

    def answer(self, heard: Transcript) -> str:
        """What the person answers who meant this sentence."""
        return spoken_answer(_person(self.domain_file), heard, sentence_of(self.sound))

    @property
    def domain(self) -> Any:
        """Of its home."""
        return _person(self.domain_file).domain


@cache
def _person(domain_file: str) -> Pipeline:
    return Pipeline(load_domain(domain_file or None))


def errand_rows(programs: Any, folder: Path, home: str, limit: int) -> Iterator[Row]:
    """The errands of one of HOMES, typed and spoken; `limit`: the first so many in each home, 0: all."""
    errands = [GazeboErrand(sound, file) for file in _domain_files(home, folder) for sound in _sounds()[: limit or None]]
    for how, say in (("typed", GazeboErrand.typed), ("spoken", GazeboErrand.spoken)):
        done, took = 0, []
        for errand in errands:
            what, began = f"{how} “{sentence_of(errand.sound)}”, {home}", time.monotonic()
            try:
                checks, seconds = _carried_out(programs, folder / "world", errand, say)
            except RosError as error:
                print(f"{what}: not done: {error}", file=sys.stderr)
                continue
            wrong = "; ".join(f"{check.what} must be {check.wanted}, is {check.found}" for check in checks if not check.ok)
            print(f"{what}: {wrong or 'done'}; {seconds:.0f} simulated s, {time.monotonic() - began:.0f} s", file=sys.stderr, flush=True)
            took.append(seconds)
            done += not wrong
        beside = {"simulated seconds, mean": float(np.mean(took)) if took else None}
        yield _row(how, home, float(done), len(errands), beside)


def untaken_errands(home: str, reason: str) -> Iterator[Row]:
    """The same rows without a value."""
    for how in ("typed", "spoken"):
        yield _row(how, home, None, len(_sounds()) * (len(SEEDS) if home == HOMES[-1] else 1), {}, reason)


def _row(how: str, home: str, value: float | None, count: int, beside: dict[str, float | None], reason: str = "") -> Row:
    goal = 0.9 * count if home == HOMES[-1] else count
    n = 0 if value is None else count
    return Row(f"{how} errands done, by Gazebo's poses, {home}", value, f"of {count}", "higher", goal, beside, n=n, reason=reason)


def _sounds() -> list[Path]:
    return [config_dir() / name for name in task_settings()["tasks"]]


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


def _carried_out(
    programs: Any, folder: Path, errand: GazeboErrand, say: Callable[[GazeboErrand, Any, float, Callable[[], Any]], tuple[Check, ...]]
) -> tuple[tuple[Check, ...], float]:
    """One errand in a new world with new nodes: its checks, and the simulated seconds that it took."""
    from rich.console import Console

    from sayso.console.stages import StageView
    from sayso_nodes.demo import free_domain
    from sayso_nodes.demo_watch import Watch
    from sayso_nodes.gazebo_server import RunningGazebo
    from sayso_nodes.gazebo_world import write
    from sayso_nodes.graph import load_graph
    from sayso_nodes.running import RunningGraph

    write(folder, errand.domain_file, pace=PACE)
    domain_id, log = free_domain(), folder / "log"
    env = {"ROS_DOMAIN_ID": str(domain_id), "ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST"}
    nodes = (*load_graph("gazebo").nodes, "wav_player")
    with ExitStack() as stack:
        gazebo = stack.enter_context(RunningGazebo(programs, folder, env, log))
        graph = stack.enter_context(RunningGraph("gazebo", domain_file=errand.domain_file or None, env=env, log_dir=log, nodes=nodes))
        graph.wait_active(LIMIT, meanwhile=gazebo.check)
        watch = stack.enter_context(Watch(StageView(Console(file=io.StringIO())), domain_id, gazebo.check))
        watch.wait(lambda: watch.world is not None, "the world's ground truth", time.monotonic() + LIMIT, graph.poll)
        began = watch.seconds
        return say(errand, watch, time.monotonic() + LIMIT, graph.poll), watch.seconds - began
