"""The options of `sayso replay`, and the configuration of a replay that they amount to."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from sayso.errors import SaysoError

if TYPE_CHECKING:
    from sayso.replay.types import ReplayConfig

Start = Literal["audio", "transcript", "intent", "action"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayOptions:
    """The options as given, in the order of `--help`."""

    start: Annotated[
        Start | None,
        typer.Option(
            "--from", help="The first input read from the bag. Default: transcripts, or sound if there are none.", show_default=False
        ),
    ] = None
    domain: Annotated[
        Path | None, typer.Option("--domain", "-d", help="Domain file to use instead of the recording's.", show_default=False)
    ] = None
    params: Annotated[Path | None, typer.Option("--params", help="Node parameters, as in config/nodes.yaml.", show_default=False)] = None
    models: Annotated[
        Path | None, typer.Option("--models", help="Folder with other models and their manifest.yaml.", show_default=False)
    ] = None
    out: Annotated[Path | None, typer.Option("--out", help="Folder for the results. Default: a new one in runs.", show_default=False)] = (
        None
    )
    remap: Annotated[list[str] | None, typer.Option("--remap", help="RECORDED:=OURS, for topics with other names. May be repeated.")] = None
    namespace: Annotated[str, typer.Option("--namespace", help="The robot's namespace, if the bag holds several robots.")] = ""
    accept: Annotated[bool, typer.Option("--accept", help="Write this run's results beside each bag as its expectations.")] = False
    expect: Annotated[Path | None, typer.Option("--expect", help="Folder with the expectations, if they are not beside the bags.")] = None
    min_exact: Annotated[
        float | None, typer.Option("--min-exact", min=0.0, max=1.0, help="Share of the expectations that must be met. Default: all.")
    ] = None
    media: Annotated[bool, typer.Option("--media/--no-media", help="Keep sounds and pictures and show them in the report.")] = True
    grounding: Annotated[bool, typer.Option("--grounding/--no-grounding", help="Run the grounder on the recorded pictures.")] = True
    against: Annotated[
        list[Path] | None, typer.Option("--against", help="Compare with another domain file, parameter file or folder of models.")
    ] = None
    engine: Annotated[Literal["local", "ray"], typer.Option("--engine", help="local: one bag after the other; ray: many at once.")] = (
        "local"
    )
    address: Annotated[str, typer.Option("--address", help="Address of a Ray cluster. Default: processes on this machine.")] = ""
    workers: Annotated[int, typer.Option("--workers", min=0, help="Processes on this machine; 0: one per core.")] = 0


def configuration(options: ReplayOptions) -> ReplayConfig:
    """The configuration that the options describe.

    Raises:
        SaysoError: the options cannot be used.
    """
    from sayso.replay.stages import parameters
    from sayso.replay.types import ReplayConfig

    if (options.address or options.workers) and options.engine != "ray":
        raise SaysoError("--address and --workers need --engine ray")
    settings = parameters(options.params) if options.params else {}
    if options.domain is not None:
        settings["domain"] = options.domain
    if options.models is not None and not (options.models / "manifest.yaml").is_file():
        raise SaysoError(f"--models {options.models}: has no manifest.yaml; 'sayso train' writes models with one")
    return ReplayConfig(
        start=options.start,
        models=options.models,
        remap=tuple(_remapped(text) for text in options.remap or ()),
        namespace=options.namespace,
        grounding=options.grounding,
        **settings,
    )


def _remapped(text: str) -> tuple[str, str]:
    """The recorded topic and ours."""
    theirs, found, ours = text.partition(":=")
    if not found or not theirs or not ours:
        raise SaysoError(f"--remap {text}: write RECORDED:=OURS, as in --remap /mic/audio:=audio")
    return theirs, ours
