"""`sayso console`: an address that is safe, or a refusal with the remedy."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest
from typer.testing import CliRunner

from sayso.errors import SaysoError
from sayso.subcommands import build_app
from sayso_nodes.commands.console import ConsoleOptions, checked_address, free_port
from sayso_nodes.page_options import PageOptions
from sayso_nodes.running.launch_arguments import plan


def test_the_default_is_this_computer_without_a_token() -> None:
    address = checked_address(ConsoleOptions(), PageOptions())
    assert address.link(8420) == "http://127.0.0.1:8420/"


def test_a_phone_gets_a_token_and_a_certificate_made_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    address = checked_address(ConsoleOptions(host="0.0.0.0", tls="new"), PageOptions(token="new"))
    assert address.certificate == tmp_path / "sayso" / "console.pem"
    assert address.link(8420).startswith(f"https://{socket.gethostname()}:8420/?token=")


@pytest.mark.parametrize(
    ("options", "page", "why"),
    [
        (ConsoleOptions(host="0.0.0.0"), PageOptions(), "--token new"),
        (ConsoleOptions(host="0.0.0.0"), PageOptions(token="new"), "--tls new"),
        (ConsoleOptions(tls="nowhere.pem"), PageOptions(), "no such file"),
        (ConsoleOptions(), PageOptions(token="1234"), "could be guessed"),
        (ConsoleOptions(), PageOptions(mcp="read"), "needs a token"),
    ],
)
def test_what_would_let_strangers_in_is_refused_with_the_remedy(options: ConsoleOptions, page: PageOptions, why: str) -> None:
    with pytest.raises(SaysoError, match=why):
        checked_address(options, page)


def test_up_and_demo_give_the_page_its_folders_and_what_language_models_may_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    page = PageOptions(token="new", home_folder=Path("my_home"), recordings=[Path("bags")], mcp="read")
    assert page.parameters() == {"home_folder": str(tmp_path / "my_home"), "recordings": [str(tmp_path / "bags")], "mcp": "read"}
    assert len(page.checked_token()) > 16
    assert PageOptions().parameters() == {}


@pytest.mark.parametrize("command", ["up", "demo"])
@pytest.mark.parametrize(
    ("given", "why"),
    [
        (["--home-folder", "homes"], "--home-folder is of the page: add --console"),
        (["--recordings", "bags"], "--recordings is of the page: add --console"),
        (["--console", "--mcp", "read"], "--mcp needs a token"),
        (["--console", "--token", "1234"], "could be guessed"),
    ],
)
def test_up_and_demo_refuse_what_would_do_nothing_or_let_everybody_in(command: str, given: list[str], why: str) -> None:
    ended = CliRunner().invoke(build_app(), [command, *given])
    assert ended.exit_code != 0
    assert why in str(ended.exception)


def test_a_demo_finds_another_port_if_the_usual_one_is_taken() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        assert free_port() != taken.getsockname()[1]


@pytest.mark.parametrize("variant", ["robot", "sim", "gazebo", "replay"])
def test_every_launch_file_starts_the_page_if_it_is_asked_for(variant: str) -> None:
    assert "web_console" in {node.name for node in plan(variant, {"console": "true"}).nodes}
    assert "web_console" not in {node.name for node in plan(variant, {}).nodes}
