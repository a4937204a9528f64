"""`sayso console`: an address that is safe, or a refusal with the remedy."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from sayso.errors import SaysoError
from sayso_nodes.console import ConsoleOptions, checked_address, free_port
from sayso_nodes.launch_arguments import plan


def test_the_default_is_this_computer_without_a_token() -> None:
    address = checked_address(ConsoleOptions())
    assert address.link(8420) == "http://127.0.0.1:8420/"


def test_a_phone_gets_a_token_and_a_certificate_made_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    address = checked_address(ConsoleOptions(host="0.0.0.0", token="new", tls="new"))
    assert address.certificate == tmp_path / "sayso" / "console.pem"
    assert address.link(8420).startswith(f"https://{socket.gethostname()}:8420/?token=")


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (ConsoleOptions(host="0.0.0.0"), "--token new"),
        (ConsoleOptions(host="0.0.0.0", token="new"), "--tls new"),
        (ConsoleOptions(tls="nowhere.pem"), "no such file"),
        (ConsoleOptions(token="1234"), "could be guessed"),
    ],
)
def test_what_would_let_strangers_in_is_refused_with_the_remedy(options: ConsoleOptions, why: str) -> None:
    with pytest.raises(SaysoError, match=why):
        checked_address(options)


def test_a_demo_finds_another_port_if_the_usual_one_is_taken() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        assert free_port() != taken.getsockname()[1]


@pytest.mark.parametrize("variant", ["robot", "sim", "gazebo", "replay"])
def test_every_launch_file_starts_the_page_if_it_is_asked_for(variant: str) -> None:
    assert "web_console" in {node.name for node in plan(variant, {"console": "true"}).nodes}
    assert "web_console" not in {node.name for node in plan(variant, {}).nodes}
