"""A run's folder written without ROS, for tests of its readers: three sentences as the graph would have recorded them."""

from __future__ import annotations

import math
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from rosbags.interfaces import Nodetype
from rosbags.typesys import Stores, get_types_from_msg, get_typestore
from rosbags.typesys.store import Typestore

from sayso.bags.writing import BagWriter
from sayso.evaluation.judge import Check
from sayso.evaluation.run import Act, Record

MESSAGES = Path(__file__).resolve().parents[2] / "ros2_ws" / "src" / "sayso_msgs" / "msg"
TYPES = {
    "audio": "sayso_msgs/msg/AudioChunk", "transcript": "sayso_msgs/msg/Transcript", "intent_belief": "sayso_msgs/msg/IntentBelief",
    "action_belief": "sayso_msgs/msg/ActionBelief", "plan_state": "sayso_msgs/msg/PlanState", "grounding": "sayso_msgs/msg/Grounding",
    "outcome": "sayso_msgs/msg/Outcome", "world_state": "sayso_msgs/msg/WorldState", "camera/image": "sensor_msgs/msg/Image",
    "question": "std_msgs/msg/String", "speech": "std_msgs/msg/String",
}  # fmt: skip
ROOM = (3.2, 2.6)
WAY = np.array([ROOM, (4.6, 4.6), (9.8, 4.7), (11.0, 2.6), (11.0, 1.15), (11.0, 2.6), (9.8, 4.7), (4.6, 4.6), (3.7, 3.0)])
CUP = (11.1, 0.35, 0.93)
HAND = (4.05, 3.2, 1.0)
SENTENCE = "bring me the red cup from the kitchen"
RED = "recipient=operator, theme=red_cup"
PLAN = [("navigate_to", "counter"), ("look_for", "red_cup"), ("pick", "red_cup"), ("approach", "operator"), ("hand_over", "red_cup")]
TIMES = [2.5, 24.0, 30.0, 34.0, 56.0, 60.0]  # s: start of each skill, and the end


@lru_cache(maxsize=1)
def store() -> Typestore:
    """Jazzy's types and ours."""
    types = get_typestore(Stores.ROS2_JAZZY)
    ours: dict[str, Any] = {}
    for file in MESSAGES.glob("*.msg"):
        ours.update(get_types_from_msg(file.read_text(encoding="utf-8"), f"sayso_msgs/msg/{file.stem}"))
    types.register(ours)
    return types


def encoded(kind: str, fields: dict[str, Any]) -> bytes:
    """A message of that type with these fields; the others are empty."""
    return bytes(store().serialize_cdr(_made(kind, fields), kind))


def _made(kind: str, fields: dict[str, Any]) -> Any:
    defined = store().fielddefs[kind][1]
    assert set(fields) <= {name for name, _ in defined}, f"{kind}: {fields.keys()}"
    return store().types[kind](**{name: _value(node, fields.get(name)) for name, node in defined})


def _value(node: Any, given: Any) -> Any:
    kind, argument = node
    if kind == Nodetype.NAME:
        return _made(argument, given or {})
    if kind == Nodetype.BASE:
        empty: Any = "" if argument[0] == "string" else False if argument[0] == "bool" else 0
        return empty if given is None else given
    inner = argument[0]
    if inner[0] == Nodetype.BASE and inner[1][0] != "string":
        return np.asarray([] if given is None else given, dtype=inner[1][0])
    return [_value(inner, item) for item in given or []]


def at(seconds: float) -> dict[str, int]:
    return {"sec": int(seconds), "nanosec": round((seconds - int(seconds)) * 1e9)}


class Scribe:
    """Collects messages in any order; the bag has them in order of time."""

    def __init__(self) -> None:
        self.messages: list[tuple[float, str, bytes]] = []

    def write(self, time: float, topic: str, **fields: Any) -> None:
        self.messages.append((time, topic, encoded(TYPES[topic], fields)))

    def save(self, folder: Path) -> None:
        with BagWriter(folder) as bag:
            for topic in dict.fromkeys(topic for _, topic, _ in self.messages):
                bag.add_topic(f"/{topic}", TYPES[topic], store())
            for time, topic, data in sorted(self.messages, key=lambda message: message[0]):
                bag.write(f"/{topic}", round(time * 1e9), data)


def record_run(folder: Path) -> Path:
    """Write three acts to folder/bag and folder/run.json: done, asked, not a command."""
    scribe = Scribe()
    _hears(scribe, "u1", 2.0, SENTENCE, {"bring": 0.97, "give": 0.02, "find": 0.01})
    bring = {"action": "bring", "argument_names": ["recipient", "theme"], "argument_values": ["operator", "red_cup"]}
    blue = {**bring, "argument_values": ["operator", "blue_cup"]}
    right, wrong = {"probability": 0.96, "prior": 0.5, "likelihood": 1.0, "utility": 0.84}, {"probability": 0.04, "utility": -2.8}
    sure = {"candidates": [{**bring, **right}, {**blue, **wrong}], "decision": "execute", "reason": "sure enough"}
    scribe.write(2.4, "action_belief", header={"stamp": at(2.0)}, utterance_id="u1", **sure)
    _acts(scribe)
    _hears(scribe, "u2", 70.0, "bring me the cup", {"bring": 0.98, "give": 0.02})
    torn = [{**bring, "probability": 0.55, "utility": -0.8}, {**blue, "probability": 0.45, "utility": -1.2}]
    question = "Which cup do you mean: the red cup or the blue cup?"
    belief = {"candidates": torn, "options": [bring, blue], "decision": "ask", "reason": "two cups fit", "question": question}
    scribe.write(70.4, "action_belief", header={"stamp": at(70.0)}, utterance_id="u2", **belief)
    scribe.write(70.4, "question", data=question)
    why = "too unlike a sentence of this home"
    scribe.write(80.3, "transcript", header={"stamp": at(80.0)}, utterance_id="u3", confidence=0.1, started=at(78.0), rejected=why)
    _sounds(scribe)
    _lives(scribe)
    scribe.save(folder / "bag")
    done = Check("red_cup is at", "operator", "operator", ok=True)
    acts = (
        Act("bring_me_the_red_cup_from_the_kitchen", "u1", (Check("decision", "execute", "execute", ok=True), done)),
        Act("bring_me_the_cup", "u2", (Check("the robot stays", "moved < 2 cm", "0.0 cm", ok=True),)),
        Act("the_weather_is_nice", "u3", (Check("objects moved", "none", "ball", ok=False),)),
    )
    models, timings = {"grounder.onnx": "ab" * 32}, {"start-up": 7.1}
    Record("2026-01-02T03:04:05+00:00", acts, 2.0, "apartment.yaml", {"sayso": "0.1.0"}, models, timings).write(folder)
    return folder


def _hears(scribe: Scribe, name: str, time: float, text: str, intents: dict[str, float]) -> None:
    alternatives = [{"text": text, "log_p": math.log(0.9)}, {"text": text.replace("the", "a"), "log_p": math.log(0.1)}]
    both = {"header": {"stamp": at(time)}, "utterance_id": name}
    scribe.write(time + 0.3, "transcript", **both, alternatives=alternatives, confidence=0.93, started=at(time - 1.5))
    start = text.index("the")
    role = {"name": "theme", "text": "the red cup", "start": start, "end": start + 11, "entity": "red_cup", "kind": "object"}
    roles = [{**role, "score": 0.98, "value": math.nan}]
    clause = {"text": text, "end": len(text), "intent": next(iter(intents)), "probabilities": list(intents.values()), "roles": roles}
    scribe.write(time + 0.33, "intent_belief", **both, text=text, intents=list(intents), clauses=[clause])


def _call(name: str, value: str) -> dict[str, Any]:
    return {"name": name, "argument_names": ["what"], "argument_values": [value]}


def _acts(scribe: Scribe) -> None:
    calls = [_call(*step) for step in PLAN]
    for index, time in enumerate(TIMES):
        status = "running" if index < len(calls) else "succeeded"
        plan = {"status": status, "done": calls[:index], "ahead": calls[index:], "value": 0.7}
        scribe.write(time, "plan_state", header={"stamp": at(2.0)}, utterance_id="u1", action=f"bring({RED})", **plan)
    for number, (time, found) in enumerate(((26.0, False), (28.0, True))):
        _sees(scribe, time, _view(number))
        attention = np.exp(-((np.arange(15)[:, None] - 7) ** 2 + (np.arange(20)[None] - 12) ** 2) / (2.0 if found else 60.0))
        attention /= attention.sum()
        seen = {"entropy": float(-(attention * np.log(attention)).sum()), "confidence": 0.94 if found else 0.06, "found": found}
        point = dict(zip("xyz", CUP, strict=True))
        where = {"rows": 15, "cols": 20, "attention": attention.ravel(), "pixel_u": 200.0, "pixel_v": 120.0, "point": point}
        what = {"header": {"stamp": at(time)}, "utterance_id": "u1", "object_id": "red_cup", "phrase": "the red cup"}
        scribe.write(time + 0.2, "grounding", **what, **seen, **where)
    scribe.write(60.2, "outcome", header={"stamp": at(60.2)}, utterance_id="u1", succeeded=True, action="bring", seconds=58.2)
    scribe.write(60.1, "speech", data="Here you are.")


def _sees(scribe: Scribe, time: float, view: np.ndarray) -> None:
    size = {"height": 240, "width": 320, "step": 960, "encoding": "rgb8"}
    scribe.write(time, "camera/image", header={"stamp": at(time)}, **size, data=view.ravel())


def _view(number: int) -> np.ndarray:
    picture = np.full((240, 320, 3), (196, 188, 172), dtype=np.uint8)
    picture[150:] = (120, 96, 72)
    if number:
        picture[100:150, 190:225] = (200, 30, 30)
    return picture


def _sounds(scribe: Scribe) -> None:
    for tenth in range(5, 25):
        tone = (3000 * np.sin(np.arange(1600) * 0.2)).astype(np.int16)
        scribe.write(tenth / 10 + 0.1, "audio", header={"stamp": at(tenth / 10)}, sample_rate=16000, samples=tone)


def _lives(scribe: Scribe) -> None:
    """Ground truth at 5 Hz: to the kitchen, back with the cup, then still."""
    lengths = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(WAY, axis=0).T))])
    for tick in range(85 * 5):
        time = tick / 5
        there, back = np.clip((time - 2.5) / 21, 0, 1) * lengths[4], np.clip((time - 34) / 21, 0, 1) * (lengths[-1] - lengths[4])
        x, y = (float(np.interp(there + back, lengths, WAY[:, axis])) for axis in (0, 1))
        place = "counter" if time < 32 else "gripper" if time < 59 else "operator"
        cup = CUP if place == "counter" else (x, y, 0.8) if place == "gripper" else HAND
        points = [dict(zip("xyz", point, strict=True)) for point in (cup, (10.4, 3.1, 0.8))]
        things = {"objects": ["red_cup", "blue_cup"], "locations": [place, "kitchen_table"], "positions": points}
        scribe.write(time, "world_state", header={"stamp": at(time)}, x=x, y=y, yaw=0.7, **things)
        if tick % 10 == 0:
            view = np.roll(_view(tick // 10 % 2), tick * 3, axis=1)
            _sees(scribe, time, view)
