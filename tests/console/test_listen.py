"""`sayso listen` without a robot, and `sayso audio devices`: what a person sees and a program reads."""

from __future__ import annotations

import io
import json
import os
import pty
import subprocess
import sys
import termios
import time
from importlib.util import find_spec
from pathlib import Path
from typing import get_args

import numpy as np
import pytest
import soundfile

from patience import PATIENCE
from recordings import recording, sound
from sayso.assistant import Sayso
from sayso.console import audio, listen, listening_view
from sayso.console.listening_view import TerminalView, decibels, keyboard, meter
from sayso.console.stages import StageView, plain_console
from sayso.errors import AudioError
from sayso.speech.listening import MODES, ListeningOptions
from sayso.speech.wake_word import WAKE_WORDS
from sayso.types import SAMPLE_RATE
from sayso_nodes.commands import client
from sound_device import SoundCard

WAKE = Path(__file__).resolve().parents[1] / "data" / "okay_nabu.flac"


@pytest.fixture(scope="module")
def robot() -> Sayso:
    """Loaded once for all tests: that is slow."""
    return Sayso.load()


@pytest.fixture
def quick(robot: Sayso, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listen, "_loaded", lambda *_: robot)


def heard(capsys: pytest.CaptureFixture[str], file: Path, options: ListeningOptions | None = None) -> list[dict[str, object]]:
    """The lines that `sayso listen --json` prints."""
    listen.listen(listen.SoundSource(file), options or ListeningOptions(), None, as_json=True)
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


@pytest.mark.usefixtures("quick")
def test_a_program_reads_text_confidence_and_meaning(capsys: pytest.CaptureFixture[str]) -> None:
    [line] = heard(capsys, recording("go to the kitchen"))
    assert line["text"] == "go to the kitchen"
    assert line["confidence"] > 0.5
    assert line["addressed"] is True
    assert line["meaning"]["decision"] == "execute"


@pytest.mark.usefixtures("quick")
@pytest.mark.skipif(find_spec("pymicro_wakeword") is None, reason="pymicro-wakeword is not installed")
def test_with_a_wake_word_other_talk_is_not_understood_but_stop_is(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    wake = soundfile.read(WAKE, dtype="int16")[0]
    parts = (sound("turn left"), sound("stop"), wake, sound("go to the kitchen"))
    soundfile.write(tmp_path / "talk.wav", np.concatenate(parts), SAMPLE_RATE)
    lines = heard(capsys, tmp_path / "talk.wav", ListeningOptions("wake_word"))
    assert [line["event"] for line in lines if "event" in line] == ["stop", "wake"]
    sentences = [line for line in lines if "text" in line]
    assert [line["text"] for line in sentences if line["meaning"]] == ["stop", "go to the kitchen"]
    assert [line["text"] for line in sentences if line["addressed"]] == ["go to the kitchen"]


def test_without_a_microphone_the_error_comes_before_the_models_are_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    card = SoundCard()
    card.unplug()
    monkeypatch.setitem(sys.modules, "sounddevice", card)
    monkeypatch.setattr(listen, "_loaded", lambda *_: pytest.fail("loads models"))
    with pytest.raises(AudioError, match="plug a microphone in"):
        listen.listen(listen.SoundSource(), ListeningOptions(), None, as_json=False)
    with pytest.raises(AudioError, match="plug a microphone in"):
        audio.devices()


def test_the_options_offer_what_the_hearing_offers() -> None:
    assert (get_args(client.Mode), client.WAKE_WORDS) == (MODES, WAKE_WORDS)


def test_push_to_talk_without_a_keyboard_is_refused() -> None:
    with pytest.raises(AudioError, match="push to talk needs the space bar"):
        listen.listen(listen.SoundSource(recording("stop")), ListeningOptions("push_to_talk"), None, as_json=True)


def test_devices_are_a_table_and_json(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setitem(sys.modules, "sounddevice", SoundCard(48_000, 8))
    audio.devices()
    assert capsys.readouterr().out.splitlines()[1].split() == ["*", "0", "USB", "array", "ALSA", "8", "48000"]
    audio.devices(as_json=True)
    assert json.loads(capsys.readouterr().out)["channels"] == 8


def test_the_meter_shows_the_level_whatever_the_offset() -> None:
    wave = (16_384 * np.sqrt(2) * 0.5 * np.sin(np.arange(SAMPLE_RATE) / 5.0)).astype(np.int16)
    assert decibels(wave) == pytest.approx(-12.0, abs=0.1)
    assert decibels(wave + np.int16(9000)) == pytest.approx(-12.0, abs=0.1)
    assert decibels(np.zeros(100, np.int16)) == decibels(np.empty(0, np.int16)) == -60.0
    assert meter(-30.0, "listens").plain == "█" * 12 + "░" * 12 + "  -30 dB  listens"
    assert str(meter(0.0, "").spans[0].style) == "red"


def test_a_sentence_that_was_not_meant_for_the_robot_is_shown_without_its_words() -> None:
    out = io.StringIO()
    view = TerminalView()
    view._stages = StageView(plain_console(out))
    transcript = listen_to_nothing()
    view.sentence(listening_view.HeardSentence(transcript, None, addressed=False, seconds=0.5))
    assert "not meant for the robot" in out.getvalue()
    assert "secret" not in out.getvalue()


def listen_to_nothing() -> listening_view.Transcript:
    from sayso.types import Transcript, TranscriptAlternative

    return Transcript("u", 1.0, (TranscriptAlternative("secret", 0.0),), 0.9)


def test_keys_are_read_one_by_one_and_the_terminal_is_left_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    controller, terminal = pty.openpty()
    with os.fdopen(terminal, "r", encoding="utf-8") as stdin:
        monkeypatch.setattr(sys, "stdin", stdin)
        before = termios.tcgetattr(terminal)
        with keyboard() as pressed:
            assert pressed() == ""
            os.write(controller, b" x ")
            assert pressed() == " x "
        assert termios.tcgetattr(terminal) == before
    os.close(controller)


def test_ctrl_c_ends_it_and_leaves_the_terminal_in_order() -> None:
    controller, terminal = pty.openpty()
    before = termios.tcgetattr(terminal)
    command = [sys.executable, "-c", "from sayso.cli import main; main()", "listen", "--file", str(recording("stop"))]
    running = subprocess.Popen(command, stdin=terminal, stdout=terminal, stderr=terminal, start_new_session=True)
    shown = b""
    end = time.monotonic() + PATIENCE
    while b"loading" not in shown and time.monotonic() < end:
        shown += os.read(controller, 4096)
    running.send_signal(2)
    assert running.wait(PATIENCE) == 130
    assert termios.tcgetattr(terminal) == before
    assert b"Traceback" not in shown + os.read(controller, 65536)
