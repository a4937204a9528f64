"""Messages of a bag, as rosbags decodes them, → the dataclasses of `sayso.types`. Fields bear the same names on both sides."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from sayso.types import (
    Action,
    ActionBelief,
    ActionCandidate,
    AudioChunk,
    Clause,
    Context,
    Grounding,
    Image,
    IntentBelief,
    ObjectBelief,
    Outcome,
    PlanState,
    Role,
    SkillCall,
    Transcript,
    TranscriptAlternative,
)


@dataclass(frozen=True, slots=True)
class GroundTruth:
    """The simulator's ground truth at one moment."""

    stamp: float
    x: float  # m, map frame
    y: float
    yaw: float  # rad
    locations: Mapping[str, str]  # object → place, person, "gripper" or "floor"
    positions: Mapping[str, tuple[float, float, float]]  # object → m, map frame


def seconds(time: Any) -> float:
    """builtin_interfaces/Time → seconds."""
    return float(time.sec) + float(time.nanosec) * 1e-9


def audio_chunk(message: Any) -> AudioChunk:
    """sayso_msgs/AudioChunk."""
    return AudioChunk(np.asarray(message.samples, dtype=np.int16), seconds(message.header.stamp), int(message.sample_rate))


def transcript(message: Any) -> Transcript:
    """sayso_msgs/Transcript."""
    alternatives = tuple(TranscriptAlternative(item.text, float(item.log_p)) for item in message.alternatives)
    stamp, started = seconds(message.header.stamp), seconds(message.started)
    return Transcript(message.utterance_id, stamp, alternatives, float(message.confidence), started, message.rejected)


def intent_belief(message: Any) -> IntentBelief:
    """sayso_msgs/IntentBelief."""
    clauses = tuple(_clause(item) for item in message.clauses)
    stamp = seconds(message.header.stamp)
    return IntentBelief(message.utterance_id, stamp, message.text, tuple(message.intents), clauses, message.rejected)


def _clause(item: Any) -> Clause:
    roles = tuple(_role(role) for role in item.roles)
    probabilities = np.asarray(item.probabilities, dtype=np.float64)
    span = int(item.start), int(item.end)
    return Clause(item.text, *span, item.intent, probabilities, roles, float(item.out_of_scope), bool(item.negated))


def _role(item: Any) -> Role:
    candidates = tuple(zip(item.candidate_entities, map(float, item.candidate_scores), strict=True))
    span = int(item.start), int(item.end)
    return Role(item.name, item.text, *span, item.entity, item.kind, float(item.score), candidates, float(item.value), item.unit)


def action_belief(message: Any) -> ActionBelief:
    """sayso_msgs/ActionBelief; what older recordings do not hold is empty."""
    return ActionBelief(
        utterance_id=message.utterance_id,
        stamp=seconds(message.header.stamp),
        candidates=tuple(_candidate(item) for item in message.candidates),
        decision=message.decision,
        reason=message.reason,
        question=message.question,
        options=tuple(_candidate(item).action for item in message.options),
        referents=tuple(zip(message.referent_objects, message.referent_phrases, strict=True)),
        utilities=_pairs(getattr(message, "weighed_decisions", ()), getattr(message, "utilities", ())),
        notes=tuple(getattr(message, "notes", ())),
    )


def _candidate(item: Any) -> ActionCandidate:
    action = Action(item.action, tuple(zip(item.argument_names, item.argument_values, strict=True)))
    numbers = (float(item.likelihood), float(item.prior), float(item.probability), float(item.utility))
    return ActionCandidate(int(item.clause), action, *numbers, _pairs(getattr(item, "factor_names", ()), getattr(item, "factors", ())))


def _pairs(names: Iterable[Any], values: Iterable[float]) -> tuple[tuple[Any, float], ...]:
    return tuple(zip(names, map(float, values), strict=True))


def grounding(message: Any) -> Grounding:
    """sayso_msgs/Grounding."""
    return Grounding(
        utterance_id=message.utterance_id,
        stamp=seconds(message.header.stamp),
        object_id=message.object_id,
        phrase=message.phrase,
        attention=np.asarray(message.attention, dtype=np.float64).reshape(message.rows, message.cols),
        entropy=float(message.entropy),
        confidence=float(message.confidence),
        found=bool(message.found),
        pixel=(float(message.pixel_u), float(message.pixel_v)),
        point=(float(message.point.x), float(message.point.y), float(message.point.z)),
    )


def object_belief(message: Any) -> ObjectBelief:
    """sayso_msgs/ObjectBelief."""
    probabilities = np.asarray(message.probabilities, dtype=np.float64)
    return ObjectBelief(message.object_id, tuple(message.places), probabilities, seconds(message.header.stamp))


def plan_state(message: Any) -> PlanState:
    """sayso_msgs/PlanState."""
    done, ahead = tuple(map(_call, message.done)), tuple(map(_call, message.ahead))
    stamp = seconds(message.header.stamp)
    return PlanState(message.utterance_id, stamp, message.action, message.status, done, ahead, float(message.value))


def _call(item: Any) -> SkillCall:
    return SkillCall(item.name, tuple(zip(item.argument_names, item.argument_values, strict=True)))


def outcome(message: Any) -> Outcome:
    """sayso_msgs/Outcome."""
    stamp, took = seconds(message.header.stamp), float(message.seconds)
    return Outcome(message.utterance_id, stamp, bool(message.succeeded), message.action, message.reason, took)


def context(message: Any) -> Context:
    """sayso_msgs/Context."""
    return Context(
        stamp=seconds(message.header.stamp),
        x=float(message.x),
        y=float(message.y),
        yaw=float(message.yaw),
        place=message.place,
        holding=message.holding,
        battery=float(message.battery),
        visible=tuple(message.visible),
        last_action=message.last_action,
        speaker=message.speaker,
    )


def world(message: Any) -> GroundTruth:
    """sayso_msgs/WorldState."""
    positions = {name: (float(p.x), float(p.y), float(p.z)) for name, p in zip(message.objects, message.positions, strict=True)}
    pose = float(message.x), float(message.y), float(message.yaw)
    return GroundTruth(seconds(message.header.stamp), *pose, dict(zip(message.objects, message.locations, strict=True)), positions)


def picture(message: Any) -> Image:
    """sensor_msgs/Image of encoding rgb8; rows may be padded."""
    rows = np.asarray(message.data, dtype=np.uint8).reshape(message.height, message.step)
    return Image(rows[:, : 3 * message.width].reshape(message.height, message.width, 3), seconds(message.header.stamp))


CONVERTERS: Mapping[str, Callable[[Any], Any]] = {
    "audio": audio_chunk,
    "transcript": transcript,
    "intent_belief": intent_belief,
    "action_belief": action_belief,
    "grounding": grounding,
    "object_belief": object_belief,
    "plan_state": plan_state,
    "outcome": outcome,
    "world_state": world,
    "camera/image": picture,
    "question": lambda message: str(message.data),
    "speech": lambda message: str(message.data),
}
