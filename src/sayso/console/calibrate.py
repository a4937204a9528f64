"""`sayso calibrate`: how many actions a question must offer to include the intended one as often as required."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sayso.errors import SaysoError

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from sayso.domain import Domain
    from sayso.selection.choosing.calibration import Calibration
    from sayso.training.selection.calibration import Known


def calibrate(
    bags: Annotated[
        list[Path] | None,
        typer.Argument(
            readable=False,
            help="Recorded bags, with the intended actions in BAG.expected.yaml or in recorded answers.",
            show_default=False,
        ),
    ] = None,
    *,
    domain: Annotated[Path | None, typer.Option("--domain", "-d", help="Default: the home in config/.", show_default=False)] = None,
    epsilon: Annotated[
        float, typer.Option("--epsilon", "-e", min=0.001, max=0.5, help="How often the intended action may be missing.")
    ] = 0.05,
    number: Annotated[int, typer.Option("--number", "-n", min=200, help="Interactions to generate; half are used to measure.")] = 8000,
    seed: Annotated[int, typer.Option("--seed", help="Seed of the generated interactions.")] = 0,
    output: Annotated[
        Path | None, typer.Option("--output", help="File to write. Default: where the selector reads it.", show_default=False)
    ] = None,
) -> None:
    """Calibrate which actions the robot offers in a question, on interactions generated from the domain or on recorded ones.

    A question then includes the intended action in all but EPSILON of interactions like these. docs/choosing.md explains what this
    guarantees.

    Examples:

    - `sayso calibrate`

    - `sayso calibrate --domain my_home.yaml --epsilon 0.1`

    - `sayso calibrate lab/*.mcap`
    """
    from sayso.console.stages import plain_console
    from sayso.domain import load_domain
    from sayso.paths import in_checkout
    from sayso.selection.choosing.calibration import SHIPPED, cached, write_calibration
    from sayso.training.selection.calibration import calibrated

    console = plain_console()
    home = load_domain(domain)
    every, source = _recorded(home, bags, domain) if bags else _generated(home, number, seed)
    calibration = calibrated(home, every, source, epsilon, seed)
    shipped = domain is None and not bags and output is None and in_checkout()  # what pip installed is left as it is
    path = output or (_shipped() if shipped else cached(home))
    write_calibration(calibration, path)
    if shipped:
        from sayso.models import record_model

        record_model(SHIPPED, licence="Apache-2.0", source=f"{source}, seed {seed}", command="sayso calibrate")
    _show(console, calibration, path)


def _generated(home: Domain, number: int, seed: int) -> tuple[list[Known], str]:
    from rich.console import Console
    from rich.progress import Progress

    from sayso.training.selection.calibration import on_generated

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("generating interactions", total=1.0)
        every = on_generated(home, number, seed, lambda doing, share: bar.update(task, description=doing, completed=share))
    return every, f"{number} interactions generated from the examples of '{home.name}'"


def _recorded(home: Domain, bags: list[Path], domain: Path | None) -> tuple[list[Known], str]:
    from rich.console import Console

    from sayso.replay.confirmed import confirmed
    from sayso.replay.types import ReplayConfig
    from sayso.training.selection.calibration import as_known

    found = []
    with Console(stderr=True).status(f"playing {len(bags)} bags …") as status:
        for each in confirmed(bags, ReplayConfig(domain=domain, grounding=False)):
            found.append(as_known(home, each.meant, each.posterior))
            status.update(f"{each.bag}: {len(found)} utterances with known meaning …")
    if not found:
        names = ", ".join(str(bag) for bag in bags[:3])
        raise SaysoError(f"{names}: no intended actions: 'sayso replay BAG --accept' writes BAG.expected.yaml; correct them there")
    return found, f"{len(found)} utterances of {len(bags)} recorded bags"


def _shipped() -> Path:
    from sayso.paths import models_dir
    from sayso.selection.choosing.calibration import SHIPPED

    return models_dir() / SHIPPED


def _show(console: Console, calibration: Calibration, path: Path) -> None:
    console.print(_table(calibration))
    console.print(
        f"Held: the intended action is in the set, measured on {calibration.held_out} interactions not used for calibration. "
        f"{calibration.unclear:.1%} are unclear: no action has 95 % of the posterior. "
        "For these: how many actions a question must offer, and the least posterior of each.",
        soft_wrap=True,
    )
    if calibration.missing:
        console.print(f"In {calibration.missing:.1%} the intended action was not a candidate, so no set can hold it.", soft_wrap=True)
    console.print(
        f"{path}: from {calibration.n} of {calibration.source}; questions offer the sets for ε = {calibration.epsilon:g}", soft_wrap=True
    )


def _table(calibration: Calibration) -> Table:
    from rich.table import Table

    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for name in ("ε", "promised", "all: held", "unclear: held", "actions", "of p ≥"):
        table.add_column(name, justify="right")
    for epsilon, level in calibration.levels.items():
        needed = f"{max(0.0, 1.0 - level.unclear):.3f}"
        figures = (f"{epsilon:g}", f"{1 - epsilon:.1%}", f"{level.coverage:.1%}", f"{level.offered:.1%}", f"{level.size:.2f}", needed)
        table.add_row(*figures, style="bold" if epsilon == calibration.epsilon else "")
    return table
