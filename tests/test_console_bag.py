"""Bags that survive: written without ROS, readable by rosbags alone, and after a kill as far as they got."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from rosbags.highlevel import AnyReader
from rosbags.typesys import Stores, get_typestore

from sayso.console.bag import BagWriter, open_bag
from sayso.errors import SaysoError

STORE = get_typestore(Stores.ROS2_JAZZY)
STRING = "std_msgs/msg/String"


def encoded(text: str) -> bytes:
    return bytes(STORE.serialize_cdr(STORE.types[STRING](data=text), STRING))


def texts(reader: AnyReader) -> list[tuple[int, str]]:
    return [(stamp, reader.deserialize(raw, c.msgtype).data) for c, stamp, raw in reader.messages()]  # type: ignore[attr-defined]


def test_a_bag_reads_back_in_order_with_rosbags_alone(tmp_path: Path) -> None:
    with BagWriter(tmp_path / "bag") as bag:
        bag.add_topic("/speech", STRING, STORE)
        for index in range(3):
            bag.write("/speech", 10 + index, encoded(str(index)))
            bag.flush()
        assert bag.counts == {"/speech": 3}
    with AnyReader([tmp_path / "bag"]) as reader:
        assert texts(reader) == [(10, "0"), (11, "1"), (12, "2")]
        assert reader.topics["/speech"].msgcount == 3


def test_time_never_goes_back(tmp_path: Path) -> None:
    with BagWriter(tmp_path / "bag") as bag:
        bag.add_topic("/speech", STRING, STORE)
        bag.write("/speech", 20, encoded("a"))
        bag.write("/speech", 5, encoded("b"))
    with open_bag(tmp_path / "bag") as reader:
        assert texts(reader) == [(20, "a"), (20, "b")]


def test_what_was_flushed_survives_a_kill(tmp_path: Path) -> None:
    program = (
        "import sys, time; from pathlib import Path; sys.path.insert(0, sys.argv[2]); from test_console_bag import *\n"
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
    with open_bag(folder) as reader:
        assert len(texts(reader)) == 100
        assert reader.topics["/speech"].msgtype == STRING


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
    with open_bag(tmp_path / "bag") as reader:
        assert [stamp for stamp, _ in texts(reader)] == list(range(13))


def test_a_folder_without_a_bag_is_one_clear_error(tmp_path: Path) -> None:
    with pytest.raises(SaysoError, match="no bag in"), open_bag(tmp_path):
        pass
    (tmp_path / "x.mcap").write_text("not a bag")
    with pytest.raises(SaysoError, match="no MCAP file"), open_bag(tmp_path):
        pass
