"""Dataclass → message for the world: context, groundings, beliefs, plans, outcomes, the agenda."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import numpy as np
from sayso_msgs import msg

from sayso import types
from sayso.agenda import AgendaEntry
from sayso.looks import PersonLook
from sayso_nodes.conversions.basic import MAP, arguments_of, header, point, to_message


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
        facts=list(context.facts),
        **_looks(context.looks),
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
        candidates=[to_message(each) for each in grounding.candidates],
        ambiguous=grounding.ambiguous,
        options=list(grounding.options),
        words=[to_message(each) for each in grounding.words],
    )
    message.attention.frombytes(np.ascontiguousarray(grounding.attention, dtype=np.float32).tobytes())
    return message


@to_message.register
def _(part: types.WordAttention) -> msg.WordAttention:
    message = msg.WordAttention(word=part.word)
    message.attention.frombytes(np.ascontiguousarray(part.attention, dtype=np.float32).tobytes())
    return message


@to_message.register
def _(candidate: types.Candidate) -> msg.GroundingCandidate:
    covariance = candidate.covariance if candidate.covariance is not None else np.full((3, 3), np.nan)
    return msg.GroundingCandidate(
        probability=float(candidate.probability),
        pixel_u=float(candidate.pixel[0]),
        pixel_v=float(candidate.pixel[1]),
        box=np.array(candidate.box, dtype=np.float64),
        point=point(candidate.point),
        covariance=np.asarray(covariance, dtype=np.float64).ravel(),
        kind=candidate.kind,
        color=candidate.color,
    )


@to_message.register
def _(choice: types.Choice) -> msg.Choice:
    return msg.Choice(
        words=choice.words,
        point=point(choice.point),
        covariance=np.array(choice.covariance, dtype=np.float64),
        color=choice.color,
        probability=float(choice.probability),
    )


@to_message.register
def _(seen: types.People) -> msg.People:
    return msg.People(
        header=header(seen.stamp, MAP),
        people=list(seen.people),
        positions=[point((x, y, 0.0)) for x, y, _ in seen.people.values()],
        deviations=[float(deviation) for *_, deviation in seen.people.values()],
        **_looks(seen.looks),
    )


@to_message.register
def _(belief: types.ObjectBelief) -> msg.ObjectBelief:
    return msg.ObjectBelief(
        header=header(belief.stamp, MAP),
        object_id=belief.object_id,
        places=list(belief.places),
        probabilities=belief.probabilities.tolist(),
    )


@to_message.register
def _(call: types.SkillCall) -> msg.SkillCall:
    return msg.SkillCall(name=call.name, **arguments_of(call))


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
        bound=float(state.bound),
        p_done=float(state.p_done),
        believed=[to_message(each) for each in state.believed],
        choices=[to_message(each) for each in state.choices],
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


@to_message.register
def _(entry: AgendaEntry) -> msg.AgendaEntry:
    return msg.AgendaEntry(**asdict(entry))


def _looks(looks: Sequence[PersonLook]) -> dict[str, list[Any]]:
    """The three fields of a message that tell how people look."""
    return {
        "looks_of": [each.person for each in looks],
        "looks": [each.look for each in looks],
        "look_probabilities": [float(each.probability) for each in looks],
    }
