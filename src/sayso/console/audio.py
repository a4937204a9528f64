"""`sayso audio`: the microphones of this computer."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Annotated

import typer

from sayso.errors import AudioError

app = typer.Typer(help="Microphones: list them, with what each can record.", no_args_is_help=True)


@app.callback()
def audio() -> None:
    """Microphones: list them, with what each can record."""


@app.command()
def devices(as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object per device and nothing else.")] = False) -> None:
    """List the input devices: number, name, channels, sample rates; * marks the default.

    `sayso listen --device` and the parameter `device` of the node `microphone` take the number, or a part of the name. Sayso converts
    any rate and any number of channels.

    Exit code: 2 if there is no input device, or if PortAudio is missing.

    Examples:

    - `sayso audio devices`

    - `sayso audio devices --json`
    """
    from rich.table import Table

    from sayso.console.stages import plain_console
    from sayso.speech.devices import NO_DEVICE, input_devices

    found = input_devices()
    if as_json:
        for each in found:
            typer.echo(json.dumps(asdict(each)))
    if not found:
        raise AudioError(NO_DEVICE)
    if as_json:
        return
    table = Table(box=None, pad_edge=False)
    for heading in ("", "number", "name", "through", "channels", "rates (Hz)"):
        table.add_column(heading)
    for each in found:
        rates = ", ".join(str(rate) for rate in each.rates) or f"{each.default_rate:.0f}"
        table.add_row("*" if each.default else "", str(each.index), each.name, each.interface, str(each.channels), rates)
    plain_console().print(table)
