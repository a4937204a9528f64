"""The set `rooms` of the benchmark `speech`: the same single commands in held-out voices under each condition of the tuning's table."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from _speech_rows import HeardBy, SpeechMeasure, calibration_rows, share_row
from _speech_sets import SpokenClip, endpointed, spread
from sayso.console.bench import Row
from sayso.domain import Domain
from sayso.domain.sentences import sentences
from sayso.training.speech.conditions import conditions
from sayso.training.speech.tuning import BABBLERS, HELD_OUT, spoken, talk_lines
from sayso.training.speech.voices import speak

COMMANDS = 60  # under each condition
_SEED = 2_626


def room_clips(domain: Domain, limit: int) -> list[SpokenClip]:
    """Single commands, half of them in human-like voices, under each condition; `limit` of them at most.

    Raises:
        AudioError: flite or espeak-ng are not installed.
        SaysoError: the data sets with the talk of babble are missing, or Kokoro cannot be downloaded.
    """
    draws, chance = random.Random(_SEED), np.random.default_rng(_SEED)
    texts = draws.sample([each.text for each in sentences(domain, 20, seed=_SEED)], COMMANDS)
    quick, human = HELD_OUT.quick, HELD_OUT.human
    voices = [human[at // 2 % len(human)] if at % 2 else quick[at // 2 % len(quick)] for at in range(COMMANDS)]
    said = [(text, spoken(text, voice, 1.0)) for text, voice in spread(list(zip(texts, voices, strict=True)), limit)]
    behind = [speak(text, draws.choice(quick)) for text in draws.sample(talk_lines(domain, HELD_OUT), BABBLERS)]
    return [
        SpokenClip(condition.name, endpointed(condition(sound, behind, chance)), text) for condition in conditions() for text, sound in said
    ]


def room_rows(heard: HeardBy) -> Iterator[Row]:
    """For each condition: words right, also if rejected; accepted and right; accepted though a word is wrong. Then P(text) over all."""
    for name in dict.fromkeys(each.clip.kind for each in next(iter(heard.values()))):
        group = {backend: [each for each in clips if each.clip.kind == name] for backend, clips in heard.items()}
        yield share_row(SpeechMeasure(f"rooms, {name}: right word for word", "higher"), group, lambda each: each.right)
        measure = SpeechMeasure(f"rooms, {name}: accepted and right", "higher")
        yield share_row(measure, group, lambda each: each.right and bool(each.accepted))
        measure = SpeechMeasure(f"rooms, {name}: accepted though a word is wrong", "lower")
        yield share_row(measure, group, lambda each: not each.right and bool(each.accepted))
    yield from (replace(row, measure=f"rooms: {row.measure}") for row in calibration_rows(heard))
