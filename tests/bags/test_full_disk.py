"""A recording on a full disk: what was flushed is read, and what cannot be recorded is said."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from rosbags.typesys import Stores, get_typestore

from sayso.bags.reading import Bag
from sayso.bags.writing import BagFullError, BagWriter
from sayso.errors import SaysoError
from small_disk import small_disk

STORE = get_typestore(Stores.ROS2_JAZZY)
STRING = "std_msgs/msg/String"


@pytest.mark.parametrize("pages", range(20, 36, 3))  # the disk is full within a file, at its end, and where the next one begins
def test_a_disk_that_is_full_at_any_place_of_a_bag_in_several_files_loses_nothing_flushed(tmp_path: Path, pages: int) -> None:
    with small_disk(tmp_path / "disk", 4096 * pages) as disk:
        folder, flushed = disk.folder / "bag", 0
        bag = BagWriter(folder, split=8_000)
        with pytest.raises(BagFullError, match="the disk is full; recorded up to here"):
            bag.add_topic("/speech", STRING, STORE)
            while True:
                bag.write("/speech", flushed, bytes(STORE.serialize_cdr(STORE.types[STRING](data=os.urandom(1000).hex()), STRING)))
                bag.flush()
                flushed += 1
        bag.close()
        with Bag(folder) as reader:
            stamps = [stamp for _, stamp, _ in reader.messages()]
            assert [problem for problem in reader.problems if problem.where != "metadata.yaml"] == []
        assert len(stamps) >= flushed - 1  # the last chunk gives way to the end of the file
        assert stamps == list(range(len(stamps)))


def test_a_full_or_protected_disk_is_said_before_anything_is_recorded(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk") as disk:
        disk.fill()
        with pytest.raises(BagFullError, match=r"nothing can be recorded \(No space left on device\); name a folder on another disk"):
            BagWriter(disk.folder / "bag")
        assert not (disk.folder / "bag").exists()
        disk.empty()
        disk.protect()
        with pytest.raises(SaysoError, match=r"cannot be made \(Read-only file system\)"):
            BagWriter(disk.folder / "bag")
