"""`sayso bench worlds`: a quick run finds both worlds equal, and every row has a value or a reason."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from sayso.cli import main
from sayso.gazebo.sdformat import is_installed

pytestmark = pytest.mark.long("runs a benchmark")


def test_both_worlds_of_the_apartment_agree_and_the_bridge_is_complete(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["sayso", "bench", "worlds", "--quick", "--json", str(tmp_path / "worlds.json")])
    with pytest.raises(SystemExit) as ended:
        main()
    assert not ended.value.code
    rows = {row["measure"]: row for row in json.loads((tmp_path / "worlds.json").read_text())["rows"]}
    agree = rows["pieces with the same pose, size and colour"]
    assert agree["value"] == 100
    assert all(value < 100 for value in agree["baselines"].values())
    assert rows["topics in use that are bridged in the right direction"]["value"] == 100
    for measure in ("worlds that libsdformat finds valid", "worlds whose every element the schema knows"):
        assert rows[measure]["value"] == (100 if is_installed() else None)
    assert all(row["reason"] for row in rows.values() if row["value"] is None)
