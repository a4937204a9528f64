"""Dataclass → message, from sound to decision: sound, texts, intents, actions."""

from __future__ import annotations

import numpy as np
from sayso_msgs import msg

from sayso import types
from sayso_nodes.conversions.basic import arguments_of, header, to_message, to_time
from sayso_nodes.conversions.meaning import nodes


@to_message.register
def _(chunk: types.AudioChunk) -> msg.AudioChunk:
    message = msg.AudioChunk(header=header(chunk.stamp), sample_rate=chunk.sample_rate)
    message.samples.frombytes(np.ascontiguousarray(chunk.samples, dtype=np.int16).tobytes())
    return message


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
        description=nodes([role.description] if role.description else []),
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
        mood=clause.modifiers.mood,
        question=clause.modifiers.question,
        conditions=[to_message(each) for each in clause.modifiers.conditions],
        timings=[to_message(each) for each in clause.modifiers.timings],
        repeat=clause.modifiers.repeat,
        note=clause.modifiers.note,
        left_over=list(clause.left_over),
        p_otherwise=1.0 - clause.support.parsed,
        disagreed=not clause.support.agreed,
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
        p_train=belief.p_train.tolist(),
        hearings=[to_message(hearing) for hearing in belief.hearings],
    )


@to_message.register
def _(hearing: types.Hearing) -> msg.Hearing:
    return msg.Hearing(text=hearing.text, p=float(hearing.p), clauses=[to_message(clause) for clause in hearing.clauses])


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
        part=candidate.part,
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
        then=belief.then,
        words=list(belief.words),
        choices=[to_message(each) for each in belief.choices],
    )
