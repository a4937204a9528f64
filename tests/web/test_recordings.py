"""Recordings on the page: the list, what is played, compared and replayed, and recordings that are damaged, gone or elsewhere."""

from __future__ import annotations

import io
import shutil
import time
import wave
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from rosbags.rosbag2 import CompressionMode, StoragePlugin
from starlette.testclient import TestClient

from page_robot import PageRobot
from patience import PATIENCE
from recorded_run import record_run
from replay_bags import context, heard, save, save_as_rosbag2
from sayso.errors import SaysoError
from sayso.web import recorded, recordings
from sayso.web.app import Console, build_app
from sayso.web.board import Board
from sayso.web.guard import Access
from sayso.web.rerun_job import rerun
from sayso.web.sounds import Sounds

HERE, ALL = "http://127.0.0.1:8420", "/api/recordings"
HOSTILE = "<img src=x onerror=alert(1)>"


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Callable[..., TestClient]]:
    """Serves the recordings in `tmp_path`/runs, or in other folders."""
    endings = []

    def made(*folders: Path, read_only: bool = False) -> TestClient:
        listed, end = recordings.routes(folders or (tmp_path / "runs",), read_only=read_only)
        endings.append(end)
        shown = Console(Board(), PageRobot(), Sounds(), read_only)
        return TestClient(build_app(shown, Access(frozenset({"127.0.0.1:8420"})), listed), base_url=HERE)

    yield made
    for end in endings:
        end()


@pytest.fixture(scope="module")
def recorded_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return record_run(tmp_path_factory.mktemp("recorded") / "run")


@pytest.fixture
def run(recorded_once: Path, tmp_path: Path) -> Path:
    folder = tmp_path / "runs" / "demo"
    shutil.copytree(recorded_once, folder)
    return folder


def listed(client: TestClient) -> dict[str, dict[str, Any]]:
    """The list, by name."""
    answer = client.get(ALL).json()
    assert answer["ok"]
    return {line["name"]: line for line in answer["recordings"]}


def opened(client: TestClient, name: str) -> dict[str, Any]:
    """A recording, with its events as "events"."""
    path = f"{ALL}/{listed(client)[name]['id']}"
    answer: dict[str, Any] = client.get(path).json()
    assert answer["ok"], answer
    return {**answer, "events": client.get(f"{path}/events").json(), "path": path}


def state_at_end(events: list[Any]) -> dict[str, Any]:
    """What the board shows after all events, put together as the page does it."""
    values: dict[str, Any] = {}
    for _, key, value in events:
        values[key] = {**values.get(key, {}), **value} if key.startswith("utterance/") else value
    return values


def test_a_run_is_listed_with_date_length_sentences_and_whether_it_went_as_expected(serve: Callable[..., TestClient], run: Path) -> None:
    line = listed(serve())["demo"]
    assert (line["date"], line["utterances"], line["expected"], line["report"]) == ("2026-01-02T03:04:05+00:00", 3, False, False)
    assert line["seconds"] == pytest.approx(84.8, abs=0.1)


def test_what_is_played_is_what_the_live_page_would_show(serve: Callable[..., TestClient], run: Path) -> None:
    shown = opened(serve(), "demo")
    times = [time for time, _, _ in shown["events"]]
    assert times == sorted(times)
    end = state_at_end(shown["events"])
    story = end["utterance/u1"]
    assert story["heard"]["text"] == "bring me the red cup from the kitchen"
    assert story["decided"]["candidates"][0]["posterior"] == pytest.approx(0.96)
    assert (story["plan"]["status"], story["outcome"]["succeeded"]) == ("succeeded", True)
    assert len(story["seen"]) == 2
    assert end["said"] == ["Which cup do you mean: the red cup or the blue cup?"]
    assert end["robot"]["pose"][:2] == pytest.approx([3.7, 3.0], abs=0.01)
    assert shown["home"]["rooms"]


def test_utterances_are_marks_with_their_checks(serve: Callable[..., TestClient], run: Path) -> None:
    marks = opened(serve(), "demo")["marks"]
    assert [(mark["t"], mark["heard"], mark["outcome"]) for mark in marks] == [
        (2.0, "bring me the red cup from the kitchen", "done"), (70.0, "bring me the cup", ""), (80.0, "", ""),
    ]  # fmt: skip
    assert marks[1]["decided"] == "ask bring(recipient=operator, theme=red_cup)"
    assert marks[2]["checks"] == [["objects moved", "none", "ball", False]]


def test_the_sound_of_an_utterance_is_cut_out_of_the_recording(serve: Callable[..., TestClient], run: Path) -> None:
    client = serve()
    shown = opened(client, "demo")
    address = state_at_end(shown["events"])["utterance/u1"]["heard"]["sound"]
    answer = client.get(f"/{address}")
    assert answer.headers["content-type"] == "audio/wav"
    with wave.open(io.BytesIO(answer.content)) as sound:
        assert sound.getframerate() == 16000
        assert sound.getnframes() / 16000 == pytest.approx(1.7, abs=0.01)  # 1.5 s, and 0.2 s after; before it there is none
        assert np.frombuffer(sound.readframes(1600), "<i2").any()
    assert client.get(f"{shown['path']}/sound/1").status_code == 400  # recorded without sound
    assert client.get(f"{shown['path']}/sound/99").status_code == 400


def test_the_picture_of_a_moment_is_read_when_it_is_asked_for(serve: Callable[..., TestClient], run: Path) -> None:
    client = serve()
    path = opened(client, "demo")["path"]
    with_cup, without = (np.asarray(Image.open(io.BytesIO(client.get(f"{path}/picture/{ms}").content))) for ms in (2_100, 4_100))
    red = [(picture[..., 0] > 150) & (picture[..., 1] < 80) for picture in (with_cup, without)]
    assert red[0].sum() > 1000 > red[1].sum()
    assert client.get(f"{path}/picture/{10**40}").status_code == 400


def test_two_recordings_are_compared_sentence_by_sentence(serve: Callable[..., TestClient], run: Path) -> None:
    save(run.parent / "bag", [heard(1.0, "bring me the cup"), heard(9.0, "go home")])
    client = serve()
    lines = listed(client)
    rows = client.get(f"{ALL}/{lines['demo']['id']}/against/{lines['bag']['id']}").json()["rows"]
    same = next(row for row in rows if row["first"] and row["first"]["heard"] == "bring me the cup")
    assert same["second"]["heard"] == "bring me the cup"
    assert same["differs"] == ["meant", "decided"]
    assert {row["second"]["heard"] for row in rows if row["second"]} == {"bring me the cup", "go home"}


def test_a_bag_of_another_recorder_in_a_namespace_is_shown(serve: Callable[..., TestClient], tmp_path: Path) -> None:
    messages = [context(0.5, x=1.5, y=2.5, place="kitchen"), heard(2.0, "stop")]
    moved = [(at, f"/robot1{topic}", kind, data) for at, topic, kind, data in messages]
    save_as_rosbag2(tmp_path / "theirs", moved, StoragePlugin.SQLITE3, CompressionMode.NONE)
    shown = opened(serve(tmp_path / "theirs"), "theirs")
    end = state_at_end(shown["events"])
    assert end["robot"] == {"pose": [1.5, 2.5, 0.0], "place": "kitchen", "holding": "", "battery": 1.0}
    assert [mark["heard"] for mark in shown["marks"]] == ["stop"]
    assert not shown["pictures"]


def test_a_report_is_served_so_that_nothing_in_it_can_run(serve: Callable[..., TestClient], run: Path) -> None:
    client = serve()
    assert client.get(f"{opened(client, 'demo')['path']}/report").status_code == 404
    (run / "report.html").write_text("<style>p {}</style>", encoding="utf-8")
    answer = client.get(f"{opened(client, 'demo')['path']}/report")
    policy = answer.headers.get_list("content-security-policy")
    assert len(policy) == 1
    assert "sandbox" in policy[0] and "script" not in policy[0] and "default-src 'none'" in policy[0]
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert "unsafe-inline" not in client.get(ALL).headers["content-security-policy"]


def test_a_damaged_bag_is_shown_as_far_as_it_goes(serve: Callable[..., TestClient], run: Path) -> None:
    file = next((run / "bag").glob("*.mcap"))
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])
    shown = opened(serve(), "demo")
    assert shown["problems"]
    assert shown["marks"][0]["heard"] == "bring me the red cup from the kitchen"


def test_a_file_that_is_no_bag_is_listed_with_the_reason(serve: Callable[..., TestClient], run: Path) -> None:
    next((run / "bag").glob("*.mcap")).write_bytes(b"no bag at all")
    (run / "run.json").write_text("{", encoding="utf-8")
    client = serve()
    line = listed(client)["demo"]
    assert line["problem"]
    answer = client.get(f"{ALL}/{line['id']}")
    assert (answer.status_code, answer.json()["ok"]) == (400, False)


def test_a_recording_that_was_removed_meanwhile_is_said_to_be_gone(serve: Callable[..., TestClient], run: Path) -> None:
    client = serve()
    path = opened(client, "demo")["path"]
    shutil.rmtree(run)
    for what in ("", "/events", "/sound/0", "/picture/0", "/report"):
        answer = client.get(f"{path}{what}")
        assert (answer.status_code, answer.json()["message"]) == (400, "there is no such recording any more")
    assert listed(client) == {}


def test_links_that_lead_out_of_the_folder_are_not_followed(serve: Callable[..., TestClient], run: Path, tmp_path: Path) -> None:
    outside = save(tmp_path / "outside", [heard(1.0, "secret")])
    (run.parent / "linked").symlink_to(outside)
    (run.parent / "files").mkdir()
    (run.parent / "files" / "bag.mcap").symlink_to(next(outside.glob("*.mcap")))
    (run / "report.html").symlink_to("/etc/passwd")
    lines = listed(serve())
    assert set(lines) == {"demo"}
    assert not lines["demo"]["report"]


@pytest.mark.parametrize("name", ["nothing", "..%2F..%2Fetc", "%2Fetc%2Fpasswd", "0" * 5000, "%00", "<b>"])
def test_names_that_the_list_does_not_have_find_nothing(serve: Callable[..., TestClient], run: Path, name: str) -> None:
    client = serve()
    for what in ("", "/events", "/report", "/picture/1", f"/against/{name}"):
        assert client.get(f"{ALL}/{name}{what}").status_code in (400, 404)
    assert client.post(f"{ALL}/{name}/replay").status_code in (400, 404)


def test_folders_that_are_not_there_are_empty(serve: Callable[..., TestClient], tmp_path: Path) -> None:
    assert listed(serve(tmp_path / "nowhere")) == {}


def test_texts_of_a_recording_come_as_data(serve: Callable[..., TestClient], tmp_path: Path) -> None:
    save(tmp_path / "runs" / "bag", [heard(1.0, HOSTILE, "<b>/../u1")])
    client = serve()
    shown = opened(client, "bag")
    assert shown["marks"][0]["heard"] == HOSTILE
    assert client.get(shown["path"]).headers["content-type"] == "application/json"


def test_a_recording_that_is_too_long_is_shown_up_to_a_point(
    serve: Callable[..., TestClient], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recorded, "UTTERANCES", 3)
    save(tmp_path / "runs" / "bag", [heard(float(at), f"sentence {at}") for at in range(1, 9)])
    shown = opened(serve(), "bag")
    assert len(shown["marks"]) == 3
    assert "too long to be shown whole" in shown["problems"][0]


def test_a_recording_is_replayed_and_compared_with_what_was_recorded(serve: Callable[..., TestClient], tmp_path: Path) -> None:
    save(tmp_path / "runs" / "bag", [heard(1.0, "bring me the red cup")])
    client = serve()
    path = opened(client, "bag")["path"]
    started = client.post(f"{path}/replay").json()["id"]
    assert "another replay still runs" in client.post(f"{path}/replay").json()["message"]
    end = time.monotonic() + PATIENCE
    while (state := client.get(f"/api/replays/{started}").json())["state"] == "running":
        assert time.monotonic() < end
        time.sleep(0.2)
    assert state["state"] == "done", state
    [row] = state["rows"]
    assert row["first"]["heard"] == row["second"]["heard"] == "bring me the red cup"
    assert row["second"]["meant"] == "bring"


def test_a_replay_tells_how_far_it_is(tmp_path: Path) -> None:
    bag = save(tmp_path / "bag", [heard(1.0, "bring me the red cup"), heard(200.0, "go to the kitchen")])
    told: list[dict[str, Any]] = []
    rerun(bag, lambda **each: told.append(each))
    assert told[:3] == [{"done": done, "parts": 2} for done in (0, 1, 2)]
    assert [row["second"]["heard"] for row in told[3]["rows"]] == ["bring me the red cup", "go to the kitchen"]
    with pytest.raises(SaysoError, match="no such file"):
        rerun(tmp_path / "nothing", told.append)


def test_a_replay_can_be_cancelled(serve: Callable[..., TestClient], tmp_path: Path) -> None:
    save(tmp_path / "runs" / "bag", [heard(1.0, "bring me the red cup")])
    client = serve()
    path = opened(client, "bag")["path"]
    started = client.post(f"{path}/replay").json()["id"]
    assert client.post(f"/api/replays/{started}/cancel").json()["ok"]
    assert client.get(f"/api/replays/{started}").json() == {"ok": True, "state": "cancelled"}
    assert client.get("/api/replays/nothing").status_code == 400


def test_a_page_that_only_shows_starts_no_replay(serve: Callable[..., TestClient], run: Path) -> None:
    client = serve(read_only=True)
    answer = client.post(f"{opened(client, 'demo')['path']}/replay")
    assert (answer.status_code, "only shows" in answer.json()["message"]) == (400, True)
