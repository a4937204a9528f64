"""`sayso transcribe`: what is said in sound files, and what was turned down and why."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from sayso.errors import AudioError

if TYPE_CHECKING:
    from sayso.speech.endpoint import EndpointOptions
    from sayso.speech.recognise import SpeechToText
    from sayso.types import Transcript


def transcribe(
    files: Annotated[list[Path] | None, typer.Argument(help="Sound files: WAV, FLAC, OGG.", show_default=False)] = None,
    *,
    stdin: Annotated[bool, typer.Option("--stdin", help="Read names of files from standard input, one a line.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object an utterance and nothing else.")] = False,
    backend: Annotated[Literal["pocketsphinx", "whisper"], typer.Option("--backend", help="Which recogniser.")] = "pocketsphinx",
    whisper: Annotated[Path | None, typer.Option("--whisper", help="Weights for whisper, a .pt file.", show_default=False)] = None,
    domain: Annotated[Path | None, typer.Option("--domain", "-d", help="Another home than the default one.", show_default=False)] = None,
    detector: Annotated[Literal["silero", "energy"], typer.Option("--detector", help="What finds where someone speaks.")] = "silero",
    alternatives: Annotated[int, typer.Option("--alternatives", min=1, max=20, help="Texts for each utterance at most.")] = 5,
) -> None:
    """Turn recorded speech into text, with alternatives, confidence, and the reason where nothing must be done with it.

    A file with several utterances gives a line for each. A file that cannot be read gives its error and the next one is taken.

    Examples: `sayso transcribe config/sentences/stop.flac`, `ls *.wav | sayso transcribe --stdin --json`,
    `sayso transcribe --backend whisper --whisper base.en.pt speech.ogg`.

    Exit code: 0; 1 when a file could not be read; 2 when the domain or the models cannot be.
    """
    if bool(files) == stdin:
        raise typer.BadParameter("name sound files, or give --stdin")
    from sayso.domain import load_domain
    from sayso.speech.endpoint import EndpointOptions
    from sayso.speech.recognise import SpeechOptions, SpeechToText

    recogniser = SpeechToText(load_domain(domain), SpeechOptions(backend, alternatives, whisper))
    listening = EndpointOptions(detector=detector)
    failed = False
    for file in files or _names():
        try:
            for result in transcripts(file, recogniser, listening):
                _write(as_data(file, result) if as_json else as_line(file, result))
        except AudioError as error:
            failed = True
            if as_json:
                _write({"file": str(file), "error": str(error)})
            else:
                typer.echo(f"sayso: {error}", err=True)
    if failed:
        raise typer.Exit(1)


def transcripts(file: Path, recogniser: SpeechToText, options: EndpointOptions | None = None) -> Iterator[Transcript]:
    """Of each utterance in the file, in order; one that is rejected where it holds no speech at all.

    Raises:
        AudioError: the file cannot be read.
    """
    from sayso.speech import utterances
    from sayso.speech.files import read_sound

    return utterances.transcripts(read_sound(file), recogniser, options, file.stem)


def as_data(file: Path, transcript: Transcript) -> dict[str, Any]:
    """All of a transcript as plain data for JSON."""
    return {
        "file": str(file),
        "text": transcript.text,
        "alternatives": [{"text": heard.text, "log_p": heard.log_p} for heard in transcript.alternatives],
        "confidence": transcript.confidence,
        "rejected": transcript.rejected,
        "started": transcript.started,
        "ended": transcript.stamp,
    }


def as_line(file: Path, transcript: Transcript) -> str:
    """The transcript for a person: what, how sure, and whether it was turned down."""
    heard = f"{transcript.text or '(nothing)'}  [{transcript.confidence:.2f}]"
    return f"{file}: {heard}" + (f"  rejected: {transcript.rejected}" if transcript.rejected else "")


def _names() -> Iterator[Path]:
    for line in sys.stdin:
        if line.strip():
            yield Path(line.strip())


def _write(line: dict[str, Any] | str) -> None:
    sys.stdout.write((line if isinstance(line, str) else json.dumps(line, ensure_ascii=False, allow_nan=False)) + "\n")
    sys.stdout.flush()
