"""Folders of sound files, played like bags: one file, one situation, named by the sentence in it."""

from __future__ import annotations

import re
import time
import wave
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sayso.bags.files import KINDS, METADATA
from sayso.bags.reading import BagProblem
from sayso.errors import AudioError, SaysoError
from sayso.replay.stages import Stages
from sayso.replay.types import Media, ReplayResult
from sayso.replay.understand import Conversation, UtteranceResult
from sayso.types import SAMPLE_RATE, Transcript

SOUNDS = (".wav", ".flac", ".ogg", ".oga", ".opus", ".mp3", ".aiff", ".aif")
NOTHING = "oov_"  # prefix of files that must be ignored: out of vocabulary
_TAKE = re.compile(r"[-.].*$")  # "stop-2.wav", "stop.anna.wav": another take of the same sentence


def is_sounds(path: Path) -> bool:
    """Whether it is a sound file, or a folder with sound files and no bag."""
    try:
        if path.is_file():
            return path.suffix.lower() in SOUNDS
        return bool(sound_files(path)) and not (path / METADATA).exists() and not any(one.suffix in KINDS for one in path.iterdir())
    except OSError:
        return False


def sound_files(path: Path) -> list[Path]:
    """The sound files of a folder by name, or the file itself."""
    if path.is_file():
        return [path]
    return sorted(file for file in path.iterdir() if file.suffix.lower() in SOUNDS) if path.is_dir() else []


def sentence_of(file: str) -> str | None:
    """The sentence that the file's name says, with "_" between words; None if it must be ignored."""
    stem = Path(file).stem
    return None if stem.startswith(NOTHING) else _TAKE.sub("", stem).replace("_", " ").strip()


def replay_sounds(path: Path, stages: Stages, name: str, media: Path | None) -> ReplayResult:
    """Play each file from its sound. A file that cannot be read is noted as a problem."""
    results: list[UtteranceResult] = []
    kept: list[Media] = []
    problems: list[BagProblem] = []
    elapsed = 0.0  # s, as if the files were played one after the other
    try:
        files = sound_files(path)
    except OSError as closed:
        return ReplayResult(name, failed=f"{path}: {closed.strerror}")
    for file in files:
        try:
            heard = list(_heard(file, stages))
        except PermissionError:
            problems.append(BagProblem(file.name, "no permission to read it"))
            continue
        except AudioError as unreadable:
            problems.append(BagProblem(file.name, str(unreadable).removeprefix(f"{file}: ")))
            continue
        conversation = Conversation(stages)
        for transcript, samples, took, _ in heard:
            one = conversation.hear(transcript, None, transcript.stamp)
            one.record = replace(one.record, file=file.name, t=round(elapsed + transcript.stamp, 3))
            one.latency = replace(one.latency, recognise=took)
            results.append(one)
            if media is not None and samples.size:
                kept.append(Media(len(results), "sound", write_sound(media, f"{transcript.utterance_id}.wav", samples)))
        elapsed += heard[0][3]
    return ReplayResult(
        bag=name,
        records=tuple(replace(one.record, bag=name, number=number) for number, one in enumerate(results, 1)),
        latencies=tuple(replace(one.latency, bag=name, number=number) for number, one in enumerate(results, 1)),
        details=tuple(one.detail for one in results),
        media=tuple(kept),
        problems=tuple(problems),
        seconds=elapsed,
        messages=len(files),
        bytes=sum(file.stat().st_size for file in files if file.exists()),
        failed="" if results or not problems else "; ".join(map(str, problems)),
    )


def write_sound(folder: Path, file: str, samples: NDArray[np.int16]) -> str:
    """Write an utterance's sound as a WAV file into the folder and return its name.

    Raises:
        SaysoError: it cannot be written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with wave.open(str(folder / file), "wb") as sound:
            sound.setnchannels(1)
            sound.setsampwidth(2)
            sound.setframerate(SAMPLE_RATE)
            sound.writeframes(samples.astype("<i2").tobytes())
    except OSError as full:
        raise SaysoError(f"{folder / file}: cannot be written ({full.strerror}); --no-media keeps no sounds and pictures") from None
    return file


def _heard(file: Path, stages: Stages) -> Iterator[tuple[Transcript, NDArray[np.int16], float, float]]:
    """(transcript, sound, s of recognition, s of the file) of each utterance; a single rejected one if it is silent."""
    from sayso.speech.endpoint import Endpointer, EndpointOptions
    from sayso.speech.files import read_sound

    file.open("rb").close()  # soundfile reports a missing permission as a system error
    sound, ear = read_sound(file), stages.recognise.ear()  # loading the recogniser does not count as recognition
    endpointer = Endpointer(EndpointOptions(early=False), ear)
    lasts = len(sound.samples) / SAMPLE_RATE
    utterances = endpointer.feed(sound) + endpointer.flush()
    for number, utterance in enumerate(utterances, 1):
        recognise = stages.recognise  # loading it does not count as recognition
        began = time.perf_counter()
        name = file.stem if len(utterances) == 1 else f"{file.stem}-{number}"
        transcript = recognise.transcript(utterance, name)
        took = time.perf_counter() - began + (utterance.pause.took if utterance.pause is not None else 0.0)
        yield transcript, utterance.samples, took, lasts
    if not utterances:
        yield Transcript(file.stem, lasts, (), 0.0, lasts, rejected="no speech in it"), sound.samples, 0.0, lasts
