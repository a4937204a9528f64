"""`sayso check`: all mistakes of a home."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sayso.errors import DomainError

if TYPE_CHECKING:
    from sayso.domain import Domain


def check(file: Annotated[Path, typer.Argument(help="The domain file.")]) -> None:
    """Check a home: print every mistake of its domain file and of its scene, with file, line and remedy.

    If the domain file names a scene, it also compares the two and checks what the robot can reach.

    Examples:

    - `sayso check my_home.yaml`

    - `sayso check config/warehouse.yaml`

    Exit code: 0 when the home can be used, 2 when it cannot.
    """
    from sayso.domain import load_domain
    from sayso.selection.answering.going_to_see import SURVEY

    try:
        domain = load_domain(file)
        _check_scene(domain, file)
    except DomainError as wrong:
        if len(wrong.findings) <= DomainError.SHOWN:
            raise
        for finding in wrong.findings:  # all of them, however many
            typer.echo(finding, err=True)
        raise typer.Exit(2) from None
    counts = {name: len(getattr(domain, name)) for name in ("places", "objects", "people", "intents")}
    typer.echo(f"{file}: {domain.name} is fine ({', '.join(f'{what}: {count}' for what, count in counts.items())})")
    meant = {action for intent in domain.intents.values() for action, p in intent.actions.items() if p}
    for action in sorted(domain.actions.keys() - meant - {SURVEY}):  # the robot looks by itself
        typer.echo(f"no intent leads to the action '{action}': no sentence asks for it until an intent has examples")
    if domain.scene:
        typer.echo(f"its scene {domain.scene} agrees; try: sayso up --domain {file}")
    else:
        typer.echo("it names no scene: sayso ask works without one, the simulation does not (sayso new scene writes one)")


def _check_scene(domain: Domain, file: Path) -> None:
    if not domain.scene:
        return
    from sayso.yaml_source import companion

    check_agreement(companion(domain.scene, file), file)


def check_agreement(scene_file: Path, domain_file: Path) -> None:
    """Check that the two files describe the same home, and that the robot can reach everything in it.

    Raises:
        DomainError: a file has mistakes, or the files disagree; names file and line of each.
    """
    from sayso.domain import load_domain
    from sayso.robot.agreement import disagreements
    from sayso.scene import load_scene
    from sayso.yaml_source import read_yaml, resolved

    found = list(disagreements(load_scene(scene_file), load_domain(domain_file)))
    sources = {name: read_yaml(resolved(path), "") for name, path in (("scene", scene_file), ("domain", domain_file)) if found}
    places = [sources[each.file].place(each.location) for each in found]
    if found:
        raise DomainError(*(f"{path}:{line}: {each}" for each, (path, line) in zip(found, places, strict=True)))
