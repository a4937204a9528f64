"""A run, read from its folder: the utterances and all results from the bag, the expectations from run.json."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sayso.bags.definitions import first_line
from sayso.bags.messages import CONVERTERS, GroundTruth
from sayso.bags.reading import Bag
from sayso.errors import SaysoError
from sayso.evaluation.judge import Check
from sayso.types import (
    SAMPLE_RATE,
    ActionBelief,
    AudioChunk,
    FloatArray,
    Grounding,
    Image,
    IntentBelief,
    Outcome,
    PlanState,
    SkillCall,
    Transcript,
)

MARGIN = 0.3  # s of sound before and after the speech
RECORD = "run.json"


@dataclass(frozen=True, slots=True)
class SkillSpan:
    """When a skill ran, from the planner's messages."""

    call: SkillCall
    started: float  # s, ROS time
    ended: float
    succeeded: bool

    @property
    def seconds(self) -> float:
        """Duration, s."""
        return self.ended - self.started


@dataclass(frozen=True, slots=True)
class RecordedUtterance:
    """Everything recorded about one utterance. Times are when messages were recorded."""

    transcript: Transcript
    intents: IntentBelief | None = None
    actions: ActionBelief | None = None
    plans: tuple[tuple[float, PlanState], ...] = ()
    groundings: tuple[tuple[float, Grounding], ...] = ()
    outcome: Outcome | None = None
    ended: float = 0.0  # time of the outcome, else of the utterance's last message
    sound: NDArray[np.int16] = field(default_factory=lambda: np.zeros(0, np.int16))  # 16 kHz; empty if it was typed
    arrived: Mapping[str, float] = field(default_factory=dict)  # topic → s from the end of the speech to its first message

    @property
    def spans(self) -> tuple[SkillSpan, ...]:
        """The skills in the order in which they started. A skill without reported success has failed or was cancelled."""
        found = []
        for (began, plan), (ended, after) in zip(self.plans, self.plans[1:], strict=False):
            if plan.status == "running" and plan.ahead:
                found.append(SkillSpan(plan.ahead[0], began, ended, len(after.done) > len(plan.done)))
        return tuple(found)

    @property
    def seconds_to_first_skill(self) -> float | None:
        """From the end of the speech to the first skill goal, s; None if there was none."""
        began = next((time for time, plan in self.plans if plan.status == "running" and plan.ahead), None)
        return None if began is None else began - self.transcript.stamp


@dataclass(frozen=True, slots=True)
class Act:
    """One sentence of the run with its checks."""

    title: str
    utterance_id: str
    checks: tuple[Check, ...]

    @property
    def ok(self) -> bool:
        """Whether every check holds."""
        return all(check.ok for check in self.checks)


@dataclass(frozen=True, slots=True)
class Record:
    """run.json: data that is not in the bag."""

    when: str = ""  # ISO 8601
    acts: tuple[Act, ...] = ()
    speed: float = 1.0  # simulated seconds per second
    scene: str = ""
    versions: Mapping[str, str] = field(default_factory=dict)
    models: Mapping[str, str] = field(default_factory=dict)  # file → SHA-256
    timings: Mapping[str, float] = field(default_factory=dict)  # name → s of wall-clock time

    def write(self, folder: Path) -> None:
        """Write run.json into the folder."""
        (folder / RECORD).write_text(json.dumps(asdict(self), indent=2) + "\n", encoding="utf-8")

    @classmethod
    def read(cls, folder: Path) -> Record:
        """Read run.json from the folder; an empty record if there is none.

        Raises:
            SaysoError: it is not such a record.
        """
        file = folder / RECORD
        if not file.is_file():
            return cls()
        try:
            data = json.loads(file.read_text(encoding="utf-8"))
            acts = (Act(act["title"], act["utterance_id"], tuple(Check(**check) for check in act["checks"])) for act in data.pop("acts"))
            return cls(acts=tuple(acts), **data)
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as broken:
            raise SaysoError(f"{file} is not the record of a run ({first_line(broken)}); remove it to report without it") from None


@dataclass(frozen=True, slots=True)
class Run:
    """One run of the graph, from its bag."""

    folder: Path
    record: Record
    utterances: tuple[RecordedUtterance, ...]
    worlds: tuple[GroundTruth, ...]  # ground truth, in order
    pictures: Mapping[float, Image]  # by stamp
    said: tuple[tuple[float, str], ...]  # by the robot: questions and speech
    counts: Mapping[str, int]  # messages of each topic

    @property
    def path(self) -> FloatArray:
        """(N, 4): time (s), x, y (m), yaw (rad) of the robot in the map frame."""
        return np.array([(world.stamp, world.x, world.y, world.yaw) for world in self.worlds], dtype=np.float64).reshape(-1, 4)

    @property
    def moves(self) -> Iterator[tuple[GroundTruth, str, str, str]]:
        """Changes of an object's place: (world just after, object, old place, new place)."""
        for before, after in zip(self.worlds, self.worlds[1:], strict=False):
            for name, place in after.locations.items():
                if before.locations.get(name, place) != place:
                    yield after, name, before.locations[name], place


def read_run(folder: Path) -> Run:
    """Read the run whose bag is in folder/bag.

    Raises:
        SaysoError: there is no bag.
    """
    heard = _Heard()
    with Bag(folder / "bag") as reader:
        counts = reader.counts
        for topic, time, message in _messages(reader):
            heard.add(topic, time, message)
    return heard.run(folder, Record.read(folder), counts)


def _messages(reader: Bag) -> Iterator[tuple[str, float, Any]]:
    """Messages with a dataclass: (topic without namespace, s, dataclass)."""
    names = {c.id: name for c in reader.connections for name in CONVERTERS if c.topic == f"/{name}" or c.topic.endswith(f"/{name}")}
    wanted = [connection for connection in reader.connections if connection.id in names]
    for connection, nanoseconds, raw in reader.messages(wanted):
        name = names[connection.id]
        yield name, nanoseconds * 1e-9, CONVERTERS[name](reader.deserialize(raw, connection))


class _Heard:
    """Sorts messages by utterance."""

    def __init__(self) -> None:
        self._by_topic: dict[str, list[tuple[float, Any]]] = {name: [] for name in CONVERTERS}

    def add(self, topic: str, time: float, message: Any) -> None:
        self._by_topic[topic].append((time, message))

    def run(self, folder: Path, record: Record, counts: Mapping[str, int]) -> Run:
        said = sorted((*self._by_topic["question"], *self._by_topic["speech"]))
        return Run(
            folder=folder,
            record=record,
            utterances=tuple(self._utterance(time, transcript) for time, transcript in self._by_topic["transcript"]),
            worlds=tuple(world for _, world in self._by_topic["world_state"]),
            pictures={picture.stamp: picture for _, picture in self._by_topic["camera/image"]},
            said=tuple(said),
            counts=counts,
        )

    def _utterance(self, heard: float, transcript: Transcript) -> RecordedUtterance:
        def of(topic: str) -> list[tuple[float, Any]]:
            return [(time, message) for time, message in self._by_topic[topic] if message.utterance_id == transcript.utterance_id]

        intents, actions, outcomes = of("intent_belief"), of("action_belief"), of("outcome")
        plans, groundings = of("plan_state"), of("grounding")
        every = [*intents, *actions, *plans, *groundings, *outcomes]
        stages = {"transcript": [(heard, transcript)], "intent_belief": intents, "action_belief": actions, "outcome": outcomes}
        return RecordedUtterance(
            transcript=transcript,
            intents=intents[-1][1] if intents else None,
            actions=settled([belief for _, belief in actions]) if actions else None,
            plans=tuple(plans),
            groundings=tuple(groundings),
            outcome=outcomes[-1][1] if outcomes else None,
            ended=outcomes[-1][0] if outcomes else max((time for time, _ in every), default=heard),
            sound=_cut([chunk for _, chunk in self._by_topic["audio"]], transcript.started - MARGIN, transcript.stamp + MARGIN),
            arrived={topic: messages[0][0] - transcript.stamp for topic, messages in stages.items() if messages},
        )


def settled(beliefs: Sequence[ActionBelief]) -> ActionBelief:
    """The final decision; of a repeated question, its first wording."""
    last = beliefs[-1]
    return next(each for each in beliefs if (each.decision, each.chosen) == (last.decision, last.chosen))


def _cut(chunks: list[AudioChunk], start: float, end: float) -> NDArray[np.int16]:
    """The samples between two times (s)."""
    pieces: list[NDArray[np.int16]] = [np.zeros(0, np.int16)]
    for chunk in chunks:
        if chunk.sample_rate != SAMPLE_RATE:
            raise SaysoError(f"the bag's sound has {chunk.sample_rate} Hz; all sound inside Sayso has {SAMPLE_RATE}")
        first = max(round((start - chunk.stamp) * SAMPLE_RATE), 0)
        last = max(round((end - chunk.stamp) * SAMPLE_RATE), 0)
        pieces.append(chunk.samples[first:last])
    return np.concatenate(pieces)
