"""Programs as voices, and detection of the robot's own voice."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sayso.errors import AudioError
from sayso.speech.own_voice import ECHO, LONGEST, OwnVoice
from sayso.speech.speak import ENGINES, VoiceOptions
from sayso.types import SAMPLE_RATE, AudioChunk

NASTY = "it's 5 o'clock; $(touch hacked) \"and\" `that` | is > all"


def voice(command: str):
    return ENGINES["command"](VoiceOptions(command=command))


def chunk(stamp: float, seconds: float = 0.04) -> AudioChunk:
    return AudioChunk(np.zeros(round(seconds * SAMPLE_RATE), np.int16), stamp)


def test_a_program_receives_the_text_on_standard_input(tmp_path):
    voice(f"tee {tmp_path / 'said'}")(NASTY)
    assert (tmp_path / "said").read_text(encoding="utf-8") == NASTY


def test_a_program_receives_the_text_as_one_argument_without_a_shell(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code = "import sys; open('said', 'w').write(sys.argv[1])"
    voice(f'{sys.executable} -c "{code}" {{text}}')(NASTY)
    assert [file.name for file in tmp_path.iterdir()] == ["said"]
    assert (tmp_path / "said").read_text(encoding="utf-8") == NASTY


@pytest.mark.parametrize(
    ("command", "complaint"),
    [
        ("", "set the parameter `command`"),
        ("   ", "set the parameter `command`"),
        ("piper 'unclosed", "cannot be read: No closing quotation"),
        ("no-such-program-here -f {file}", "there is no program 'no-such-program-here'"),
    ],
)
def test_an_invalid_command_is_refused_at_once(command, complaint):
    with pytest.raises(AudioError, match=complaint):
        voice(command)


def test_a_failing_program_is_reported_with_its_output():
    speak = voice(f"{sys.executable} -c \"import sys; sys.exit('no such voice')\"")
    with pytest.raises(AudioError, match="ended with 1: no such voice"):
        speak("hello")


@pytest.mark.parametrize("engine", ["espeak-ng", "command"])
def test_a_missing_loudspeaker_is_reported(engine, monkeypatch):
    sounddevice = pytest.importorskip("sounddevice", exc_type=(ImportError, OSError), reason="no PortAudio")
    monkeypatch.setattr(sounddevice, "query_devices", lambda **_: (_ for _ in ()).throw(sounddevice.PortAudioError("no device")))
    monkeypatch.setattr("shutil.which", lambda name: f"/usr/bin/{name}")
    with pytest.raises(AudioError, match="no sound output: no device"):
        ENGINES[engine](VoiceOptions(command="tee {file}"))


def test_own_voice_lasts_from_the_first_word_to_the_end_of_the_echo():
    own = OwnVoice()
    assert not own.covers(chunk(10.0))
    own.update(True, 10.0)
    assert not own.covers(chunk(9.9))
    assert own.covers(chunk(9.98))  # the chunk ends while the robot speaks
    assert own.covers(chunk(12.0))
    own.update(False, 13.0)
    assert own.covers(chunk(13.0 + ECHO - 0.01))
    assert not own.covers(chunk(13.0 + ECHO + 0.01))
    assert own.covers(chunk(12.0))  # a chunk that arrives late


def test_consecutive_texts_merge():
    own = OwnVoice()
    own.update(True, 10.0)
    own.update(False, 11.0)
    own.update(True, 11.1)
    own.update(False, 12.0)
    assert own.covers(chunk(10.5))
    assert own.covers(chunk(11.05))
    assert not own.covers(chunk(12.5))


def test_the_robot_hears_again_after_the_speaker_crashes():
    own = OwnVoice()
    own.update(True, 10.0)
    assert not own.covers(chunk(10.0 + LONGEST + ECHO + 0.01))


@given(st.lists(st.tuples(st.floats(0.1, 20.0), st.floats(0.1, 20.0)), max_size=5), st.floats(0.0, 200.0))
def test_only_sound_during_the_last_text_is_covered(texts, at):
    own, now, stretches = OwnVoice(), 1.0, []
    for pause, length in texts:
        began = now + pause
        own.update(True, began)
        now = began + length
        own.update(False, now)
        if stretches and began <= stretches[-1][1]:
            stretches[-1] = (stretches[-1][0], now + ECHO)
        else:
            stretches.append((began, now + ECHO))
    last = stretches[-1] if stretches else (0.0, 0.0)
    assert own.covers(chunk(at)) == (last[0] < at + 0.04 and at < last[1])
