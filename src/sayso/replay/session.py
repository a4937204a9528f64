"""Plays and judges several bags in turn. A bag that fails does not stop the others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from sayso.errors import SaysoError
from sayso.replay.expectations import BESIDE, read_expected
from sayso.replay.judging import judged
from sayso.replay.play import replay_bag
from sayso.replay.results import MEDIA, Bagful, read_accepted
from sayso.replay.types import ReplayConfig, ReplayResult, Slice

PlayJob = Callable[["Job", ReplayConfig, Path | None], ReplayResult]


@dataclass(frozen=True, slots=True)
class Job:
    """A bag, or a slice of it, to play; with its name in the results."""

    path: Path
    name: str
    part: Slice | None = None


def jobs(paths: Iterable[Path]) -> list[Job]:
    """A job per bag. Bags with equal names get as many folder names as needed to tell them apart. A bag named twice is one job.

    Expectation files, which `lab/*` in a shell includes, are ignored.

    Raises:
        SaysoError: there is no such file or folder.
    """
    found = dict.fromkeys(path.resolve() for path in map(_there, paths) if not path.name.endswith(BESIDE))
    names = {path: path.name for path in found}
    for depth in range(2, max((len(path.parts) for path in found), default=2) + 1):
        often = Counter(names.values())
        if max(often.values(), default=0) < 2:
            break
        names = {path: "/".join(path.parts[-depth:]) if often[name] > 1 else name for path, name in names.items()}
    return [Job(path, name) for path, name in names.items()]


def play(job: Job, config: ReplayConfig, media: Path | None = None) -> ReplayResult:
    """Play a bag or slice, with its media in a folder under `media`. Errors in the bag go into the result.

    Raises:
        SaysoError: the configuration cannot be used.
    """
    folder = media / job.name if media is not None else None
    try:
        return replay_bag(job.path, config, job.part, name=job.name, media=folder)
    except SaysoError:
        raise
    except Exception as unforeseen:  # noqa: BLE001 - bags from others may hold anything; the next ones must still be played
        return ReplayResult(job.name, failed=f"{job.path}: {type(unforeseen).__name__}: {unforeseen}")


def session(
    chosen: Sequence[Job], config: ReplayConfig, *, expectations: Path | None = None, out: Path | None = None, engine: PlayJob = play
) -> Iterator[Bagful]:
    """Play and judge each bag, and yield it. Expectations are read first, so that an error in them costs no time."""
    open_to_us = [job for job in chosen if not _closed(job.path)]
    expected = {job: read_expected(job.path, expectations) for job in open_to_us}
    before = {job: read_accepted(job.path, expectations) for job in open_to_us}
    for job in chosen:
        result = engine(job, config, out / MEDIA if out is not None else None)
        wanted = expected.get(job)
        yield Bagful(job.path, replace(judged(result, wanted), bag=job.name), wanted, before.get(job, ()))


def _there(path: Path) -> Path:
    if not _closed(path) and not path.exists():
        raise SaysoError(f"{path}: no such file or folder")
    return path


def _closed(path: Path) -> bool:
    """Whether we lack permission to look at the path. Playing the bag then reports it."""
    try:
        path.stat()
    except PermissionError:
        return True
    except OSError:
        return False
    return False
