"""Hearing, all recognisers side by side: words, meaning, real orders and words, what is no command, calibration, time and memory.

Commands are synthetic, in voices that nothing was fitted on; orders and single words are recordings of people (SAYSO_DATA), in which no
speaker is named. docs/benchmarks.md explains the sets. Needs flite and espeak-ng.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path

import numpy as np

from _speech_backends import Recognise, SpokenBackend, chosen_backends, why_missing
from _speech_ends import end_rows
from _speech_rooms import room_clips, room_rows
from _speech_rows import FAILED, HeardBy, HeardClip, command_rows, failure_rows, order_rows, other_rows, strange_rows, word_rows
from _speech_sets import NUMBER, Samples, SpokenClip, command_clips, order_clips, real_other_clips, strange_clips, word_clips
from sayso.console.bench import Row, load_benchmark, part, unmeasured
from sayso.console.watch import counted, progress
from sayso.domain import Domain, load_domain
from sayso.errors import SaysoError
from sayso.paths import project_root
from sayso.speech.recognise import SpeechOptions
from sayso.types import Transcript

HERE = Path(__file__).parent
SETS = ("commands", "orders", "words", "strange", "other", "rooms", "cost", "ends", "latency")
QUICK = 8
TIMED = 40  # commands
COMMANDS = ("single", "several")


def run(quick: bool = False, only: str = "", wrong: bool = False, backends: str = "", limit: int = 0) -> Iterator[Row]:
    """Yield all rows, or those of one set. The first backend's figures are the values, those of the others the baselines.

    Raises:
        SaysoError: there is no such set or backend; --wrong, since these sounds are only measured.
    """
    if only and only not in SETS:
        raise SaysoError(f"no set '{only}'; known: {', '.join(SETS)}")
    if wrong:
        raise SaysoError("the benchmark 'speech' lists no mistakes: its sounds are only measured, never tuned on")
    home, most = load_domain(), limit or (QUICK if quick else 10**6)
    asked = chosen_backends(backends)
    missing = {backend: why_missing(backend, home) for backend in asked}
    yield from (unmeasured(f"{backend.name}: installed", "", "higher", why) for backend, why in missing.items() if why)
    able = [backend for backend in asked if not missing[backend]]
    if not able:
        return
    yield Row(f"the column value is {able[0].name}", 1.0, "", "higher", n=len(able))
    chosen = (only,) if only else SETS
    if {"commands", "other", "cost"} & set(chosen):
        yield from part("commands", partial(_synthetic_rows, home, able, chosen, most))
    for name, rows in {"orders": _orders, "words": _words, "strange": _strange, "rooms": _rooms}.items():
        if name in chosen:
            yield from part(name, partial(rows, home, able, most))
    if "ends" in chosen:
        yield from _ends(home, able, most)
    if "latency" in chosen:
        yield from _latency(quick)


def _synthetic_rows(home: Domain, backends: Sequence[SpokenBackend], chosen: Sequence[str], most: int) -> Iterator[Row]:
    progress("speaking the commands")
    clips = command_clips(home, most)
    commands = [clip for clip in clips if clip.kind in COMMANDS]
    if "commands" in chosen:
        heard = recognised(commands, home, backends, "commands")
        yield from command_rows(heard, home, min(most, NUMBER))
        yield from failure_rows(heard, "commands")
    if "other" in chosen:
        others = [clip for clip in clips if clip.kind not in COMMANDS]
        try:
            others += real_other_clips(most)
        except SaysoError as absent:
            yield unmeasured("people's speech that is no command: taken for one", "%", "lower", absent)
        heard = recognised(others, home, backends, "no commands")
        yield from other_rows(heard)
        yield from failure_rows(heard, "no commands")
    if "cost" in chosen:
        yield from _costs([clip.utterances[0] for clip in commands if clip.kind == "single"][:TIMED], backends)


def _orders(_home: Domain, backends: Sequence[SpokenBackend], most: int) -> Iterator[Row]:
    bar = load_domain(project_root() / "examples" / "coffee" / "coffee.yaml")
    clips: list[SpokenClip] = []
    clips.extend(counted(order_clips(most), "orders mixed with noise"))
    heard = recognised(clips, bar, backends, "orders")
    yield from order_rows(heard, bar)
    yield from failure_rows(heard, "orders")


def _words(home: Domain, backends: Sequence[SpokenBackend], most: int) -> Iterator[Row]:
    heard = recognised(word_clips(most), home, backends, "single words")
    yield from word_rows(heard, home)
    yield from failure_rows(heard, "single words")


def _strange(home: Domain, backends: Sequence[SpokenBackend], most: int) -> Iterator[Row]:
    progress("speaking commands with unknown names")
    heard = recognised(strange_clips(home, most), home, backends, "unknown names")
    yield from strange_rows(heard)
    yield from failure_rows(heard, "unknown names")


def _rooms(home: Domain, backends: Sequence[SpokenBackend], most: int) -> Iterator[Row]:
    progress("speaking commands in rooms")
    heard = recognised(room_clips(home, most), home, backends, "rooms")
    yield from room_rows(heard)
    yield from failure_rows(heard, "rooms")


def recognised(clips: Sequence[SpokenClip], domain: Domain, backends: Iterable[SpokenBackend], doing: str) -> HeardBy:
    """What each backend hears in each clip."""
    heard: dict[str, list[HeardClip]] = {}
    for backend in backends:
        recognise = backend(domain)
        found = heard.setdefault(backend.name, [])
        for clip in counted(clips, f"{doing}, {backend.name}"):
            found.append(HeardClip(clip, tuple(_transcript(recognise, samples) for samples in clip.utterances)))
    return heard


def _transcript(recognise: Recognise, samples: Samples) -> Transcript:
    try:
        return recognise(samples)
    except Exception as failure:  # noqa: BLE001  # whatever it is, it is a result of this recogniser, and the others go on
        return Transcript("", 0.0, (), 0.0, rejected=f"{FAILED}{type(failure).__name__}: {failure}")


def _costs(sounds: Sequence[Samples], backends: Sequence[SpokenBackend]) -> Iterator[Row]:
    """CPU time and memory of each backend in a process of its own; single commands, scaled to 3 s of sound."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "sounds.npz"
        np.savez(file, *sounds)
        for backend in backends:
            progress(f"time and memory of {backend.name}")
            asked = f"{backend.name}={backend.weights}" if backend.weights else backend.name
            process = [sys.executable, str(HERE / "_speech_process.py"), asked, str(file)]
            done = subprocess.run(process, capture_output=True, text=True, timeout=900, check=False)
            yield from _cost_rows(backend.name, done)


def _cost_rows(name: str, done: subprocess.CompletedProcess[str]) -> Iterator[Row]:
    time, memory = f"{name}: CPU time of a command of 3 s, one core, p50", f"{name}: peak memory of the recogniser's process"
    if done.returncode:
        reason = (done.stderr.strip().splitlines() or ["the process died"])[-1]
        yield unmeasured(time, "s", "lower", reason, 0.25)
        yield unmeasured(memory, "MB", "lower", reason, 350.0)
        return
    measured = json.loads(done.stdout)
    seconds = np.array([3.0 * taken / lasts for taken, lasts in measured["taken"]])
    low, middle, high = (float(value) for value in np.quantile(seconds, [0.25, 0.5, 0.75]))
    yield Row(time, middle, "s", "lower", 0.25, spread=(low, high), n=len(seconds))
    yield Row(memory, measured["peak_mb"], "MB", "lower", 350.0, n=1)


def _latency(quick: bool) -> Iterator[Row]:
    """From the end of speech to the first skill goal, on the running nodes with their default backend."""
    yield from part("end of speech → first skill goal", partial(load_benchmark(HERE / "latency.py").spoken_rows, quick))


def _ends(home: Domain, backends: Sequence[SpokenBackend], most: int) -> Iterator[Row]:
    """Of the default backend alone: the others end a sentence after a fixed silence."""
    if backends[0].name != SpeechOptions().backend:
        return
    progress("hearing the ends of sentences")
    bar = load_domain(project_root() / "examples" / "coffee" / "coffee.yaml")
    yield from part("ends of sentences", partial(end_rows, home, bar, most))
