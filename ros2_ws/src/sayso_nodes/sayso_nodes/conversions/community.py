"""Sayso's results as fields of the community's messages, by name, so that this module needs none of their packages.

Transcript   ↔ hri_msgs/LiveSpeech            (ROS4HRI, REP 155)
ActionBelief → hri_actions_msgs/Intent        one for each clause that is carried out
Grounding    → vision_msgs/Detection2DArray   header.frame_id is the frame of the poses, not the camera's
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from sayso.types import Action, ActionBelief, FloatArray, Grounding, Transcript, TranscriptAlternative
from sayso.yaml_source import read_plain
from sayso_nodes.conversions.basic import MAP, to_time

Fields = dict[str, Any]  # of a message: numbers, strings, further Fields, lists of these
PRIORITY = 128  # Intent's default
UNKNOWN_POSE = -1.0  # in the first element of a covariance: unknown, as in sensor_msgs
NEWER = frozenset({"language"})  # fields that older versions of the messages lack


def live_speech(transcript: Transcript) -> Fields | None:
    """LiveSpeech of a transcript; None if nothing was recognised."""
    if transcript.rejected or not transcript.text:
        return None
    return {
        "header": {"stamp": _stamp(transcript.stamp)},
        "final": transcript.text,
        "confidence": float(transcript.confidence),
        "language": "en",
    }


def transcript(message: Any, utterance_id: str, now: float, unstated: float) -> Transcript | None:
    """The transcript of another recogniser; None until it is final.

    Args:
        message: a LiveSpeech.
        utterance_id: of the transcript.
        now: s, for messages without a stamp.
        unstated: confidence of messages that state none, which is 0 in ROS.
    """
    text = " ".join(message.final.split())
    if not text:
        return None
    stated = message.confidence if math.isfinite(message.confidence) else 0.0
    stamp = message.header.stamp.sec + message.header.stamp.nanosec * 1e-9 or now
    confidence = min(max(stated, 0.0), 1.0) or unstated
    return Transcript(utterance_id, stamp, (TranscriptAlternative(text, 0.0),), confidence, started=stamp)


def intents(belief: ActionBelief) -> list[Fields]:
    """An Intent for each clause to execute; none if the robot asks or declines."""
    if belief.decision != "execute":
        return []
    certain = {(each.clause, each.action): each.probability for each in belief.candidates}
    clauses = {action: max(p for (_, other), p in certain.items() if other == action) for action in belief.chosen}
    return [_intent(action, clauses[action]) for action in belief.chosen]


def _intent(action: Action, probability: float) -> Fields:
    entry = vocabulary().get(action.name, {})
    names = {"theme": "object", **entry.get("roles", {})}
    data = {**entry.get("data", {}), **{names.get(role, role): value for role, value in action.arguments if value}}
    return {
        "intent": constant(entry["intent"]) if entry else action.name,
        "data": json.dumps(data, sort_keys=True),
        "source": "__unknown_agent__",
        "modality": "__modality_speech__",
        "priority": entry.get("priority", PRIORITY),
        "confidence": float(min(max(probability, 0.0), 1.0)),
    }


def constant(name: str) -> str:
    """The value of Intent's constant of that name."""
    return f"__intent_{name.lower()}__"


@lru_cache(maxsize=1)
def vocabulary() -> Mapping[str, Mapping[str, Any]]:
    """Action → its entry in community.yaml."""
    loaded: Mapping[str, Mapping[str, Any]] = read_plain(Path(__file__).with_name("community.yaml"))
    return loaded


def detections(grounding: Grounding, width: int, height: int) -> Fields:
    """Detection2DArray for a picture of that size; empty if nothing was found."""
    header = {"stamp": _stamp(grounding.stamp), "frame_id": MAP}
    if not grounding.found:
        return {"header": header, "detections": []}
    known = all(math.isfinite(value) for value in grounding.point)
    position = dict(zip("xyz", grounding.point if known else (0.0, 0.0, 0.0), strict=True))
    pose: Fields = {"pose": {"position": position, "orientation": {"w": 1.0}}}
    if not known:
        pose["covariance"] = [UNKNOWN_POSE] + [0.0] * 35
    left, top, right, bottom = attended(grounding.attention)
    box = {
        "center": {"position": {"x": (left + right) / 2 * width, "y": (top + bottom) / 2 * height}},
        "size_x": (right - left) * width,
        "size_y": (bottom - top) * height,
    }
    hypothesis = {"class_id": grounding.object_id or grounding.phrase, "score": float(grounding.confidence)}
    found = {"header": header, "results": [{"hypothesis": hypothesis, "pose": pose}], "bbox": box, "id": grounding.object_id}
    return {"header": header, "detections": [found]}


def attended(attention: FloatArray) -> tuple[float, float, float, float]:
    """Left, top, right and bottom, in [0, 1], of the patches around the peak with at least half its attention."""
    from scipy.ndimage import label

    labels, _ = label(attention >= attention.max() / 2)
    peak = np.unravel_index(int(attention.argmax()), attention.shape)
    rows, columns = np.nonzero(labels == labels[peak])
    high, wide = attention.shape
    return float(columns.min() / wide), float(rows.min() / high), float((columns.max() + 1) / wide), float((rows.max() + 1) / high)


def filled(message: Any, fields: Fields) -> Any:
    """The message with these fields set.

    Raises:
        AttributeError: it has no such field.
    """
    kinds = message.get_fields_and_field_types()
    for name, value in fields.items():
        if name in NEWER and name not in kinds:
            continue
        if isinstance(value, dict):
            filled(getattr(message, name), value)
        elif isinstance(value, list) and kinds[name].startswith("sequence<"):
            setattr(message, name, list(_elements(kinds[name], value)))
        else:
            setattr(message, name, value)
    return message


def _elements(kind: str, values: list[Fields]) -> Iterator[Any]:
    """The messages of "sequence<vision_msgs/Detection2D>"."""
    package, name = kind.removeprefix("sequence<").rstrip(">").split("/")
    element = getattr(import_module(f"{package}.msg"), name)
    return (filled(element(), value) for value in values)


def _stamp(seconds: float) -> Fields:
    time = to_time(seconds)
    return {"sec": time.sec, "nanosec": time.nanosec}
