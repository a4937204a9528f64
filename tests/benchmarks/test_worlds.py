"""`sayso bench worlds`: a quick run finds both worlds equal, and every row has a value or a reason."""

from __future__ import annotations

import pytest

from quick_benchmark import quick_rows
from sayso.gazebo.sdformat import is_installed

pytestmark = pytest.mark.long("runs a benchmark")


def test_both_worlds_of_the_apartment_agree_and_the_bridge_is_complete() -> None:
    rows = quick_rows("worlds")
    agree = rows["pieces with the same pose, size and colour"]
    assert agree["value"] == 100
    assert all(value < 100 for value in agree["baselines"].values())
    assert rows["topics in use that are bridged in the right direction"]["value"] == 100
    for measure in ("worlds that libsdformat finds valid", "worlds whose every element the schema knows"):
        assert rows[measure]["value"] == (100 if is_installed() else None)
