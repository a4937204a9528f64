"""Reads bags: MCAP or sqlite3, whole or split, compressed or not. Damage is noted as a problem; the rest is read."""

from __future__ import annotations

import itertools
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from backports import zstd
from rosbags.interfaces import Connection
from rosbags.rosbag2.errors import ReaderError
from rosbags.rosbag2.storage_mcap import McapReader
from rosbags.rosbag2.storage_sqlite3 import Sqlite3Reader

from sayso.bags.definitions import first_line, store_of
from sayso.bags.files import KINDS, files_of, kind_of, refusal
from sayso.bags.mcap_files import IndexedMcap, NoIndexError, jumps_back, notes_of
from sayso.bags.mcap_unindexed import UnindexedMcap
from sayso.bags.sqlite_files import refuse_tricks
from sayso.bags.unpacking import RATIO, ZSTD, Allowance, unpack_file, unpacked_message
from sayso.errors import SaysoError

Storage = McapReader | Sqlite3Reader
Message = tuple[Connection, int, bytes]  # topic and type, time of recording (ns), serialised message


@dataclass(frozen=True, slots=True)
class BagProblem:
    """A part of a bag that could not be used."""

    where: str  # the file or the topic
    what: str  # one line for a person

    def __str__(self) -> str:
        return f"{self.where}: {self.what}"


class Bag:
    """An open bag: a folder written by rosbag2, a folder with only its files, or one file. Use it as a context manager.

    Messages come in the order of the files, and within a file by time; if the clock was set back, in the recorded order.

    Raises:
        SaysoError: nothing can be read; the message says why in one line.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.problems: list[BagProblem] = []
        self.storages: list[Storage] = []
        self._stack = ExitStack()
        self._warned: set[str] = set()
        try:
            for file in files_of(path, self.complain):
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
        """Every topic with its type, once per file."""
        return [connection for storage in self.storages for connection in storage.connections]

    @property
    def counts(self) -> dict[str, int]:
        """Number of messages by topic."""
        found: dict[str, int] = {}
        for connection in self.connections:
            found[connection.topic] = found.get(connection.topic, 0) + connection.msgcount
        return found

    @cached_property
    def metadata(self) -> dict[str, dict[str, str]]:
        """Metadata that the recorder wrote into the bag, by name: versions, models, parameters, the domain."""
        found: dict[str, dict[str, str]] = {}
        for storage in self.storages:
            if isinstance(storage, McapReader):
                found.update(notes_of(storage, partial(self.complain, Path(str(storage.path)).name)))
        return found

    @property
    def start_time(self) -> int:
        """Time of the first message, ns; 0 if there is none."""
        return min((one.metadata.start_time for one in self.storages if one.metadata.message_count), default=0)

    @property
    def end_time(self) -> int:
        """Time of the last message plus 1 ns; 0 if there is none."""
        return max((one.metadata.end_time for one in self.storages if one.metadata.message_count), default=0)

    @property
    def jumped(self) -> bool:
        """Whether the clock was set back during the recording. The same time may then occur twice."""
        files = [one.metadata for one in self.storages if one.metadata.message_count]
        between = any(after.start_time < before.end_time - 1_000_000_000 for before, after in itertools.pairwise(files))
        return between or any(isinstance(one, McapReader) and bool(jumps_back(one)) for one in self.storages)

    def messages(self, connections: Sequence[Connection] = (), start: int | None = None, stop: int | None = None) -> Iterator[Message]:
        """Messages of these connections (all if empty) recorded at start <= time < stop (ns)."""
        for index in range(len(self.storages)):
            chosen = [one for one in self.storages[index].connections if not connections or _among(one, connections)]
            if chosen:
                yield from self._of_file(index, chosen, start, stop)

    def deserialize(self, raw: bytes, connection: Connection) -> Any:
        """The message. Raises SaysoError if its type is unknown or does not fit."""
        store = store_of(connection)
        try:
            return store.deserialize_cdr(raw, connection.msgtype)
        except Exception as broken:  # noqa: BLE001 - rosbags lets any exception of its generated code through
            raise SaysoError(f"a message is not a valid {connection.msgtype} ({str(broken) or type(broken).__name__})") from None

    def complain(self, where: str, what: str) -> None:
        """Note a problem, once."""
        problem = BagProblem(where, what)
        if problem not in self.problems:
            self.problems.append(problem)

    def _of_file(self, index: int, connections: list[Connection], start: int | None, stop: int | None) -> Iterator[Message]:
        """The messages of one file. If its index turns out damaged, read the rest record by record."""
        latest, again, found = -1, 0, 0
        allowance = Allowance(Path(str(self.storages[index].path)).stat().st_size)
        try:
            for connection, time, data in self.storages[index].messages(connections, start, stop):
                again = again + 1 if time == latest else 1
                latest, found = time, found + 1
                yield connection, time, unpacked_message(data, allowance)
        except Exception as damaged:  # noqa: BLE001 - decompressors and databases raise errors of their own
            why = first_line(damaged)  # and not the error itself, which keeps the chunks that were being read in memory
        else:
            lost = sum(connection.msgcount for connection in connections) - found
            if lost > 0 and start is None and stop is None:
                self.complain(self._name(index), f"damaged: {lost} messages are missing that it should hold")
            return
        storage = self.storages[index]
        file = Path(str(storage.path))
        if isinstance(storage, UnindexedMcap) or not isinstance(storage, McapReader):
            self.complain(file.name, f"cannot be read further ({why})")
            return
        self.complain(file.name, f"damaged ({why}); read record by record from there")
        rest = self._mended(file)
        if rest is None:
            return
        try:
            for connection, time, data in rest.messages([one for one in rest.connections if _among(one, connections)], start, stop):
                if time < latest or (time == latest and again > 0):
                    again -= time == latest
                    continue
                yield connection, time, unpacked_message(data, allowance)
        except Exception as beyond:  # noqa: BLE001 - as above
            self.complain(file.name, f"cannot be read further ({first_line(beyond)})")

    def _name(self, index: int) -> str:
        return Path(str(self.storages[index].path)).name

    def _open(self, file: Path) -> None:
        try:
            with file.open("rb") as head:
                packed = head.read(4) == ZSTD
        except OSError as closed:
            self.complain(file.name, refusal(closed))
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
                self.complain(file.name, f"the clock jumps back by {(before - after) * 1e-9:.1f} s; read in the recorded order")

    def _storage(self, file: Path, name: str) -> Storage | None:
        kind = kind_of(file)
        if kind == ".db3":
            database = Sqlite3Reader(file)
            try:
                refuse_tricks(file)
                database.open()
            except Exception as unreadable:  # noqa: BLE001 - apsw's errors have no common base with rosbags'
                self.complain(name, f"not a readable sqlite3 bag ({first_line(unreadable)})")
                return None
            named = [one for one in database.connections if isinstance(one.topic, str) and isinstance(one.msgtype, str)]
            if len(named) < len(database.connections):
                self.complain(name, f"topics without a name or a type, left out: {len(database.connections) - len(named)}")
                database.connections = named
            if stray := database.metadata.message_count - sum(one.msgcount for one in named):
                self.complain(name, f"messages of unnamed topics, left out: {stray}")
            return database
        mcap = IndexedMcap(file, lambda what: self.complain(name, what))
        try:
            mcap.open()
        except NoIndexError:
            return self._mended(file, name)
        except Exception as unreadable:  # noqa: BLE001 - a torn index fails in many ways
            return self._mended(file, name, first_line(unreadable))
        return mcap

    def _mended(self, file: Path, name: str = "", why: str = "") -> UnindexedMcap | None:
        name, known = name or file.name, len(self.problems)
        scanned = UnindexedMcap(file, lambda what: self.complain(name, what))
        try:
            scanned.open()
        except ReaderError as unreadable:
            self.complain(name, first_line(unreadable))
            return None
        if why and len(self.problems) == known:  # otherwise the reason is known
            self.complain(name, f"has no usable index ({why}); read record by record")
        return scanned

    def _unpack(self, file: Path) -> Path:
        """Unpack a file that was compressed as a whole into a temporary folder."""
        place = self._stack.enter_context(tempfile.TemporaryDirectory(prefix="sayso-bag-"))
        unpacked = Path(place) / (file.stem if file.suffix == ".zstd" else file.name)
        try:
            with file.open("rb") as source, unpacked.open("wb") as target:
                if not unpack_file(source, target, file.stat().st_size):
                    self.complain(file.name, f"unpacks to more than {RATIO} times its size; the rest is left out")
        except (zstd.ZstdError, EOFError) as cut:
            self.complain(file.name, f"cut off or damaged ({first_line(cut)})")
        except OSError as full:
            raise SaysoError(f"{file}: cannot be unpacked to {place} ({full.strerror}); set TMPDIR to a larger disk") from None
        return unpacked


def suppressed_close(storage: Storage) -> None:
    """Close it in any state."""
    with suppress(Exception):
        storage.close()


def _among(connection: Connection, wanted: Sequence[Connection]) -> bool:
    return any(one.topic == connection.topic and one.msgtype == connection.msgtype for one in wanted)
