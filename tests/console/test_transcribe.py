"""`sayso transcribe`: one line an utterance, errors for single files, exit codes."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path

import numpy as np
import pytest
import soundfile
import typer
from typer.testing import CliRunner

from recordings import recording, silence, sound
from sayso.console.transcribe import transcribe
from sayso.types import SAMPLE_RATE

APP = typer.Typer()
APP.command()(transcribe)


def run(*arguments: str, stdin: str = "") -> tuple[int, list[str], str]:
    result = CliRunner().invoke(APP, arguments, input=stdin)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result.exit_code, result.stdout.splitlines(), result.stderr


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A text file as WAV, and a file with two utterances as 44.1 kHz stereo."""
    import soxr

    path = tmp_path_factory.mktemp("sounds")
    (path / "text.wav").write_text("stop")
    two = np.concatenate([sound("turn left"), silence(0.6), sound("come here")]) / 32768.0
    soundfile.write(path / "two.wav", np.stack([soxr.resample(two, SAMPLE_RATE, 44_100)] * 2, axis=1), 44_100)
    soundfile.write(path / "silence.wav", silence(2.0), SAMPLE_RATE)
    return path


def test_json_holds_everything_and_a_bad_file_does_not_end_it(folder: Path) -> None:
    files = [folder / "missing.wav", folder / "text.wav", folder / "two.wav", folder / "silence.wav", recording("stop")]
    code, lines, _ = run("--stdin", "--json", stdin="\n".join(str(file) for file in files) + "\n\n")
    assert code == 1
    results = [json.loads(line) for line in lines]
    names = [Path(result["file"]).name for result in results]
    assert names == ["missing.wav", "text.wav", "two.wav", "two.wav", "silence.wav", "stop.flac"]
    assert "no such file" in results[0]["error"]
    assert "not a sound file" in results[1]["error"]
    assert [result["text"] for result in results[2:]] == ["turn left", "come here", "", "stop"]
    assert results[4]["rejected"] == "no speech in it"
    for result in (*results[2:4], results[5]):
        assert set(result) == {"file", "text", "alternatives", "confidence", "rejected", "started", "ended"}
        assert 0.5 < math.fsum(math.exp(heard["log_p"]) for heard in result["alternatives"]) <= 1.0 + 1e-9  # the rest: texts not listed
        assert result["started"] < result["ended"]
        assert result["rejected"] == ""
    assert results[3]["started"] > results[2]["ended"]


def test_a_person_sees_text_confidence_and_reason(folder: Path) -> None:
    code, lines, errors = run(str(recording("turn left")), str(folder / "silence.wav"))
    assert code == 0
    assert errors == ""
    assert "turn left  [" in lines[0]
    assert lines[1].endswith("(nothing)  [0.00]  rejected: no speech in it")


@pytest.mark.parametrize("arguments", [(), ("a.wav", "--stdin"), ("a.wav", "--backend", "radio")])
def test_what_cannot_be_meant_is_refused(arguments: tuple[str, ...]) -> None:
    code, lines, errors = run(*arguments)
    assert code == 2
    assert not lines
    assert "Error" in errors


def test_whisper_without_weights_says_how_to_get_them(tmp_path: Path) -> None:
    result = CliRunner().invoke(APP, [str(recording("stop")), "--backend", "whisper", "--whisper", str(tmp_path / "base.en.pt")])
    assert "fetch a model named at https://github.com/openai/whisper" in str(result.exception)


def test_backends_stand_side_by_side_and_a_missing_one_says_why(folder: Path) -> None:
    code, lines, _ = run(str(recording("turn left")), str(folder / "two.wav"), "--compare", "--json", "--whisper", str(folder / "none.pt"))
    assert code == 0
    results = [json.loads(line) for line in lines]
    skipped = {result["backend"]: result["skipped"] for result in results if "skipped" in result}
    assert "no whisper weights there" in skipped["whisper"]
    assert "model.bin" in skipped["faster_whisper"]
    heard = [result for result in results if result["backend"] == "pocketsphinx" and "skipped" not in result]
    assert [result["text"] for result in heard] == ["turn left", "turn left", "come here"]
    assert all(result["seconds"] > 0.0 and 0.0 <= result["confidence"] <= 1.0 for result in heard)


def test_a_person_sees_backends_with_their_times(folder: Path) -> None:
    _, lines, _ = run(str(recording("turn left")), "--compare", "--whisper", str(folder / "none.pt"))
    assert [line.split()[0] for line in lines if "skipped" not in line] == ["moonshine", "pocketsphinx"]
    assert any(re.search(r"pocketsphinx +\d+\.\d\d s  .*turn left  \[", line) for line in lines)
