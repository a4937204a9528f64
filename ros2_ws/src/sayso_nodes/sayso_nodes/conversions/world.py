"""The world and what becomes of it: context, groundings, beliefs, plans, outcomes."""

from __future__ import annotations

import numpy as np
from sayso_msgs import msg

from sayso import types
from sayso_nodes.conversions.basic import MAP, arguments_of, from_arguments, from_message, from_point, from_time, header, point, to_message


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
    return msg.SkillCall(name=call.name, **arguments_of(call))


@from_message.register
def _(message: msg.SkillCall) -> types.SkillCall:
    return types.SkillCall(message.name, from_arguments(message))


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
