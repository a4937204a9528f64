"""Which recordings there are: bags and demo runs in the folders that the server was given. A page names them by the ids made here."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from sayso.bags.files import kind_of
from sayso.bags.reading import Bag
from sayso.bags.topics import find_topics
from sayso.errors import SaysoError
from sayso.evaluation.run import Record

MOST = 300  # recordings shown, newest first
LOOKED_AT = 5000  # entries of a folder
WALL_CLOCK = 946_684_800  # s: an earlier time (before 2000) is of a simulation's clock
REPORT = "report.html"
LARGEST_REPORT = 256_000_000  # bytes


@dataclass(frozen=True, slots=True)
class Shelved:
    """A recording that was found."""

    id: str  # of letters and digits, the same as long as it lies there
    name: str
    bag: Path  # folder or file
    run: Path | None  # folder of a demo run, with run.json and report.html
    changed: int  # ns; another number means another content

    @property
    def report(self) -> Path | None:
        """Its report, if there is one."""
        file = self.run / REPORT if self.run else None
        return file if file is not None and file.is_file() and not file.is_symlink() and file.stat().st_size <= LARGEST_REPORT else None

    @property
    def record(self) -> Record:
        """What run.json says. Raises SaysoError if it is damaged."""
        return Record.read(self.run) if self.run and not (self.run / "run.json").is_symlink() else Record()


class Shelf:
    """Finds recordings, and describes each in a line. Not safe for threads: its owner has a lock."""

    def __init__(self, folders: Sequence[Path]) -> None:
        self._folders = tuple(dict.fromkeys(folders))
        self._described: dict[tuple[str, int], dict[str, Any]] = {}

    def recordings(self) -> list[Shelved]:
        """The recordings that are there now, newest first. Links that lead out of a folder are left out."""
        found = {one.id: one for folder in self._folders for one in _in_folder(folder)}
        return sorted(found.values(), key=lambda one: -one.changed)[:MOST]

    def find(self, wanted: str) -> Shelved:
        """The recording of that id.

        Raises:
            SaysoError: there is none, or none any more.
        """
        found = next((one for one in self.recordings() if one.id == wanted), None)
        if found is None:
            raise SaysoError("there is no such recording any more")
        return found

    def lines(self) -> list[dict[str, Any]]:
        """One line for each recording."""
        present = self.recordings()
        self._described = {(one.id, one.changed): self._described.get((one.id, one.changed)) or described(one) for one in present}
        return list(self._described.values())


def described(shelved: Shelved) -> dict[str, Any]:
    """Date, length in s, number of utterances, and whether all went as expected (None: nothing was expected)."""
    line: dict[str, Any] = {"id": shelved.id, "name": shelved.name, "report": shelved.report is not None, "problem": "", "expected": None}
    line |= {"date": _date(shelved.changed * 1e-9), "seconds": 0.0, "utterances": 0, "pictures": 0}
    try:
        record = shelved.record
        line["expected"] = all(act.ok for act in record.acts) if record.acts else None
        with Bag(shelved.bag) as bag:
            topics = find_topics(bag)
            line["utterances"] = sum(connection.msgcount for connection in topics["transcript"])
            line["pictures"] = sum(connection.msgcount for connection in topics["camera/image"])
            line["seconds"] = max(bag.end_time - bag.start_time, 0) * 1e-9
            line["problem"] = "; ".join(map(str, bag.problems[:3]))
            if bag.start_time * 1e-9 > WALL_CLOCK:
                line["date"] = _date(bag.start_time * 1e-9)
        line["date"] = record.when or line["date"]
    except SaysoError as unreadable:
        line["problem"] = str(unreadable)
    return line


def _in_folder(folder: Path) -> Iterator[Shelved]:
    """The recordings in a folder; the folder itself may be one."""
    try:
        root = folder.resolve(strict=True)
        entries = [root, *sorted(root.iterdir())[:LOOKED_AT]] if root.is_dir() else [root]
    except (OSError, RuntimeError):  # it is not there (yet), or may not be read
        return
    for entry in entries:
        try:
            found = _recording(entry, root)
        except OSError:  # it was removed meanwhile
            continue
        if found is not None:
            yield found


def _recording(entry: Path, root: Path) -> Shelved | None:
    is_run = (entry / "bag").is_dir()
    bag = entry / "bag" if is_run else entry
    if not _inside(bag, root) or not _inside(entry, root):
        return None
    files = [bag] if bag.is_file() else [file for file in bag.iterdir() if kind_of(file)] if bag.is_dir() else []
    if not files or not all(kind_of(file) and _inside(file, root) for file in files):
        return None
    changed = max(file.stat().st_mtime_ns for file in files)
    name = hashlib.sha256(str(bag).encode("utf-8", "surrogateescape")).hexdigest()[:20]
    shown = entry.name.encode("utf-8", "replace").decode()
    return Shelved(name, shown, bag, entry if is_run else None, changed)


def _inside(path: Path, root: Path) -> bool:
    return path.resolve().is_relative_to(root)


def _date(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, timezone.utc).isoformat(timespec="seconds")
