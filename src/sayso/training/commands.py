"""`sayso train …`: makes the models that are in models/. A command imports what it needs when it runs, torch above all."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sayso.errors import SaysoError

app = typer.Typer(help="Train the models again, or for a domain of your own.", no_args_is_help=True, rich_markup_mode="markdown")

Folder = Annotated[
    Path | None, typer.Option("--from", help="Folder of another BERT sentence encoder, or its name on the hub.", show_default=False)
]
Output = Annotated[Path | None, typer.Option("--output", help="Folder to write to; default: models/.", show_default=False)]
Sentences = Annotated[Path | None, typer.Option("--evaluate", help="Sentences to measure on afterwards (YAML).", show_default=False)]
DomainOption = Annotated[Path | None, typer.Option("--domain", help="Domain file; default: the home in config/.", show_default=False)]

LanguageModelOption = Annotated[Path | None, typer.Option("--config", help="Default: lm.yaml beside the module.", show_default=False)]
GrounderOption = Annotated[Path | None, typer.Option("--config", help="Default: grounder.yaml beside the module.", show_default=False)]
StopOption = Annotated[Path | None, typer.Option("--config", help="Default: stop.yaml beside the module.", show_default=False)]
TaggerOption = Annotated[Path | None, typer.Option("--config", help="Default: tagger.yaml beside the module.", show_default=False)]
Threads = Annotated[int, typer.Option("--threads", min=1, help="Processor cores to train on.")]


Tune = Annotated[bool, typer.Option("--tune", help="Tune all-MiniLM-L6-v2 to commands first; an interrupted run goes on.")]
TuningOption = Annotated[
    Path | None, typer.Option("--config", help="Of --tune; default: tuning.yaml beside the module.", show_default=False)
]


@app.command()
def encoder(folder: Folder = None, output: Output = None, tune: Tune = False, config: TuningOption = None, threads: Threads = 2) -> None:
    """Export the sentence encoder to ONNX, quantised to 8 bits, so that it runs without torch.

    Examples: `sayso train encoder` · `sayso train encoder --tune` · `sayso train encoder --from ~/my-encoder --output ~/my-encoder-onnx`

    The node's parameter `encoder` names the folder that is to be used instead of models/; the intents are then learnt again on it, once.
    """
    from sayso.training.encoder.export import export_encoder

    if tune:
        if folder is not None:
            raise SaysoError("--tune begins with the packaged encoder: leave --from out")
        from sayso.training.encoder.tuning import tune as tuned

        export_encoder(tuned(config, threads), output, "sayso train encoder --tune")
    else:
        export_encoder(folder, output)


@app.command()
def speech(
    domain: DomainOption = None,
    output: Annotated[Path | None, typer.Option("--output", help="File to write; default: config/speech.yaml.", show_default=False)] = None,
    number: Annotated[int, typer.Option("--number", min=20, help="Commands to speak for fitting.")] = 240,
    recordings: Annotated[
        Path | None, typer.Option("--recordings", help="Recorded talk about other things; default: data/speech/coffee.", show_default=False)
    ] = None,
) -> None:
    """Fit the recogniser's confidence, so that it turns down noise and talk about other things. Needs flite and espeak-ng.

    Examples: `sayso train speech` · `sayso train speech --domain my_home.yaml --output my_speech.yaml`
    """
    from sayso.training.speech.train import default_recordings, train_speech

    train_speech(domain, number, recordings or default_recordings(), output)


@app.command()
def intents(domain: DomainOption = None, evaluate: Sentences = None) -> None:
    """Train the intent classifier on the domain's example sentences.

    Examples: `sayso train intents` · `sayso train intents --domain my_home.yaml --evaluate my_sentences.yaml`
    """
    from sayso.training.intents.train import train_intents

    train_intents(domain, evaluate)


@app.command()
def tagger(config: TaggerOption = None, threads: Threads = 2) -> None:
    """Train the tagger, which finds requests and their roles, on the encoder of models/. Needs the data sets (SAYSO_DATA).

    Examples: `sayso train tagger` · `sayso train tagger --threads 8`
    """
    from sayso.training.tagger.train import train_tagger

    train_tagger(config, threads)


@app.command()
def lm(config: LanguageModelOption = None, evaluate: Sentences = None, threads: Threads = 2) -> None:
    """Train the model of what people say, which ranks the recogniser's texts; an interrupted run goes on. Needs flite and espeak-ng.

    Examples: `sayso train lm` · `sayso train lm --config my_lm.yaml --evaluate my_sentences.yaml --threads 4`
    """
    from sayso.training.lm.train import train_lm

    train_lm(config, threads, evaluate)


@app.command()
def stop(config: StopOption = None, threads: Threads = 1) -> None:
    """Train the spotter of "stop" on synthetic voices and recordings (SAYSO_DATA); an interrupted run goes on where it stopped.

    Examples: `sayso train stop` · `sayso train stop --config my_stop.yaml --threads 4`
    """
    from sayso.training.stop.train import train_stop

    train_stop(config, threads)


@app.command()
def grounder(config: GrounderOption = None, threads: Threads = 2) -> None:
    """Train the visual grounder on pictures that the simulation renders; an interrupted run goes on where it stopped.

    Examples: `sayso train grounder` · `sayso train grounder --config my_grounder.yaml --threads 8`
    """
    from sayso.training.grounder.train import train_grounder

    train_grounder(config, threads)
