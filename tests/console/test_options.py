"""A dataclass of options becomes a command's options, and comes back as one object."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import pytest
import typer
from typer.testing import CliRunner

from sayso.console.options import takes


@dataclass(frozen=True, slots=True, kw_only=True)
class PourOptions:
    cups: Annotated[int, typer.Option("--cups", "-n", min=1, help="How many.")] = 1
    hot: Annotated[bool, typer.Option("--hot/--cold", help="Which tap.")] = False


@dataclass(frozen=True, slots=True, kw_only=True)
class CupOptions:
    colour: Annotated[str, typer.Option(help="Of the cup.")] = "red"


@pytest.fixture
def received() -> list[tuple[str, PourOptions]]:
    return []


@pytest.fixture
def app(received: list[tuple[str, PourOptions]]) -> typer.Typer:
    app = typer.Typer()

    @app.command()
    @takes(PourOptions)
    def pour(what: Annotated[str, typer.Argument(help="A drink.")], options: PourOptions) -> None:
        """Pour a drink."""
        received.append((what, options))

    return app


def test_options_arrive_as_one_object(app: typer.Typer, received: list[tuple[str, PourOptions]]) -> None:
    assert CliRunner().invoke(app, ["tea", "--cups", "2", "--hot"]).exit_code == 0
    assert CliRunner().invoke(app, ["water"]).exit_code == 0
    assert received == [("tea", PourOptions(cups=2, hot=True)), ("water", PourOptions())]


def test_help_shows_every_option_and_the_docstring(app: typer.Typer) -> None:
    shown = CliRunner().invoke(app, ["--help"]).output
    for text in ("Pour a drink.", "A drink.", "--cups", "-n", "How many.", "--cold", "Which tap."):
        assert text in shown
    assert "--options" not in shown


def test_typer_still_checks_the_values(app: typer.Typer) -> None:
    assert CliRunner().invoke(app, ["tea", "--cups", "0"]).exit_code == 2
    assert CliRunner().invoke(app, ["tea", "--cups", "many"]).exit_code == 2


def test_options_that_commands_share_arrive_beside_their_own() -> None:
    app, received = typer.Typer(), []

    @app.command()
    @takes(PourOptions, CupOptions)
    def pour(what: Annotated[str, typer.Argument()], options: PourOptions, cup: CupOptions) -> None:
        received.append((what, options, cup))

    assert CliRunner().invoke(app, ["tea", "--colour", "blue", "--hot"]).exit_code == 0
    assert received == [("tea", PourOptions(hot=True), CupOptions(colour="blue"))]
