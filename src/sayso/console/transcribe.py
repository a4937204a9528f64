"""`sayso transcribe`: the words in sound files, and why an utterance was rejected."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from sayso.errors import AudioError

if TYPE_CHECKING:
    from sayso.domain import Domain
    from sayso.speech.endpoint import EndpointOptions
    from sayso.speech.recognise import SpeechOptions, SpeechToText
    from sayso.types import Transcript

Lines = Callable[[Path], Iterator["dict[str, Any] | str"]]  # of one file

Weights = Annotated[
    list[Path] | None,
    typer.Option("--whisper", help="Weights: Whisper's .pt file, or faster-whisper's folder; --compare takes both.", show_default=False),
]


def transcribe(
    files: Annotated[list[Path] | None, typer.Argument(help="Sound files: WAV, FLAC, OGG.", show_default=False)] = None,
    *,
    stdin: Annotated[bool, typer.Option("--stdin", help="Read file names from standard input, one per line.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object per utterance and nothing else.")] = False,
    backend: Annotated[
        Literal["moonshine", "pocketsphinx", "whisper", "faster_whisper"], typer.Option("--backend", help="Recogniser.")
    ] = "moonshine",
    compare: Annotated[bool, typer.Option("--compare", help="Show what every installed recogniser hears, and its time.")] = False,
    whisper: Weights = None,
    domain: Annotated[Path | None, typer.Option("--domain", "-d", help="Domain file of another home.", show_default=False)] = None,
    alternatives: Annotated[int, typer.Option("--alternatives", min=1, max=20, help="Maximum number of texts per utterance.")] = 5,
) -> None:
    """Turn recorded speech into text, with alternatives, confidence, and the reason if an utterance is rejected.

    Each utterance of a file gives one line. A file that cannot be read gives an error, and the next file follows.

    Examples:

    - `sayso transcribe config/sentences/stop.flac`

    - `ls *.wav | sayso transcribe --stdin --json`

    - `sayso transcribe --backend whisper --whisper base.en.pt speech.ogg`

    - `sayso transcribe --compare --whisper base.en.pt --whisper faster-whisper-base.en/ speech.ogg`

    Exit code: 0; 1 if a file cannot be read; 2 if the domain or the models cannot be read.
    """
    if bool(files) == stdin:
        raise typer.BadParameter("name sound files, or give --stdin")
    from sayso.domain import load_domain
    from sayso.speech.endpoint import EndpointOptions
    from sayso.speech.recognise import SpeechOptions, SpeechToText

    options = SpeechOptions(backend, alternatives)
    listening = EndpointOptions(early=False)
    if compare:
        lines: Lines = _side_by_side(load_domain(domain), options, whisper or [], listening, as_json)
    else:
        recogniser = SpeechToText(load_domain(domain), replace(options, whisper_weights=whisper[0] if whisper else None))
        lines = partial(_heard, recogniser=recogniser, options=listening, as_json=as_json)
    failed = False
    for file in files or _names():
        try:
            for line in lines(file):
                _write(line)
        except AudioError as error:
            failed = True
            if as_json:
                _write({"file": str(file), "error": str(error)})
            else:
                typer.echo(f"sayso: {error}", err=True)
    if failed:
        raise typer.Exit(1)


def _heard(file: Path, recogniser: SpeechToText, options: EndpointOptions, as_json: bool) -> Iterator[dict[str, Any] | str]:
    """One line an utterance."""
    for result in transcripts(file, recogniser, options):
        yield as_data(file, result) if as_json else as_line(file, result)


def _side_by_side(home: Domain, options: SpeechOptions, weights: list[Path], listening: EndpointOptions, as_json: bool) -> Lines:
    """The lines of every recogniser that can be loaded; says first which cannot, and why."""
    from sayso.console.compare import SideBySide

    recognisers = SideBySide(home, options, weights)
    for name, reason in recognisers.skipped.items():
        _write({"backend": name, "skipped": reason} if as_json else f"{name}: skipped: {reason}")

    def lines(file: Path) -> Iterator[dict[str, Any] | str]:
        for backend, result, seconds in recognisers.heard(file, listening):
            if as_json:
                yield {"backend": backend, "seconds": round(seconds, 4), **as_data(file, result)}
            else:
                yield f"{backend:15s} {seconds:5.2f} s  {as_line(file, result)}"

    return lines


def transcripts(file: Path, recogniser: SpeechToText, options: EndpointOptions | None = None) -> Iterator[Transcript]:
    """The transcript of each utterance in order; a single rejected one if there is no speech.

    Raises:
        AudioError: the file cannot be read.
    """
    from sayso.speech import utterances
    from sayso.speech.files import read_sound

    return utterances.transcripts(read_sound(file), recogniser, options, file.stem, recogniser.ear())


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
