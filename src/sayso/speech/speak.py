"""Text → the loudspeaker: espeak-ng, or whatever program a command line names."""

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

Voice = Callable[[str], None]  # says the text aloud, returns when it has been said, raises AudioError where it cannot


@dataclass(frozen=True, slots=True)
class VoiceOptions:
    """How it sounds."""

    voice: str = "en"  # of espeak-ng
    speed: int = 160  # words a minute, of espeak-ng
    command: str = ""  # of the engine "command"


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
    """The voice of a command line, which gets the text on its standard input, or in the place of {text}.

    Where it has {file}, it is to write a sound file of that name, which is then played; without, it is to play the sound by itself. It is
    run without a shell, so no text can be a command.

    Raises:
        AudioError: there is no command, its program is missing, or nothing could play the file.
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
    """Raises AudioError where the program fails or does not end."""
    try:
        done = subprocess.run(command, input=text, text=True, check=False, timeout=LONGEST, capture_output=True)
    except subprocess.TimeoutExpired:
        raise AudioError(f"{command[0]} has spoken for {LONGEST:g} s and was ended") from None
    except OSError as refused:
        raise AudioError(f"{command[0]} cannot be run: {refused.strerror}") from None
    if done.returncode != 0:
        said = " ".join((done.stderr or done.stdout).split())
        raise AudioError(f"{command[0]} ended with {done.returncode}: {said[-200:] or 'it says nothing'}")


def _require_loudspeaker() -> None:
    try:
        import sounddevice

        sounddevice.query_devices(kind="output")
    except Exception as missing:  # noqa: BLE001 - no PortAudio is an OSError, no device a plain PortAudioError: no loudspeaker either way
        raise AudioError(f"no sound output: {missing}") from None


def _play(file: Path) -> None:
    import sounddevice
    import soundfile

    try:
        samples, rate = soundfile.read(file, dtype="int16")
        sounddevice.play(samples, rate, blocking=True)
    except (soundfile.LibsndfileError, sounddevice.PortAudioError) as unplayable:
        raise AudioError(f"{file.name}: {unplayable}") from None
