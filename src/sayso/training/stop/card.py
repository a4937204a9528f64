"""What models/stop.md says of the spotter of "stop"."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from torch import nn

from sayso.training.stop.clips import FROM, UNTIL
from sayso.training.stop.config import StopConfig
from sayso.training.stop.evaluation import CONDITIONS, HARD, OTHERS, PLAIN, STOPS, Scores, found, stopped
from sayso.training.stop.measure import EARLY, LATE

CARD = """# stop.onnx, stop_verifier.onnx, stop_recogniser.yaml

Spots "stop" and "halt" in the sound while the person is still speaking; `docs/stopping.md` tells how it is used.
Made by `sayso train stop` on {made}, which writes this card as well. Licence: Apache-2.0; of the verifier's encoder MIT
(Copyright (c) 2025 Moonshine AI, [its text](../NOTICE)).

- **Spotter** (`stop.onnx`): two convolutions over {bands} log-mel bands every 10 ms ({front} channels), then
  {dilations} causal blocks of separable ones over time (kernel {kernel}, {channels} channels); a decision every 40 ms on the last
  {sees:.1f} s: the mean of {members}three moments.
  {spotter.parameters:,} parameters altogether in 8 bits, {spotter.megabytes:.2f} MB.
- **Verifier** (`stop_verifier.onnx`), asked when the spotter says {asked_from:g} or more: the encoder of Moonshine tiny
  (Jeffries et al. 2024; {layers} layers with the weights of moonshine-voice 0.1.0, which learnt from 200,000 hours of speech), and a head
  of convolutions and attention pooling, on the last 2 s. {verifier.parameters:,} parameters in 8 bits,
  {verifier.megabytes:.2f} MB. The mean of its log odds of that sound at {speeds} times its speed, times {weight:g}, is added to
  the spotter's.
- **Recogniser** (`stop_recogniser.yaml` has its numbers), asked when those two together say {doubt_from:g} to {doubt_until:g}: Moonshine
  tiny as published, encoder and decoder, where the package moonshine-voice 0.1.0 is installed. {recogniser.weight:g} times the log ratio
  of the likeliest text that ends with "stop", "halt" or "hold" to the likeliest text of all (counted from {recogniser.least:g} to 0), and
  {none:g}, are added to their log odds. It learns nothing here; "hold" is what it writes of most voices' "halt".
- **Taught**: the spotter to fire {first:g} to {last:g} s after the word (of synthetic voices counted from its vowel: they
  breathe for longer or shorter after the p), unless what was said before takes it back ("don't stop", "bus stop") or more follows without
  a pause ("stop by the kitchen"). {steps} steps of {batch} clips out of {clips:,}, with other speech behind them and in other
  throats at each step; then runs of {again} more of each network out of {more:,}, half of them drawn by how much it
  errs on them, each time to end in the mean of the weights at the ends of all runs so far.
  The verifier: which of {moments:,} pieces of 2 s, of {verifier_clips:,} further clips, end with a call to stop, by either word
  as often: {verifier_runs}. Those that do not are mostly the pieces on which the spotter is nearest to erring;
  into half of all others talk.
  `src/sayso/training/stop/stop.yaml` has every number, voice and phrase.
- **Threshold**: {threshold:.2f}; where the recogniser is not installed {both:.2f}, of the spotter alone {alone:.2f}: each the lowest with
  at most {per_hour:g} false stops an hour of the tuning part's sentences and talk.
- **Voices**: synthetic ones of espeak-ng (GPL-3, of whose output it says nothing), flite and festival (both of the kind of the X11
  licence), SVOX Pico (Apache-2.0), RHVoice (LGPL-2.1) and, neural, Kokoro (82 million weights, Apache-2.0); those to learn from also
  higher and lower, and some are foreign ones, which speak with an accent.
  Recordings: single words of `robot_words` (MIT) and coffee orders (Apache-2.0).

Plain speech: the sentences and the recorded talk.
Measured on voices, recordings and sessions that neither the network nor the threshold has heard. "10 dB": noise of a room, of a kitchen
or of people talking, 10 dB below the voice; of a recording, on top of its own noise. Few people recorded the single words: who speaks in
the held-out sessions may speak in those of the training too. A stop counts as found from {early:g} s before the word's end, which is
counted as it is taught, to {late:g} s after.

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

English only. Shouting, children's voices and far microphones are not in the data.
"""


@dataclass(frozen=True, slots=True)
class Size:
    """Of a model."""

    parameters: int
    megabytes: float  # of its file

    @classmethod
    def of(cls, path: Path, networks: Sequence[nn.Module]) -> Size:
        """Of the networks in that file."""
        return cls(sum(weight.numel() for network in networks for weight in network.parameters()), path.stat().st_size / 1e6)


@dataclass(frozen=True, slots=True)
class Measured:
    """What came out of one way to spot stops."""

    name: str
    threshold: float
    tuning: Scores
    held_out: Scores


def card(config: StopConfig, sizes: tuple[Size, Size], results: tuple[Measured, Measured, Measured], made: date) -> str:
    """The models' card: of spotter, verifier and recogniser; measured the spotter alone, with the verifier, and all three."""
    from sayso.speech.stopping.features import BANDS
    from sayso.speech.stopping.spotter import STRIDE

    alone, both, every = results
    compared = [
        f"| {each.name}, {part} part, {each.threshold:.2f} {_at(scores, each.threshold, CONDITIONS)}"
        for each in reversed(results)
        for part, scores in (("tuning", each.tuning), ("held-out", each.held_out))
    ]
    verifier, recogniser = config.verifier, config.recogniser
    return CARD.format(
        made=made.isoformat(),
        members=f"{len(config.members)} networks that were begun differently, and of " if len(config.members) > 1 else "",
        front=" and ".join(map(str, config.front)),
        dilations=len(config.dilations),
        kernel=config.kernel,
        channels=config.channels,
        bands=BANDS,
        sees=(1 + (config.kernel - 1) * sum(config.dilations)) * STRIDE / 100,
        spotter=sizes[0],
        verifier=sizes[1],
        asked_from=verifier.asked_from,
        layers=verifier.layers,
        weight=verifier.weight,
        speeds=" and ".join(f"{speed:g}" for speed in verifier.speeds),
        recogniser=recogniser,
        doubt_from=recogniser.asked[0],
        doubt_until=recogniser.asked[1],
        none=-recogniser.none * recogniser.weight,
        moments=2 * verifier.clips,
        verifier_clips=verifier.clips,
        verifier_runs=", then ".join(f"{run.steps:,} steps of {'both' if run.encoder else 'the head alone'}" for run in verifier.runs),
        first=FROM,
        last=UNTIL,
        steps=" + ".join(f"{member.steps:,}" for member in config.members),
        batch=config.batch,
        clips=config.clips,
        again=" + ".join(f"{run.steps:,}" for run in config.again.runs),
        more=config.again.clips,
        threshold=every.threshold,
        both=both.threshold,
        alone=alone.threshold,
        per_hour=config.false_stops_per_hour,
        early=EARLY,
        late=LATE,
        stops="\n".join(_found(every)),
        others="\n".join(_false(every)),
        thresholds="\n".join(f"| {each:.1f} {_at(every.held_out, each)}" for each in (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8)),
        compared="\n".join(compared),
    )


def _found(every: Measured) -> Iterator[str]:
    """Rows: spoken stops by kind and condition."""
    for kind in STOPS:
        for condition in CONDITIONS:
            each = found(every.held_out.stops[kind, condition], every.threshold)
            middle, last = (f"{1e3 * each.delay(q):.0f} ms" for q in (0.5, 0.99))
            yield f"| {kind} | {condition} | {each.number} | {each.recall:.1%} | {middle} | {last} |"


def _false(every: Measured) -> Iterator[str]:
    """Rows: false stops by kind of speech and condition."""
    for kind in OTHERS:
        for condition in CONDITIONS:
            false = stopped(every.held_out.others[kind, condition], every.threshold)
            yield f"| {kind} | {condition} | {false.number} | {false.hours:.2f} | {false.stops} |"


def _at(part: Scores, threshold: float, conditions: Sequence[str] = ("quiet",)) -> str:
    """Cells: what is found in each condition, hard phrases that stop, false stops an hour in those conditions."""
    quiet, noisy = (found(part.all_stops(condition), threshold).recall for condition in CONDITIONS)
    hard = stopped(part.all_others("quiet", HARD), threshold)
    rest = " | ".join(f"{stopped(part.all_others(condition, PLAIN), threshold).per_hour:.1f}" for condition in conditions)
    return f"| {quiet:.1%} | {noisy:.1%} | {hard.stops} of {hard.number} | {rest} |"
