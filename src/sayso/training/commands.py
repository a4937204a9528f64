"""`sayso train …`: the commands that make the files in models/. Each command imports its needs, torch above all, when it runs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sayso.errors import SaysoError

app = typer.Typer(help="Train Sayso's models, for the default home or your own domain.", no_args_is_help=True, rich_markup_mode="markdown")

Folder = Annotated[
    Path | None, typer.Option("--from", help="Any sentence-transformers model: a folder, or a name on the hub.", show_default=False)
]
Output = Annotated[Path | None, typer.Option("--output", help="Folder for the result; default: models/.", show_default=False)]
Sentences = Annotated[Path | None, typer.Option("--evaluate", help="Sentences (YAML) to evaluate the result on.", show_default=False)]
DomainOption = Annotated[Path | None, typer.Option("--domain", help="Domain file; default: config/home.yaml.", show_default=False)]

LanguageModelOption = Annotated[
    Path | None, typer.Option("--config", help="Training configuration; default: lm.yaml beside the code.", show_default=False)
]
GrounderOption = Annotated[
    Path | None, typer.Option("--config", help="Training configuration; default: grounder.yaml beside the code.", show_default=False)
]
DetectorOption = Annotated[
    Path | None, typer.Option("--config", help="Configuration; default: detector.yaml beside the code.", show_default=False)
]
StopOption = Annotated[
    Path | None, typer.Option("--config", help="Training configuration; default: stop.yaml beside the code.", show_default=False)
]
ParserOption = Annotated[
    Path | None, typer.Option("--config", help="Training configuration; default: parser.yaml beside the code.", show_default=False)
]
Threads = Annotated[int, typer.Option("--threads", min=1, help="Processor cores to use.")]


Tune = Annotated[bool, typer.Option("--tune", help="Tune the encoder to commands first. An interrupted run continues.")]
Layers = Annotated[bool, typer.Option("--layers", help="Only write encoder_layers.onnx, for the encoder that is already there.")]
TuningOption = Annotated[
    Path | None, typer.Option("--config", help="Configuration of --tune; default: tuning.yaml beside the code.", show_default=False)
]


@app.command()
def encoder(
    folder: Folder = None,
    output: Output = None,
    tune: Tune = False,
    layers: Layers = False,
    config: TuningOption = None,
    threads: Threads = 2,
) -> None:
    """Export a sentence-transformers model to ONNX with 8-bit weights, so that it runs without torch. Default: all-MiniLM-L6-v2.

    Examples:

    - `sayso train encoder`

    - `sayso train encoder --tune`

    - `sayso train encoder --from ~/my-encoder --output ~/my-encoder-onnx`

    - `sayso train encoder --from sentence-transformers/all-mpnet-base-v2 --tune --output ~/my-encoder-onnx`

    To use an encoder in another folder than models/, set the node's parameter `encoder` to it, or try it with `sayso ask --encoder`.
    Its intents are then trained once.
    """
    if folder is not None and output is None:
        raise SaysoError("--from needs --output FOLDER: the intents and the parser in models/ need the encoder in models/")
    if layers:
        from sayso.training.encoder.layers import export_layers

        if folder is not None or tune:
            raise SaysoError("--layers is for an encoder that was exported before: leave out --from and --tune")
        typer.echo(export_layers(output))
        return
    from sayso.training.encoder.export import export_encoder

    if tune:
        from sayso.training.encoder.tuning import tune as tuned

        export_encoder(tuned(folder, config, threads), output, "sayso train encoder --tune")
    else:
        export_encoder(folder, output)


@app.command()
def speech(
    domain: DomainOption = None,
    output: Annotated[
        Path | None, typer.Option("--output", help="File for the result; default: config/speech.yaml.", show_default=False)
    ] = None,
    number: Annotated[int, typer.Option("--number", min=20, help="Number of synthesised commands of flite and espeak-ng.")] = 300,
    recordings: Annotated[
        Path | None,
        typer.Option(
            "--recordings", help="Folder of recorded talk that is not for the robot; default: data/speech/coffee.", show_default=False
        ),
    ] = None,
) -> None:
    """Fit the recogniser's confidence: it rejects noise and talk that is not for the robot. Needs flite, espeak-ng, moonshine-voice.

    Examples:

    - `sayso train speech`

    - `sayso train speech --domain my_home.yaml --output my_speech.yaml`
    """
    from sayso.training.speech.fused import train_speech
    from sayso.training.speech.train import default_recordings

    train_speech(domain, number, recordings or default_recordings(), output)


@app.command()
def intents(domain: DomainOption = None, evaluate: Sentences = None) -> None:
    """Train the intent classifier on the domain's example sentences.

    Examples:

    - `sayso train intents`

    - `sayso train intents --domain my_home.yaml --evaluate my_sentences.yaml`
    """
    from sayso.training.intents.train import train_intents

    train_intents(domain, evaluate)


@app.command()
def parser(
    config: ParserOption = None,
    threads: Threads = 2,
    start: Annotated[
        str | None,
        typer.Option("--from", help="Sentence-transformers model to begin from; default: the shipped encoder.", show_default=False),
    ] = None,
    more: Annotated[
        int, typer.Option(min=0, help="Epochs to train the shipped parser further: for new marks, in less time than a whole run.")
    ] = 0,
) -> None:
    """Train the parser, which reads the structure of sentences. An interrupted run continues. Needs the data sets (SAYSO_DATA).

    Examples:

    - `sayso train parser`

    - `sayso train parser --threads 8`

    - `sayso train parser --more 1`
    """
    from sayso.training.parser.make import train_parser

    train_parser(config, threads, start, more)


@app.command()
def lm(config: LanguageModelOption = None, evaluate: Sentences = None, threads: Threads = 2) -> None:
    """Train the language model that ranks the recogniser's texts. An interrupted run continues. Needs flite and espeak-ng.

    Examples:

    - `sayso train lm`

    - `sayso train lm --config my_lm.yaml --evaluate my_sentences.yaml --threads 4`
    """
    from sayso.training.lm.train import train_lm

    train_lm(config, threads, evaluate)


@app.command()
def stop(config: StopOption = None, threads: Threads = 1) -> None:
    """Train the models that detect a spoken "stop", on synthetic voices and recordings (SAYSO_DATA). An interrupted run continues.

    Examples:

    - `sayso train stop`

    - `sayso train stop --config my_stop.yaml --threads 4`
    """
    from sayso.training.stop.train import train_stop

    train_stop(config, threads)


@app.command()
def grounder(config: GrounderOption = None, threads: Threads = 2) -> None:
    """Train the visual grounder on pictures rendered by the simulation. An interrupted run continues.

    Examples:

    - `sayso train grounder`

    - `sayso train grounder --config my_grounder.yaml --threads 8`
    """
    from sayso.training.grounder.train import train_grounder

    train_grounder(config, threads)


@app.command()
def detector(config: DetectorOption = None) -> None:
    """Calibrate the object detector in models/ on photographs.

    Examples:

    - `sayso train detector`
    """
    from sayso.training.detector.train import train_detector

    train_detector(config)


@app.command()
def skills(
    bags: Annotated[list[Path], typer.Argument(readable=False, help="Recorded runs, from `sayso up --record`.", show_default=False)],
    domain: Annotated[
        Path | None, typer.Option("--domain", help="Domain file; default: the home of each recording.", show_default=False)
    ] = None,
    memory: Annotated[
        Path | None, typer.Option("--memory", help="Memory file; default: the user's, see docs/memory.md.", show_default=False)
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would be learnt from these recordings alone.")] = False,
) -> None:
    """Learn from recorded runs how well and how fast the robot's skills work, by object and place.

    The robot also learns by itself while it works. A recording of what it has learnt from already teaches it nothing twice.

    Examples:

    - `sayso train skills runs/*/bag`

    - `sayso train skills lab/*.mcap --domain my_home.yaml --memory try.sqlite`

    - `sayso train skills runs/*/bag --dry-run`
    """
    from sayso.training.skills import train_skills

    train_skills(bags, domain, memory, dry_run)
