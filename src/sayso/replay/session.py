"""Several bags in a row: their names, each one played and judged, a failing one told and the next one taken."""

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

Played = Callable[["Job", ReplayConfig, Path | None], ReplayResult]


@dataclass(frozen=True, slots=True)
class Job:
    """A bag to play, by the name that it has in the results; or a slice of it."""

    path: Path
    name: str
    part: Slice | None = None


def jobs(paths: Iterable[Path]) -> list[Job]:
    """One for each bag. Bags of the same name get as much of their folders' names as tells them apart; the same bag twice is one job.

    What lies beside bags to judge them by is no bag, though a shell's `lab/*` names it too.

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
    """What an engine runs: the bag or slice, its media in a folder of its own under `media`. Whatever a bag does, it does not raise.

    Raises:
        SaysoError: the configuration cannot be used, whatever the bag.
    """
    folder = media / job.name if media is not None else None
    try:
        return replay_bag(job.path, config, job.part, name=job.name, media=folder)
    except SaysoError:
        raise
    except Exception as unforeseen:  # noqa: BLE001 - other people's bags hold anything; the others are to be played all the same
        return ReplayResult(job.name, failed=f"{job.path}: {type(unforeseen).__name__}: {unforeseen}")


def session(
    chosen: Sequence[Job], config: ReplayConfig, *, expectations: Path | None = None, out: Path | None = None, engine: Played = play
) -> Iterator[Bagful]:
    """Each bag, played and judged, as soon as it is. What is expected of them is read first: an error there costs nothing yet."""
    open_to_us = [job for job in chosen if not _closed(job.path)]
    expected = {job: read_expected(job.path, expectations) for job in open_to_us}
    before = {job: read_accepted(job.path, expectations) for job in open_to_us}
    for job in chosen:
        result = engine(job, config, out / MEDIA if out is not None else None)
        told = expected.get(job)
        yield Bagful(job.path, replace(judged(result, told), bag=job.name), told, before.get(job, ()))


def _there(path: Path) -> Path:
    if not _closed(path) and not path.exists():
        raise SaysoError(f"{path}: no such file or folder")
    return path


def _closed(path: Path) -> bool:
    """Does it lie where we must not even look? That is a failure of this bag alone, told when it is played."""
    try:
        path.stat()
    except PermissionError:
        return True
    except OSError:
        return False
    return False
