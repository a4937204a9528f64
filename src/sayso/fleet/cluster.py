"""Replays many bags on many processes and machines with Ray: one task per bag, or per slice of a long bag. Finished tasks are kept.

Ray schedules, retries after a worker dies, and transports the results. This module defines the tasks and where results are kept.
"""

from __future__ import annotations

import math
import os
import platform
import shutil
import socket
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

from sayso.bags.reading import Bag
from sayso.errors import SaysoError
from sayso.extras import needed
from sayso.fleet.finished import Finished, Played, key_of
from sayso.replay.segmentation import slices
from sayso.replay.session import Job, play
from sayso.replay.stages import fingerprint
from sayso.replay.types import ReplayConfig, ReplayResult, Slice, joined

ANSWER = 5.0  # s until a cluster must answer
RETRIES = 2  # after a worker died: killed, out of memory, machine lost
FROM_SOUND, FROM_WORDS = 600.0, 14_400.0  # s of recorded time per task (docs/scale.md)
OBJECT_STORE = 256 * 2**20  # bytes; results are small, and the rest goes to disk


@dataclass(frozen=True, slots=True)
class Fleet:
    """Where the work runs."""

    address: str = ""  # of a running Ray cluster ("auto", "host:6379", "ray://host:10001"); empty: processes of this machine
    workers: int = 0  # processes on this machine; 0: one per core
    longest: float = 0.0  # s of recorded time per task; longer bags are cut in silences; 0: some tens of seconds of work


@dataclass(frozen=True, slots=True)
class Progress:
    """Progress of a fleet replay."""

    done: int  # tasks
    total: int  # tasks known so far: grows while long bags are cut
    skipped: int  # done before
    bag: str = ""  # whose task has just ended
    failed: str = ""  # why it failed


@dataclass(frozen=True, slots=True)
class _Plan:
    """A bag's tasks."""

    name: str
    path: Path
    parts: tuple[Slice | None, ...]  # None: the whole bag
    keys: tuple[str, ...]
    made_with: Mapping[str, str]  # version and hashes that the results depend on


@dataclass(frozen=True, slots=True)
class _Kept:
    """Finished tasks, and where the sounds and pictures of a bag go."""

    finished: Finished
    media: Callable[[str], Path] | None

    def has(self, name: str, key: str) -> bool:
        return self.finished.has(key, self.media(name) if self.media else None)

    def keep(self, name: str, key: str, played: Played) -> None:
        self.finished.keep(key, played, self.media(name) if self.media else None)


def replay_fleet(
    jobs: Sequence[Job],
    config: ReplayConfig,
    fleet: Fleet,
    out: Path,
    media: Callable[[str], Path] | None = None,
    show: Callable[[Progress], None] = lambda _: None,
) -> Iterator[ReplayResult]:
    """Play the bags and yield their results in this order, once all are done. Paths must be valid on every machine of the cluster.

    `out` keeps each task's result, so that a second call continues where the first one stopped. It repeats only tasks whose bag,
    configuration, models or Sayso version changed. `media` gives the folder of a bag's sounds and pictures; None: they are not kept.

    Raises:
        SaysoError: Ray is not installed, the cluster cannot be reached, or its machines have different versions of Sayso.
    """
    config = _absolute(config)
    _made_with(config)  # report an unreadable domain or model once, not for each bag
    finished = Finished(out)
    failed: dict[str, str] = {}
    with cluster(fleet) as ray:
        plans = _run(ray, jobs, config, fleet, _Kept(finished, media), failed, show)
    for job in jobs:
        if job.name in failed:
            yield ReplayResult(job.name, failed=failed[job.name])
        else:
            yield joined([finished.load(key) for key in plans[job.name].keys])


class FleetEngine:
    """The engine of a session: plays all bags at the first call, then returns one result per call."""

    def __init__(self, jobs: Sequence[Job], fleet: Fleet, out: Path, show: Callable[[Progress], None] = lambda _: None) -> None:
        self._jobs, self._fleet, self._out, self._show = jobs, fleet, out, show
        self._results: Iterator[ReplayResult] | None = None

    def __call__(self, job: Job, config: ReplayConfig, media: Path | None) -> ReplayResult:
        """The result of the next job."""
        if self._results is None:
            folder = None if media is None else media.joinpath
            self._results = replay_fleet(self._jobs, config, self._fleet, self._out, folder, self._show)
        result = next(self._results)
        assert result.bag == job.name
        return result


@contextmanager
def cluster(fleet: Fleet) -> Iterator[Any]:
    """Connect to Ray, or use the existing connection. Whatever is started here is stopped at the end.

    Raises:
        SaysoError: Ray is not installed, or there is no cluster at that address.
    """
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # send no usage statistics
    try:
        import ray
    except ImportError:
        raise SaysoError(f"--engine ray: {needed('fleet')}") from None
    if ray.is_initialized():
        yield ray
        return
    place = None
    try:
        if fleet.address:
            _connect(ray, fleet.address)
        else:
            place = _short_place()
            cores = len(os.sched_getaffinity(0))
            ray.init(
                "local",
                num_cpus=fleet.workers or cores,
                include_dashboard=False,
                object_store_memory=OBJECT_STORE,
                log_to_driver=False,
                logging_level="error",
                _temp_dir=str(place),
            )
        yield ray
    finally:
        ray.shutdown()
        if place:
            shutil.rmtree(place, ignore_errors=True)


def _connect(ray: Any, address: str) -> None:
    try:
        _call(address)
        ray.init(address, log_to_driver=False, logging_level="error")
    except (ConnectionError, ValueError, RuntimeError, OSError) as unreachable:
        reason = (str(unreachable).splitlines() or [type(unreachable).__name__])[0]
        raise SaysoError(f"--address {address}: no Ray cluster there ({reason}); 'ray start --head' on one machine begins one") from None


def _call(address: str) -> None:
    """Check that something listens at the address. Ray itself retries silently for minutes.

    Raises:
        OSError: nothing listens there.
    """
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if host and port.isdigit():
        socket.create_connection((host, int(port)), ANSWER).close()


def _short_place() -> Path:
    """A temporary folder for Ray's logs and sockets. A socket's path has at most 107 characters, and Ray needs 70."""
    short = len(tempfile.gettempdir()) <= 20
    return Path(tempfile.mkdtemp(prefix="sayso-ray-", dir=None if short else "/tmp"))  # noqa: S108 - mkdtemp makes it ours alone


def _run(
    ray: Any,
    jobs: Sequence[Job],
    config: ReplayConfig,
    fleet: Fleet,
    kept: _Kept,
    failed: dict[str, str],
    show: Callable[[Progress], None],
) -> dict[str, _Plan]:
    """Plan every bag, play every unfinished part, and keep the results."""
    plan_bag = ray.remote(_plan).options(max_retries=RETRIES)
    play_part = ray.remote(_play).options(max_retries=RETRIES, scheduling_strategy="SPREAD")
    shared = ray.put(config)
    plans: dict[str, _Plan] = {}
    planning = {plan_bag.remote(job.name, job.path, shared, fleet.longest): job.name for job in jobs}
    playing: dict[Any, tuple[str, str]] = {}
    done, total, skipped = 0, len(jobs), 0
    show(Progress(done, total, skipped))
    while planning or playing:
        (ready,), _ = ray.wait([*playing, *planning], num_returns=1)
        if ready in planning:
            name = planning.pop(ready)
            plan = _result(ray, ready, name, failed)
            if plan is None:
                done += 1
                show(Progress(done, total, skipped, name, failed[name]))
                continue
            plans[name] = plan
            total += len(plan.parts) - 1
            for part, key in zip(plan.parts, plan.keys, strict=True):
                if kept.has(name, key):
                    done, skipped = done + 1, skipped + 1
                    show(Progress(done, total, skipped, name))
                else:
                    task = play_part.remote(plan.name, plan.path, shared, part, kept.media is not None, plan.made_with)
                    playing[task] = name, key
            continue
        name, key = playing.pop(ready)
        played = _result(ray, ready, name, failed)
        done += 1
        if played is not None:
            if played.result.failed:
                failed[name] = played.result.failed
            else:
                kept.keep(name, key, played)
        show(Progress(done, total, skipped, name, failed.get(name, "")))
    return plans


def _result(ray: Any, task: Any, name: str, failed: dict[str, str]) -> Any:
    """The task's result; None if it failed, with the reason in `failed`. Other tasks continue."""
    try:
        return ray.get(task)
    except ray.exceptions.RayTaskError as raised:
        cause = raised.cause
        if isinstance(cause, OtherMachineError):
            raise SaysoError(str(cause)) from None
        failed[name] = str(cause) if isinstance(cause, SaysoError) else f"{type(cause).__name__}: {cause}"
    except ray.exceptions.RayError as lost:
        failed[name] = f"its worker died {RETRIES + 1} times ({(str(lost).splitlines() or [type(lost).__name__])[0]})"
    return None


class OtherMachineError(SaysoError):
    """A machine of the cluster has another version of Sayso, other models or another domain file."""


def _plan(name: str, path: Path, config: ReplayConfig, longest: float) -> _Plan:
    """Runs on a worker: cut the bag into parts and compute the key of each part's result."""
    made_with = _made_with(config)
    parts: tuple[Slice | None, ...] = (None,)
    try:
        with Bag(path) as bag:
            most = longest or (FROM_SOUND if config.start == "audio" else FROM_WORDS)
            count = math.ceil((bag.end_time - bag.start_time) * 1e-9 / most)
        if count > 1:
            cut = slices(path, config, count)
            parts = cut if len(cut) > 1 else (None,)
    except SaysoError:
        pass  # playing it reports the problem
    keys = tuple(key_of(name, path, config, part, made_with) for part in parts)
    return _Plan(name, path, parts, keys, made_with)


def _play(name: str, path: Path, config: ReplayConfig, part: Slice | None, keep_media: bool, made_with: Mapping[str, str]) -> Played:
    """Runs on a worker: play one part; the result includes its sounds and pictures."""
    here = _made_with(config)
    if here != made_with:
        other = ", ".join(name for name in made_with if made_with[name] != here.get(name)) or "what is installed"
        raise OtherMachineError(f"the machines of the cluster have different versions of Sayso: {other} differs on {platform.node()}")
    job = Job(path, name, part)
    if not keep_media:
        return Played(play(job, config))
    with tempfile.TemporaryDirectory(prefix="sayso-media-") as place:
        result = play(job, config, Path(place))
        return Played(result, {item.file: (Path(place) / name / item.file).read_bytes() for item in result.media})


def _absolute(config: ReplayConfig) -> ReplayConfig:
    """The configuration with absolute paths: workers run in other folders."""
    paths = {name: path.resolve() for name in ("domain", "models", "whisper_weights") if (path := getattr(config, name)) is not None}
    return replace(config, **paths)


def _made_with(config: ReplayConfig) -> dict[str, str]:
    return {"sayso": version("sayso"), **fingerprint(config)}
