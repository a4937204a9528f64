"""The model card of the stop models, models/stop.md, written by every training."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from torch import nn

from sayso.training.stop.clips import FROM, UNTIL
from sayso.training.stop.config import StopConfig
from sayso.training.stop.evaluation import CONDITIONS, HARD, OTHERS, PLAIN, STOPS, Scores, found, stopped
from sayso.training.stop.measure import EARLY, LATE

CARD = """# stop.onnx, stop_verifier.onnx, stop_recogniser.yaml

These models detect "stop" and "halt" in the sound while the person is still speaking. `docs/stopping.md` explains how they are used.

- **Made** on {made} by `sayso train stop`, which also writes this card.
- **Licence**: Apache-2.0; the verifier's encoder MIT (Copyright (c) 2025 Moonshine AI, [text](../NOTICE)).
- **Language**: English.

## What they are

- **Spotter** (`stop.onnx`): two convolutions over {bands} log-mel bands every 10 ms ({front} channels), then
  {dilations} causal blocks of separable convolutions over time (kernel {kernel}, {channels} channels). It decides every 40 ms on the last
  {sees:.1f} s. Its score is the mean of {members}three consecutive decisions.
  {spotter.parameters:,} parameters in 8 bits, {spotter.megabytes:.2f} MB.
- **Verifier** (`stop_verifier.onnx`): runs when the spotter's score is {asked_from:g} or more. It is the encoder of Moonshine tiny
  (Jeffries et al. 2024; {layers} layers, weights of moonshine-voice 0.1.0, trained on 200,000 hours of speech) with a head of
  convolutions and attention pooling, on the last 2 s. {verifier.parameters:,} parameters in 8 bits, {verifier.megabytes:.2f} MB.
  The mean of its log odds for the sound at {speeds} times its speed, times {weight:g}, is added to the spotter's log odds.
- **Recogniser** (`stop_recogniser.yaml` holds its settings): runs when the two together give {doubt_from:g} to {doubt_until:g} and the
  package moonshine-voice 0.1.0 is installed. It is Moonshine tiny as published, encoder and decoder, without further training. The log
  ratio of the likeliest text that ends with "stop", "halt" or "hold" to the likeliest text of all, limited to {recogniser.least:g} … 0,
  times {recogniser.weight:g}, plus {none:g}, is added to their log odds. "hold" is included because it writes that for most voices' "halt".

## Training

- **Spotter**: {steps} steps of {batch} clips out of {clips:,}; background speech is added and the vocal tract length varied at
  each step. Then {again} more steps for each network on {more:,} clips, half of them drawn in proportion to the
  network's loss. Each run ends with the mean of the final weights of all runs so far.
- **Target**: fire {first:g} to {last:g} s after the word, unless earlier words negate it ("don't stop", "bus stop") or speech follows
  without a pause ("stop by the kitchen"). For synthetic voices the end is counted from the vowel, because the breath after the p varies.
- **Verifier**: it learns whether a sound of 2 s ends with a call to stop, from {moments:,} sounds of {verifier_clips:,} further clips:
  {verifier_runs}. Both words are equally frequent. Most negatives are the sounds at which the spotter is closest
  to a false stop; other people talk in half of all sounds.
- **Voices**: synthetic ones of espeak-ng (GPL-3, which does not cover its output), flite and festival (both X11-like licences), SVOX Pico
  (Apache-2.0), RHVoice (LGPL-2.1) and the neural Kokoro (82 million weights, Apache-2.0). Training voices are also raised and lowered
  in pitch; some speak with a foreign accent.
- **Recordings**: single words of `robot_words` (MIT) and coffee orders (Apache-2.0).
- **Thresholds**: {threshold:.2f} for all three, {both:.2f} without the recogniser, {alone:.2f} for the spotter alone. Each is the lowest
  with at most {per_hour:g} false stops an hour of plain speech in the tuning part.

## Measured

On voices, recordings and sessions used neither in training nor for the thresholds. "10 dB": noise of a room, of a kitchen or of people
talking, 10 dB below the voice; recordings also keep their own noise. A stop counts as found from {early:g} s before the word's end, as
counted in training, to {late:g} s after it. "Plain speech" is the sentences and the recorded talk. Few people recorded the single words,
so a speaker of a held-out session may also occur in training.

| spoken stops | | number | found | decided after the word's end, p50 | p99 |
|---|---|---|---|---|---|
{stops}

| speech without a call to stop | | sounds | hours of speech | false stops |
|---|---|---|---|---|
{others}

| threshold (held-out part) | found, quiet | found, 10 dB | hard phrases that stop | false stops an hour of plain speech, quiet |
|---|---|---|---|---|
{thresholds}

| each at its threshold | found, quiet | found, 10 dB | hard phrases that stop | false stops an hour of plain speech, quiet | 10 dB |
|---|---|---|---|---|---|
{compared}

## Limits

Shouting, children's voices and far microphones are not in the data. Some calls are missed: speech must not be the only emergency stop.

## How to make it again

Run `sayso data download`, put the recordings into `speech/` in the folder of the data sets (SAYSO_DATA), then run `sayso train stop`, which
names a missing synthesiser. `src/sayso/training/stop/stop.yaml` has every number, voice and phrase. A new run gives similar weights, not
the same: those published with Sayso average several runs, some with other mixes of voices and clips.
"""


@dataclass(frozen=True, slots=True)
class Size:
    """The size of a model."""

    parameters: int
    megabytes: float  # of its file

    @classmethod
    def of(cls, path: Path, networks: Sequence[nn.Module]) -> Size:
        """Count the networks' parameters and measure the file that holds them."""
        return cls(sum(weight.numel() for network in networks for weight in network.parameters()), path.stat().st_size / 1e6)


@dataclass(frozen=True, slots=True)
class Measured:
    """The results of one configuration: spotter alone, without the recogniser, or all three."""

    name: str
    threshold: float
    tuning: Scores
    held_out: Scores


def card(config: StopConfig, sizes: tuple[Size, Size], results: tuple[Measured, Measured, Measured], made: date) -> str:
    """The text of models/stop.md.

    Args:
        config: the numbers of the training.
        sizes: of spotter and verifier.
        results: of the spotter alone, with the verifier, and of all three.
        made: the day.
    """
    alone, both, every = results
    return CARD.format(
        made=made.isoformat(),
        spotter=sizes[0],
        verifier=sizes[1],
        threshold=every.threshold,
        both=both.threshold,
        alone=alone.threshold,
        per_hour=config.false_stops_per_hour,
        early=EARLY,
        late=LATE,
        **_models(config),
        **_training(config),
        stops=_stop_rows(every),
        others=_other_rows(every),
        thresholds="\n".join(f"| {each:.1f} {_at(every.held_out, each)}" for each in (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8)),
        compared=_comparison_rows(results),
    )


def _models(config: StopConfig) -> dict[str, object]:
    """The fields that describe spotter, verifier and recogniser."""
    from sayso.speech.stopping.features import BANDS
    from sayso.speech.stopping.spotter import STRIDE

    verifier, recogniser = config.verifier, config.recogniser
    return {
        "bands": BANDS,
        "front": " and ".join(map(str, config.front)),
        "dilations": len(config.dilations),
        "kernel": config.kernel,
        "channels": config.channels,
        "sees": (1 + (config.kernel - 1) * sum(config.dilations)) * STRIDE / 100,
        "members": f"{len(config.members)} networks with different initial weights, and of " if len(config.members) > 1 else "",
        "asked_from": verifier.asked_from,
        "layers": verifier.layers,
        "weight": verifier.weight,
        "speeds": " and ".join(f"{speed:g}" for speed in verifier.speeds),
        "recogniser": recogniser,
        "doubt_from": recogniser.asked[0],
        "doubt_until": recogniser.asked[1],
        "none": -recogniser.none * recogniser.weight,
    }


def _training(config: StopConfig) -> dict[str, object]:
    """The fields that describe the training of spotter and verifier."""
    runs = config.verifier.runs
    return {
        "first": FROM,
        "last": UNTIL,
        "steps": " + ".join(f"{member.steps:,}" for member in config.members),
        "batch": config.batch,
        "clips": config.clips,
        "again": " + ".join(f"{run.steps:,}" for run in config.again.runs),
        "more": config.again.clips,
        "moments": 2 * config.verifier.clips,
        "verifier_clips": config.verifier.clips,
        "verifier_runs": ", then ".join(f"{run.steps:,} steps of {'both' if run.encoder else 'the head alone'}" for run in runs),
    }


def _stop_rows(every: Measured) -> str:
    rows = []
    for kind in STOPS:
        for condition in CONDITIONS:
            each = found(every.held_out.stops[kind, condition], every.threshold)
            middle, last = (f"{1e3 * each.delay(q):.0f} ms" for q in (0.5, 0.99))
            rows.append(f"| {kind} | {condition} | {each.number} | {each.recall:.1%} | {middle} | {last} |")
    return "\n".join(rows)


def _other_rows(every: Measured) -> str:
    rows = []
    for kind in OTHERS:
        for condition in CONDITIONS:
            false = stopped(every.held_out.others[kind, condition], every.threshold)
            rows.append(f"| {kind} | {condition} | {false.number} | {false.hours:.2f} | {false.stops} |")
    return "\n".join(rows)


def _comparison_rows(results: tuple[Measured, ...]) -> str:
    return "\n".join(
        f"| {each.name}, {part} part, {each.threshold:.2f} {_at(scores, each.threshold, CONDITIONS)}"
        for each in reversed(results)
        for part, scores in (("tuning", each.tuning), ("held-out", each.held_out))
    )


def _at(part: Scores, threshold: float, conditions: Sequence[str] = ("quiet",)) -> str:
    """Table cells: recall in quiet and in noise, hard phrases that stop, false stops an hour in each of `conditions`."""
    quiet, noisy = (found(part.all_stops(condition), threshold).recall for condition in CONDITIONS)
    hard = stopped(part.all_others("quiet", HARD), threshold)
    rest = " | ".join(f"{stopped(part.all_others(condition, PLAIN), threshold).per_hour:.1f}" for condition in conditions)
    return f"| {quiet:.1%} | {noisy:.1%} | {hard.stops} of {hard.number} | {rest} |"
