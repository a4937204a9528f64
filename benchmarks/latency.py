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
from functools import partial
from pathlib import Path
from typing import Any

from _chain_probe import SENTENCES, ChainProbe, running_graph
from sayso.console.bench import Row, Samples, part, sampled
from sayso.errors import SaysoError
from sayso.paths import config_dir

SPOKEN = ("bring_me_the_red_cup_from_the_kitchen", "go_to_the_kitchen", "turn_left", "find_the_keys")
SPEECH_COUNT = 24
STAGES = ("speech_to_text", "intent_classifier", "action_selector", "planner")


def run(quick: bool = False) -> Iterator[Row]:
    """Yield the rows of the table, each with its median and its tail."""
    text_count, speech_count, stop_count = (3, 1, 5) if quick else (100, SPEECH_COUNT, 200)
    files = _spoken_files()
    plain, alone = _plain_calls(text_count), _recogniser_alone(files, speech_count)  # before there are nodes that compute beside them
    with running_graph() as probe:
        yield from part("text → first skill goal", partial(_of_text, probe, text_count, plain))
        yield from part("end of speech → first skill goal", partial(_of_speech, probe, files, alone))
        yield from part("stop → zero velocity", partial(_of_stops, probe, stop_count))


def spoken_rows(quick: bool = False) -> Iterator[Row]:
    """From the end of speech to the first skill goal alone, for the benchmark `speech`."""
    files = _spoken_files()
    alone = _recogniser_alone(files, 1 if quick else SPEECH_COUNT)
    with running_graph() as probe:
        yield from _of_speech(probe, files, alone)


def _of_text(probe: ChainProbe, count: int, plain: Samples) -> Iterator[Row]:
    with _pinned(probe.pids(STAGES), cores={0}):
        text = sampled("texts", count, lambda i: probe.text_to_goal(SENTENCES[i % len(SENTENCES)]))
    for name, q, goal in (("p50", 0.5, 40.0), ("p99", 0.99, None)):
        yield text.row(f"text → first skill goal, {name}, stages on one core", q, goal, plain_calls=plain.quantile(q))


def _of_speech(probe: ChainProbe, files: list[Path], alone: Samples) -> Iterator[Row]:
    """As many spoken sentences as the recogniser alone has heard."""
    speech = sampled("spoken sentences", alone.tried, lambda i: probe.speech_to_goal(files[i % len(files)]))
    for name, q, goal in (("p50", 0.5, 350.0), ("p99", 0.99, 700.0)):
        yield speech.row(f"end of speech → first skill goal, {name}, two cores", q, goal, recogniser_alone=alone.quantile(q))


def _of_stops(probe: ChainProbe, count: int) -> Iterator[Row]:
    idle = sampled("stops", count, lambda _: probe.stop_to_zero())
    empty = sampled("empty service calls", count, lambda _: probe.empty_call())
    yield from _stop_rows("robot turning", idle, empty)
    with probe.busy():
        busy = sampled("stops while all nodes are busy", count, lambda _: probe.stop_to_zero())
    yield from _stop_rows("every other node busy", busy, empty)


def _stop_rows(when: str, stops: Samples, empty: Samples) -> Iterator[Row]:
    for name, q, goal in (("p50", 0.5, None), ("p99", 0.99, 50.0)):
        yield stops.row(f"stop → zero velocity, {name}, {when}", q, goal, empty_service_call=empty.quantile(q))


def _spoken_files() -> list[Path]:
    """The recorded sentences.

    Raises:
        SaysoError: one of them is missing.
    """
    files = [config_dir() / "sentences" / f"{name}.flac" for name in SPOKEN]
    if missing := [str(file) for file in files if not file.is_file()]:
        raise SaysoError(f"a recorded sentence is missing: {', '.join(missing)}; git checkout -- config/sentences")
    return files


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


def _plain_calls(count: int) -> Samples:
    """The stages from text to plan in this process, without ROS."""
    from sayso.domain import load_domain
    from sayso.pipeline import Pipeline
    from sayso.types import Context

    pipeline = Pipeline(load_domain())
    pipeline.understand(SENTENCES[0], Context())
    return sampled("plain calls", count, lambda i: _timed(pipeline.understand, SENTENCES[i % len(SENTENCES)], Context()))


def _recogniser_alone(files: list[Path], count: int) -> Samples:
    """Times to decode a whole utterance after its end."""
    from sayso.domain import load_domain
    from sayso.speech.files import read_sound
    from sayso.speech.recognise import SpeechToText

    recognise = SpeechToText(load_domain())
    sounds = [read_sound(file).samples for file in files]
    return sampled("sentences by the recogniser alone", count, lambda i: _timed(recognise, sounds[i % len(sounds)], 0.0, "u"))


def _timed(call: Callable[..., Any], *arguments: Any) -> float:
    begun = time.perf_counter()
    call(*arguments)
    return time.perf_counter() - begun
