"""Latency of the running nodes: text → skill goal, end of speech → skill goal, stop → zero velocity on the wire.

The graph runs as with `sayso up`, over DDS, with the simulation at real time. Times are measured from outside on this process's clock, from
sending an input to seeing its effect on the wire, so they include the transport both ways.

Baselines: the same stages as plain calls without ROS; the recogniser alone; an empty service call to the same node.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from _chain_probe import SENTENCES, running_graph
from sayso.console.bench import Row, quantile_row
from sayso.errors import SaysoError
from sayso.paths import config_dir

SPOKEN = ("bring_me_the_red_cup_from_the_kitchen", "go_to_the_kitchen", "turn_left", "find_the_keys")
SPEECH_COUNT = 24
STAGES = ("speech_to_text", "intent_classifier", "action_selector", "planner")


def run(quick: bool = False) -> Iterator[Row]:
    """Yield the rows of the table, each with its median and its tail."""
    text_count, speech_count, stop_count = (3, 1, 5) if quick else (100, SPEECH_COUNT, 200)
    files = _spoken_files()
    with running_graph() as probe:
        with _pinned(probe.pids(STAGES), cores={0}):
            text = [probe.text_to_goal(SENTENCES[i % len(SENTENCES)]) for i in range(text_count)]
        speech = [probe.speech_to_goal(files[i % len(files)]) for i in range(speech_count)]
        stop_idle = [probe.stop_to_zero() for _ in range(stop_count)]
        empty = [probe.empty_call() for _ in range(stop_count)]
        with probe.busy():
            stop_busy = [probe.stop_to_zero() for _ in range(stop_count)]
    plain = _plain_calls(text_count)
    yield _with_baseline("text → first skill goal, p50, stages on one core", text, 0.5, 40.0, "plain calls", plain)
    yield _with_baseline("text → first skill goal, p99, stages on one core", text, 0.99, None, "plain calls", plain)
    yield from _of_speech(speech, files)
    yield _with_baseline("stop → zero velocity, p50, robot turning", stop_idle, 0.5, None, "empty service call", empty)
    yield _with_baseline("stop → zero velocity, p99, robot turning", stop_idle, 0.99, 50.0, "empty service call", empty)
    yield _with_baseline("stop → zero velocity, p50, every other node busy", stop_busy, 0.5, None, "empty service call", empty)
    yield _with_baseline("stop → zero velocity, p99, every other node busy", stop_busy, 0.99, 50.0, "empty service call", empty)


def spoken_rows(quick: bool = False) -> Iterator[Row]:
    """From the end of speech to the first skill goal alone, for the benchmark `speech`."""
    files = _spoken_files()
    with running_graph() as probe:
        speech = [probe.speech_to_goal(files[i % len(files)]) for i in range(1 if quick else SPEECH_COUNT)]
    yield from _of_speech(speech, files)


def _of_speech(speech: list[float | None], files: list[Path]) -> Iterator[Row]:
    recogniser = _recogniser_alone(files, len(speech))
    for name, q, goal in (("p50", 0.5, 350.0), ("p99", 0.99, 700.0)):
        yield _with_baseline(f"end of speech → first skill goal, {name}, two cores", speech, q, goal, "recogniser alone", recogniser)


def _spoken_files() -> list[Path]:
    """The recorded sentences.

    Raises:
        SaysoError: one of them is missing.
    """
    files = [config_dir() / "sentences" / f"{name}.flac" for name in SPOKEN]
    if missing := [str(file) for file in files if not file.is_file()]:
        raise SaysoError(f"a recorded sentence is missing: {', '.join(missing)}; git checkout -- config/sentences")
    return files


def _with_baseline(measure: str, taken: list[float | None], q: float, goal_ms: float | None, name: str, baseline: list[float]) -> Row:
    """The quantile of the measured times; the reason counts inputs without an effect."""
    seconds = [value for value in taken if value is not None]
    row = quantile_row(measure, seconds, q, goal_ms)
    lost = len(taken) - len(seconds)
    reason = row.reason or (f"{lost} of {len(taken)} had no effect" if lost else "")
    baselines = {name: float(np.quantile(baseline, q)) * 1e3 if baseline else None}
    return Row(row.measure, row.value, row.unit, row.better, row.goal, baselines, row.spread, row.n, reason)


@contextmanager
def _pinned(pids: list[int], cores: set[int]) -> Iterator[None]:
    """Restrict these processes to those cores; other processes may still use them."""
    before = {pid: os.sched_getaffinity(pid) for pid in pids}
    for pid in pids:
        os.sched_setaffinity(pid, cores)
    try:
        yield
    finally:
        for pid, affinity in before.items():
            os.sched_setaffinity(pid, affinity)


def _plain_calls(count: int) -> list[float]:
    """The stages from text to plan in this process, without ROS."""
    from sayso.domain import load_domain
    from sayso.pipeline import Pipeline
    from sayso.types import Context

    pipeline = Pipeline(load_domain())
    pipeline.understand(SENTENCES[0], Context())
    texts = [SENTENCES[i % len(SENTENCES)] for i in range(count)]
    return [_timed(pipeline.understand, text, Context()) for text in texts]


def _recogniser_alone(files: list[Path], count: int) -> list[float]:
    """Seconds to decode a whole utterance after its end."""
    from sayso.domain import load_domain
    from sayso.speech.files import read_sound
    from sayso.speech.recognise import SpeechToText

    recognise = SpeechToText(load_domain())
    sounds = [read_sound(file).samples for file in files]
    return [_timed(recognise, sounds[i % len(sounds)], 0.0, "u") for i in range(count)]


def _timed(call: Callable[..., Any], *arguments: Any) -> float:
    begun = time.perf_counter()
    call(*arguments)
    return time.perf_counter() - begun
