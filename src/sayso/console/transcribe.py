"""`sayso transcribe`: the words in sound files, and why an utterance was rejected."""

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
    stdin: Annotated[bool, typer.Option("--stdin", help="Read file names from standard input, one per line.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object per utterance and nothing else.")] = False,
    backend: Annotated[Literal["moonshine", "pocketsphinx", "whisper"], typer.Option("--backend", help="Recogniser.")] = "moonshine",
    whisper: Annotated[Path | None, typer.Option("--whisper", help="Weights for Whisper: a .pt file.", show_default=False)] = None,
    domain: Annotated[Path | None, typer.Option("--domain", "-d", help="Domain file of another home.", show_default=False)] = None,
    detector: Annotated[Literal["silero", "energy"], typer.Option("--detector", help="Voice activity detector.")] = "silero",
    alternatives: Annotated[int, typer.Option("--alternatives", min=1, max=20, help="Maximum number of texts per utterance.")] = 5,
) -> None:
    """Turn recorded speech into text, with alternatives, confidence, and the reason if an utterance is rejected.

    Each utterance of a file gives one line. A file that cannot be read gives an error, and the next file follows.

    Examples:

    - `sayso transcribe config/sentences/stop.flac`

    - `ls *.wav | sayso transcribe --stdin --json`

    - `sayso transcribe --backend whisper --whisper base.en.pt speech.ogg`

    Exit code: 0; 1 if a file cannot be read; 2 if the domain or the models cannot be read.
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
    """The transcript of each utterance in order; a single rejected one if there is no speech.

    Raises:
        AudioError: the file cannot be read.
    """
    from sayso.speech import utterances
    from sayso.speech.files import read_sound

    return utterances.transcripts(read_sound(file), recogniser, options, file.stem)


def as_data(file: Path, transcript: Transcript) -> dict[str, Any]:
    """A transcript as plain data for JSON."""
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
    """The transcript for a person: text, confidence, and the reason if it was rejected."""
    heard = f"{transcript.text or '(nothing)'}  [{transcript.confidence:.2f}]"
    return f"{file}: {heard}" + (f"  rejected: {transcript.rejected}" if transcript.rejected else "")


def _names() -> Iterator[Path]:
    for line in sys.stdin:
        if line.strip():
            yield Path(line.strip())


def _write(line: dict[str, Any] | str) -> None:
    sys.stdout.write((line if isinstance(line, str) else json.dumps(line, ensure_ascii=False, allow_nan=False)) + "\n")
    sys.stdout.flush()
