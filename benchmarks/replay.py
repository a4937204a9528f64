"""Replay of bags: speed from transcripts and from sound, reading, memory over 10 GB, two Ray workers against one.

The bags are generated (src/sayso/replay/generated.py): a command every 8 s, the robot's context once and pictures twice a second, as
recorded. "Per core" is recorded time over CPU time of all threads, which excludes other programs; the wall-clock figure on one core stands
beside it. Reading alternates with rosbags' AnyReader, messages left as bytes. Memory is that of this process, sampled while the big bag is
replayed and then read. Ray is timed with warm workers, beside plain processes with the same bags, which show the most that the machine
allows.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import shutil
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Literal

import numpy as np

from sayso.bags.reading import Bag
from sayso.console.bench import Row, part
from sayso.console.watch import counted, waiting
from sayso.errors import SaysoError
from sayso.fleet.cluster import Fleet, cluster, replay_fleet
from sayso.fleet.store import PARQUET, ask, open_results
from sayso.replay.generated import GeneratedContent, generate_bag
from sayso.replay.play import replay_bag
from sayso.replay.session import Job, play
from sayso.replay.types import ReplayConfig, ReplayResult

PICTURE = 640 * 480 * 3  # bytes
SHORT = GeneratedContent(8.0)
LONGEST = 150.0  # s of a slice, where engines are compared


@dataclass(frozen=True, slots=True)
class Sizes:
    """The amounts to measure."""

    repeats: int
    words: GeneratedContent
    sound: GeneratedContent
    read: GeneratedContent
    big: GeneratedContent
    shared: GeneratedContent
    jobs: int  # copies of `shared`, for Ray
    asked: int  # utterances in a query
    tasks: int  # almost empty bags, to measure the cost of a task itself
    free: float  # bytes of disk space needed
    brief: bool = False  # start Ray only once and no plain processes; one worker and two are then not measured separately

    @property
    def big_gb(self) -> float:
        """Size of the big bag, unpacked."""
        return self.big.seconds * self.big.pictures * PICTURE / 1e9


FULL = Sizes(
    repeats=7,
    words=GeneratedContent(1200.0, pictures=2.0, pause=40.0),
    sound=GeneratedContent(240.0, sound=True, pictures=2.0),
    read=GeneratedContent(60.0, sound=True, pictures=5.0, noise=0.3),
    big=GeneratedContent(1089.0, pictures=10.0, pause=40.0, noise=0.002),
    shared=GeneratedContent(480.0, pictures=2.0, pause=40.0),
    jobs=8,
    asked=200_000,
    tasks=200,
    free=3e9,
)
QUICK = Sizes(
    repeats=1,
    words=GeneratedContent(24.0, pictures=2.0),
    sound=GeneratedContent(16.0, sound=True),
    read=GeneratedContent(4.0, pictures=5.0, noise=0.3),
    big=GeneratedContent(16.0, pictures=4.0),
    shared=GeneratedContent(24.0),
    jobs=2,
    asked=100,
    tasks=4,
    free=2e8,
    brief=True,
)


def run(quick: bool = False) -> Iterator[Row]:
    """Yield the rows of the table, then the cost of each unit of work."""
    sizes = QUICK if quick else FULL
    with tempfile.TemporaryDirectory(prefix="sayso-bench-") as place:
        folder = Path(place)
        free = shutil.disk_usage(folder).free
        if free < sizes.free:
            raise SaysoError(f"{folder} has {free / 1e9:.1f} GB free, {sizes.free / 1e9:.1f} GB are needed; TMPDIR names another disk")
        words = generate_bag(folder / "words", sizes.words)
        from_words = _speed(words, ReplayConfig(start="transcript"), sizes.repeats)
        from_sound = _speed(generate_bag(folder / "sound", sizes.sound), ReplayConfig(start="audio"), max(sizes.repeats // 2, 1))
        yield _speed_row("× real time per core, from the transcript on", from_words, 200.0)
        yield _speed_row("× real time per core, from sound on (PocketSphinx)", from_sound, 5.0)
        yield from _reading(generate_bag(folder / "read", sizes.read), sizes.repeats)
        with waiting(f"a bag of {sizes.big_gb:.3g} GB to be written"):
            big = generate_bag(folder / "big", sizes.big)
        yield from part("memory growth", partial(_memory, big, sizes))
        with _workers(2) if sizes.brief else nullcontext():
            yield from part("two Ray workers against one", partial(_fleet, sizes, folder))
        yield _cost_row("CPU time of an utterance, from the transcript on", from_words)
        yield _cost_row("CPU time of an utterance, from sound on", from_sound)
        yield _question(from_words[0].result, sizes, folder / "asked")
        lines = [len(json.dumps(record.data())) for record in from_words[0].result.records]
        yield Row("results of an utterance, as JSON lines", float(np.median(lines)) / 1e3, "kB", "lower", n=len(lines))


def _question(result: ReplayResult, sizes: Sizes, folder: Path) -> Row:
    """A query over a folder of results, from opening it to having the rows; the utterances are copies of a few."""
    import polars as pl

    folder.mkdir()
    few = pl.DataFrame([record.data() for record in result.records], infer_schema_length=None)
    pl.concat([few] * max(sizes.asked // len(few), 1)).write_parquet(folder / PARQUET)
    taken = []
    for _ in range(sizes.repeats):
        begun = time.perf_counter()
        ask(open_results([folder]), 'decision == "reject" and p > 0.4')
        taken.append(time.perf_counter() - begun)
    return _row(f"a query over {sizes.asked} utterances", taken, "s", "lower", None, {})


@dataclass(frozen=True, slots=True)
class _Timed:
    result: ReplayResult
    cpu: float  # s, all threads
    wall: float


def _speed(bag: Path, config: ReplayConfig, repeats: int) -> list[_Timed]:
    """Timed replays on one core, after a warm-up that loads the models."""
    with _one_core():
        replay_bag(bag, config)
        return [_timed(lambda: replay_bag(bag, config)) for _ in counted(range(repeats), f"replays from the {config.start} on")]


def _timed(work: Callable[[], ReplayResult]) -> _Timed:
    cpu, wall = time.process_time(), time.perf_counter()
    result = work()
    if result.failed or not result.records:
        raise SaysoError(f"nothing was replayed: {result.failed or 'no utterances'}")
    return _Timed(result, time.process_time() - cpu, time.perf_counter() - wall)


def _speed_row(measure: str, timed: Sequence[_Timed], goal: float) -> Row:
    wall = float(np.median([one.result.seconds / one.wall for one in timed]))
    return _row(measure, [one.result.seconds / one.cpu for one in timed], "×", "higher", goal, {"by the wall clock": wall})


def _cost_row(measure: str, timed: Sequence[_Timed]) -> Row:
    return _row(measure, [1e3 * one.cpu / len(one.result.records) for one in timed], "ms", "lower", None, {})


def _row(
    measure: str, values: Sequence[float], unit: str, better: Literal["higher", "lower"], goal: float | None, baselines: dict[str, Any]
) -> Row:
    low, median, high = (float(one) for one in np.quantile(values, [0.25, 0.5, 0.75]))
    return Row(measure, median, unit, better, goal, baselines, (low, high), len(values))


@contextmanager
def _one_core() -> Iterator[None]:
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(before)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def _reading(bag: Path, repeats: int) -> Iterator[Row]:
    """Read all messages of a bag as bytes, alternately as a replay does and as rosbags does."""
    ours, theirs = [], []
    size = _read(bag)
    _read_by_rosbags(bag)
    for _ in counted(range(repeats), "readings of a bag"):
        ours.append(size / 1e6 / _cpu(lambda: _read(bag)))
        theirs.append(size / 1e6 / _cpu(lambda: _read_by_rosbags(bag)))
    yield _row("bag read, MB/s a core", ours, "MB/s", "higher", None, {"rosbags, raw": float(np.median(theirs))})
    yield _row("bag read, against rosbags' raw reading", [100 * a / b for a, b in zip(ours, theirs, strict=True)], "%", "higher", 70.0, {})


def _cpu(work: Callable[[], Any]) -> float:
    begun = time.process_time()
    work()
    return time.process_time() - begun


def _read(path: Path) -> int:
    with Bag(path) as bag:
        return sum(len(raw) for _, _, raw in bag.messages())


def _read_by_rosbags(path: Path) -> int:
    from rosbags.highlevel import AnyReader

    with AnyReader([path]) as reader:
        return sum(len(raw) for _, _, raw in reader.messages())


def _memory(bag: Path, sizes: Sizes) -> Iterator[Row]:
    """Memory growth after the first tenth, the larger of replaying the bag and reading all of it."""
    config = ReplayConfig(start="transcript")
    grown, most = [], 0.0
    for work in counted((lambda: replay_bag(bag, config), lambda: _read(bag)), "passes over the big bag"):
        samples = _sampled(work)
        grown.append(max(samples) - max(samples[: max(len(samples) // 10, 1)]))
        most = max(most, *samples)
    measure = f"memory growth over a bag of {sizes.big_gb:.3g} GB, after its first tenth"
    yield Row(measure, max(grown), "MB", "lower", None, {"peak of the process": most}, n=len(samples))


def _sampled(work: Callable[[], Any]) -> list[float]:
    """Resident memory in MB, every 20 ms until the work is done."""
    samples: list[float] = []
    over = threading.Event()
    page = os.sysconf("SC_PAGE_SIZE") / 1e6

    def sample() -> None:
        while True:
            samples.append(int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * page)
            if over.wait(0.02):
                return

    watcher = threading.Thread(target=sample)
    watcher.start()
    try:
        work()
    finally:
        over.set()
        watcher.join()
    return samples


def _fleet(sizes: Sizes, folder: Path) -> Iterator[Row]:
    """The same bags with one worker and with two, beside plain processes; then both engines' results, with the bag in slices for Ray."""
    bag, short = generate_bag(folder / "shared", sizes.shared), generate_bag(folder / "short", SHORT)
    repeats = max(sizes.repeats // 2, 1)
    config = ReplayConfig(start="transcript")
    with _workers(1) as (fleet, _):
        one = _by_fleet(fleet, bag, sizes, folder / "one", repeats)
    plain_one = [] if sizes.brief else _by_processes(1, bag, sizes, repeats)
    with _workers(2) as (fleet, start):
        two = _by_fleet(fleet, bag, sizes, folder / "two", repeats)
        tasks = _by_fleet(fleet, short, replace(sizes, jobs=sizes.tasks), folder / "tasks", repeats)
        (shared,) = replay_fleet([Job(bag, "same")], config, replace(fleet, longest=LONGEST), folder / "same")
    plain_two = [] if sizes.brief else _by_processes(2, bag, sizes, repeats)
    gains = [a / b for a, b in zip(sorted(one), sorted(two), strict=True)]
    plain = float(np.median(plain_one) / np.median(plain_two)) if plain_one else None
    baselines = {"plain processes": plain, "load average": os.getloadavg()[0]}
    row = _row("2 Ray workers against one", gains, "×", "higher", 1.8, baselines)
    enough = len(os.sched_getaffinity(0)) > 1
    yield row if enough else Row(row.measure, None, "×", "higher", 1.8, reason="this machine has one core")
    alone = play(Job(bag, "same"), config)
    same = [record.data() for record in alone.records] == [record.data() for record in shared.records] and alone.details == shared.details
    yield Row("both engines give the same (1: yes), slices joined", float(same), "1", "higher", 1.0, n=len(alone.records))
    yield Row("Ray's own start", start, "s", "lower", n=1)
    yield _row("bags of one utterance a second, 2 workers", [sizes.tasks / one for one in tasks], "1/s", "higher", None, {})


def _by_processes(count: int, bag: Path, sizes: Sizes, repeats: int) -> list[float]:
    """Seconds for all jobs with warm processes without Ray: the most that this machine allows at this time."""
    config = ReplayConfig(start="transcript")
    jobs = [Job(bag, f"copy{number}") for number in range(sizes.jobs)]
    taken = []
    with ProcessPoolExecutor(count, mp_context=multiprocessing.get_context("spawn")) as pool:
        for _ in range(repeats + 1):
            begun = time.perf_counter()
            list(pool.map(play, jobs, [config] * len(jobs)))
            taken.append(time.perf_counter() - begun)
    return taken[1:]


@contextmanager
def _workers(count: int) -> Iterator[tuple[Fleet, float]]:
    """A Ray cluster of `count` workers on this machine, and its start-up time in s."""
    fleet = Fleet(workers=count, longest=float("inf"))
    begun = time.perf_counter()
    with cluster(fleet):
        yield fleet, time.perf_counter() - begun


def _by_fleet(fleet: Fleet, bag: Path, sizes: Sizes, folder: Path, repeats: int) -> list[float]:
    """Seconds for all jobs, for each repeat; a first run is a warm-up in which the workers load the models."""
    config = ReplayConfig(start="transcript")
    taken = []
    for index in range(repeats + 1):
        jobs = [Job(bag, f"copy{number}") for number in range(sizes.jobs)]
        begun = time.perf_counter()
        results = list(replay_fleet(jobs, config, fleet, folder / str(index)))
        taken.append(time.perf_counter() - begun)
        if failed := [result.failed for result in results if result.failed]:
            raise SaysoError(f"Ray: {failed[0]}")
    return taken[1:]
