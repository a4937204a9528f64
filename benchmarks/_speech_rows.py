"""Rows of the benchmark `speech`: each measure over what every backend heard, the default backend's as the value, the others beside it."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from _meaning_share import Share
from _speech_decisions import Fate, fate
from _speech_sets import SpokenClip
from _speech_text import SlotReader, WordErrors, known_word_errors, right_text_at, same_slots, word_errors
from sayso.console.bench import Row
from sayso.domain import Domain
from sayso.pipeline import Pipeline
from sayso.speech.stopping.words import is_stop
from sayso.speech.whisper_texts import spoken
from sayso.training.scores import expected_calibration_error
from sayso.types import IntentBelief, Transcript

Better = Literal["higher", "lower"]
DIGITS = ("one", "two", "three", "four", "five")
FAILED = "the recogniser failed: "
BINS = ((0.0, 0.5), (0.5, 0.8), (0.8, 0.95), (0.95, 1.0))


@dataclass(frozen=True, slots=True)
class HeardClip:
    """A clip and one transcript of each of its utterances."""

    clip: SpokenClip
    transcripts: tuple[Transcript, ...]

    @property
    def text(self) -> str:
        """The best texts, one after the other."""
        return " ".join(each.text for each in self.transcripts if each.text)

    @property
    def accepted(self) -> tuple[Transcript, ...]:
        """The transcripts that the robot may act on."""
        return tuple(each for each in self.transcripts if each.text and not each.rejected)

    @property
    def failed(self) -> bool:
        """Whether the recogniser ended in an error."""
        return any(each.rejected.startswith(FAILED) for each in self.transcripts)

    @property
    def right(self) -> bool:
        """Whether the best text is right word for word, in one utterance."""
        return len(self.transcripts) == 1 and spoken(self.text) == spoken(self.clip.text)


HeardBy = Mapping[str, Sequence[HeardClip]]  # backend → what it heard, of the same clips


@dataclass(frozen=True, slots=True)
class SpeechMeasure:
    """The words and the direction of a row."""

    name: str
    better: Better
    goal: float | None = None
    unit: str = "%"


FATES: Mapping[Fate, SpeechMeasure] = {
    "right": SpeechMeasure("decision: executed, answered or declined, and right", "higher"),
    "asked": SpeechMeasure("decision: asked, and the right action is offered", "higher"),
    "misasked": SpeechMeasure("decision: asked about something else", "lower"),
    "wrong": SpeechMeasure("decision: executed though wrong", "lower", 1.0),
    "rejected": SpeechMeasure("decision: rejected", "lower"),
}


def command_rows(heard: HeardBy, domain: Domain, said: int) -> Iterator[Row]:
    """Commands of one clause and of several: words, meaning, calibration; and how many the endpointer cut or missed, of `said`."""
    goals = {"single": 88.0, "several": 60.0}
    for kind, goal in goals.items():
        group = _of(heard, (kind,))
        yield share_row(SpeechMeasure(f"{kind}: right word for word", "higher", goal), group, lambda each: each.right)
        yield errors_row(SpeechMeasure(f"{kind}: word error rate", "lower"), group, lambda each: word_errors(each.clip.text, each.text))
        yield share_row(SpeechMeasure(f"{kind}: right text in the list", "higher"), group, _in_the_list)
    yield from _meaning_rows(_of(heard, tuple(goals)), domain)
    yield from calibration_rows(_of(heard, tuple(goals)))
    clips = [each.clip for each in next(iter(heard.values())) if each.clip.kind in goals]
    whole = sum(len(clip.utterances) == 1 for clip in clips)
    yield Row("commands cut or missed by the endpointer", float(said - whole), "", "lower", 0.0, n=said)


def _meaning_rows(heard: HeardBy, domain: Domain) -> Iterator[Row]:
    """What the later stages make of the transcript, against what they make of the true text: intents and roles, then the decision."""
    pipeline = Pipeline(domain)
    meant = {each.clip.text: pipeline.understand(each.clip.text) for each in next(iter(heard.values()))}
    same: dict[int, bool] = {}
    fates: dict[int, Fate] = {}
    for clips in heard.values():
        for each in clips:
            found = [pipeline.understand(transcript) for transcript in each.accepted]
            wanted, whole = meant[each.clip.text], len(each.transcripts) == 1
            if found:
                same[id(each)] = whole and [meaning(one.intent_belief) for one in found] == [meaning(wanted.intent_belief)]
            judged = [fate(domain, wanted.action_belief, one.action_belief) for one in found]
            fates[id(each)] = judged[0] if whole and judged else "wrong" if {"right", "wrong"} & set(judged) else "rejected"
    name = "single and several: intents and roles right"
    yield share_row(SpeechMeasure(name, "higher", 92.0), heard, lambda each: same.get(id(each), False))
    name = "single and several: accepted though intents or roles are wrong"
    yield share_row(SpeechMeasure(name, "lower", 1.0), heard, lambda each: not same.get(id(each), True))
    yield share_row(SpeechMeasure("single and several: rejected", "lower"), heard, lambda each: not each.accepted)
    for ended, measure in FATES.items():
        yield share_row(measure, heard, lambda each, ended=ended: fates[id(each)] == ended)  # type: ignore[misc]


def meaning(belief: IntentBelief) -> tuple[object, ...]:
    """The intents with their roles: what they are linked to, or else their words."""
    return tuple(
        (
            clause.intent,
            tuple(sorted((role.name, role.entity or (role.text if math.isnan(role.value) else str(role.value))) for role in clause.roles)),
        )
        for clause in belief.clauses
    )


def order_rows(heard: HeardBy, domain: Domain) -> Iterator[Row]:
    """Orders whose slots are exactly those of the label; of an order cut in pieces, all pieces count."""
    goals = {"clean": 96.0, "24 dB": 95.0, "15 dB": 92.0, "6 dB": 75.0}
    read = SlotReader(domain, "order")

    def heard_right(each: HeardClip) -> bool:
        return same_slots(each.clip.slots, read(each.text))

    def right(each: HeardClip) -> bool:
        return len(each.accepted) == len(each.transcripts) and heard_right(each)

    def wrong(each: HeardClip) -> bool:
        return bool(each.accepted) and not right(each)

    for kind, goal in goals.items():
        group = _of(heard, (kind,))
        yield share_row(SpeechMeasure(f"orders, {kind}: accepted, all slots right", "higher", goal), group, right)
        yield share_row(SpeechMeasure(f"orders, {kind}: all slots right, also if rejected", "higher"), group, heard_right)
        yield share_row(SpeechMeasure(f"orders, {kind}: accepted though a slot is wrong", "lower"), group, wrong)
        clips = [each.clip for each in next(iter(group.values()))]
        pieces = Share(sum(len(clip.utterances) != 1 for clip in clips), len(clips))
        yield pieces.row(f"orders, {kind}: cut or missed by the endpointer", "lower")
    yield _understood_row(_of(heard, ("clean",)), domain)


def _understood_row(heard: HeardBy, domain: Domain) -> Row:
    """Whether the stage of intents, fitted to the coffee bar, fills exactly the roles that the label has."""
    classify = Pipeline(domain).classify

    def understood(each: HeardClip) -> bool:
        clauses = [clause for transcript in each.accepted for clause in classify(transcript).clauses]
        found = {role.name: spoken(role.text) for clause in clauses for role in clause.roles}
        return [clause.intent for clause in clauses] == ["order"] and same_slots(each.clip.slots, found)

    return share_row(SpeechMeasure("orders, clean: accepted, one order with exactly these roles", "higher"), heard, understood)


def word_rows(heard: HeardBy, domain: Domain) -> Iterator[Row]:
    """Single words: stop, and words that are not."""
    stops, others = _of(heard, ("stop",)), _of(heard, ("back", "front", "left", "right", *DIGITS))
    yield share_row(SpeechMeasure('word "stop": heard as a stop', "higher"), stops, lambda each: _stops(each, domain))
    yield share_row(SpeechMeasure('word "stop": accepted as "go"', "lower", 0.0), stops, lambda each: _began(each, "go"))
    accepted_other = 'word "stop": accepted as anything but a stop'
    yield share_row(SpeechMeasure(accepted_other, "lower", 0.0), stops, lambda each: bool(each.accepted) and not _stops(each, domain))
    yield share_row(SpeechMeasure("other single words: taken for a stop", "lower", 0.0), others, lambda each: _stops(each, domain))
    directions = _of(heard, ("back", "left", "right"))
    yield share_row(SpeechMeasure('words "back", "left", "right": heard right', "higher"), directions, lambda each: each.right)
    digits = _of(heard, DIGITS)
    yield share_row(SpeechMeasure('words "one" … "five": accepted', "lower"), digits, lambda each: bool(each.accepted))
    name = 'words "one" … "five": accepted as something else'
    yield share_row(SpeechMeasure(name, "lower", 0.5), digits, lambda each: bool(each.accepted) and not each.right)


def strange_rows(heard: HeardBy) -> Iterator[Row]:
    """Commands with a word that the domain doesn't have; the goal is the unbiased recogniser's figure, in the same row."""
    measure = SpeechMeasure("unknown names: word error rate of the known words", "lower")
    yield errors_row(measure, heard, lambda each: known_word_errors(each.clip.text, each.text, (each.clip.unknown,)))
    name = "unknown names: the unknown word heard right"
    yield share_row(SpeechMeasure(name, "higher"), heard, lambda each: each.clip.unknown in spoken(each.text).split())
    yield share_row(SpeechMeasure("unknown names: rejected", "lower"), heard, lambda each: not each.accepted)


def other_rows(heard: HeardBy) -> Iterator[Row]:
    """Sounds without a command that a recogniser accepts as one."""
    every = SpeechMeasure("speech, noise and chords without a command: taken for one", "lower", 0.5)
    yield share_row(every, heard, lambda each: bool(each.accepted))
    for kind in dict.fromkeys(each.clip.kind for each in next(iter(heard.values()))):
        yield share_row(SpeechMeasure(f"{kind}: taken for a command", "lower"), _of(heard, (kind,)), lambda each: bool(each.accepted))


def calibration_rows(heard: HeardBy) -> Iterator[Row]:
    """P(best text | audio) of accepted commands: the calibration error of each backend, and the default backend by bins that hold any."""
    pairs = {name: _confidences(clips) for name, clips in heard.items()}
    errors = {name: expected_calibration_error(p, right, np.ones(len(p))) if len(p) else None for name, (p, right) in pairs.items()}
    first, *others = errors
    p, right = pairs[first]
    measure = "calibration error of P(text), accepted commands, 15 bins"
    reason = "" if len(p) else "nothing was accepted"
    beside = {name: errors[name] for name in others} | ({"an honest P(text), by chance": by_chance(p)} if len(p) else {})
    yield Row(measure, errors[first], "", "lower", 0.03, beside, n=len(p), reason=reason)
    for low, high in BINS:
        inside = (p >= low) & ((p < high) | (high == 1.0))
        if n := int(inside.sum()):
            row = Share(int(right[inside].sum()), n).row(f"P(text) of {low:g}–{high:g}: the text is right", "higher")
            yield Row(row.measure, row.value, "%", "higher", None, {"said": 100.0 * float(p[inside].mean())}, row.spread, n)


def by_chance(p: np.ndarray, draws: int = 200) -> float:  # type: ignore[type-arg]
    """The mean calibration error of so few texts if every P(text) were true: what remains of the measured error is the recogniser's."""
    right = np.random.default_rng(0).random((draws, len(p))) < p
    return float(np.mean([expected_calibration_error(p, each.astype(float), np.ones(len(p))) for each in right]))


def _confidences(clips: Sequence[HeardClip]) -> tuple[np.ndarray, np.ndarray]:  # type: ignore[type-arg]
    whole = [each for each in clips if len(each.transcripts) == 1 and each.accepted]
    p = np.array([math.exp(each.transcripts[0].alternatives[0].log_p) for each in whole])
    return np.minimum(p, 1.0), np.array([each.right for each in whole], float)


def failure_rows(heard: HeardBy, what: str) -> Iterator[Row]:
    """One row if a recogniser ended in an error."""
    if any(each.failed for clips in heard.values() for each in clips):
        yield share_row(SpeechMeasure(f"{what}: sounds on which the recogniser failed", "lower", 0.0), heard, lambda each: each.failed)


def share_row(measure: SpeechMeasure, heard: HeardBy, holds: Callable[[HeardClip], bool]) -> Row:
    """The share of clips for which it holds, with its Wilson 95 % interval as spread."""
    shares = {name: Share(sum(map(holds, clips)), len(clips)) for name, clips in heard.items()}
    first, *others = shares
    row = shares[first].row(measure.name, measure.better, measure.goal)
    return Row(
        row.measure,
        row.value,
        "%",
        measure.better,
        measure.goal,
        {name: shares[name].value for name in others},
        row.spread,
        row.n,
        row.reason,
    )


def errors_row(measure: SpeechMeasure, heard: HeardBy, errors: Callable[[HeardClip], WordErrors]) -> Row:
    """The word error rate over all clips; n counts words."""
    totals = {name: sum(map(errors, clips), WordErrors()) for name, clips in heard.items()}
    first, *others = totals
    beside = {name: totals[name].rate for name in others}
    reason = "" if totals[first].words else "no such sentence"
    return Row(measure.name, totals[first].rate, "%", measure.better, measure.goal, beside, n=totals[first].words, reason=reason)


def _of(heard: HeardBy, kinds: Collection[str]) -> HeardBy:
    return {name: [each for each in clips if each.clip.kind in kinds] for name, clips in heard.items()}


def _in_the_list(each: HeardClip) -> bool:
    alternatives = each.transcripts[0].alternatives if len(each.transcripts) == 1 else ()
    return right_text_at(each.clip.text, [alternative.text for alternative in alternatives]) is not None


def _stops(each: HeardClip, domain: Domain) -> bool:
    return any(is_stop(transcript, domain) for transcript in each.transcripts)


def _began(each: HeardClip, word: str) -> bool:
    return any(transcript.text.split()[0] == word for transcript in each.accepted)
