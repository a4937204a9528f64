"""Many bags through Ray: the same results as one by one; finished work is kept, failures are reported, and no process stays behind."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from patience import PATIENCE
from sayso.errors import SaysoError
from sayso.fleet.cluster import Fleet, OtherMachineError, Progress, _connect, _made_with, _play, cluster, replay_fleet
from sayso.fleet.finished import Finished, Played, key_of
from sayso.replay.generated import GeneratedContent, generate_bag
from sayso.replay.session import Job, play
from sayso.replay.types import Media, ReplayConfig, ReplayResult, Slice, UtteranceRecord
from sayso.types import Context

CONFIG = ReplayConfig()
FLEET = Fleet(workers=2, longest=150.0)


@pytest.fixture(scope="module")
def bags(tmp_path_factory: pytest.TempPathFactory) -> list[Job]:
    """One short, one that is cut in two or three, and one of which nothing can be read."""
    folder = tmp_path_factory.mktemp("bags")
    short = generate_bag(folder / "short", GeneratedContent(40.0))
    long = generate_bag(folder / "long", GeneratedContent(360.0, pause=40.0, seed=1))
    broken = folder / "broken"
    broken.mkdir()
    (broken / "broken_0.mcap").write_bytes(b"no bag at all")
    return [Job(path, path.name) for path in (short, broken, long)]


@pytest.fixture(scope="module")
def ray() -> Iterator[Any]:
    """One Ray for all tests of this file: to start it takes longer than to use it."""
    with cluster(FLEET) as started:
        yield started


@pytest.fixture(scope="module")
def first(ray: Any, bags: list[Job], tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[ReplayResult], list[Progress]]:
    out, events = tmp_path_factory.mktemp("out"), []
    return out, list(replay_fleet(bags, CONFIG, FLEET, out, show=events.append)), events


def rows(results: list[ReplayResult]) -> list[list[dict[str, Any]]]:
    return [[record.data() for record in result.records] for result in results]


@pytest.mark.long("starts Ray")
def test_both_engines_give_the_same(first: Any, bags: list[Job]) -> None:
    _, results, events = first
    alone = [play(job, CONFIG) for job in bags]
    assert rows(results) == rows(alone)
    assert [result.details for result in results] == [result.details for result in alone]
    assert [result.failed for result in results] == [result.failed for result in alone]
    assert [result.messages for result in results] == [result.messages for result in alone]
    assert events[-1].total > 3, "the long bag was not cut"


@pytest.mark.long("starts Ray")
def test_a_failing_bag_is_reported_and_the_others_are_played(first: Any) -> None:
    _, results, events = first
    assert [bool(result.failed) for result in results] == [False, True, False]
    assert "not an MCAP file" in results[1].failed
    assert [event.bag for event in events if event.failed] == ["broken"]
    assert events[-1].done == events[-1].total


@pytest.mark.long("starts Ray")
def test_finished_work_is_not_repeated(first: Any, bags: list[Job]) -> None:
    out, results, events = first
    again: list[Progress] = []
    assert rows(list(replay_fleet(bags, CONFIG, FLEET, out, show=again.append))) == rows(results)
    assert again[-1].skipped == events[-1].total - 1, "all but the bag that failed"


@pytest.mark.long("starts Ray")
def test_only_a_missing_part_is_played_again(first: Any, bags: list[Job]) -> None:
    """As after an interruption."""
    out, results, events = first
    sorted((out / "parts").glob("*.json"))[0].unlink()
    again: list[Progress] = []
    assert rows(list(replay_fleet(bags, CONFIG, FLEET, out, show=again.append))) == rows(results)
    assert again[-1].skipped == events[-1].total - 2


@pytest.mark.long("starts Ray")
def test_another_configuration_gives_another_result(first: Any, bags: list[Job]) -> None:
    out, _, _ = first
    events: list[Progress] = []
    list(replay_fleet(bags[:1], ReplayConfig(answer_within=5.0), FLEET, out, show=events.append))
    assert events[-1].skipped == 0


@pytest.mark.long("starts Ray")
def test_a_worker_that_is_killed_costs_no_result(ray: Any, bags: list[Job], tmp_path: Path) -> None:
    jobs = [Job(bags[2].path, f"copy{number}") for number in range(4)]
    killed: list[int] = []
    over = threading.Event()

    def kill_one() -> None:
        while not killed and not over.wait(0.01):
            for pid in playing():
                os.kill(pid, signal.SIGKILL)
                killed.append(pid)
                return

    killer = threading.Thread(target=kill_one)
    killer.start()
    try:
        results = list(replay_fleet(jobs, CONFIG, FLEET, tmp_path))
    finally:
        over.set()
        killer.join()
    assert killed
    assert [result.failed for result in results] == [""] * 4
    assert len({len(result.records) for result in results}) == 1


def playing() -> list[int]:
    """The processes of Ray that play a bag at this moment."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if b"ray::_play" in (folder / "cmdline").read_bytes():
                found.append(int(folder.name))
        except OSError:
            continue
    return found


@pytest.mark.long("starts Ray")
def test_sounds_and_pictures_come_back_with_the_result(ray: Any, tmp_path: Path) -> None:
    job = Job(generate_bag(tmp_path / "spoken", GeneratedContent(16.0, sound=True)), "week/spoken")
    out = tmp_path / "out"

    def folder(name: str) -> Path:
        return out / "media" / name

    (result,) = replay_fleet([job], CONFIG, FLEET, out, folder)
    assert [item.kind for item in result.media] == ["sound", "sound"]
    play(job, CONFIG, tmp_path / "alone")
    for item in result.media:
        assert (folder(job.name) / item.file).read_bytes() == (tmp_path / "alone" / job.name / item.file).read_bytes()
    (folder(job.name) / result.media[0].file).unlink()
    events: list[Progress] = []
    list(replay_fleet([job], CONFIG, FLEET, out, folder, events.append))
    assert events[-1].skipped == 0, "a missing part must be played again"


def test_a_domain_that_cannot_be_read_is_said_before_anything_starts(tmp_path: Path) -> None:
    (tmp_path / "home.yaml").write_text("places: 3")
    with pytest.raises(SaysoError, match=r"home\.yaml"):
        next(replay_fleet([Job(tmp_path, "x")], ReplayConfig(domain=tmp_path / "home.yaml"), FLEET, tmp_path / "out"))


def test_an_address_without_a_listener_is_reported_at_once() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # and does not listen
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        with pytest.raises(SaysoError, match=f"--address {address}: no Ray cluster there .*ray start --head"):
            _connect(None, address)  # Ray is not even asked


def test_without_ray_it_is_said_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(SaysoError, match="make setup-fleet"), cluster(FLEET):
        pass


def test_a_machine_with_another_sayso_stops_the_replay() -> None:
    with pytest.raises(OtherMachineError, match=r"have different versions of Sayso: sayso differs on"):
        _play("x", Path("x"), CONFIG, None, False, {**_made_with(CONFIG), "sayso": "0.0.0"})


def test_a_task_is_known_by_all_that_its_result_depends_on(tmp_path: Path) -> None:
    bag = tmp_path / "bag"
    bag.mkdir()
    (bag / "a.mcap").write_bytes(b"0" * 100)
    made_with = {"sayso": "1"}
    keys = {key_of("x", bag, CONFIG, None, made_with)}
    assert keys == {key_of("x", bag, CONFIG, None, dict(made_with))}
    keys.add(key_of("x", bag, CONFIG, None, {"sayso": "2"}))
    keys.add(key_of("y", bag, CONFIG, None, made_with))
    keys.add(key_of("x", bag, ReplayConfig(start="audio"), None, made_with))
    keys.add(key_of("x", bag, CONFIG, Slice(0, 5), made_with))
    keys.add(key_of("x", bag, CONFIG, Slice(0, 5, Context(place="kitchen")), made_with))
    (bag / "a.mcap").write_bytes(b"0" * 99 + b"1")
    keys.add(key_of("x", bag, CONFIG, None, made_with))
    assert len(keys) == 7


def test_a_result_that_is_torn_is_not_believed(tmp_path: Path) -> None:
    finished = Finished(tmp_path)
    result = ReplayResult("x", (UtteranceRecord("x", 1, p=1 / 3),), media=(Media(1, "sound", "a.wav"),), counts={"/audio": 3})
    finished.keep("k", Played(result, {"a.wav": b"RIFF"}), tmp_path / "media")
    assert finished.has("k", tmp_path / "media")
    assert finished.load("k").counts == {"/audio": 3}
    assert finished.load("k").records[0].data() == result.records[0].data()
    (tmp_path / "parts" / "k.json").write_text('{"bag": "x"')
    assert not finished.has("k")
    with pytest.raises(SaysoError, match="run the replay again"):
        finished.load("k")


def test_results_that_cannot_be_kept_say_so(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(SaysoError, match="cannot be made"):
        Finished(tmp_path / "file")
    finished = Finished(tmp_path / "out")
    (tmp_path / "out" / "parts").rmdir()
    with pytest.raises(SaysoError, match="cannot write"):
        finished.keep("k", Played(ReplayResult("x")))


@pytest.mark.long("starts Ray")
def test_ctrl_c_leaves_no_process_and_keeps_finished_results(tmp_path: Path) -> None:
    bag = generate_bag(tmp_path / "long", GeneratedContent(4000.0, every=4.0))
    jobs = [str(generate_bag(tmp_path / "short", GeneratedContent(16.0))), str(bag)]
    command = [sys.executable, "-c", "from sayso.cli import main; main()", "replay", *jobs, "--engine", "ray", "--workers", "1"]
    environment = {**os.environ, "TMPDIR": "/tmp", "SAYSO_TEST": str(tmp_path)}
    command += ["--out", str(tmp_path / "out")]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment, cwd=tmp_path) as process:
        deadline = time.monotonic() + 180  # Ray is slow to start on a busy machine
        while not list((tmp_path / "out").glob("parts/*.json")) and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130, errors
    assert "continues" in errors
    assert len(list((tmp_path / "out" / "parts").iterdir())) == 1
    assert of_environment(f"SAYSO_TEST={tmp_path}") == []


def of_environment(setting: str) -> list[str]:
    """The command lines of all processes that have this in their environment."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if setting.encode() in (folder / "environ").read_bytes().split(b"\0"):
                found.append((folder / "cmdline").read_text())
        except OSError:
            continue
    return found
