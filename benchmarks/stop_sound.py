"""Stop detection in the sound: recall, false stops an hour and delay, beside waiting for the utterance's end and text.

Uses voices, recordings and sessions that neither the network nor its threshold was fitted on, clean and with noise 10 dB below the voice.
Needs flite, espeak-ng, libttspico-utils and Kokoro (89 MB, downloaded once) for the voices, and SAYSO_DATA for the recordings.
"""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import numpy as np
import yaml

from sayso.console.bench import Row, part
from sayso.console.watch import counted, progress
from sayso.domain import load_domain
from sayso.speech.endpoint import Endpointer
from sayso.speech.recognise import SpeechToText
from sayso.speech.stopping.spotter import StopSpotter
from sayso.speech.stopping.words import is_stop, is_stop_text
from sayso.training.stop.config import StopConfig, load_stop_config
from sayso.training.stop.evaluation import CONDITIONS, OTHERS, PLAIN, STOPS, Found, Scores, found, scores_of, stopped
from sayso.training.stop.measure import MeasuredSound, in_quiet, scored, share_of_time
from sayso.training.stop.sounds import SpokenPhrase, noises, said, spoken_once
from sayso.training.stop.train import stop_folder
from sayso.types import SAMPLE_RATE, AudioChunk

CHUNK = 0.1  # s, as the microphone node sends them
GOALS = {"quiet": 98.0, "10 dB": 95.0}
HOURLY = 2.0  # of plain speech in quiet
PRESENT = 120  # random stops in each condition for the baseline, which waits for the text


def run(quick: bool = False) -> Iterator[Row]:
    """Yield all rows; --quick: a few phrases of two voices, as a smoke test."""
    spotter = StopSpotter()
    yield from part("stops found in the sound", partial(_found, spotter, quick))
    yield from part("CPU time of the spotter", partial(_costs, spotter, quick))


def _found(spotter: StopSpotter, quick: bool) -> Iterator[Row]:
    """Recall, false stops and delay."""
    config = _config(quick)
    phrases = spoken_once(config, "held_out", stop_folder(), _report("speaking"))
    scores = scores_of(spotter, [*phrases, *_named(config, quick)], "held_out", _said, every=40 if quick else 1)
    yield from _recall(scores, spotter.threshold)
    yield from _false(scores, spotter, quick)
    yield from _delays(scores, spotter.threshold)
    yield from _baseline(scores, 2 if quick else PRESENT)


def _config(quick: bool) -> StopConfig:
    config = load_stop_config()
    if not quick:
        return config
    few = {"names": ("en-us+f4", "en-gb+m7"), "stops": 4, "hard": 3, "sentences": 3}
    espeak = config.voices["held_out"]["espeak-ng"].model_copy(update=few)
    return config.model_copy(update={"voices": {**config.voices, "held_out": {"espeak-ng": espeak}}})


def _named(config: StopConfig, quick: bool) -> list[SpokenPhrase]:
    """The phrases of stop_sound.yaml, each in every held-out voice."""
    texts = yaml.safe_load(Path(__file__).with_suffix(".yaml").read_text(encoding="utf-8"))
    phrases = [("stop", text) for text in texts["stops"]] + [("hard", text) for text in texts["others"]]
    chance = random.Random(config.seed)
    voices = [voice for voice, _ in config.speakers("held_out")]
    chosen = [(voice, *phrase) for voice in voices for phrase in phrases[:: 10 if quick else 1]]
    return [said(text, kind, voice, chance.choice((0.9, 1.0, 1.15))) for voice, kind, text in counted(chosen, "phrases")]  # type: ignore[arg-type]


def _recall(scores: Scores, threshold: float) -> Iterator[Row]:
    for condition in CONDITIONS:
        for name, kinds in (("all", STOPS), *((kind, (kind,)) for kind in STOPS)):
            stops = found(scores.all_stops(condition, kinds), threshold)
            goal = GOALS[condition] if name == "all" else None
            yield Row(f"stops found, {condition}: {name}", 100 * stops.recall, "%", "higher", goal, n=stops.number)


def _false(scores: Scores, spotter: StopSpotter, quick: bool) -> Iterator[Row]:
    threshold = spotter.threshold
    for condition in CONDITIONS:
        plain = stopped(scores.all_others(condition, PLAIN), threshold)
        name = f"false stops an hour of plain speech, {condition}: sentences and talk ({plain.hours:.2f} h)"
        yield Row(name, plain.per_hour, "/h", "lower", HOURLY if condition == "quiet" else None, n=plain.number)
        for kind in OTHERS:
            each = stopped(scores.others[kind, condition], threshold)
            name = f"false stops, {condition}: {kind} ({each.hours:.2f} h)"
            yield Row(name, float(each.stops), "", "lower", n=each.number)
    kitchen = noises("held_out")[:1] if quick else noises("held_out")
    silent = stopped(scored(spotter, in_quiet(SpokenPhrase(each, "sentence", "", "", None, True) for each in kitchen)), threshold)
    yield Row(f"false stops in noise without speech ({silent.hours * 60:.1f} min)", float(silent.stops), "", "lower", n=silent.number)


def _delays(scores: Scores, threshold: float) -> Iterator[Row]:
    for condition in CONDITIONS:
        stops = found(scores.all_stops(condition), threshold)
        for q in (0.5, 0.99):
            yield _delay_row(f"from the end of the word to the decision, in the sound, {condition}, p{100 * q:.0f}", stops, q)


def _delay_row(name: str, stops: Found, q: float, baseline: dict[str, float | None] | None = None) -> Row:
    if not stops.delays:
        return Row(name, None, "ms", "lower", None, baseline or {}, reason="no stop was found")
    spread = (1e3 * stops.delay(0.25), 1e3 * stops.delay(0.75))
    return Row(name, 1e3 * stops.delay(q), "ms", "lower", None, baseline or {}, spread, len(stops.delays))


def _baseline(scores: Scores, number: int) -> Iterator[Row]:
    """Wait for the end of speech, recognise, then `is_stop` on the text, for stops whose text is one; the spotter on the same sounds."""
    domain = load_domain()
    recognise = SpeechToText(domain)
    for condition in CONDITIONS:
        every = [each for each in scores.all_stops(condition) if is_stop_text(each[0].said.text, domain)]
        chosen = random.Random(1).sample(every, min(number, len(every)))
        waited = []
        for heard, _ in counted(chosen, f"stops by their text, {condition}"):
            waited.append(_after_the_utterance(heard, lambda samples: is_stop(recognise(samples), domain)))
        baseline = Found(len(waited), tuple(each for each in waited if each is not None))
        spotted = found(chosen, StopSpotter().threshold)
        name = f"stops found, {condition}, a sample of those that are stops by their text as well"
        beside: dict[str, float | None] = {"end of utterance, then its text": 100 * baseline.recall}
        yield Row(name, 100 * spotted.recall, "%", "higher", None, beside, n=spotted.number)
        for q in (0.5, 0.99):
            name = f"from the end of the word to the decision, {condition}, the same sample, p{100 * q:.0f}"
            beside = {"end of utterance, then its text": 1e3 * baseline.delay(q) if baseline.delays else None}
            yield _delay_row(name, spotted, q, beside)


def _after_the_utterance(heard: MeasuredSound, stops: Callable[[np.ndarray], bool]) -> float | None:  # type: ignore[type-arg]
    """Seconds from the end of the word until its text was recognised as a stop, computing included; None if it was not."""
    endpointer, step = Endpointer(), int(CHUNK * SAMPLE_RATE)
    assert heard.end is not None
    for at in range(0, len(heard.samples), step):
        for utterance in endpointer.feed(AudioChunk(heard.samples[at : at + step], at / SAMPLE_RATE)):
            began = time.perf_counter()
            if stops(utterance.samples):
                return at / SAMPLE_RATE + CHUNK + time.perf_counter() - began - heard.end
    return None


def _costs(spotter: StopSpotter, quick: bool) -> Iterator[Row]:
    for chunk in (0.02, CHUNK):
        share = share_of_time(spotter, 2.0 if quick else 60.0, chunk)
        yield Row(f"CPU time of the spotter, chunks of {1e3 * chunk:.0f} ms", 100 * share, "% of a core", "lower")


def _report(doing: str) -> Callable[[int, int], None]:
    return lambda done, total: _said(f"{doing}: {done} of {total}") if done % 50 == 0 else None


def _said(what: str) -> None:
    progress(what)
    print(f"\r{what}" + " " * 30, end="", file=sys.stderr, flush=True)
