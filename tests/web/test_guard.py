"""Who is let in: no page of another site, no stranger without the token."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from page_robot import PageRobot
from sayso.web.app import Console, build_app
from sayso.web.board import Board
from sayso.web.guard import WRONG_TOKENS, Access, Guard
from sayso.web.sounds import Sounds

HERE, SOCKET = "http://127.0.0.1:8420", "ws://127.0.0.1:8420"
TOKEN = "a-token-that-nobody-guesses"


def app(access: Access, robot: PageRobot | None = None) -> Guard:
    return build_app(Console(Board(), robot or PageRobot(), Sounds()), access)


@pytest.fixture
def client() -> Iterator[TestClient]:
    with TestClient(app(Access(frozenset({"127.0.0.1:8420"}))), base_url=HERE) as made:
        yield made


@pytest.fixture
def locked() -> Iterator[TestClient]:
    with TestClient(app(Access(frozenset({"robot:8420"}), TOKEN, secure=True)), base_url="https://robot:8420") as made:
        yield made


def test_the_page_and_its_parts_are_served_with_a_strict_policy(client: TestClient) -> None:
    for path in ("/", "/main.js", "/page.css", "/look.css", "/texts.json", "/worklet.js"):
        answer = client.get(path)
        assert answer.status_code == 200, path
        assert answer.headers["content-security-policy"].startswith("default-src 'self'; ")
        assert "unsafe" not in answer.headers["content-security-policy"]
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert "access-control-allow-origin" not in answer.headers


@pytest.mark.parametrize(
    "path", ["/../pyproject.toml", "/%2e%2e/app.py", "/..%2fapp.py", "/app.py", "/page/main.js", "//etc/passwd", "/api/sound/../../app.py"]
)
def test_no_other_file_is_served(client: TestClient, path: str) -> None:
    assert client.get(path).status_code == 404


def test_a_name_that_an_attacker_points_here_is_refused(client: TestClient) -> None:
    assert client.get("/", headers={"Host": "evil.example:8420"}).status_code == 421
    assert client.get("/", headers={"Host": "127.0.0.1"}).status_code == 421


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "https://127.0.0.1:8420", "http://127.0.0.1:8421", "http://127.0.0.1:8420.evil.example"]
)
def test_a_page_of_another_site_commands_nothing(origin: str) -> None:
    robot = PageRobot()
    with TestClient(app(Access(frozenset({"127.0.0.1:8420"})), robot), base_url=HERE) as client:
        assert client.post("/api/do/say", json={"text": "go"}, headers={"Origin": origin}).status_code == 403
        with pytest.raises(WebSocketDisconnect), client.websocket_connect(f"{SOCKET}/ws", headers={"Origin": origin}):
            pass
    assert robot.calls == []


def test_a_program_on_this_computer_needs_no_origin(client: TestClient) -> None:
    assert client.post("/api/do/stop").json() == {"ok": True, "message": "stopped"}


def test_nothing_is_shown_or_done_without_the_token(locked: TestClient) -> None:
    assert locked.get("/").status_code == 401
    assert locked.post("/api/do/stop").status_code == 401
    with pytest.raises(WebSocketDisconnect), locked.websocket_connect("wss://robot:8420/ws"):
        pass


def test_the_link_with_the_token_opens_the_page_and_leaves_the_address(locked: TestClient) -> None:
    answer = locked.get(f"/?token={TOKEN}", follow_redirects=False)
    assert (answer.status_code, answer.headers["location"]) == (303, "/")
    cookie = answer.headers["set-cookie"].lower()
    assert all(part in cookie for part in ("httponly", "samesite=strict", "secure"))
    assert locked.get("/").status_code == 200


def test_a_program_gives_the_token_in_a_header(locked: TestClient) -> None:
    assert locked.post("/api/do/stop", headers={"Authorization": f"Bearer {TOKEN}"}).status_code == 200


def test_a_guessed_token_is_refused_and_guessing_soon_ends(locked: TestClient) -> None:
    guesses = [locked.get("/", headers={"Authorization": f"Bearer guess-{number}"}).status_code for number in range(WRONG_TOKENS + 2)]
    assert guesses == [401] * WRONG_TOKENS + [429] * 2
    assert locked.get("/", headers={"Authorization": f"Bearer {TOKEN}"}).status_code == 429


@pytest.mark.parametrize("cookie", ["sayso_token=", "sayso_token", "=;=;", "\xff\xfe", 'sayso_token="'])
def test_a_damaged_cookie_is_no_token(locked: TestClient, cookie: str) -> None:
    assert locked.get("/", headers={"Cookie": cookie.encode("latin-1")}).status_code == 401  # type: ignore[dict-item]
