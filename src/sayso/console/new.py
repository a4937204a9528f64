"""`sayso new`: first files of a user's own home, and JSON Schemas for editors."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import Annotated

import typer

from sayso.errors import SaysoError

app = typer.Typer(help="Write the first files of your home: domain file, scene file, JSON Schemas for editors.", no_args_is_help=True)


class FileKind(str, Enum):
    """A kind of file that has a JSON Schema."""

    domain = "domain"
    scene = "scene"


@app.command()
def home(file: Annotated[Path, typer.Argument(help="The file to write: my_home.yaml. It must not exist yet.")]) -> None:
    """Write a domain file to start from: two rooms, a few things, and comments that explain them.

    It loads as it is. Replace its rooms, things and people with your own.

    Examples:

    - `sayso new home my_home.yaml`

    - `sayso new home robots/flat/home.yaml`
    """
    _write("home.yaml", FileKind.domain, file)
    typer.echo(f"wrote {file}: edit it, then")
    typer.echo(f"  sayso check {_quoted(file)}")
    typer.echo(f'  sayso ask --domain {_quoted(file)} "bring me the red cup"')


@app.command()
def scene(file: Annotated[Path, typer.Argument(help="The file to write: my_scene.yaml. It must not exist yet.")]) -> None:
    """Write a scene file to start from: walls, furniture and things for the home of `sayso new home`.

    The simulation and the robot's map are built from it.

    Example: `sayso new scene my_scene.yaml`, then `scene: my_scene.yaml` in my_home.yaml
    """
    _write("scene.yaml", FileKind.scene, file)
    typer.echo(f"wrote {file}: name it in your domain file beside it (`scene: {file.name}`), then")
    typer.echo("  sayso check my_home.yaml")
    typer.echo("  sayso up --domain my_home.yaml")


@app.command()
def schema(kind: Annotated[FileKind, typer.Argument(help="The kind of file.")]) -> None:
    """Print the JSON Schema of domain or scene files, for editors that complete and check fields.

    Files made by `sayso new` name the installed schema in their first line already.

    Example: `sayso new schema domain > domain.schema.json`
    """
    from sayso.console.home_reference import schema_file

    typer.echo(schema_file(kind.value).read_text(encoding="utf-8"), nl=False)


def _write(starter: str, kind: FileKind, file: Path) -> None:
    text = (Path(__file__).parent / "starter" / starter).read_text(encoding="utf-8")
    installed = Path(__file__).parent / "schemas" / f"{kind.value}.schema.json"
    text = text.replace("{schema}", installed.as_uri(), 1).replace("{file}", file.name)
    if file.exists():
        raise SaysoError(f"{file} exists already: choose another name, or remove it first")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("x", encoding="utf-8") as new:
            new.write(text)
    except OSError as impossible:
        raise SaysoError(f"{file} cannot be written: {impossible.strerror}") from None


def _quoted(file: Path) -> str:
    import shlex

    return shlex.quote(str(file))
