"""Microphones: the list of input devices, and one that is opened as it is and opened again after it was lost."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from sayso.errors import AudioError
from sayso.speech.condition import MISSING, SoundCondition
from sayso.speech.resampling import Converter
from sayso.types import SAMPLE_RATE

if TYPE_CHECKING:
    from numpy.typing import NDArray

RATES = (8_000, 16_000, 22_050, 32_000, 44_100, 48_000, 96_000, 192_000)  # Hz that are tried for the list
MOST_CHANNELS = 32  # to open; ALSA's "default" claims 128
AGAIN = 2.0  # s between two attempts to open a lost device
_NOT_SUPPORTED = {-9997, -9998}  # PortAudio's paInvalidSampleRate and paInvalidChannelCount
LIST = "`sayso audio devices` lists the microphones"
NO_DEVICE = (
    "this computer has no input device: plug a microphone in (in a container, pass /dev/snd or the socket of the sound server), "
    "or use a sound file: sayso listen --file order.wav"
)

OnSound = Callable[["NDArray[np.int16]"], None]


@dataclass(frozen=True, slots=True)
class InputDevice:
    """A microphone, or another source of sound."""

    index: int
    name: str
    interface: str  # "ALSA", "JACK Audio Connection Kit", …
    channels: int
    default_rate: float  # Hz
    rates: tuple[int, ...]  # those of RATES that it can record
    default: bool  # used if no other is chosen


def input_devices() -> tuple[InputDevice, ...]:
    """All input devices; empty if there is none.

    Raises:
        AudioError: PortAudio is missing.
    """
    sounddevice = _portaudio()
    try:
        default = sounddevice.query_devices(kind="input")["index"]
    except (sounddevice.PortAudioError, ValueError):
        default = -1
    interfaces = sounddevice.query_hostapis()
    return tuple(
        InputDevice(
            each["index"],
            each["name"],
            interfaces[each["hostapi"]]["name"],
            each["max_input_channels"],
            each["default_samplerate"],
            tuple(rate for rate in RATES if _records(sounddevice, each["index"], rate)),
            each["index"] == default,
        )
        for each in sounddevice.query_devices()
        if each["max_input_channels"] > 0
    )


class Microphone:
    """An input device → 16 kHz mono int16, in blocks. Use it from one thread; `on_sound` is called in PortAudio's."""

    def __init__(self, device: str, on_sound: OnSound, block: float, channel: int = 0) -> None:
        """Open the device.

        Args:
            device: its number, or a part of its name; empty: the system's default.
            on_sound: takes each block, (N,) int16, when it has just ended.
            block: length of a block, s.
            channel: the only one to use, counted from 1; 0: the mean of all.

        Raises:
            AudioError: PortAudio or the device is missing, or it cannot be used.
        """
        self._device: int | str | None = int(device) if device.isdigit() else device or None
        self._on_sound, self._block, self._channel = on_sound, block, channel
        self._lock = threading.Lock()
        self._condition = SoundCondition()
        self._sounddevice = _portaudio()
        self.overflows = 0  # blocks before which sound was lost, because this computer was too busy
        self.format = ""  # as opened: "48000 Hz, 8 channels"
        self._stream: Any = self._opened()
        self._opened_at = self._heard_at = time.monotonic()

    def close(self) -> None:
        """Release the device."""
        stream, self._stream = self._stream, None
        if stream is not None:
            stream.abort(ignore_errors=True)
            stream.close(ignore_errors=True)

    def deaf(self) -> str:
        """Why nothing can be heard; empty if all is well. A lost device is opened again: call it at least once a second."""
        now = time.monotonic()
        if now - self._heard_at <= MISSING:
            with self._lock:
                return self._condition.deaf(now)
        if now - self._opened_at > AGAIN:
            self._open_again()
            self._opened_at = time.monotonic()
        return f"{self._name()} gives no sound: is it unplugged? It is opened again when it is back"

    def poor(self) -> str:
        """Why speech may not be recognised although sound comes; empty if the sound is good."""
        with self._lock:
            return self._condition.poor()

    def _open_again(self) -> None:
        """Try to. PortAudio lists devices when it starts, so it must start again to find one that was plugged in."""
        self.close()
        with suppress(self._sounddevice.PortAudioError):  # sounddevice has no public functions for it
            self._sounddevice._terminate()
        try:
            with _silent_errors():
                self._sounddevice._initialize()
                self._condition = SoundCondition()
                self._stream = self._opened()
        except (AudioError, self._sounddevice.PortAudioError):
            return  # the next attempt may succeed

    def _opened(self) -> Any:
        """A running stream: at 16 kHz mono if the device permits, else as it is."""
        try:
            try:
                return self._started(SAMPLE_RATE, 1 if self._channel == 0 else self._channel)
            except self._sounddevice.PortAudioError as refused:
                if not set(refused.args[1:2]) & _NOT_SUPPORTED:
                    raise
                known = self._sounddevice.query_devices(self._device, "input")
                channels = min(known["max_input_channels"], MOST_CHANNELS)
                if self._channel > channels:
                    raise AudioError(f"{self._name()} has {channels} channels, not {self._channel}; {LIST}") from None
                return self._started(known["default_samplerate"], channels)
        except (self._sounddevice.PortAudioError, ValueError) as unusable:
            if not any(each["max_input_channels"] for each in self._sounddevice.query_devices()):
                raise AudioError(NO_DEVICE) from None
            raise AudioError(f"{self._name()} cannot be used: {_one_line(unusable)}; {LIST}, and a sound file needs none") from None

    def _started(self, rate: float, channels: int) -> Any:
        convert = Converter(rate, self._channel - 1 if self._channel else None)

        def take(samples: NDArray[np.int16], _frames: int, _times: object, status: object) -> None:
            self.overflows += bool(status)
            sound = convert(samples)
            now = self._heard_at = time.monotonic()
            with self._lock:
                self._condition.feed(sound, now)
            self._on_sound(sound)

        stream = self._sounddevice.InputStream(
            samplerate=rate, channels=channels, dtype="int16", blocksize=round(self._block * rate), device=self._device, callback=take
        )
        try:
            stream.start()
        except self._sounddevice.PortAudioError:
            stream.close(ignore_errors=True)
            raise
        self.format = f"{rate:.0f} Hz, {channels} channel{'s' if channels > 1 else ''}"
        return stream

    def _name(self) -> str:
        return "the default microphone" if self._device is None else f"the microphone '{self._device}'"


@contextmanager
def _silent_errors() -> Iterator[None]:
    """PortAudio writes its internal errors to file descriptor 2, over a terminal's live line, at each attempt."""
    sys.stderr.flush()
    kept, nowhere = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)


def _portaudio() -> Any:
    try:
        import sounddevice
    except (ImportError, OSError) as missing:
        raise AudioError(f"no microphone can be used: {_one_line(missing)}; run `apt install libportaudio2`") from None
    return sounddevice


def _records(sounddevice: Any, device: int, rate: int) -> bool:
    try:
        sounddevice.check_input_settings(device=device, samplerate=rate)
    except (sounddevice.PortAudioError, ValueError):
        return False
    return True


def _one_line(error: BaseException) -> str:
    return " ".join(str(error).split()) or type(error).__name__
