"""The subcommands of `sayso`: each is imported only when it is called, so a call does not wait for the imports of others.

Other packages add subcommands through entry points of the group `sayso.commands`.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any, NamedTuple

import typer
from typer.core import TyperCommand, TyperGroup

from sayso import __version__

HELP = "Voice commands for robots: heard, understood with calibrated doubt, and carried out."


class Subcommand(NamedTuple):
    """Where a subcommand is, and the first sentence of its help."""

    place: str  # module:name
    summary: str


COMMANDS = {
    "answer": Subcommand("sayso_nodes.commands.client:answer", "Answer the question that the robot has asked."),
    "ask": Subcommand(
        "sayso.console.ask:ask", "Show how the robot understands a sentence: intents, roles, actions, decision and plan. Nothing moves."
    ),
    "audio": Subcommand("sayso.console.audio:app", "Microphones: list them, with what each can record."),
    "bags": Subcommand("sayso.console.bags:app", "List replayed bags and query their results."),
    "bench": Subcommand(
        "sayso.console.bench:bench", "Run a benchmark side by side with its baselines; print the table and write it as JSON."
    ),
    "calibrate": Subcommand(
        "sayso.console.calibrate:calibrate",
        "Calibrate which actions the robot offers in a question, on interactions generated from the domain or on recorded ones.",
    ),
    "check": Subcommand(
        "sayso.console.check:check", "Check a home: print every mistake of its domain file and of its scene, with file, line and remedy."
    ),
    "console": Subcommand(
        "sayso_nodes.commands.console:console", "Serve a page to talk to the robot and to see what it thinks, until Ctrl-C."
    ),
    "data": Subcommand("sayso.training.data.commands:app", "Download the data sets for training and benchmarks."),
    "demo": Subcommand(
        "sayso_nodes.commands.demo:demo", "Play spoken sentences to a simulated robot at home and show what it hears, thinks and does."
    ),
    "doctor": Subcommand("sayso.console.doctor:doctor", "Check the installation and say how to fix problems."),
    "listen": Subcommand(
        "sayso_nodes.commands.client:listen",
        "Show what the microphone hears and what it means, without a robot; or let the running nodes hear it, or a sound file.",
    ),
    "memory": Subcommand(
        "sayso.console.memory:app", "Show, export and erase what the robot has learnt from confirmed commands and about its skills."
    ),
    "new": Subcommand("sayso.console.new:app", "Write the first files of your home: domain file, scene file, JSON Schemas for editors."),
    "plan": Subcommand(
        "sayso.console.plan:plan",
        "Show the plan for a sentence as a tree of skills, values and probabilities, and on the map. Nothing moves.",
    ),
    "replay": Subcommand(
        "sayso.console.replay:replay",
        "Run recorded bags through the stages again, without ROS and as fast as possible, and compare with the expectations.",
    ),
    "report": Subcommand("sayso.console.report:report", "Write a run's pictures, animation and report.html again from its bag."),
    "resume": Subcommand("sayso_nodes.commands.client:resume", "Let the robot move again after a stop. Dropped commands stay dropped."),
    "say": Subcommand("sayso_nodes.commands.client:say", "Say a sentence to the running nodes and show the result of each stage."),
    "scene": Subcommand("sayso.console.scene:app", "Scene files: check one, draw one, make a random apartment."),
    "see": Subcommand("sayso.console.see:see", "Show what is in a picture, with the doubt about each thing."),
    "security": Subcommand("sayso_nodes.commands.security:app", "SROS2: least privilege for every node, made from the graph."),
    "stop": Subcommand(
        "sayso_nodes.commands.client:stop", 'Stop the robot at once. It moves again after `sayso resume` or the words "go on".'
    ),
    "tasks": Subcommand("sayso_nodes.commands.tasks:app", "List what the robot is to do later and what it must not do, and take it back."),
    "train": Subcommand("sayso.training.commands:app", "Train Sayso's models, for the default home or your own domain."),
    "transcribe": Subcommand(
        "sayso.console.transcribe:transcribe",
        "Turn recorded speech into text, with alternatives, confidence, and the reason if an utterance is rejected.",
    ),
    "up": Subcommand("sayso_nodes.commands.up:up", "Start the nodes, each its own process, and stay until Ctrl-C."),
}


class Subcommands(TyperGroup):
    """Lists the subcommands from the table, and imports the one that is called."""

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ARG002 - typer passes it
        """All names, Sayso's and other packages'."""
        return sorted({*COMMANDS, *_added()})

    def get_command(self, ctx: Any, cmd_name: str) -> Any:  # noqa: ARG002
        """Name and summary only, for the help and completion: nothing is imported."""
        found = COMMANDS.get(cmd_name) or _added().get(cmd_name)
        return found and TyperCommand(cmd_name, help=found.summary, rich_markup_mode="markdown")

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The subcommand that is called, imported."""
        if args and self.get_command(ctx, args[0]) is None:  # for the suggestion of a similar name
            self.commands = {name: self.get_command(ctx, name) for name in self.list_commands(ctx)}
        name, listed, rest = super().resolve_command(ctx, args)
        return name, listed and load(str(name)), rest


def load(name: str) -> Any:
    """The command of that name, imported.

    Raises:
        ImportError: a module that the command needs is not installed.
    """
    place = (COMMANDS.get(name) or _added()[name]).place
    module, _, attribute = place.partition(":")
    command = getattr(import_module(module), attribute)
    app = typer.Typer(rich_markup_mode="markdown", pretty_exceptions_enable=False, add_completion=False)
    if isinstance(command, typer.Typer):
        app.add_typer(command, name=name)
        return typer.main.get_group(app).commands[name]
    app.command(name)(command)
    return typer.main.get_command(app)


def _added() -> dict[str, Subcommand]:
    """The subcommands of other packages. Looking them up is slow, so a call of our own commands skips it."""
    from importlib.metadata import entry_points

    return {
        entry.name: Subcommand(entry.value, f"From the package {entry.dist.name}." if entry.dist else "")
        for entry in entry_points(group="sayso.commands")
        if entry.name not in COMMANDS
    }


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"sayso {__version__}")
        raise typer.Exit


def build_app() -> typer.Typer:
    """The command line with every installed subcommand."""
    app = typer.Typer(
        name="sayso", help=HELP, cls=Subcommands, no_args_is_help=True, pretty_exceptions_enable=False, rich_markup_mode="markdown"
    )

    @app.callback()
    def options(
        version: bool = typer.Option(False, "--version", callback=_version, is_eager=True, help="Print the version and exit."),
    ) -> None:
        """Sayso's subcommands. `sayso COMMAND --help` shows each with examples."""

    return app
