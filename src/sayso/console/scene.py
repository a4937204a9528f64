"""`sayso scene`: check a scene file, draw it, make a random one."""

from __future__ import annotations

from math import cos, radians, sin
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sayso.errors import SaysoError

if TYPE_CHECKING:
    from sayso.domain import Domain
    from sayso.scene import Scene

app = typer.Typer(help="Scene files: check one, draw one, make a random apartment.", no_args_is_help=True)


@app.command()
def check(
    file: Annotated[Path, typer.Argument(help="The scene file.")],
    domain: Annotated[Path | None, typer.Option("--domain", "-d", help="Also check that this domain file describes the same home.")] = None,
) -> None:
    """Print every mistake of a scene file, with file and line. With --domain, also compare the two files and what the robot can reach.

    Examples:

    - `sayso scene check my_flat.yaml`

    - `sayso scene check config/scenes/warehouse.yaml --domain config/warehouse.yaml`

    Exit code: 0 when the scene can be used, 2 when it cannot.
    """
    from sayso.console.stages import plain_console
    from sayso.scene import load_scene

    scene = load_scene(file)
    if domain is not None:
        from sayso.console.check import check_agreement

        check_agreement(file, domain)
    counts = {"rooms": scene.rooms, "walls": scene.walls, "furniture": scene.furniture, "objects": scene.objects, "people": scene.people}
    contents = ", ".join(f"{len(things)} {name}" for name, things in counts.items())
    plain_console().print(f"{file}: {scene.name} is fine: {contents}" + (f"; {domain} agrees" if domain else ""), soft_wrap=True)


@app.command()
def show(
    file: Annotated[Path, typer.Argument(help="The scene file.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="The picture to write: .png.")] = Path("scene.png"),
    domain: Annotated[Path | None, typer.Option("--domain", "-d", help="Domain file whose names to write; default: the ids.")] = None,
) -> None:
    """Draw a scene: its floor plan, the world from above, and what the robot sees from where it starts.

    Example: `sayso scene show config/scenes/warehouse.yaml --out warehouse.png`
    """
    from sayso.console.stages import plain_console
    from sayso.scene import load_scene

    if out.suffix.lower() != ".png":
        raise SaysoError(f"{out}: a picture's name ends in .png")
    scene = load_scene(file)
    _draw(scene, _names(domain), out)
    plain_console().print(f"wrote {out}", soft_wrap=True)


@app.command()
def random(
    seed: Annotated[int, typer.Option("--seed", "-s", min=0, help="The same seed gives the same apartment.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder for scene.yaml and domain.yaml.")],
    keep: Annotated[list[str] | None, typer.Option(help="Id of the default home that it must have; may be repeated.")] = None,
) -> None:
    """Make a random apartment: a scene file, and the domain file for it.

    Example: `sayso scene random --seed 7 --out my_flat`, then `sayso up --domain my_flat/domain.yaml`
    """
    from sayso.console.stages import plain_console
    from sayso.domain import load_domain
    from sayso.random_home import random_home
    from sayso.scene import load_scene

    home, needed = load_domain(), frozenset(keep or ())
    for name in needed - {*home.places, *home.objects}:
        raise SaysoError(f"--keep: the default home has no room, furniture or object '{name}'")
    for name in ("scene.yaml", "domain.yaml"):
        if (out / name).exists():
            raise SaysoError(f"{out / name} exists already: choose another folder for --out")
    scene_file, domain_file = random_home(seed, out, needed)
    scene = load_scene(scene_file)
    console = plain_console()
    console.print(
        f"wrote {scene_file}: {', '.join(scene.rooms)}; {len(scene.furniture)} furniture, {len(scene.objects)} objects", soft_wrap=True
    )
    console.print(f"wrote {domain_file}; try: sayso up --domain {domain_file}", soft_wrap=True)


def _names(file: Path | None) -> Domain | None:
    from sayso.domain import load_domain

    return load_domain(file) if file else None


def _draw(scene: Scene, domain: Domain | None, file: Path) -> None:
    """The floor plan, the world from above, and the camera's picture, side by side."""
    from matplotlib.figure import Figure

    from sayso.console.floor_plan import draw_floor_plan
    from sayso.sim.simulation import Simulation

    x0, y0, x1, y1 = scene.area
    wide = 7.0 * max((x1 - x0) / (y1 - y0), 0.5) ** 0.5  # inches; about the same area for wide and for deep homes
    figure = Figure(figsize=(2.5 * wide, wide * (y1 - y0) / (x1 - x0) + 0.4), dpi=110, layout="constrained")
    plan, above, ahead = figure.subplots(1, 3, width_ratios=[2, 2, 1])
    draw_floor_plan(plan, scene, domain)
    _name_furniture(plan, scene, domain)
    plan.set_title(scene.name, fontsize=10)
    simulation = Simulation(scene)
    try:
        height = round(900 * (y1 - y0) / (x1 - x0))
        above.imshow(simulation.render_overview(900, height).rgb)
        ahead.imshow(simulation.render().rgb)
    finally:
        simulation.close()
    above.set_title("from above", fontsize=10)
    ahead.set_title("what the robot sees at the start", fontsize=10)
    for axes in (above, ahead):
        axes.axis("off")
    figure.savefig(file)


def _name_furniture(axes: Any, scene: Scene, domain: Domain | None) -> None:
    for name, placed in scene.furniture.items():
        spoken = domain.places[name].spoken(name) if domain and name in domain.places else name.replace("_", " ")
        axes.text(*placed.at, spoken, ha="center", va="center", fontsize=6.5, zorder=6)
    (x, y), yaw = scene.robot.at, radians(scene.robot.yaw)
    axes.plot(x, y, "o", markersize=11, color="#2a9dbb", zorder=7)
    axes.plot([x, x + 0.45 * cos(yaw)], [y, y + 0.45 * sin(yaw)], linewidth=3, color="#2a9dbb", zorder=7)
