"""What models/stop.md says of the spotter of "stop"."""

from __future__ import annotations

from datetime import date

from sayso.training.stop_clips import FROM, UNTIL
from sayso.training.stop_config import StopConfig
from sayso.training.stop_evaluation import CONDITIONS, OTHERS, PLAIN, STOPS, Scores, found, stopped

CARD = """# stop.onnx

Spots "stop" and "halt" in the sound while the person is still speaking; `docs/stopping.md` tells how it is used.
Made by `sayso train stop` on {made}, which writes this card as well. Licence: Apache-2.0.

- **Network**: two convolutions over {bands} log-mel bands every 10 ms ({front} channels), then {dilations} causal blocks of separable
  ones over time (kernel {kernel}, {channels} channels); a decision every 40 ms on the last {sees:.1f} s. What counts is the mean of
  {members}three decisions. {parameters:,} parameters altogether, {size:.2f} MB.
- **Taught**: to fire {first:g} to {last:g} s after the word (of synthetic voices counted from its vowel: they breathe for longer or shorter
  after the p), unless what was said before takes it back ("don't stop", "bus stop") or more follows without a pause ("stop by the
  kitchen"). {steps} steps of {batch} clips out of {clips:,}, with other speech behind them and in other throats at each step; then runs
  of {again} more of each network out of {more:,}, half of them drawn by how much it errs on them, each time to end in the mean
  of the weights at the ends of all runs so far.
  `src/sayso/training/stop.yaml` has every number, voice and phrase.
- **Threshold**: {threshold:.2f}, the lowest with at most {per_hour:g} false stops an hour of the tuning part's sentences and talk.
  There the word ended {delay:.0f} ms before the decision (median): the stamp is set back by as much.
- **Voices**: synthetic ones of espeak-ng (GPL-3, of whose output it says nothing), flite and festival (both of the kind of the X11
  licence), SVOX Pico (Apache-2.0) and RHVoice (LGPL-2.1); those to learn from also higher and lower, and some are foreign ones, which
  speak with an accent.
  Recordings: single words of `robot_words` (MIT) and coffee orders (Apache-2.0).

Plain speech: the sentences and the recorded talk.
Measured on voices, recordings and sessions that neither the network nor the threshold has heard. "10 dB": noise of a room, of a kitchen
or of people talking, 10 dB below the voice; of a recording, on top of its own noise. Few people recorded the single words: who speaks in
the held-out sessions may speak in those of the training too.

| spoken stops | | number | found | decided after the word's end, p50 | p99 |
|---|---|---|---|---|---|
{stops}

| speech without a call to stop | | sounds | hours of speech | false stops |
|---|---|---|---|---|
{others}

| threshold (held-out part) | found, quiet | found, 10 dB | hard phrases that stop | false stops an hour of plain speech, quiet |
|---|---|---|---|---|
{thresholds}

| tuning part | found, quiet | found, 10 dB | false stops an hour of plain speech, quiet | 10 dB |
|---|---|---|---|---|
{tuning}

English only. Shouting, children's voices and far microphones are not in the data.
"""


def card(
    config: StopConfig, parameters: int, size: int, threshold: float, delay: float, tuning: Scores, held_out: Scores, made: date
) -> str:
    """The model's card, with what was measured at the threshold it was given."""
    from sayso.speech.features import BANDS
    from sayso.speech.stop_spotter import STRIDE

    stops, others = [], []
    for kind in STOPS:
        for condition in CONDITIONS:
            each = found(held_out.stops[kind, condition], threshold)
            middle, last = (f"{1e3 * each.delay(q):.0f} ms" for q in (0.5, 0.99))
            stops.append(f"| {kind} | {condition} | {each.number} | {each.recall:.1%} | {middle} | {last} |")
    for kind in OTHERS:
        for condition in CONDITIONS:
            false = stopped(held_out.others[kind, condition], threshold)
            others.append(f"| {kind} | {condition} | {false.number} | {false.hours:.2f} | {false.stops} |")
    thresholds = [_at(held_out, each) for each in (0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)]
    quiet, noisy = (found(tuning.all_stops(condition), threshold).recall for condition in CONDITIONS)
    per_hour = (stopped(tuning.all_others(condition, PLAIN), threshold).per_hour for condition in CONDITIONS)
    return CARD.format(
        made=made.isoformat(),
        members=f"{len(config.members)} networks that were begun differently, and of " if len(config.members) > 1 else "",
        front=" and ".join(map(str, config.front)),
        dilations=len(config.dilations),
        kernel=config.kernel,
        channels=config.channels,
        bands=BANDS,
        sees=(1 + (config.kernel - 1) * sum(config.dilations)) * STRIDE / 100,
        parameters=parameters,
        size=size / 1e6,
        first=FROM,
        last=UNTIL,
        steps=" + ".join(f"{member.steps:,}" for member in config.members),
        batch=config.batch,
        clips=config.clips,
        again=" + ".join(f"{run.steps:,}" for run in config.again.runs),
        more=config.again.clips,
        threshold=threshold,
        per_hour=config.false_stops_per_hour,
        delay=1e3 * delay,
        stops="\n".join(stops),
        others="\n".join(others),
        thresholds="\n".join(thresholds),
        tuning=f"| at {threshold:.2f} | {quiet:.1%} | {noisy:.1%} | " + " | ".join(f"{each:.1f}" for each in per_hour) + " |",
    )


def _at(part: Scores, threshold: float) -> str:
    quiet, noisy = (found(part.all_stops(condition), threshold).recall for condition in CONDITIONS)
    hard = stopped(part.others["hard phrases", "quiet"], threshold)
    rest = stopped(part.all_others("quiet", PLAIN), threshold)
    return f"| {threshold:.1f} | {quiet:.1%} | {noisy:.1%} | {hard.stops} of {hard.number} | {rest.per_hour:.1f} |"
