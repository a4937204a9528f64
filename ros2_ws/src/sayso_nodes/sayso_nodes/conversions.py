"""Dataclasses of `sayso.types` ↔ messages of `sayso_msgs`: one converter each way, and all of them here.

`to_message(stage)` and `from_message(message)` choose by type. Frames: everything spatial is in the map frame (REP 105).
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import singledispatch
from typing import Any

import numpy as np
from builtin_interfaces.msg import Time
from geometry_msgs.msg import Point
from sayso_msgs import msg
from std_msgs.msg import Header

from sayso import types

MAP = "map"


def to_time(seconds: float) -> Time:
    """Seconds of ROS time → Time; what lies before 0 is 0."""
    nanoseconds = max(0, round(seconds * 1e9))
    return Time(sec=nanoseconds // 1_000_000_000, nanosec=nanoseconds % 1_000_000_000)


def from_time(time: Time) -> float:
    """Time → seconds of ROS time."""
    return float(time.sec + time.nanosec * 1e-9)


def header(seconds: float, frame: str = "") -> Header:
    """A header with that stamp."""
    return Header(stamp=to_time(seconds), frame_id=frame)


def point(xyz: Iterable[float]) -> Point:
    """(x, y, z) → Point."""
    x, y, z = (float(value) for value in xyz)
    return Point(x=x, y=y, z=z)


def from_point(value: Point) -> tuple[float, float, float]:
    """Point → (x, y, z)."""
    return value.x, value.y, value.z


@singledispatch
def to_message(stage: Any) -> Any:
    """The message of a stage's result."""
    raise TypeError(f"no message for {type(stage).__name__}")


@singledispatch
def from_message(message: Any) -> Any:
    """The stage's result in a message."""
    raise TypeError(f"no dataclass for {type(message).__name__}")


@to_message.register
def _(chunk: types.AudioChunk) -> msg.AudioChunk:
    message = msg.AudioChunk(header=header(chunk.stamp), sample_rate=chunk.sample_rate)
    message.samples.frombytes(np.ascontiguousarray(chunk.samples, dtype=np.int16).tobytes())
    return message


@from_message.register
def _(message: msg.AudioChunk) -> types.AudioChunk:
    return types.AudioChunk(np.array(message.samples, dtype=np.int16), from_time(message.header.stamp), message.sample_rate)


@to_message.register
def _(transcript: types.Transcript) -> msg.Transcript:
    return msg.Transcript(
        header=header(transcript.stamp),
        utterance_id=transcript.utterance_id,
        confidence=float(transcript.confidence),
        alternatives=[msg.TranscriptAlternative(text=each.text, log_p=float(each.log_p)) for each in transcript.alternatives],
        started=to_time(transcript.started),
        rejected=transcript.rejected,
    )


@from_message.register
def _(message: msg.Transcript) -> types.Transcript:
    return types.Transcript(
        utterance_id=message.utterance_id,
        stamp=from_time(message.header.stamp),
        confidence=message.confidence,
        alternatives=tuple(types.TranscriptAlternative(each.text, each.log_p) for each in message.alternatives),
        started=from_time(message.started),
        rejected=message.rejected,
    )


@to_message.register
def _(role: types.Role) -> msg.Role:
    return msg.Role(
        name=role.name,
        text=role.text,
        start=role.start,
        end=role.end,
        entity=role.entity,
        kind=role.kind,
        score=float(role.score),
        candidate_entities=[entity for entity, _ in role.candidates],
        candidate_scores=[float(score) for _, score in role.candidates],
        value=float(role.value),
        unit=role.unit,
    )


@from_message.register
def _(message: msg.Role) -> types.Role:
    return types.Role(
        name=message.name,
        text=message.text,
        start=message.start,
        end=message.end,
        entity=message.entity,
        kind=message.kind,
        score=message.score,
        candidates=tuple(zip(message.candidate_entities, message.candidate_scores, strict=True)),
        value=message.value,
        unit=message.unit,
    )


@to_message.register
def _(clause: types.Clause) -> msg.Clause:
    return msg.Clause(
        text=clause.text,
        start=clause.start,
        end=clause.end,
        intent=clause.intent,
        probabilities=clause.probabilities.tolist(),
        roles=[to_message(role) for role in clause.roles],
        out_of_scope=float(clause.out_of_scope),
        negated=clause.negated,
    )


@from_message.register
def _(message: msg.Clause) -> types.Clause:
    return types.Clause(
        text=message.text,
        start=message.start,
        end=message.end,
        intent=message.intent,
        probabilities=np.array(message.probabilities, dtype=np.float64),
        roles=tuple(from_message(role) for role in message.roles),
        out_of_scope=message.out_of_scope,
        negated=message.negated,
    )


@to_message.register
def _(belief: types.IntentBelief) -> msg.IntentBelief:
    return msg.IntentBelief(
        header=header(belief.stamp),
        utterance_id=belief.utterance_id,
        text=belief.text,
        intents=list(belief.intents),
        clauses=[to_message(clause) for clause in belief.clauses],
        rejected=belief.rejected,
    )


@from_message.register
def _(message: msg.IntentBelief) -> types.IntentBelief:
    return types.IntentBelief(
        utterance_id=message.utterance_id,
        stamp=from_time(message.header.stamp),
        text=message.text,
        intents=tuple(message.intents),
        clauses=tuple(from_message(clause) for clause in message.clauses),
        rejected=message.rejected,
    )


@to_message.register
def _(candidate: types.ActionCandidate) -> msg.ActionCandidate:
    return msg.ActionCandidate(
        clause=candidate.clause,
        action=candidate.action.name,
        **_arguments(candidate.action),
        likelihood=float(candidate.likelihood),
        prior=float(candidate.prior),
        probability=float(candidate.probability),
        utility=float(candidate.utility),
    )


@from_message.register
def _(message: msg.ActionCandidate) -> types.ActionCandidate:
    return types.ActionCandidate(
        clause=message.clause,
        action=types.Action(message.action, _from_arguments(message)),
        likelihood=message.likelihood,
        prior=message.prior,
        probability=message.probability,
        utility=message.utility,
    )


@to_message.register
def _(belief: types.ActionBelief) -> msg.ActionBelief:
    return msg.ActionBelief(
        header=header(belief.stamp),
        utterance_id=belief.utterance_id,
        candidates=[to_message(each) for each in belief.candidates],
        decision=belief.decision,
        reason=belief.reason,
        question=belief.question,
        options=[msg.ActionCandidate(action=option.name, **_arguments(option)) for option in belief.options],
        referent_objects=[object_id for object_id, _ in belief.referents],
        referent_phrases=[phrase for _, phrase in belief.referents],
    )


@from_message.register
def _(message: msg.ActionBelief) -> types.ActionBelief:
    return types.ActionBelief(
        utterance_id=message.utterance_id,
        stamp=from_time(message.header.stamp),
        decision=message.decision,
        reason=message.reason,
        candidates=tuple(from_message(each) for each in message.candidates),
        question=message.question,
        options=tuple(types.Action(option.action, _from_arguments(option)) for option in message.options),
        referents=tuple(zip(message.referent_objects, message.referent_phrases, strict=True)),
    )


@to_message.register
def _(context: types.Context) -> msg.Context:
    return msg.Context(
        header=header(context.stamp, MAP),
        x=float(context.x),
        y=float(context.y),
        yaw=float(context.yaw),
        place=context.place,
        holding=context.holding,
        battery=float(context.battery),
        visible=list(context.visible),
        last_action=context.last_action,
        speaker=context.speaker,
    )


@from_message.register
def _(message: msg.Context) -> types.Context:
    return types.Context(
        stamp=from_time(message.header.stamp),
        x=message.x,
        y=message.y,
        yaw=message.yaw,
        place=message.place,
        holding=message.holding,
        battery=message.battery,
        visible=tuple(message.visible),
        last_action=message.last_action,
        speaker=message.speaker,
    )


@to_message.register
def _(grounding: types.Grounding) -> msg.Grounding:
    rows, cols = grounding.attention.shape
    message = msg.Grounding(
        header=header(grounding.stamp, MAP),
        utterance_id=grounding.utterance_id,
        object_id=grounding.object_id,
        phrase=grounding.phrase,
        rows=rows,
        cols=cols,
        entropy=float(grounding.entropy),
        confidence=float(grounding.confidence),
        found=bool(grounding.found),
        pixel_u=float(grounding.pixel[0]),
        pixel_v=float(grounding.pixel[1]),
        point=point(grounding.point),
    )
    message.attention.frombytes(np.ascontiguousarray(grounding.attention, dtype=np.float32).tobytes())
    return message


@from_message.register
def _(message: msg.Grounding) -> types.Grounding:
    return types.Grounding(
        utterance_id=message.utterance_id,
        stamp=from_time(message.header.stamp),
        object_id=message.object_id,
        phrase=message.phrase,
        attention=np.array(message.attention, dtype=np.float64).reshape(message.rows, message.cols),
        entropy=message.entropy,
        confidence=message.confidence,
        found=message.found,
        pixel=(message.pixel_u, message.pixel_v),
        point=from_point(message.point),
    )


@to_message.register
def _(belief: types.ObjectBelief) -> msg.ObjectBelief:
    return msg.ObjectBelief(
        header=header(belief.stamp, MAP),
        object_id=belief.object_id,
        places=list(belief.places),
        probabilities=belief.probabilities.tolist(),
    )


@from_message.register
def _(message: msg.ObjectBelief) -> types.ObjectBelief:
    return types.ObjectBelief(
        object_id=message.object_id,
        places=tuple(message.places),
        probabilities=np.array(message.probabilities, dtype=np.float64),
        stamp=from_time(message.header.stamp),
    )


@to_message.register
def _(call: types.SkillCall) -> msg.SkillCall:
    return msg.SkillCall(name=call.name, **_arguments(call))


@from_message.register
def _(message: msg.SkillCall) -> types.SkillCall:
    return types.SkillCall(message.name, _from_arguments(message))


@to_message.register
def _(state: types.PlanState) -> msg.PlanState:
    return msg.PlanState(
        header=header(state.stamp),
        utterance_id=state.utterance_id,
        action=state.action,
        status=state.status,
        done=[to_message(call) for call in state.done],
        ahead=[to_message(call) for call in state.ahead],
        value=float(state.value),
    )


@from_message.register
def _(message: msg.PlanState) -> types.PlanState:
    return types.PlanState(
        utterance_id=message.utterance_id,
        stamp=from_time(message.header.stamp),
        action=message.action,
        status=message.status,
        done=tuple(from_message(call) for call in message.done),
        ahead=tuple(from_message(call) for call in message.ahead),
        value=message.value,
    )


@to_message.register
def _(outcome: types.Outcome) -> msg.Outcome:
    return msg.Outcome(
        header=header(outcome.stamp),
        utterance_id=outcome.utterance_id,
        succeeded=bool(outcome.succeeded),
        action=outcome.action,
        reason=outcome.reason,
        seconds=float(outcome.seconds),
    )


@from_message.register
def _(message: msg.Outcome) -> types.Outcome:
    return types.Outcome(
        utterance_id=message.utterance_id,
        stamp=from_time(message.header.stamp),
        succeeded=message.succeeded,
        action=message.action,
        reason=message.reason,
        seconds=message.seconds,
    )


def _arguments(call: types.Action | types.SkillCall) -> dict[str, list[str]]:
    return {"argument_names": [name for name, _ in call.arguments], "argument_values": [value for _, value in call.arguments]}


def _from_arguments(message: msg.ActionCandidate | msg.SkillCall) -> tuple[tuple[str, str], ...]:
    return tuple(zip(message.argument_names, message.argument_values, strict=True))
