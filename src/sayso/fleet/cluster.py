"""Many bags on many processes and machines through Ray: one task a bag, or a slice of a long one; what is done is not done again.

Ray schedules, retries what a dying worker left undone, and carries the results; here is only what a task is, and where its result is kept.
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
from pathlib import Path
from typing import Any

from sayso import __version__
from sayso.bags.reading import Bag
from sayso.errors import SaysoError
from sayso.extras import needed
from sayso.fleet.finished import Finished, Played, key_of
from sayso.replay.segmentation import slices
from sayso.replay.session import Job, play
from sayso.replay.stages import fingerprint
from sayso.replay.types import ReplayConfig, ReplayResult, Slice, joined

ANSWER = 5.0  # s that a cluster has to answer
RETRIES = 2  # of a task whose worker died: killed, out of memory, machine lost
FROM_SOUND, FROM_WORDS = 600.0, 14_400.0  # s of recorded time that are worth a task of their own (docs/scale.md)
OBJECT_STORE = 256 * 2**20  # bytes: results are small; what does not fit goes to disk


@dataclass(frozen=True, slots=True)
class Fleet:
    """Where and how the work is shared."""

    address: str = ""  # of a running Ray cluster ("auto", "host:6379", "ray://host:10001"); empty: processes of this machine
    workers: int = 0  # processes on this machine; 0: as many as it has cores
    longest: float = 0.0  # s of recorded time in one task, about; longer bags are cut in silences; 0: some tens of seconds of work


@dataclass(frozen=True, slots=True)
class Progress:
    """How far it is."""

    done: int  # tasks
    total: int  # known so far: grows while long bags are being cut
    skipped: int  # of those done: found finished
    bag: str = ""  # of which a task has just ended
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
    told: Callable[[Progress], None] = lambda _: None,
) -> Iterator[ReplayResult]:
    """Play the bags, whose paths are as the machines see them, and give their results in that order.

    Nothing is given before everything is done; `out` keeps each task's result as it ends, so that a second call goes on where
    the first one stopped, and does again what has changed: the bag, the configuration, a model, or Sayso. `media` names the folder
    of a bag's sounds and pictures; None: they are not kept.

    Raises:
        SaysoError: Ray is not installed or the cluster cannot be reached, or its machines do not have the same Sayso.
    """
    config = _absolute(config)
    _made_with(config)  # a domain or a model that cannot be read is said once, and not for each bag
    finished = Finished(out)
    failed: dict[str, str] = {}
    with cluster(fleet) as ray:
        plans = _run(ray, jobs, config, fleet, _Kept(finished, media), failed, told)
    for job in jobs:
        if job.name in failed:
            yield ReplayResult(job.name, failed=failed[job.name])
        else:
            yield joined([finished.load(key) for key in plans[job.name].keys])


class FleetEngine:
    """The engine of a session: at its first bag all are played, then each is given in turn."""

    def __init__(self, jobs: Sequence[Job], fleet: Fleet, out: Path, told: Callable[[Progress], None] = lambda _: None) -> None:
        self._jobs, self._fleet, self._out, self._told = jobs, fleet, out, told
        self._results: Iterator[ReplayResult] | None = None

    def __call__(self, job: Job, config: ReplayConfig, media: Path | None) -> ReplayResult:
        """The result of the next job of those named at first."""
        if self._results is None:
            folder = None if media is None else media.joinpath
            self._results = replay_fleet(self._jobs, config, self._fleet, self._out, folder, self._told)
        result = next(self._results)
        assert result.bag == job.name
        return result


@contextmanager
def cluster(fleet: Fleet) -> Iterator[Any]:
    """Ray, connected; one that is connected already is used and left so. Nothing is left running of what was started here.

    Raises:
        SaysoError: Ray is not installed, or there is no cluster at that address.
    """
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # nobody is told what is replayed here
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
    """Where a machine is named: somebody must listen there. Ray itself tries on for minutes, without a word.

    Raises:
        OSError: nobody does.
    """
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if host and port.isdigit():
        socket.create_connection((host, int(port)), ANSWER).close()


def _short_place() -> Path:
    """A folder of ours for Ray's logs and sockets; a socket's path may have 107 characters, of which Ray itself takes 70."""
    short = len(tempfile.gettempdir()) <= 20
    return Path(tempfile.mkdtemp(prefix="sayso-ray-", dir=None if short else "/tmp"))  # noqa: S108 - mkdtemp makes it ours alone


def _run(
    ray: Any,
    jobs: Sequence[Job],
    config: ReplayConfig,
    fleet: Fleet,
    kept: _Kept,
    failed: dict[str, str],
    told: Callable[[Progress], None],
) -> dict[str, _Plan]:
    """Plan every bag, play every part that is not finished, and keep what comes."""
    plan_bag = ray.remote(_plan).options(max_retries=RETRIES)
    play_part = ray.remote(_play).options(max_retries=RETRIES, scheduling_strategy="SPREAD")
    shared = ray.put(config)
    plans: dict[str, _Plan] = {}
    planning = {plan_bag.remote(job.name, job.path, shared, fleet.longest): job.name for job in jobs}
    playing: dict[Any, tuple[str, str]] = {}
    done, total, skipped = 0, len(jobs), 0
    told(Progress(done, total, skipped))
    while planning or playing:
        (ready,), _ = ray.wait([*playing, *planning], num_returns=1)
        if ready in planning:
            name = planning.pop(ready)
            plan = _result(ray, ready, name, failed)
            if plan is None:
                done += 1
                told(Progress(done, total, skipped, name, failed[name]))
                continue
            plans[name] = plan
            total += len(plan.parts) - 1
            for part, key in zip(plan.parts, plan.keys, strict=True):
                if kept.has(name, key):
                    done, skipped = done + 1, skipped + 1
                    told(Progress(done, total, skipped, name))
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
        told(Progress(done, total, skipped, name, failed.get(name, "")))
    return plans


def _result(ray: Any, task: Any, name: str, failed: dict[str, str]) -> Any:
    """What the task gave; None where it failed, and then it is noted why. The others go on."""
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
    """A machine of the cluster has another Sayso, other models or another domain file."""


def _plan(name: str, path: Path, config: ReplayConfig, longest: float) -> _Plan:
    """Runs on a worker: which parts there are, and by what key each part's result is known."""
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
        pass  # whoever plays it says what is wrong with it
    keys = tuple(key_of(name, path, config, part, made_with) for part in parts)
    return _Plan(name, path, parts, keys, made_with)


def _play(name: str, path: Path, config: ReplayConfig, part: Slice | None, keep_media: bool, made_with: Mapping[str, str]) -> Played:
    """Runs on a worker: one part's result, its sounds and pictures with it."""
    here = _made_with(config)
    if here != made_with:
        other = ", ".join(name for name in made_with if made_with[name] != here.get(name)) or "what is installed"
        raise OtherMachineError(f"the machines of the cluster do not have the same Sayso: {other} differs on {platform.node()}")
    job = Job(path, name, part)
    if not keep_media:
        return Played(play(job, config))
    with tempfile.TemporaryDirectory(prefix="sayso-media-") as place:
        result = play(job, config, Path(place))
        return Played(result, {item.file: (Path(place) / name / item.file).read_bytes() for item in result.media})


def _absolute(config: ReplayConfig) -> ReplayConfig:
    """Workers run in folders of their own."""
    paths = {name: path.resolve() for name in ("domain", "models", "whisper_weights") if (path := getattr(config, name)) is not None}
    return replace(config, **paths)


def _made_with(config: ReplayConfig) -> dict[str, str]:
    return {"sayso": __version__, **fingerprint(config)}
