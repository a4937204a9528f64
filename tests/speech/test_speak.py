"""Programs as voices, and which sound is the robot's own."""

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


def test_a_program_gets_the_text_on_its_standard_input(tmp_path):
    voice(f"tee {tmp_path / 'said'}")(NASTY)
    assert (tmp_path / "said").read_text(encoding="utf-8") == NASTY


def test_a_program_gets_the_text_as_one_argument_and_no_shell_sees_it(tmp_path, monkeypatch):
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
def test_a_command_that_cannot_be_run_is_refused_before_anything_is_said(command, complaint):
    with pytest.raises(AudioError, match=complaint):
        voice(command)


def test_a_program_that_fails_says_why():
    speak = voice(f"{sys.executable} -c \"import sys; sys.exit('no such voice')\"")
    with pytest.raises(AudioError, match="ended with 1: no such voice"):
        speak("hello")


@pytest.mark.parametrize("engine", ["espeak-ng", "command"])
def test_without_a_loudspeaker_it_says_so(engine, monkeypatch):
    sounddevice = pytest.importorskip("sounddevice", exc_type=(ImportError, OSError), reason="no PortAudio")
    monkeypatch.setattr(sounddevice, "query_devices", lambda **_: (_ for _ in ()).throw(sounddevice.PortAudioError("no device")))
    monkeypatch.setattr("shutil.which", lambda name: f"/usr/bin/{name}")
    with pytest.raises(AudioError, match="no sound output: no device"):
        ENGINES[engine](VoiceOptions(command="tee {file}"))


def test_sound_is_the_robots_own_from_the_first_word_until_the_echo_is_over():
    own = OwnVoice()
    assert not own.covers(chunk(10.0))
    own.tell(True, 10.0)
    assert not own.covers(chunk(9.9))
    assert own.covers(chunk(9.98))  # it ends while the robot speaks
    assert own.covers(chunk(12.0))
    own.tell(False, 13.0)
    assert own.covers(chunk(13.0 + ECHO - 0.01))
    assert not own.covers(chunk(13.0 + ECHO + 0.01))
    assert own.covers(chunk(12.0))  # that comes late


def test_two_texts_one_after_the_other_are_one_stretch():
    own = OwnVoice()
    own.tell(True, 10.0)
    own.tell(False, 11.0)
    own.tell(True, 11.1)
    own.tell(False, 12.0)
    assert own.covers(chunk(10.5))
    assert own.covers(chunk(11.05))
    assert not own.covers(chunk(12.5))


def test_the_robot_is_not_deaf_for_ever_where_the_speaker_dies_in_the_middle_of_a_text():
    own = OwnVoice()
    own.tell(True, 10.0)
    assert not own.covers(chunk(10.0 + LONGEST + ECHO + 0.01))


@given(st.lists(st.tuples(st.floats(0.1, 20.0), st.floats(0.1, 20.0)), max_size=5), st.floats(0.0, 200.0))
def test_what_is_heard_during_the_last_text_and_only_then_is_left_out(texts, at):
    own, now, stretches = OwnVoice(), 1.0, []
    for pause, length in texts:
        began = now + pause
        own.tell(True, began)
        now = began + length
        own.tell(False, now)
        if stretches and began <= stretches[-1][1]:
            stretches[-1] = (stretches[-1][0], now + ECHO)
        else:
            stretches.append((began, now + ECHO))
    last = stretches[-1] if stretches else (0.0, 0.0)
    assert own.covers(chunk(at)) == (last[0] < at + 0.04 and at < last[1])
