"""Sound as other packages record it, converted to AudioChunk: 16 kHz mono int16, with the time of its first sample."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sayso.bags.messages import audio_chunk, seconds
from sayso.errors import SaysoError
from sayso.types import SAMPLE_RATE, AudioChunk, FloatArray

RATES = 1000, 768_000  # Hz: plausible sample rates
_COMPRESSED = (b"ID3", b"OggS", b"fLaC")
_SAMPLES = {"S8": "i1", "U8": "u1", "S16LE": "<i2", "S16BE": ">i2", "S32LE": "<i4", "S32BE": ">i4", "F32LE": "<f4", "F32BE": ">f4"}
# PortAudio's sample formats: they say which array of an audio_common (ROS 2) message is filled.
_PORTAUDIO = {1: "float32_data", 2: "int32_data", 8: "int16_data", 16: "int8_data", 32: "uint8_data"}


class SoundTopicReader:
    """Converts the messages of a sound topic to chunks, with missing details from the topic's AudioInfo."""

    def __init__(self) -> None:
        self._rate, self._channels, self._format = SAMPLE_RATE, 1, "S16LE"  # defaults of audio_capture
        self._coding = ""
        self._resample: tuple[int, Any] | None = None
        self._now: float | None = None  # when the next sample is expected, s
        self._readers: dict[str, Callable[[Any, float], AudioChunk]] = {
            "sayso_msgs/msg/AudioChunk": lambda message, _: self._chunk(audio_chunk(message)),
            "audio_common_msgs/msg/AudioData": lambda message, time: self._plain(message.data, time),
            "audio_common_msgs/msg/AudioDataStamped": lambda message, time: self._plain(message.audio.data, _stamp(message, time)),
            "audio_common_msgs/msg/Audio": self._portaudio,
            "audio_common_msgs/msg/AudioStamped": lambda message, time: self._portaudio(message.audio, _stamp(message, time)),
        }

    def info(self, message: Any) -> None:
        """Take an audio_common_msgs/AudioInfo for the following chunks."""
        self._rate, self._channels = int(message.sample_rate) or self._rate, int(message.channels) or 1
        self._format, self._coding = message.sample_format or self._format, message.coding_format.lower()

    def rest(self) -> None:
        """The sound paused: the next chunk starts a new stream."""
        self._now = self._resample = None

    def __call__(self, kind: str, message: Any, time: float) -> AudioChunk:
        """The chunk of a message that was recorded at `time` (s).

        Raises:
            SaysoError: the sound is compressed, or its format is unknown.
        """
        return self._readers[kind](message, time)

    def _chunk(self, chunk: AudioChunk) -> AudioChunk:
        return chunk if chunk.sample_rate == SAMPLE_RATE else self._made(chunk.samples, chunk.sample_rate, 1, chunk.stamp)

    def _plain(self, data: Any, time: float) -> AudioChunk:
        raw = bytes(data)
        if self._coding not in ("", "wave", "wav", "pcm", "raw") or raw.startswith(_COMPRESSED) or _is_mp3(raw):
            kind = self._coding or "mp3 or the like"
            raise SaysoError(f"the sound is compressed ({kind}); record it with format:=wave (PCM)")
        if self._format.upper() not in _SAMPLES:
            raise SaysoError(f"the sound's samples are {self._format}; {', '.join(_SAMPLES)} can be read")
        sample = np.dtype(_SAMPLES[self._format.upper()])
        return self._made(np.frombuffer(raw[: len(raw) // sample.itemsize * sample.itemsize], sample), self._rate, self._channels, time)

    def _portaudio(self, message: Any, time: float) -> AudioChunk:
        filled = _PORTAUDIO.get(int(message.info.format))
        if filled is None or int(message.info.rate) <= 0:
            raise SaysoError(f"the sound is of PortAudio's format {message.info.format} at {message.info.rate} Hz, which cannot be read")
        return self._made(np.asarray(getattr(message.audio_data, filled)), int(message.info.rate), int(message.info.channels) or 1, time)

    def _made(self, samples: NDArray[Any], rate: int, channels: int, time: float) -> AudioChunk:
        """(N · channels,) of any type → a chunk. A stream without stamps continues where it was, unless it paused."""
        if not RATES[0] <= rate <= RATES[1]:
            raise SaysoError(f"the sound claims {rate} samples per second, which is impossible")
        whole = samples[: len(samples) // channels * channels].reshape(-1, channels)
        mono = _floats(whole).mean(axis=1)
        length = len(mono) / rate
        begins = time
        if self._now is not None and abs(self._now - time) < 0.15 + length:  # messages come in bursts, sound does not
            begins = self._now
        self._now = begins + length
        return AudioChunk(np.clip(np.round(self._at_our_rate(mono, rate) * 32768.0), -32768, 32767).astype(np.int16), begins)

    def _at_our_rate(self, mono: FloatArray, rate: int) -> FloatArray:
        """Resample as one stream; single chunks would click at their borders."""
        if rate == SAMPLE_RATE:
            return mono
        if self._resample is None or self._resample[0] != rate:
            import soxr

            self._resample = rate, soxr.ResampleStream(rate, SAMPLE_RATE, 1, dtype="float64")
        result: FloatArray = self._resample[1].resample_chunk(mono)
        return result


def _floats(samples: NDArray[Any]) -> FloatArray:
    """PCM samples scaled to [-1, 1]."""
    if samples.dtype.kind == "f":
        return samples.astype(np.float64)
    scale = float(2 ** (8 * samples.dtype.itemsize - 1))
    shift = scale if samples.dtype.kind == "u" else 0.0
    result: FloatArray = (samples.astype(np.float64) - shift) / scale
    return result


def _stamp(message: Any, time: float) -> float:
    """The header's stamp; the time of recording if it is zero."""
    return seconds(message.header.stamp) or time


def _is_mp3(raw: bytes) -> bool:
    """Whether it starts like a frame of MPEG audio layer III. PCM rarely does, and never in every chunk."""
    return len(raw) > 3 and raw[0] == 0xFF and raw[1] in (0xFB, 0xFA, 0xF3, 0xF2) and raw[2] >> 4 not in (0, 15) and raw[2] >> 2 & 3 != 3
