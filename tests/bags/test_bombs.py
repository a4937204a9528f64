"""A small bag does not fill the memory and does not run without end, whatever it claims about itself."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from backports import zstd
from mcap.writer import CompressionType
from mcap.writer import Writer as McapWriter
from rosbags.rosbag2 import CompressionMode, StoragePlugin
from rosbags.rosbag2.errors import ReaderError

from limited import only
from recorded_run import store
from replay_bags import BEGAN, TRANSCRIPT, heard, save_as_rosbag2
from sayso.bags import unpacking
from sayso.bags.mcap_records import MAGIC
from sayso.bags.reading import Bag
from sayso.bags.unpacking import Allowance, unpacked_chunk

SAID = [heard(second, "stop") for second in range(2, 40, 4)]


def mcap(file: Path, messages: list[tuple[float, bytes]], chunk: int, compression: CompressionType = CompressionType.ZSTD) -> Path:
    with file.open("wb") as target:
        writer = McapWriter(target, chunk_size=chunk, compression=compression)
        writer.start("ros2", "")
        schema = writer.register_schema(TRANSCRIPT, "ros2msg", store().generate_msgdef(TRANSCRIPT)[0].encode())
        channel = writer.register_channel("/transcript", "cdr", schema)
        for time, data in messages:
            when = round((BEGAN + time) * 1e9)
            writer.add_message(channel, when, data, when)
        writer.finish()
    return file


def read_all(file: Path) -> tuple[int, str]:
    """Messages and problems; the messages are not kept."""
    with Bag(file) as bag:
        return sum(1 for _ in bag.messages()), "; ".join(map(str, bag.problems))


def within_limits(file: Path, megabytes: int = 500, seconds: float = 20.0) -> tuple[int, str]:
    """What `read_all` finds in a process with that little memory."""
    found = file.with_suffix(".found")
    outcome = only(lambda _: found.write_text(repr(read_all(file))), b"", seconds, megabytes)
    assert outcome.kind in ("read", "refused"), outcome
    return eval(found.read_text()) if outcome.kind == "read" else (0, outcome.said)


@pytest.mark.parametrize("compression", [CompressionType.ZSTD, CompressionType.LZ4])
def test_a_chunk_that_unpacks_to_gigabytes_is_left_out(tmp_path: Path, compression: CompressionType) -> None:
    real = [(time, data) for time, _, _, data in SAID]
    bomb = mcap(tmp_path / "bomb.mcap", [*real, (50.0, bytes(300_000_000)), *((time + 60, data) for time, data in real)], 1000, compression)
    assert bomb.stat().st_size < 2_000_000
    count, problems = within_limits(bomb)
    assert count >= 1.5 * len(SAID)  # the chunk begins with some messages that are lost with it
    assert "300 MB" in problems
    assert "left out" in problems


def test_many_chunks_are_not_unpacked_without_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unpacking, "ALWAYS", 4_000_000)
    bomb = mcap(tmp_path / "bomb.mcap", [(float(second), bytes(500_000)) for second in range(40)], 400_000)
    assert bomb.stat().st_size < 20_000
    count, problems = read_all(bomb)
    assert count == 7
    assert "more than 200 times its size" in problems


def test_chunks_of_the_same_time_are_not_all_held_at_once(tmp_path: Path) -> None:
    """A recorder writes chunks one after another; a file whose chunks all overlap could make us hold all of them to sort them."""
    file = mcap(tmp_path / "wide.mcap", [(float(second % 2), os.urandom(100) + bytes(20_000_000)) for second in range(24)], 10_000_000)
    count, problems = within_limits(file, seconds=60.0)
    assert "more than" in problems  # 480 MB of zeros: beyond the allowance of so small a file
    assert count >= 10


def test_messages_of_overlapping_chunks_come_by_time(tmp_path: Path) -> None:
    times = [0.1 * (second % 7) + second / 1000 for second in range(60)]
    with Bag(mcap(tmp_path / "wide.mcap", [(time, SAID[0][3]) for time in times], 1000)) as bag:
        found = [time for _, time, _ in bag.messages()]
    assert found == sorted(round((BEGAN + time) * 1e9) for time in times)


def test_a_chunk_must_be_what_it_claims() -> None:
    packed = zstd.compress(b"abc") + zstd.compress(b"def")  # a stream may have several frames
    assert unpacked_chunk(packed, "zstd", 6, 0, Allowance(0)) == b"abcdef"
    for size, data, crc in ((5, packed, 0), (7, packed, 0), (6, packed[:-3], 0), (6, packed, 1)):
        with pytest.raises(ReaderError):
            unpacked_chunk(data, "zstd", size, crc, Allowance(0))
    with pytest.raises(ReaderError, match="unknown compression"):
        unpacked_chunk(b"", "brotli", 0, 0, Allowance(0))


def test_a_whole_compressed_file_is_unpacked_to_a_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unpacking, "ALWAYS", 1_000_000)
    (tmp_path / "bag.mcap.zstd").write_bytes(zstd.compress(MAGIC + bytes(50_000_000)))
    assert "more than 200 times its size" in read_all(tmp_path / "bag.mcap.zstd")[1]


def sqlite_bag(folder: Path) -> Path:
    (file,) = save_as_rosbag2(folder / "bag", SAID, StoragePlugin.SQLITE3, CompressionMode.NONE).glob("*.db3")
    return file


ENDLESS = (
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i AS id, 1 AS topic_id, i AS timestamp, x'00' AS data FROM n"
)
TRICKS: dict[str, tuple[str, ...]] = {
    "a view without end": ("DROP TABLE messages", f"CREATE VIEW messages AS {ENDLESS}"),
    "another view": (f"CREATE VIEW schema_version AS {ENDLESS}",),
    "a computed column": (
        "DROP TABLE messages",
        "CREATE TABLE messages(id INTEGER PRIMARY KEY, topic_id INTEGER, timestamp INTEGER, data BLOB AS (zeroblob(900000000)))",
        "INSERT INTO messages(topic_id, timestamp) VALUES (1, 1)",
    ),
    "a virtual table": ("CREATE VIRTUAL TABLE search USING fts5(x)",),
    "a trigger": ("CREATE TRIGGER t AFTER INSERT ON messages BEGIN SELECT 1; END",),
    "long QoS": ("UPDATE topics SET offered_qos_profiles = replace(hex(zeroblob(500000)), '0', '[')",),
}


@pytest.mark.parametrize("trick", TRICKS)
def test_an_sqlite_bag_consists_of_tables_that_store_values(tmp_path: Path, trick: str) -> None:
    file = sqlite_bag(tmp_path)
    assert read_all(file) == (len(SAID), "")
    with closing(sqlite3.connect(file)) as database, database:
        for statement in TRICKS[trick]:
            database.execute(statement)
    count, problems = within_limits(file)
    assert count == 0
    assert "not a readable sqlite3 bag" in problems
