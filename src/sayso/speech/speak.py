"""Text → loudspeaker: by espeak-ng, or by any program given as a command line."""

from __future__ import annotations

import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from sayso.errors import AudioError
from sayso.speech.own_voice import LONGEST

Voice = Callable[[str], None]  # speaks the text, returns when finished, raises AudioError on failure


@dataclass(frozen=True, slots=True)
class VoiceOptions:
    """Parameters of the voices."""

    voice: str = "en"  # for espeak-ng
    speed: int = 160  # words per minute, for espeak-ng
    command: str = ""  # for the engine "command"


def espeak(options: VoiceOptions) -> Voice:
    """The voice of espeak-ng, through the default sound output.

    Raises:
        AudioError: the program or a sound output is missing.
    """
    program = shutil.which("espeak-ng")
    if program is None:
        raise AudioError("espeak-ng is not installed: apt install espeak-ng, or set another `engine`")
    _require_loudspeaker()
    command = [program, "-v", options.voice, "-s", str(options.speed), "--stdin"]
    return lambda text: _run(command, text)


def by_command(options: VoiceOptions) -> Voice:
    """A voice that runs a command line, with the text on its standard input and in place of {text}.

    If the command line contains {file}, it must write a sound file of that name, which is then played; otherwise it must play the sound
    itself. It runs without a shell, so no text can be executed.

    Raises:
        AudioError: there is no command, its program is missing, or there is no sound output for the file.
    """
    try:
        words = shlex.split(options.command)
    except ValueError as broken:
        raise AudioError(f"parameter `command`: {options.command!r} cannot be read: {broken}") from None
    if not words:
        raise AudioError("engine command: set the parameter `command`, such as 'piper -m voice.onnx -f {file}'")
    if shutil.which(words[0]) is None:
        raise AudioError(f"parameter `command`: there is no program {words[0]!r}")
    if not any("{file}" in word for word in words):
        return lambda text: _run([word.replace("{text}", text) for word in words], text)
    _require_loudspeaker()

    def speak(text: str) -> None:
        with tempfile.TemporaryDirectory(prefix="sayso-") as folder:
            file = Path(folder) / "speech.wav"
            _run([word.replace("{file}", str(file)).replace("{text}", text) for word in words], text)
            _play(file)

    return speak


ENGINES: dict[str, Callable[[VoiceOptions], Voice]] = {"espeak-ng": espeak, "command": by_command}


def _run(command: Sequence[str], text: str) -> None:
    """Run the program; raises AudioError if it fails or does not finish in time."""
    try:
        done = subprocess.run(command, input=text, text=True, check=False, timeout=LONGEST, capture_output=True)
    except subprocess.TimeoutExpired:
        raise AudioError(f"{command[0]} did not finish within {LONGEST:g} s and was stopped") from None
    except OSError as refused:
        raise AudioError(f"{command[0]} cannot be run: {refused.strerror}") from None
    if done.returncode != 0:
        output = " ".join((done.stderr or done.stdout).split())
        raise AudioError(f"{command[0]} ended with {done.returncode}: {output[-200:] or 'no output'}")


def _require_loudspeaker() -> None:
    try:
        import sounddevice

        sounddevice.query_devices(kind="output")
    except Exception as missing:  # noqa: BLE001 - OSError without PortAudio, PortAudioError without a device: no loudspeaker either way
        raise AudioError(f"no sound output: {missing}") from None


def _play(file: Path) -> None:
    import sounddevice
    import soundfile

    try:
        samples, rate = soundfile.read(file, dtype="int16")
        sounddevice.play(samples, rate, blocking=True)
    except (soundfile.LibsndfileError, sounddevice.PortAudioError) as unplayable:
        raise AudioError(f"{file.name}: {unplayable}") from None
