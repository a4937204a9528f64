"""Bags written without ROS are readable by rosbags alone, also after a kill, up to the last complete chunk."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from rosbags.highlevel import AnyReader
from rosbags.typesys import Stores, get_typestore

from patience import PATIENCE
from sayso.bags.reading import Bag
from sayso.bags.writing import BagWriter
from sayso.errors import SaysoError

STORE = get_typestore(Stores.ROS2_JAZZY)
STRING = "std_msgs/msg/String"


INCOMPLETE = "incomplete: the recording goes on, or its recorder was killed; all before is read (for other programs: `mcap recover`)"


def encoded(text: str) -> bytes:
    return bytes(STORE.serialize_cdr(STORE.types[STRING](data=text), STRING))


def texts(bag: Bag) -> list[tuple[int, str]]:
    return [(stamp, bag.deserialize(raw, c).data) for c, stamp, raw in bag.messages()]


def test_a_bag_reads_back_in_order_with_rosbags_alone(tmp_path: Path) -> None:
    with BagWriter(tmp_path / "bag") as bag:
        bag.add_topic("/speech", STRING, STORE)
        for index in range(3):
            bag.write("/speech", 10 + index, encoded(str(index)))
            bag.flush()
        assert bag.counts == {"/speech": 3}
    with AnyReader([tmp_path / "bag"]) as reader:
        said = [(stamp, reader.deserialize(raw, c.msgtype).data) for c, stamp, raw in reader.messages()]  # type: ignore[attr-defined]
        assert said == [(10, "0"), (11, "1"), (12, "2")]
        assert reader.topics["/speech"].msgcount == 3


def test_time_never_goes_back(tmp_path: Path) -> None:
    with BagWriter(tmp_path / "bag") as bag:
        bag.add_topic("/speech", STRING, STORE)
        bag.write("/speech", 20, encoded("a"))
        bag.write("/speech", 5, encoded("b"))
    with Bag(tmp_path / "bag") as reader:
        assert texts(reader) == [(20, "a"), (20, "b")]


def test_what_was_flushed_survives_a_kill(tmp_path: Path) -> None:
    program = (
        "import sys, time; from pathlib import Path; sys.path[:0] = [sys.argv[2], sys.argv[2] + '/../support']\n"
        "from test_writing import *\n"
        "bag = BagWriter(Path(sys.argv[1])); bag.add_topic('/speech', STRING, STORE)\n"
        "for index in range(100): bag.write('/speech', index, encoded('x' * 1000))\n"
        "bag.flush(); bag.write('/speech', 200, encoded('lost')); print('flushed', flush=True); time.sleep(60)"
    )
    folder = tmp_path / "bag"
    child = subprocess.Popen([sys.executable, "-c", program, str(folder), str(Path(__file__).parent)], stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    assert child.stdout.readline() == "flushed\n"
    child.send_signal(signal.SIGKILL)
    child.communicate()
    with Bag(folder) as reader:
        assert len(texts(reader)) == 100
        assert [connection.msgtype for connection in reader.connections] == [STRING]
        assert [str(problem) for problem in reader.problems] == [f"bag.mcap: {INCOMPLETE}"]


@pytest.mark.parametrize("into_the_next", [0, 5, 100])
def test_a_torn_file_is_read_up_to_its_last_whole_chunk(tmp_path: Path, into_the_next: int) -> None:
    file = tmp_path / "bag" / "bag.mcap"
    sizes = []
    with BagWriter(tmp_path / "bag") as bag:
        bag.add_topic("/speech", STRING, STORE)
        for index in range(20):
            bag.write("/speech", index, encoded(os.urandom(200).hex()))
            bag.flush()
            sizes.append(file.stat().st_size)
    os.truncate(file, sizes[12] + into_the_next)
    (tmp_path / "bag" / "metadata.yaml").unlink()
    with Bag(tmp_path / "bag") as reader:
        assert [stamp for stamp, _ in texts(reader)] == list(range(13))
        (problem,) = reader.problems
        assert problem.what.startswith("cut off" if into_the_next else "incomplete")
        assert problem.what.endswith("`mcap recover`)")


def test_a_folder_without_a_bag_is_one_clear_error(tmp_path: Path) -> None:
    with pytest.raises(SaysoError, match=r"no \.mcap or \.db3 file in it"):
        Bag(tmp_path)
    (tmp_path / "x.mcap").write_text("not a bag")
    with pytest.raises(SaysoError, match="is not an MCAP file"):
        Bag(tmp_path)


def test_a_bag_is_never_written_over(tmp_path: Path) -> None:
    with BagWriter(tmp_path / "bag"):
        pass
    with pytest.raises(SaysoError, match="is there already"):
        BagWriter(tmp_path / "bag")


@pytest.mark.parametrize("compression", ["zstd", "lz4", "none"])
def test_a_bag_in_several_files_reads_as_one_with_rosbags_alone(tmp_path: Path, compression: str) -> None:
    with BagWriter(tmp_path / "bag", compression=compression, split=20_000) as bag:
        bag.add_topic("/speech", STRING, STORE, latched=True)
        bag.add_metadata("sayso.versions", {"sayso": "1"})
        for index in range(12):
            bag.write("/speech", index, encoded(os.urandom(5_000).hex()))
            bag.flush()
    files = sorted(file.name for file in (tmp_path / "bag").glob("*.mcap"))
    assert len(files) >= 3
    assert files[:2] == ["bag.mcap", "bag_1.mcap"]
    with AnyReader([tmp_path / "bag"]) as reader:
        assert [stamp for _, stamp, _ in reader.messages()] == list(range(12))
        assert reader.connections[0].ext.offered_qos_profiles[0].durability.name == "TRANSIENT_LOCAL"  # type: ignore[union-attr]
    for file in files:  # each stands alone
        with Bag(tmp_path / "bag" / file) as alone:
            assert texts(alone)
            assert alone.metadata["sayso.versions"] == {"sayso": "1"}


FULL = """
import resource, sys
from pathlib import Path
sys.path[:0] = [sys.argv[2], sys.argv[2] + '/../support']
from test_writing import *
from sayso.bags.writing import BagFullError
bag = BagWriter(Path(sys.argv[1])); bag.add_topic('/speech', STRING, STORE)
room = int(sys.argv[3])
resource.setrlimit(resource.RLIMIT_FSIZE, (room, room))
try:
    for index in range(100):
        bag.write('/speech', index, encoded(os.urandom(1000).hex())); bag.flush()
except BagFullError as full:
    print(full)
try:
    bag.write('/speech', 200, encoded('late'))
except BagFullError:
    print('still full')
bag.close()
"""


@pytest.mark.parametrize("room", range(30_000, 30_060, 12))  # also where a chunk just fits, and what ends a file does not
def test_a_full_disk_ends_the_bag_where_it_was_whole(tmp_path: Path, room: int) -> None:
    folder = tmp_path / "bag"
    command = [sys.executable, "-c", FULL, str(folder), str(Path(__file__).parent), str(room)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=True)
    assert done.stdout.splitlines() == [f"{folder}: the disk is full; recorded up to here", "still full"]
    with AnyReader([folder]) as reader:  # any reader, without mending it
        stamps = [stamp for _, stamp, _ in reader.messages()]
    assert len(stamps) >= 10
    assert stamps == list(range(len(stamps)))
