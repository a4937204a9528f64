"""The server: what changes reaches each page, and each request its answer."""

from __future__ import annotations

import json
from collections.abc import Iterator

import numpy as np
import pytest
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from page_robot import PageRobot
from sayso.types import AudioChunk
from sayso.web.app import VIEWERS, Console, build_app
from sayso.web.board import Board
from sayso.web.bodies import LARGEST
from sayso.web.guard import Access
from sayso.web.sounds import Sounds

HERE, SOCKET = "http://127.0.0.1:8420", "ws://127.0.0.1:8420"


@pytest.fixture
def console() -> Console:
    return Console(Board(), PageRobot(), Sounds())


@pytest.fixture
def client(console: Console) -> Iterator[TestClient]:
    with TestClient(build_app(console, Access(frozenset({"127.0.0.1:8420"}))), base_url=HERE) as made:
        yield made


def test_a_page_is_told_the_state_and_gets_answers(console: Console, client: TestClient) -> None:
    console.board.put("stopped", False)
    with client.websocket_connect(f"{SOCKET}/ws") as page:
        assert page.receive_json() == {"key": "stopped", "value": False}
        page.send_json({"do": "say", "text": "go to the kitchen", "id": 5})
        assert page.receive_json() == {"reply": 5, "ok": True, "message": "", "utterance_id": "u1"}


@pytest.mark.parametrize("text", ["", "{", "[]", "7", "null", '"say"', "[" * 20000, '{"do": {"a": 1}, "id": 1}'])
def test_nonsense_is_answered_and_the_page_stays(client: TestClient, text: str) -> None:
    with client.websocket_connect(f"{SOCKET}/ws") as page:
        page.send_text(text)
        assert page.receive_json()["ok"] is False
        page.send_json({"do": "stop", "id": 2})
        assert page.receive_json() == {"reply": 2, "ok": True, "message": "stopped"}


def test_sound_of_the_page_that_talks_is_heard(console: Console, client: TestClient) -> None:
    with client.websocket_connect(f"{SOCKET}/ws") as page:
        page.send_json({"do": "talk", "held": True, "id": 1})
        assert page.receive_json()["ok"]
        page.send_bytes(np.arange(5, dtype="<i2").tobytes() + b"\x01")  # half a sample at the end
        page.send_json({"do": "talk", "held": False, "id": 2})
        page.receive_json()
    assert isinstance(console.robot, PageRobot)
    assert console.robot.sound.tolist() == [0, 1, 2, 3, 4]
    assert console.robot.calls == [("press", True), ("press", False)]


def test_what_a_page_was_saying_is_lost_when_it_is_closed_and_nothing_stops_the_robot(console: Console, client: TestClient) -> None:
    with client.websocket_connect(f"{SOCKET}/ws") as page:
        page.send_json({"do": "talk", "held": True, "id": 1})
        page.receive_json()
    assert isinstance(console.robot, PageRobot)
    assert console.robot.calls == [("press", True), ("lose",)]


def test_stop_works_by_post_as_well(console: Console, client: TestClient) -> None:
    assert client.post("/api/do/stop").json()["ok"]
    assert isinstance(console.robot, PageRobot)
    assert console.robot.calls == [("stop",)]


@pytest.mark.parametrize("body", [b"{", b"[]", b"\xff", b"[" * 20000, b'"go"'])
def test_a_body_that_is_no_object_is_refused(client: TestClient, body: bytes) -> None:
    answer = client.post("/api/do/say", content=body)
    assert answer.status_code == 400
    assert answer.json()["message"] == "the body is a JSON object"


def test_what_cannot_be_done_is_said_with_a_status(client: TestClient) -> None:
    answer = client.post("/api/do/say", json={})
    assert (answer.status_code, answer.json()) == (409, {"ok": False, "message": "'text' is missing"})


def test_the_sound_of_a_sentence_can_be_played_again(console: Console, client: TestClient) -> None:
    for second in range(4):
        console.sounds.feed(AudioChunk(np.full(16000, second, np.int16), float(second)))
    assert console.sounds.cut("u1", 1.4, 2.4)
    answer = client.get("/api/sound/u1")
    assert answer.headers["content-type"] == "audio/wav"
    assert set(np.frombuffer(answer.content[44:], "<i2").tolist()) == {1, 2}
    assert client.get("/api/sound/u2").status_code == 404


def test_too_many_pages_are_refused_and_the_others_stay(client: TestClient) -> None:
    pages = [client.websocket_connect(f"{SOCKET}/ws") for _ in range(VIEWERS)]
    opened = [page.__enter__() for page in pages]
    with pytest.raises(WebSocketDisconnect) as refused, client.websocket_connect(f"{SOCKET}/ws"):
        pass
    assert refused.value.code == 1013
    opened[0].send_text(json.dumps({"do": "stop", "id": 1}))
    assert opened[0].receive_json()["ok"]
    for page in pages:
        page.__exit__(None, None, None)


def test_a_body_without_end_is_refused(client: TestClient) -> None:
    answer = client.post("/api/do/say", content=b" " * (LARGEST + 1))
    assert answer.status_code == 413
