"""The `sayso` command: every subcommand is a module of its own, found through the entry points named `sayso.commands`."""

from __future__ import annotations

import sys
from importlib.metadata import entry_points

import typer
from rich.console import Console

from sayso import __version__
from sayso.errors import SaysoError

HELP = "Voice commands for robots: heard, understood with honest doubt, and done."


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"sayso {__version__}")
        raise typer.Exit


def build_app() -> typer.Typer:
    """The command line with every installed subcommand."""
    app = typer.Typer(name="sayso", help=HELP, no_args_is_help=True, pretty_exceptions_enable=False, rich_markup_mode="markdown")

    @app.callback()
    def options(
        version: bool = typer.Option(False, "--version", callback=_version, is_eager=True, help="Print the version and leave."),
    ) -> None:
        """Sayso's subcommands; `sayso COMMAND --help` shows each with examples."""

    for entry in sorted(entry_points(group="sayso.commands"), key=lambda entry: entry.name):
        command = entry.load()
        if isinstance(command, typer.Typer):
            app.add_typer(command, name=entry.name)
        else:
            app.command(name=entry.name)(command)
    return app


def main() -> None:
    """Run the command line; an error that the user can mend is one line on stderr and exit code 2."""
    try:
        build_app()()
    except SaysoError as error:
        Console(stderr=True, soft_wrap=True).print(f"[red]sayso:[/red] {error}", highlight=False, markup=True)
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(130)
