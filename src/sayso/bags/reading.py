"""A bag, read as far as it can be: MCAP or sqlite3, whole or split, compressed or not. What cannot be read is named, not raised."""

from __future__ import annotations

import itertools
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import yaml
from backports import zstd
from rosbags.interfaces import Connection
from rosbags.rosbag2.errors import ReaderError
from rosbags.rosbag2.storage_mcap import McapReader
from rosbags.rosbag2.storage_sqlite3 import Sqlite3Reader

from sayso.bags.definitions import first_line, store_of
from sayso.bags.mcap_files import IndexedMcap, UnindexedMcap, jumps_back, notes_of
from sayso.errors import SaysoError

METADATA = "metadata.yaml"
KINDS = (".mcap", ".db3")
_ZSTD = b"\x28\xb5\x2f\xfd"  # the magic that a zstd frame begins with; a CDR message begins with a zero
_YAML: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

Storage = McapReader | Sqlite3Reader
Message = tuple[Connection, int, bytes]  # where it was said, when it was recorded (ns), as it came off the wire


@dataclass(frozen=True, slots=True)
class BagProblem:
    """Something of a bag that could not be used as it should."""

    where: str  # the file or the topic
    what: str  # one line for a person

    def __str__(self) -> str:
        return f"{self.where}: {self.what}"


class Bag:
    """An open bag: a folder as rosbag2 leaves it, a folder of its files alone, or one file. Use it as a context manager.

    Messages come in the order of the files; within a file by time, except that a clock that was set back is followed.

    Raises:
        SaysoError: nothing of it can be read; one line that says why.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.problems: list[BagProblem] = []
        self.storages: list[Storage] = []
        self._stack = ExitStack()
        self._warned: set[str] = set()
        try:
            for file in self._files():
                self._open(file)
        except BaseException:
            self.close()
            raise
        if not self.storages:
            self.close()
            reasons = "; ".join(dict.fromkeys(map(str, self.problems))) or f"no {' or '.join(KINDS)} file in it"
            raise SaysoError(f"{path}: nothing can be read: {reasons}")

    def __enter__(self) -> Bag:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the files; safe to call twice."""
        self._stack.close()

    @property
    def connections(self) -> list[Connection]:
        """Every topic with its type, once for each file that has it."""
        return [connection for storage in self.storages for connection in storage.connections]

    @property
    def counts(self) -> dict[str, int]:
        """Messages by topic."""
        found: dict[str, int] = {}
        for connection in self.connections:
            found[connection.topic] = found.get(connection.topic, 0) + connection.msgcount
        return found

    @cached_property
    def metadata(self) -> dict[str, dict[str, str]]:
        """Texts that the recorder kept with the bag, by name: versions, models, parameters, the domain."""
        found: dict[str, dict[str, str]] = {}
        for storage in self.storages:
            if isinstance(storage, McapReader):
                found.update(notes_of(storage, partial(self.complain, Path(str(storage.path)).name)))
        return found

    @property
    def start_time(self) -> int:
        """When the first message was recorded, ns; 0 where there is none."""
        return min((one.metadata.start_time for one in self.storages if one.metadata.message_count), default=0)

    @property
    def end_time(self) -> int:
        """One past the time of the last message, ns; 0 where there is none."""
        return max((one.metadata.end_time for one in self.storages if one.metadata.message_count), default=0)

    @property
    def jumped(self) -> bool:
        """Was the clock set back while it was recorded? Then a time may stand for two moments."""
        files = [one.metadata for one in self.storages if one.metadata.message_count]
        between = any(after.start_time < before.end_time - 1_000_000_000 for before, after in itertools.pairwise(files))
        return between or any(isinstance(one, McapReader) and bool(jumps_back(one)) for one in self.storages)

    def messages(self, connections: Sequence[Connection] = (), start: int | None = None, stop: int | None = None) -> Iterator[Message]:
        """Those of the connections (all where empty) that were recorded at start <= time < stop (ns)."""
        for index in range(len(self.storages)):
            chosen = [one for one in self.storages[index].connections if not connections or _among(one, connections)]
            if chosen:
                yield from self._of_file(index, chosen, start, stop)

    def deserialize(self, raw: bytes, connection: Connection) -> Any:
        """The message; raises SaysoError where its type is not known, or it is not of that type."""
        store = store_of(connection)
        try:
            return store.deserialize_cdr(raw, connection.msgtype)
        except Exception as broken:  # noqa: BLE001 - rosbags raises whatever its generated code runs into
            raise SaysoError(f"a message is no {connection.msgtype} ({str(broken) or type(broken).__name__})") from None

    def complain(self, where: str, what: str) -> None:
        """Keep a problem; the same one is kept once."""
        problem = BagProblem(where, what)
        if problem not in self.problems:
            self.problems.append(problem)

    def _of_file(self, index: int, connections: list[Connection], start: int | None, stop: int | None) -> Iterator[Message]:
        """One file's messages; where it proves damaged on the way, what is left of it by the records themselves."""
        latest, again, found = -1, 0, 0
        try:
            for connection, time, data in self.storages[index].messages(connections, start, stop):
                again = again + 1 if time == latest else 1
                latest, found = time, found + 1
                yield connection, time, _unpacked(data)
        except Exception as damaged:  # noqa: BLE001 - decompressors and databases raise errors of their own
            storage = self.storages[index]
            file = Path(str(storage.path))
            if isinstance(storage, UnindexedMcap) or not isinstance(storage, McapReader):
                self.complain(file.name, f"cannot be read further ({first_line(damaged)})")
                return
            self.complain(file.name, f"damaged ({first_line(damaged)}); read record by record from there")
            rest = self._mended(file)
            if rest is None:
                return
            try:
                for connection, time, data in rest.messages([one for one in rest.connections if _among(one, connections)], start, stop):
                    if time < latest or (time == latest and again > 0):
                        again -= time == latest
                        continue
                    yield connection, time, _unpacked(data)
            except Exception as beyond:  # noqa: BLE001 - as above
                self.complain(file.name, f"cannot be read further ({first_line(beyond)})")
            return
        lost = sum(connection.msgcount for connection in connections) - found
        if lost > 0 and start is None and stop is None:
            self.complain(self._name(index), f"damaged: messages that it is said to hold, and does not: {lost}")

    def _name(self, index: int) -> str:
        return Path(str(self.storages[index].path)).name

    def _files(self) -> list[Path]:
        """The files of the bag, in order."""
        try:
            if not self.path.exists():
                raise SaysoError(f"{self.path}: no such file or folder")
            if self.path.is_file():
                return [self.path]
            lying = sorted((file for file in self.path.iterdir() if _kind(file)), key=_natural)
        except OSError as closed:
            raise SaysoError(f"{self.path}: {_refusal(closed)}") from None
        listed = self._listed()
        missing = [name for name in listed if not (self.path / name).exists()]
        for name in missing:
            self.complain(name, f"is named by {METADATA}, and missing")
        named = [self.path / name for name in listed if name not in missing]
        # What was being written when the recorder was killed is not in the list of a bag that was split.
        return [*named, *(file for file in lying if file not in named)]

    def _listed(self) -> list[str]:
        """The names of the files as metadata.yaml has them."""
        file = self.path / METADATA
        if not file.exists():
            return []
        try:
            told = yaml.load(file.read_text(encoding="utf-8"), Loader=_YAML)  # noqa: S506 - safe
            return [Path(name).name for name in told["rosbag2_bagfile_information"]["relative_file_paths"]]
        except OSError as closed:
            self.complain(METADATA, f"{_refusal(closed)}; the files beside it are taken")
        except (UnicodeDecodeError, yaml.YAMLError, KeyError, TypeError) as unreadable:
            self.complain(METADATA, f"cannot be read ({first_line(unreadable)}); the files beside it are taken")
        return []

    def _open(self, file: Path) -> None:
        try:
            with file.open("rb") as head:
                packed = head.read(4) == _ZSTD
        except OSError as closed:
            self.complain(file.name, _refusal(closed))
            return
        storage = self._storage(self._unpack(file) if packed else file, file.name)
        if storage is None:
            return
        self.storages.append(storage)
        self._stack.callback(lambda: suppressed_close(storage))
        if not storage.metadata.message_count:
            self.complain(file.name, "holds no messages")
        if isinstance(storage, McapReader):
            for before, after in jumps_back(storage):
                self.complain(file.name, f"the clock jumps back by {(before - after) * 1e-9:.1f} s; followed as it was recorded")

    def _storage(self, file: Path, name: str) -> Storage | None:
        kind = _kind(file)
        if kind == ".db3":
            database = Sqlite3Reader(file)
            try:
                database.open()
            except Exception as unreadable:  # noqa: BLE001 - apsw's errors have no common base with rosbags'
                self.complain(name, f"no sqlite3 bag that can be read ({first_line(unreadable)})")
                return None
            named = [one for one in database.connections if isinstance(one.topic, str) and isinstance(one.msgtype, str)]
            if len(named) < len(database.connections):
                self.complain(name, f"topics without a name or a type are left out: {len(database.connections) - len(named)}")
                database.connections = named
            if stray := database.metadata.message_count - sum(one.msgcount for one in named):
                self.complain(name, f"messages of topics that it does not name are left out: {stray}")
            return database
        mcap = IndexedMcap(file, lambda what: self.complain(name, what))
        try:
            mcap.open()
        except Exception as unreadable:  # noqa: BLE001 - a torn index fails in many ways
            return self._mended(file, name, first_line(unreadable))
        return mcap

    def _mended(self, file: Path, name: str = "", why: str = "") -> UnindexedMcap | None:
        name = name or file.name
        scanned = UnindexedMcap(file, lambda what: self.complain(name, what))
        try:
            scanned.open()
        except ReaderError as unreadable:
            self.complain(name, first_line(unreadable))
            return None
        if why:
            self.complain(name, f"has no index that can be used ({why}); read record by record")
        return scanned

    def _unpack(self, file: Path) -> Path:
        """A file that was compressed as a whole, unpacked into a place of its own."""
        place = self._stack.enter_context(tempfile.TemporaryDirectory(prefix="sayso-bag-"))
        unpacked = Path(place) / (file.stem if file.suffix == ".zstd" else file.name)
        try:
            with zstd.open(file, "rb") as source, unpacked.open("wb") as target:
                shutil.copyfileobj(source, target, 1 << 20)
        except (zstd.ZstdError, EOFError) as cut:
            self.complain(file.name, f"cut off or damaged ({first_line(cut)})")
        except OSError as full:
            raise SaysoError(f"{file}: cannot be unpacked to {place} ({full.strerror}); set TMPDIR to a larger disk") from None
        return unpacked


def suppressed_close(storage: Storage) -> None:
    """Close it, whatever state it is in."""
    with suppress(Exception):
        storage.close()


def _among(connection: Connection, wanted: Sequence[Connection]) -> bool:
    return any(one.topic == connection.topic and one.msgtype == connection.msgtype for one in wanted)


def _unpacked(data: bytes) -> bytes:
    """A message that was compressed on its own, whole again."""
    return zstd.decompress(data) if data[:4] == _ZSTD else data


def _kind(file: Path) -> str:
    """.mcap or .db3, also of a file compressed as a whole; empty for any other."""
    suffix = file.with_suffix("").suffix if file.suffix == ".zstd" else file.suffix
    return suffix if suffix in KINDS else ""


def _natural(file: Path) -> list[tuple[int, str]]:
    """bag_2 before bag_10."""
    parts = file.name.replace(".", "_").split("_")
    return [(int(part), "") if part.isdigit() else (-1, part) for part in parts]


def _refusal(error: OSError) -> str:
    return "no permission to read it" if isinstance(error, PermissionError) else f"cannot be read ({error.strerror})"
