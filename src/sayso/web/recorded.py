"""A recording as the page plays it: what the board showed, with its times. Sound and pictures stay in the bag (`recorded_media`).

Memory is bounded: positions are thinned out, and a recording that is too long is shown up to a point, which it says.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from typing import Any

from rosbags.interfaces import Connection

from sayso.bags import messages
from sayso.bags.definitions import decoding
from sayso.bags.messages import CONVERTERS, GroundTruth
from sayso.bags.reading import Bag
from sayso.bags.topics import Topics, find_topics
from sayso.domain import Domain
from sayso.errors import SaysoError
from sayso.types import ActionBelief, Context, IntentBelief, ObjectBelief, Outcome, People, Transcript
from sayso.web.shown import belief_as_data, people_as_data
from sayso.web.stories import Stories

STAGES = ("transcript", "intent_belief", "action_belief", "plan_state", "grounding", "outcome")
FURTHER = {  # topics that `find_topics` does not look for: name → type
    "object_belief": "sayso_msgs/msg/ObjectBelief", "world_state": "sayso_msgs/msg/WorldState", "people": "sayso_msgs/msg/People",
    "question": "std_msgs/msg/String", "speech": "std_msgs/msg/String",
}  # fmt: skip
STEP = 0.2  # s at least between two positions
POSITIONS = 20_000  # of the robot; in longer recordings they lie further apart
LARGEST = 24_000_000  # characters of all events
UTTERANCES = 2000
SAME_CLOCK = 60.0  # s: a stamp closer to the recording time than this comes from the same clock


@dataclass(slots=True)
class Mark:
    """An utterance on the time line, and what became of it."""

    id: str
    number: int  # from 0
    at: float  # s from the beginning of the recording: the end of the speech
    started: float  # s, of the sound's clock
    ended: float
    recorded: float  # s, when its transcript was recorded
    heard: str = ""
    meant: str = ""
    decided: str = ""
    outcome: str = ""

    @property
    def typed(self) -> bool:
        """Whether it was never a sound."""
        return self.started >= self.ended


@dataclass(frozen=True, slots=True)
class RecordingIndex:
    """A recording without its sound and pictures."""

    seconds: float
    events: tuple[str, ...]  # JSON: [s from the beginning, key of the board, value or, of an utterance, the parts that are new]
    marks: tuple[Mark, ...]
    problems: tuple[str, ...]
    has_sound: bool
    has_pictures: bool


def read_index(bag: Bag, domain: Domain, sound_path: str) -> RecordingIndex:
    """Read all but sound and pictures. `sound_path`: what comes before the number of an utterance in the address of its sound."""
    topics = find_topics(bag)
    names = _names(bag, topics)
    seconds = max(bag.end_time - bag.start_time, 0) * 1e-9
    telling = _Telling(domain, bag.start_time * 1e-9, max(STEP, seconds / POSITIONS), sound_path if topics["audio"] else "")
    unreadable: Counter[str] = Counter()
    for connection, time, raw in bag.messages([one for one in bag.connections if one.topic in names]):
        try:
            message = bag.deserialize(raw, connection)
            with decoding(connection.msgtype):
                telling.take(names[connection.topic], _converted(names[connection.topic], connection, message), time * 1e-9)
        except (SaysoError, LookupError) as other:  # LookupError: of a home without these names
            if connection.topic not in unreadable:
                bag.complain(connection.topic, str(other) if isinstance(other, SaysoError) else f"unknown here: {other}")
            unreadable[connection.topic] += 1
        if telling.full:
            bag.complain("the recording", f"too long to be shown whole: it is shown up to {time * 1e-9 - telling.began:.0f} s")
            break
    for topic, count in sorted(unreadable.items()):
        bag.complain(topic, f"messages that could not be read, left out: {count}")
    return RecordingIndex(
        seconds,
        tuple(telling.events),
        tuple(telling.marks.values()),
        tuple(map(str, bag.problems)),
        bool(topics["audio"]),
        bool(topics["camera/image"]),
    )


def _names(bag: Bag, topics: Topics) -> dict[str, str]:
    """Recorded topic → our name. Topics that `find_topics` does not know are those beside the transcripts."""
    beside = next((one.topic for name in ("transcript", "context", "plan_state") for one in topics[name]), "/transcript")
    found = {one.topic: name for name in (*STAGES, "context") for one in topics[name]}
    for one in bag.connections:
        space, _, last = one.topic.rpartition("/")
        if FURTHER.get(last) == one.msgtype and space == beside.rpartition("/")[0]:
            found[one.topic] = last
    if "context" in found.values():  # what the robot believes; the truth is for recordings without it
        found = {topic: name for topic, name in found.items() if name != "world_state"}
    return found


def _converted(name: str, connection: Connection, message: Any) -> Any:
    if name == "transcript" and connection.msgtype != "sayso_msgs/msg/Transcript":
        raise SaysoError(f"transcripts of type {connection.msgtype} are not shown; `sayso replay` plays them")
    if name == "people":
        return messages.people_seen(message)
    return messages.context(message) if name == "context" else CONVERTERS[name](message)


class _Telling:
    """Collects the events in the order of the recording."""

    def __init__(self, domain: Domain, began: float, step: float, sound_path: str) -> None:
        self.began, self._step, self._sound_path = began, step, sound_path
        self._domain, self._stories = domain, Stories(domain)
        self.events: list[str] = []
        self.marks: dict[str, Mark] = {}
        self._told: dict[str, dict[str, Any]] = {}  # utterance → the parts that are in an event
        self._last: dict[str, tuple[float, str]] = {}  # key → time and value of its last event
        self._size = 0

    @property
    def full(self) -> bool:
        return self._size > LARGEST or len(self.marks) >= UTTERANCES

    def take(self, name: str, message: Any, time: float) -> None:
        if name in STAGES:
            self._stage(message, time)
        elif isinstance(message, ObjectBelief):
            if message.is_distribution:
                self._note(f"belief/{message.object_id}", belief_as_data(message), time)
        elif isinstance(message, Context | GroundTruth):
            self._note("robot", robot_as_data(message), time, self._step)
        elif isinstance(message, People):
            self._note("people", people_as_data(message), time, self._step)
        else:
            self._note("said", [message], time)

    def _stage(self, stage: Any, time: float) -> None:
        mark = self._mark(stage, time)
        for name, story in self._stories.tell(stage).items():
            before = self._told.pop(name, {})
            if story is None:
                self._note(f"utterance/{name}", None, time)
                continue
            if isinstance(stage, Transcript):
                story["heard"]["sound"] = f"{self._sound_path}{mark.number}" if self._sound_path and not mark.typed else False
            self._note(f"utterance/{name}", {part: value for part, value in story.items() if before.get(part) is not value}, time)
            self._told[name] = dict(story)

    def _mark(self, stage: Any, time: float) -> Mark:
        if stage.utterance_id not in self.marks:
            ended = stage.stamp if abs(stage.stamp - time) < SAME_CLOCK else time
            at = round(max(ended - self.began, 0.0), 3)
            self.marks[stage.utterance_id] = Mark(stage.utterance_id, len(self.marks), at, stage.stamp, stage.stamp, time)
        mark = self.marks[stage.utterance_id]
        match stage:
            case Transcript():
                mark.started, mark.ended, mark.recorded, mark.heard = stage.started, stage.stamp, time, stage.text
            case IntentBelief():
                mark.meant = "; ".join(_meaning(clause) for clause in stage.clauses)
            case ActionBelief():
                mark.decided = " ".join([stage.decision, *(str(action) for action in stage.chosen)]).strip()
            case Outcome():
                mark.outcome = "done" if stage.succeeded else f"not done: {stage.reason}".removesuffix(": ")
        return mark

    def _note(self, key: str, value: Any, time: float, step: float = 0.0) -> None:
        """An event, unless it says nothing new, or comes too soon after the last of its key.

        Raises:
            ValueError: a number of it is infinite or not a number.
        """
        text = json.dumps(value, allow_nan=False, separators=(",", ":"))
        last = self._last.get(key)
        if last is not None and (last[1] == text or 0.0 <= time - last[0] < step):
            return
        self._last[key] = time, text
        self.events.append(f"[{round(max(time - self.began, 0.0), 3)},{json.dumps(key)},{text}]")
        self._size += len(self.events[-1])


def robot_as_data(seen: Context | GroundTruth) -> dict[str, Any]:
    """Where the robot is, as the map draws it. The truth of a simulation knows no place and no battery."""
    pose = [round(value, 3) for value in (seen.x, seen.y, seen.yaw)]
    if isinstance(seen, GroundTruth):
        holding = next((name for name, place in seen.locations.items() if place == "gripper"), "")
        return {"pose": pose, "place": "", "holding": holding, "battery": None}
    return {"pose": pose, "place": seen.place, "holding": seen.holding, "battery": round(seen.battery, 2)}


def _meaning(clause: Any) -> str:
    roles = ", ".join(f"{role.name}={role.entity or role.text}" for role in clause.roles)
    return f"{clause.intent}({roles})" if roles else str(clause.intent)
