"""The page's node with recordings, and with a language model as a client."""

from __future__ import annotations

import json
import urllib.request
from pathlib import Path
from typing import Any

import pytest
from rclpy.parameter import Parameter

from patience import PATIENCE
from recorded_run import record_run
from ros_nodes import peer
from sayso_nodes.nodes.web_console import TOKEN, WebConsoleNode

pytestmark = pytest.mark.ros
DOMAIN = 101
SECRET = "0123456789abcdef"


def test_the_node_shows_recordings_and_lets_a_model_look(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(TOKEN, SECRET)
    record_run(tmp_path / "demo")
    given = {"port": 0, "recordings": [str(tmp_path)], "mcp": "read"}
    with peer(DOMAIN) as made:
        node = WebConsoleNode(context=made.context, parameter_overrides=[Parameter(name, value=value) for name, value in given.items()])
        made.run(node)
        node.start()
        page = node.health.values["page"]

        def ask(path: str, message: Any = None) -> Any:
            body = None if message is None else json.dumps(message).encode()
            headers = {"Authorization": f"Bearer {SECRET}"}
            with urllib.request.urlopen(urllib.request.Request(f"{page}{path}", body, headers), timeout=PATIENCE) as answer:
                return json.load(answer)

        assert "demo" in {line["name"] for line in ask("api/recordings")["recordings"]}
        call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "where_is", "arguments": {"what": "red cup"}}}
        places = made.until(lambda: json.loads(ask("mcp", call)["result"]["content"][0]["text"])["places"])  # with the node's next tick
        assert sum(each["p"] for each in places) == pytest.approx(1.0, abs=0.2)
        node.close()
