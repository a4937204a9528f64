"""A Gazebo is found, or it is said in one line why not. Stand-ins take its place: scripts that end as a broken one does."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from patience import PATIENCE
from sayso.errors import RosError
from sayso_nodes.running import gazebo_server
from sayso_nodes.running.gazebo_server import RunningGazebo, gazebo_programs, trouble

WORKS = "#!/bin/sh\nexit 0\n"
STAYS = "import time\ntime.sleep(60)\n"


def made(folder: Path, server: str, bridge: str) -> dict[str, str]:
    for name, text in (("bin/gz-server", server), ("python/ros_bridge.py", bridge)):
        file = folder / name
        file.parent.mkdir()
        file.write_text(text)
        file.chmod(0o755)
    return {"SAYSO_GAZEBO": str(folder)}


def test_a_machine_without_gazebo_says_what_is_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(RosError, match="SAYSO_GAZEBO is not set"):
        gazebo_programs({})


def test_a_folder_that_holds_none_is_named(tmp_path: Path) -> None:
    with pytest.raises(RosError, match="it holds no bin/gz-server"):
        gazebo_programs({"SAYSO_GAZEBO": str(tmp_path)})


@pytest.mark.parametrize(
    ("server", "bridge", "why"),
    [
        ("#!/bin/sh\necho 'Failed to load system plugin [gz-sim-physics-system]' >&2\n", STAYS, "Failed to load system plugin"),
        (
            "#!/bin/sh\nprintf '\\033[1;31m[Err] Failed to find plugin [dartsim]\\033[0m\\n'\n",
            STAYS,
            "([Err] Failed to find plugin [dartsim])",
        ),
        ("#!/bin/sh\nexit 3\n", STAYS, "exit code 3"),
        (WORKS, "raise KeyError('std_msgs/msg/String')\n", "the bridge ends at once (KeyError: 'std_msgs/msg/String')"),
    ],
)
def test_a_broken_one_is_told_in_one_line(tmp_path: Path, server: str, bridge: str, why: str) -> None:
    said = trouble(gazebo_programs(made(tmp_path, server, bridge)))
    assert why in said
    assert "\n" not in said


def test_one_that_works_is_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gazebo_server, "BRIDGE_LIVES", 0.5)
    assert trouble(gazebo_programs(made(tmp_path, WORKS, STAYS))) == ""


def test_a_server_that_ends_is_noticed_with_its_last_words_and_nothing_stays(tmp_path: Path) -> None:
    programs = gazebo_programs(made(tmp_path, "#!/bin/sh\nsleep 60\n", STAYS))
    with RunningGazebo(programs, tmp_path, {}, tmp_path / "log") as running:
        running.check()
        running.kill_server()
        running.processes["gazebo_server"].wait(PATIENCE)
        with pytest.raises(RosError, match="gazebo_server ended"):
            running.check()
    assert running.processes["gazebo_bridge"].poll() is not None


def test_the_server_draws_without_the_filter_that_stalls_a_software_renderer(tmp_path: Path) -> None:
    said = tmp_path / "said"
    programs = gazebo_programs(made(tmp_path, f'#!/bin/sh\necho "$MESA_EXTENSION_OVERRIDE" > {said}\nsleep 60\n', STAYS))
    with RunningGazebo(programs, tmp_path, {}, tmp_path / "log"):
        end = time.monotonic() + PATIENCE
        while not (said.is_file() and said.read_text()) and time.monotonic() < end:
            time.sleep(0.02)
    assert "-GL_EXT_texture_filter_anisotropic" in said.read_text()
