"""What was said and what is to be done about it: sound, texts, intents, actions."""

from __future__ import annotations

import numpy as np
from sayso_msgs import msg

from sayso import types
from sayso_nodes.conversions.basic import arguments_of, from_arguments, from_message, from_time, header, to_message, to_time


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
        **arguments_of(candidate.action),
        likelihood=float(candidate.likelihood),
        prior=float(candidate.prior),
        probability=float(candidate.probability),
        utility=float(candidate.utility),
        factor_names=[name for name, _ in candidate.factors],
        factors=[float(factor) for _, factor in candidate.factors],
    )


@from_message.register
def _(message: msg.ActionCandidate) -> types.ActionCandidate:
    return types.ActionCandidate(
        clause=message.clause,
        action=types.Action(message.action, from_arguments(message)),
        likelihood=message.likelihood,
        prior=message.prior,
        probability=message.probability,
        utility=message.utility,
        factors=tuple(zip(message.factor_names, message.factors, strict=True)),
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
        options=[msg.ActionCandidate(action=option.name, **arguments_of(option)) for option in belief.options],
        referent_objects=[object_id for object_id, _ in belief.referents],
        referent_phrases=[phrase for _, phrase in belief.referents],
        weighed_decisions=[decision for decision, _ in belief.utilities],
        utilities=[float(utility) for _, utility in belief.utilities],
        notes=list(belief.notes),
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
        options=tuple(types.Action(option.action, from_arguments(option)) for option in message.options),
        referents=tuple(zip(message.referent_objects, message.referent_phrases, strict=True)),
        utilities=tuple(zip(message.weighed_decisions, message.utilities, strict=True)),
        notes=tuple(message.notes),
    )
