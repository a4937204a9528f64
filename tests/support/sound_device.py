"""A stand-in for the package sounddevice: a computer with one microphone, which can be unplugged."""

from __future__ import annotations

import types
from typing import Any

import numpy as np


class NoDevice(Exception):
    """Stands for sounddevice.PortAudioError."""

    def __str__(self) -> str:
        return str(self.args[0])


class SoundCard(types.ModuleType):
    """Stands for sounddevice, on a card with one microphone that can be unplugged."""

    PortAudioError = NoDevice

    def __init__(self, rate: int = 16_000, channels: int = 1) -> None:
        super().__init__("sounddevice")
        self.device: dict[str, Any] | None = {
            "index": 0,
            "name": "USB array",
            "hostapi": 0,
            "max_input_channels": channels,
            "default_samplerate": float(rate),
        }
        self.open: list[Any] = []
        card = self

        class InputStream:
            def __init__(self, *, samplerate: float, channels: int, blocksize: int, callback: Any, **_options: Any) -> None:
                if card.device is None:
                    raise NoDevice("Error querying device -1")
                card.check_input_settings(samplerate=samplerate)
                if channels > card.device["max_input_channels"]:
                    raise NoDevice("Invalid number of channels", -9998)
                self.callback, self.shape = callback, (blocksize, channels)

            def start(self) -> None:
                card.open.append(self)

            def abort(self, ignore_errors: bool) -> None:
                card.open.remove(self)

            def close(self, ignore_errors: bool) -> None:
                pass

        self.InputStream = InputStream

    def gives(self, value: int) -> None:
        """A block of constant samples."""
        self.open[-1].callback(np.full(self.open[-1].shape, value, np.int16), self.open[-1].shape[0], None, None)

    def query_devices(self, device: object = None, kind: str = "") -> Any:
        if kind and self.device is None:
            raise NoDevice("Error querying device -1")
        return self.device if kind else [each for each in [self.device] if each]

    def query_hostapis(self) -> list[dict[str, str]]:
        return [{"name": "ALSA"}]

    def check_input_settings(self, samplerate: float, device: int = 0) -> None:
        if self.device is None or samplerate != self.device["default_samplerate"]:
            raise NoDevice("Invalid sample rate", -9997)

    def _terminate(self) -> None:
        pass

    def _initialize(self) -> None:
        pass

    def unplug(self) -> None:
        """The device is gone: no more blocks come, and nothing can be opened."""
        self._unplugged, self.device = self.device, None

    def plug_in(self) -> None:
        """The same device is back."""
        self.device = self._unplugged
