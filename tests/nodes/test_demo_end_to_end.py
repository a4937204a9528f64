"""`sayso demo` as a user starts it: from spoken sentences to finished tasks, judged by the simulator's ground truth."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from patience import PATIENCE
from sayso.evaluation.run import Run, read_run

pytest.importorskip("rclpy")
pytest.importorskip("sayso_msgs.msg")
pytestmark = [pytest.mark.ros, pytest.mark.end_to_end]

DEMO = [sys.executable, "-c", "from sayso.cli import main; main()", "demo"]
SPEED = "2"


def nodes_of(launcher: int) -> Iterator[int]:
    """The processes that say of themselves that this one has started them."""
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            environment = (folder / "environ").read_bytes().split(b"\0")
        except OSError:
            continue
        if f"SAYSO_LAUNCHER={launcher}".encode() in environment:
            yield int(folder.name)


class Finished:
    """One whole demo."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "run"
        child = subprocess.Popen(
            [*DEMO, "--speed", SPEED, "--out", str(self.folder)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        try:
            self.output, self.errors = child.communicate(timeout=PATIENCE)
        finally:
            child.kill()
        self.code, self.launcher = child.returncode, child.pid


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Finished:
    return Finished(tmp_path_factory.mktemp("demo"))


@pytest.fixture(scope="module")
def run(demo: Finished) -> Run:
    return read_run(demo.folder)


def test_the_cup_is_with_the_person_and_nothing_else_has_happened(demo: Finished) -> None:
    assert demo.code == 0, demo.output[-4000:] + demo.errors[-4000:]
    record = json.loads((demo.folder / "run.json").read_text())
    assert len(record["acts"]) == 3
    done, asked, ignored = ({check["what"]: check["found"] for check in act["checks"]} for act in record["acts"])
    assert done["red_cup is at"] == "operator"
    assert done["decision"] == "execute"
    assert asked["decision"] in {"ask", "confirm"}
    for unmoved in (asked, ignored):
        assert unmoved["objects moved"] == "none"
        assert float(unmoved["the robot stays"].split()[0]) < 2.0


def test_the_terminal_shows_every_stage_as_it_happens(demo: Finished) -> None:
    lines = demo.output.splitlines()
    assert lines[0].startswith("┄┄ Sayso: starting")
    for stage in ("heard", "intent", "action", "plan", "looks", "outcome", "truth", "says"):
        assert any(line.startswith(stage) for line in lines), stage
    assert "bring me the red cup from the kitchen" in demo.output
    assert str(demo.folder) in demo.output.replace("\n", "").replace(" ", "")


def test_the_robot_went_to_the_kitchen_and_back(run: Run) -> None:
    path = run.path
    assert path[:, 1].max() > 9.5  # the kitchen begins at x = 9 m
    assert abs(path[-1, 1:3] - path[0, 1:3]).max() < 2.5
    assert [move[1:] for move in run.moves] == [("red_cup", "counter", "gripper"), ("red_cup", "gripper", "operator")]


def test_it_found_the_cup_with_its_camera(run: Run) -> None:
    found = [grounding for _, grounding in run.utterances[0].groundings if grounding.found]
    assert found
    cup = run.worlds[0].positions["red_cup"]
    assert max(abs(a - b) for a, b in zip(found[-1].point, cup, strict=True)) < 0.1


def test_every_topic_is_in_the_bag(run: Run) -> None:
    from sayso_nodes.graph import load_graph

    assert {f"/{name.lstrip('/')}" for name, topic in load_graph("sim").topics.items() if not topic.device} <= run.counts.keys()
    silent = {name for name, count in run.counts.items() if not count}
    assert silent <= {
        "/speech",
        "/speaking",
        "/talk_button",
    }  # it has only questions to ask in these acts, no voice without a loudspeaker, no button


def test_pictures_and_the_report_are_there(demo: Finished) -> None:
    assert (demo.folder / "path.png").stat().st_size > 20_000
    assert 10_000 < (demo.folder / "demo.gif").stat().st_size <= 8_000_000
    assert list((demo.folder / "frames").glob("*-found.jpg"))
    page = (demo.folder / "report.html").read_text(encoding="utf-8")
    assert "everything as expected" in page
    assert page.count("<audio") >= 2


def test_no_process_is_left(demo: Finished) -> None:
    assert not list(nodes_of(demo.launcher))


@pytest.mark.long("starts the robot once more")
def test_ctrl_c_ends_every_process(tmp_path: Path) -> None:
    child = subprocess.Popen([*DEMO, "--out", str(tmp_path / "run"), "--no-record"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + PATIENCE
        while len(list(nodes_of(child.pid))) < 5:
            assert time.monotonic() < deadline
            assert child.poll() is None
            time.sleep(0.1)
        child.send_signal(signal.SIGINT)
        assert child.wait(PATIENCE) == 130
        assert not list(nodes_of(child.pid))
    finally:
        child.kill()


@pytest.mark.long("starts the robot once more")
def test_no_process_outlives_a_demo_that_was_killed(tmp_path: Path) -> None:
    child = subprocess.Popen([*DEMO, "--out", str(tmp_path / "run")], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + PATIENCE
        while not (tmp_path / "run" / "bag" / "bag.mcap").exists():
            assert time.monotonic() < deadline
            time.sleep(0.1)
        child.kill()
        child.wait()
        deadline = time.monotonic() + PATIENCE
        while list(nodes_of(child.pid)):
            assert time.monotonic() < deadline
            time.sleep(0.2)
    finally:
        child.kill()


@pytest.mark.parametrize("given", [["--sentence", "no/such/file.wav"], ["--sentence", os.devnull]])
def test_a_bad_sound_file_is_one_clear_line_before_any_node_is_started(given: list[str], tmp_path: Path) -> None:
    began = time.monotonic()
    done = subprocess.run([*DEMO, *given, "--out", str(tmp_path)], capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.returncode == 2
    assert len(done.stderr.strip().splitlines()) == 1
    assert "Traceback" not in done.stderr
    assert time.monotonic() - began < 30
    assert not (tmp_path / "logs").exists()
