"""The results of tasks as files, named by a hash of their inputs. An interrupted replay continues from them."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from sayso.bags.reading import BagProblem
from sayso.errors import SaysoError
from sayso.replay.types import SCHEMA, Latency, Media, ReplayConfig, ReplayResult, Slice, UtteranceRecord

FOLDER = "parts"  # of the results' folder
BLOCK, STRIDE = 2**16, 2**24  # bytes: 64 KiB of every 16 MiB of a file are hashed, and both ends


@dataclass(frozen=True, slots=True)
class Played:
    """A task's result with its sounds and pictures."""

    result: ReplayResult
    media: Mapping[str, bytes] = field(default_factory=dict)  # by file name


class Finished:
    """A folder with a file per finished task."""

    def __init__(self, out: Path) -> None:
        """Raises SaysoError if the folder cannot be made."""
        self._folder = out / FOLDER
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
        except OSError as refused:
            raise SaysoError(f"{self._folder} cannot be made: {refused.strerror}") from None

    def has(self, key: str, media: Path | None = None) -> bool:
        """Whether the task is finished and, if `media` is given, its sounds and pictures are in that folder."""
        try:
            result = self.load(key)
        except SaysoError:
            return False
        record = json.loads(self._file(key).read_text(encoding="utf-8"))
        return media is None or (bool(record["with_media"]) and all((media / item.file).is_file() for item in result.media))

    def keep(self, key: str, played: Played, media: Path | None = None) -> None:
        """Write the sounds and pictures into their folder, then the result, completely or not at all.

        Raises:
            SaysoError: the disk is full or not writable.
        """
        try:
            for name, content in played.media.items():
                if media is not None:
                    media.mkdir(parents=True, exist_ok=True)
                    (media / name).write_bytes(content)
            partial = self._file(key).with_suffix(f".{os.getpid()}.partial")
            record = {"with_media": media is not None, **_data(played.result)}
            partial.write_text(json.dumps(record, ensure_ascii=False) + "\n", encoding="utf-8")
            partial.replace(self._file(key))
        except OSError as refused:
            raise SaysoError(f"{self._folder}: cannot write ({refused.strerror}); the next run continues from finished parts") from None

    def load(self, key: str) -> ReplayResult:
        """Read a result.

        Raises:
            SaysoError: it is missing, or another version of Sayso wrote it.
        """
        file = self._file(key)
        try:
            return _result(json.loads(file.read_text(encoding="utf-8")))
        except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError) as unreadable:
            raise SaysoError(f"{file} cannot be read ({type(unreadable).__name__}); run the replay again") from None

    def _file(self, key: str) -> Path:
        return self._folder / f"{key}.json"


def key_of(name: str, path: Path, config: ReplayConfig, part: Slice | None, made_with: Mapping[str, str]) -> str:
    """A hash of everything a result depends on: bag, slice, configuration, models, domain and version of Sayso."""
    settings = {
        field: value
        for field, value in asdict(config).items()
        if field not in {"domain", "models"}  # their content is in `made_with`
    }
    inputs = {
        "name": name,
        "bag": _content(path),
        "config": settings,
        "part": asdict(part) if part else None,
        "made_with": dict(made_with),
        "schema": SCHEMA,
    }
    return hashlib.sha256(json.dumps(inputs, sort_keys=True, default=str).encode()).hexdigest()[:32]


def _content(path: Path) -> str:
    """A quick hash of a bag: names, sizes, and a block every few megabytes.

    Small edits in place go unnoticed; recorders do not make them.
    """
    found = hashlib.sha256()
    try:
        files = sorted(file for file in path.iterdir() if file.is_file()) if path.is_dir() else [path]
    except OSError as unreadable:
        return f"errno {unreadable.errno}"
    for file in files:
        try:
            size = file.stat().st_size
            found.update(f"{file.name} {size}\n".encode())
            with file.open("rb") as source:
                for start in (*range(0, size, STRIDE), max(size - BLOCK, 0)):
                    source.seek(start)
                    found.update(source.read(BLOCK))
        except OSError as unreadable:
            found.update(f"{file.name}: {unreadable.errno}\n".encode())
    return found.hexdigest()


def _data(result: ReplayResult) -> dict[str, Any]:
    plain = {
        "bag": result.bag,
        "seconds": result.seconds,
        "messages": result.messages,
        "bytes": result.bytes,
        "failed": result.failed,
        "counts": dict(result.counts),
    }
    return {
        **plain,
        "records": [record.data() for record in result.records],
        "latencies": [asdict(latency) for latency in result.latencies],
        "details": [dict(detail) for detail in result.details],
        "media": [asdict(item) for item in result.media],
        "problems": [asdict(problem) for problem in result.problems],
    }


def _result(record: Mapping[str, Any]) -> ReplayResult:
    return ReplayResult(
        bag=record["bag"],
        records=tuple(UtteranceRecord.of(one) for one in record["records"]),
        latencies=tuple(Latency(**one) for one in record["latencies"]),
        details=tuple(record["details"]),
        media=tuple(Media(**one) for one in record["media"]),
        problems=tuple(BagProblem(**one) for one in record["problems"]),
        seconds=record["seconds"],
        messages=record["messages"],
        bytes=record["bytes"],
        failed=record["failed"],
        counts=record["counts"],
    )
