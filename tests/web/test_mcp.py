"""A language model as a client: what it is told, what it can do, and that it is off, guarded and never past the robot's doubt."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from starlette.testclient import TestClient

from page_robot import PageRobot
from sayso.domain import load_domain
from sayso.errors import SaysoError
from sayso.scene.load import load_scene
from sayso.web import mcp
from sayso.web.app import Console, build_app
from sayso.web.board import Board
from sayso.web.guard import Access
from sayso.web.home import home_as_data
from sayso.web.mcp_tools import Mode
from sayso.web.sounds import Sounds

HERE, TOKEN = "http://127.0.0.1:8420", "0123456789abcdef"
QUESTION = {"id": "u1", "text": "Which cup?", "options": ["the red cup", "the blue cup"]}
ASKED = {
    "decision": "ask",
    "question": "Which cup?",
    "reason": "two fit",
    "candidates": [{"in_words": "bring the red cup", "posterior": 0.6}],
}


class Model:
    """A client by plain HTTP, of a robot whose board it can fill."""

    def __init__(self, mode: Mode, *, read_only: bool = False) -> None:
        self.robot = PageRobot()
        self.shown = Console(Board(), self.robot, Sounds(), read_only)
        access = Access(frozenset({"127.0.0.1:8420"}), TOKEN)
        app = build_app(self.shown, access, mcp.routes(self.shown, mode, TOKEN))
        self.client = TestClient(app, base_url=HERE, headers={"Authorization": f"Bearer {TOKEN}"})

    def post(self, message: Any, **headers: str) -> Any:
        return self.client.post("/mcp", content=message if isinstance(message, bytes) else json.dumps(message), headers=headers)

    def ask(self, method: str, **params: Any) -> dict[str, Any]:
        answer: dict[str, Any] = self.post({"jsonrpc": "2.0", "id": 7, "method": method, "params": params}).json()
        assert answer["id"] == 7
        return answer

    def use(self, tool: str, **arguments: Any) -> tuple[bool, Any]:
        """Whether it worked, and the text of the result, decoded if it is JSON."""
        result = self.ask("tools/call", name=tool, arguments=arguments)["result"]
        text = result["content"][0]["text"]
        return not result["isError"], text if result["isError"] else json.loads(text)


def rpc(**fields: Any) -> bytes:
    """A JSON-RPC request."""
    return json.dumps({"jsonrpc": "2.0", "id": 1, **fields}).encode()


@pytest.fixture(scope="module")
def home() -> dict[str, Any]:
    return home_as_data(load_domain(None), load_scene(None))


@pytest.fixture
def model(home: dict[str, Any]) -> Iterator[Model]:
    made = Model("command")
    made.shown.board.put("home", home)
    made.shown.board.put("stopped", False)
    yield made


def test_it_is_off_unless_switched_on() -> None:
    model = Model("")
    assert model.post({"jsonrpc": "2.0", "id": 1, "method": "ping"}).status_code == 404


def test_it_needs_a_token() -> None:
    with pytest.raises(SaysoError, match="by a token only"):
        mcp.routes(Model("").shown, "read", "")


def test_without_the_token_nobody_is_let_in(model: Model) -> None:
    model.client.headers.pop("Authorization")
    assert model.post({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}).status_code == 401
    assert model.robot.calls == []


def test_a_page_of_another_site_is_refused(model: Model) -> None:
    assert model.post({"jsonrpc": "2.0", "id": 1, "method": "ping"}, Origin="http://evil.example").status_code == 403


@pytest.mark.parametrize(("wanted", "spoken"), [("2025-06-18", "2025-06-18"), ("2099-01-01", "2025-11-25")])
def test_the_version_is_agreed_on(model: Model, wanted: str, spoken: str) -> None:
    result = model.ask("initialize", protocolVersion=wanted, capabilities={}, clientInfo={"name": "test", "version": "1"})["result"]
    assert (result["protocolVersion"], result["serverInfo"]["name"]) == (spoken, "sayso")
    assert model.post({"jsonrpc": "2.0", "method": "notifications/initialized"}).status_code == 202
    assert model.ask("ping")["result"] == {}


def test_a_client_of_a_later_protocol_is_told_which_versions_there_are(model: Model) -> None:
    answer = model.post({"jsonrpc": "2.0", "id": 1, "method": "server/discover"}, **{"MCP-Protocol-Version": "2026-07-28"})
    assert (answer.status_code, answer.json()["error"]["data"]["supported"][0]) == (400, "2025-11-25")


def test_it_may_look_and_stop_unless_it_may_command() -> None:
    looking = {"what_do_you_see", "where_is", "what_is_happening", "stop"}
    modes: dict[Mode, set[str]] = {"read": looking, "command": looking | {"say", "answer"}}
    for mode, names in modes.items():
        assert {tool["name"] for tool in Model(mode).ask("tools/list")["result"]["tools"]} == names
    model = Model("read")
    assert model.use("say", text="go to the kitchen")[0] is False
    assert model.use("stop") == (True, {"ok": True, "message": "stopped"})
    assert model.robot.calls == [("stop",)]


def test_a_page_that_only_shows_takes_no_sentence_of_a_model_either() -> None:
    model = Model("command", read_only=True)
    assert model.use("say", text="go to the kitchen")[0] is False
    assert model.use("stop")[0]
    assert model.robot.calls == [("stop",)]


def test_a_sentence_that_the_robot_doubts_leads_to_its_question_and_not_to_a_deed(model: Model) -> None:
    model.shown.board.put(
        "utterance/u1", {"id": "u1", "stamp": 1.0, "heard": {"text": "bring me the cup", "rejected": ""}, "decided": ASKED}
    )
    worked, told = model.use("say", text="bring me the cup")
    assert worked
    assert (told["over"], told["decision"], told["question"]) == (True, "ask", "Which cup?")
    assert told["candidates"] == [{"action": "bring the red cup", "p": 0.6}]
    assert model.robot.calls == [("say", "bring me the cup")]


def test_it_waits_no_longer_than_it_was_told(model: Model) -> None:
    model.shown.board.put("utterance/u1", {"id": "u1", "stamp": 1.0, "decided": {**ASKED, "decision": "execute"}})
    assert model.use("say", text="go", wait=0)[1]["over"] is False
    outcome = {"succeeded": True, "reason": "", "seconds": 3.0}
    model.shown.board.put("utterance/u1", {"id": "u1", "stamp": 1.0, "decided": {**ASKED, "decision": "execute"}, "outcome": outcome})
    assert model.use("say", text="go")[1]["outcome"] == outcome
    for wait in (-1, 1e9, True, "long", [3]):
        assert model.use("say", text="go", wait=wait) == (False, "'wait' is a number of seconds up to 120")


def test_only_the_open_question_can_be_answered(model: Model) -> None:
    assert model.use("answer", text="yes", utterance_id="u1") == (False, "there is no such open question")
    model.shown.board.put("question", QUESTION)
    assert model.use("answer", text="1", utterance_id="u2")[0] is False
    assert model.use("answer", text="1", utterance_id="u1", wait=0)[1]["robot"] == "understood"
    assert model.robot.calls == [("answer", "1", "u1")]


def test_what_the_robot_refuses_is_told_to_the_model(model: Model) -> None:
    model.robot.refusal = "nobody can talk now"
    assert model.use("say", text="go") == (False, "nobody can talk now")


def test_a_flood_of_sentences_is_refused_and_stop_is_not(model: Model) -> None:
    model.shown.board.put("utterance/u1", {"id": "u1", "stamp": 1.0, "decided": ASKED})
    answers = [model.use("say", text=f"sentence {number}", wait=0)[0] for number in range(40)]
    assert not all(answers)
    assert model.use("stop")[0]


def test_where_something_is_comes_as_a_distribution(model: Model) -> None:
    model.shown.board.put("belief/red_cup", {"desk": 0.3, "counter": 0.7})
    worked, told = model.use("where_is", what="The red cup")
    assert worked
    assert [(each["place"], each["p"]) for each in told["places"]] == [("counter", 0.7), ("desk", 0.3)]
    assert model.use("where_is", what="operator")[1] == {"id": "operator", "seen": False, "position": None}
    assert "no 'unicorn'" in model.use("where_is", what="unicorn")[1]


def test_what_is_happening_has_state_question_and_stories(model: Model) -> None:
    model.shown.board.put("question", QUESTION)
    for number in range(8):
        model.shown.board.put(f"utterance/u{number}", {"id": f"u{number}", "stamp": float(number), "decided": ASKED})
    told = model.use("what_is_happening")[1]
    assert (told["stopped"], told["question"]["text"]) == (False, "Which cup?")
    assert [story["utterance_id"] for story in told["stories"]] == ["u3", "u4", "u5", "u6", "u7"]
    resource = model.ask("resources/read", uri="sayso://state")["result"]["contents"][0]
    assert json.loads(resource["text"]) == told
    assert {each["uri"] for each in model.ask("resources/list")["result"]["resources"]} == {"sayso://home", "sayso://state"}


def test_a_picture_that_is_not_new_is_not_shown(model: Model) -> None:
    model.shown.board.put("robot", {"visible": ["red_cup"], "place": "kitchen"})
    model.shown.board.put_picture("camera", b"old")
    assert model.use("what_do_you_see")[1] == {"visible": ["red_cup"], "place": "kitchen", "picture": False}


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        (b"{", 400, -32700),
        (b"[" * 20000, 400, -32700),
        (b"[]", 400, -32600),
        (rpc(), 400, -32600),
        (rpc(method="drive"), 200, -32601),
        (rpc(method="ping", params=3), 200, -32602),
        (rpc(method="tools/call", params={"name": 3}), 200, -32602),
        (rpc(method="resources/read", params={"uri": "file:///etc/passwd"}), 200, -32002),
    ],
)
def test_nonsense_is_answered_with_its_error(model: Model, body: bytes, status: int, code: int) -> None:
    answer = model.post(body)
    assert (answer.status_code, answer.json()["error"]["code"]) == (status, code)


def test_a_request_that_is_too_large_is_refused(model: Model) -> None:
    assert model.post(b"x" * 100_000).status_code == 413
    assert model.use("say", text="x" * 5000)[0] is False
    assert model.use("say", text="go", speed="fast")[1] == "say has no argument 'speed'"
    assert model.use("say", text=["go"])[0] is False
    assert model.robot.calls == []
