"""Configuration and results of a replay: plain, frozen and picklable, so that many machines can share the work."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any, Literal

from sayso.bags.reading import BagProblem
from sayso.errors import SaysoError
from sayso.types import Context

Start = Literal["audio", "transcript", "intent", "action"]
STARTS: tuple[Start, ...] = ("audio", "transcript", "intent", "action")
SCHEMA = 1  # of utterances.jsonl; changes when a field changes its meaning or is removed


@dataclass(frozen=True, slots=True)
class ReplayConfig:
    """Configuration of a replay. Paths are read where the replay runs."""

    start: Start | None = None  # first input read from the bag; None: transcripts, else sound
    domain: Path | None = None  # domain file; None: the recording's, else the default home
    models: Path | None = None  # folder with manifest.yaml; None: the models that Sayso ships with
    head: str = "linear"  # of the intent classifier: linear or kernel
    lm_weight: float = 1.0  # of the command language model among n-best texts
    backend: str = "moonshine"  # of the recogniser: moonshine, pocketsphinx, whisper or faster_whisper
    whisper_weights: Path | None = None
    answer_within: float = 30.0  # s that a question stays open
    correct_within: float = 30.0  # s in which "no, the blue one" still corrects the last decision
    grounding: bool = True  # run the grounder on the recorded pictures
    namespace: str = ""  # of the robot, if the bag has several
    remap: tuple[tuple[str, str], ...] = ()  # (recorded topic, our name for it)


@dataclass(frozen=True, slots=True)
class Slice:
    """A part of a bag between two silences, and the situation at its start."""

    start: int  # ns, when recorded; included
    stop: int  # excluded
    context: Context | None = None  # the last one before the start


@dataclass(frozen=True, slots=True)
class UtteranceRecord:
    """One utterance as a line of utterances.jsonl. Unknown texts are empty, unknown numbers null."""

    bag: str
    number: int = 0  # from 1, in the order of the bag
    utterance_id: str = ""
    t: float = 0.0  # s from the beginning of the bag to the end of the speech
    seconds: float = 0.0  # how long the speech lasted; 0 for typed words
    file: str = ""  # the sound file, if a folder of them is played
    # heard
    text: str = ""
    p_text: float | None = None  # P(text | audio) of the best
    confidence: float | None = None  # that the sound is a sentence of the domain
    rejected: str = ""  # why it was rejected, up to the intents
    stop: bool = False  # the whole utterance means stop
    # meant; several clauses are separated by "; "
    clauses: int = 0
    intent: str = ""
    p_intent: float | None = None  # of the least certain clause
    out_of_scope: float | None = None  # nats, of the strangest clause; above 0 is out of scope
    roles: str = ""  # theme=red_cup, recipient=operator
    # decided
    decision: str = ""  # execute, confirm, ask or reject
    action: str = ""
    p: float | None = None  # posterior of the action, of the least certain clause
    utility: float | None = None  # expected, of executing it
    reason: str = ""
    question: str = ""
    options: str = ""
    answers: str = ""  # the utterance_id whose question this utterance answers
    # asked in the course of the errand, when the robot saw several things that may be meant
    asked: str = ""  # the question; the last one, if there were several
    chosen: str = ""  # the thing that the answer chose, in the words of the question
    # planned
    plan: str = ""
    value: float | None = None  # V(s)
    plan_reason: str = ""  # why there is no plan
    # seen in the recorded pictures
    grounded: str = ""  # ids of the objects found
    missed: str = ""  # ids of the objects not found
    p_grounded: float | None = None  # confidence of the least certain one found
    # as recorded
    recorded_text: str = ""
    recorded_intent: str = ""
    recorded_decision: str = ""
    recorded_action: str = ""
    recorded_p: float | None = None
    recorded_plan: str = ""
    recorded_grounded: str = ""
    recorded_asked: str = ""
    recorded_chosen: str = ""
    outcome: str = ""  # "done", or "not done: …"
    changed: str = ""  # names of the fields that differ from the recording
    error: str = ""  # a stage failed
    # judged
    verdict: str = ""  # "right", "wrong", "missing" (nothing was heard there), "extra" (unexpected); empty without expectations
    wrong: str = ""  # the expected and the actual value

    def data(self) -> dict[str, Any]:
        """The fields for utterances.jsonl; numbers to six significant digits, so that all machines write the same."""
        return {"schema": SCHEMA, **{name: rounded(value) for name, value in asdict(self).items()}}

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> UtteranceRecord:
        """Read a line back; fields of a later schema are ignored."""
        known = {one.name for one in fields(cls)}
        return cls(**{name: value for name, value in data.items() if name in known})


@dataclass(frozen=True, slots=True)
class Latency:
    """Time that the stages took for one utterance, s. It varies between runs, so it is kept apart from the records."""

    bag: str
    number: int = 0
    utterance_id: str = ""
    recognise: float | None = None
    classify: float | None = None
    select: float | None = None
    plan: float | None = None
    ground: float | None = None

    @property
    def total(self) -> float:
        """From the end of the speech to the plan."""
        return sum(part or 0.0 for part in (self.recognise, self.classify, self.select, self.plan))


@dataclass(frozen=True, slots=True)
class Media:
    """A sound or a picture of an utterance, as a file in the replay's media folder."""

    number: int
    kind: Literal["sound", "picture"]
    file: str  # name within the folder
    text: str = ""  # what the picture shows, in words


@dataclass(frozen=True, slots=True)
class ReplayResult:
    """The result of a bag or a slice of it."""

    bag: str
    records: tuple[UtteranceRecord, ...] = ()
    latencies: tuple[Latency, ...] = ()
    details: tuple[Mapping[str, Any], ...] = ()  # of each record, for the report: alternatives, intents, candidates
    media: tuple[Media, ...] = ()
    problems: tuple[BagProblem, ...] = ()
    seconds: float = 0.0  # of recorded time
    messages: int = 0  # read
    bytes: int = 0
    failed: str = ""  # why it could not be played
    domain: str = ""  # name of the domain file used; empty: the default home
    counts: Mapping[str, int] = field(default_factory=dict)  # messages by topic


def joined(parts: list[ReplayResult]) -> ReplayResult:
    """Join the results of a bag's slices, in order, into one.

    Raises:
        SaysoError: they belong to several bags.
    """
    if len({part.bag for part in parts}) != 1:
        raise SaysoError(f"results of {len({part.bag for part in parts})} bags cannot be joined to those of one")
    records: list[UtteranceRecord] = []
    latencies: list[Latency] = []
    media: list[Media] = []
    for part in parts:
        before = len(records)
        records += [replace(record, number=before + record.number) for record in part.records]
        latencies += [replace(latency, number=before + latency.number) for latency in part.latencies]
        media += [replace(item, number=before + item.number) for item in part.media]
    return replace(
        parts[0],
        records=tuple(records),
        latencies=tuple(latencies),
        details=tuple(detail for part in parts for detail in part.details),
        media=tuple(media),
        problems=tuple(dict.fromkeys(problem for part in parts for problem in part.problems)),
        seconds=sum(part.seconds for part in parts),
        messages=sum(part.messages for part in parts),
        bytes=sum(part.bytes for part in parts),
        failed="; ".join(dict.fromkeys(part.failed for part in parts if part.failed)),
    )


def rounded(value: Any) -> Any:
    """A float to six significant digits; anything else as it is."""
    return float(f"{value:.6g}") if isinstance(value, float) else value
