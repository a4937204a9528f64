"""Messages → the dataclasses of `sayso.types`, by the names of their fields alone.

The same functions serve the messages that rosbags decodes from a bag, whose arrays are NumPy's, and those of rclpy, whose arrays are
Python's. Fields that older recordings lack get the default of the dataclass.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from sayso.agenda import AgendaEntry
from sayso.bags.meaning import description, modifiers
from sayso.bags.sight import candidate, choice, point, word
from sayso.looks import PersonLook
from sayso.types import (
    Action,
    ActionBelief,
    ActionCandidate,
    AudioChunk,
    Choice,
    Clause,
    Context,
    FloatArray,
    Grounding,
    Hearing,
    Image,
    IntentBelief,
    ObjectBelief,
    Outcome,
    People,
    PlanState,
    Role,
    SkillCall,
    Support,
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
    facts: frozenset[str] = frozenset()  # of doors and appliances: "open(fridge)", "closed(fridge)", "powered(lamp)", "unpowered(lamp)"
    people: Mapping[str, tuple[float, float]] = field(default_factory=dict)  # person → m, map frame


def seconds(time: Any) -> float:
    """builtin_interfaces/Time → seconds."""
    return float(time.sec) + float(time.nanosec) * 1e-9


def audio_chunk(message: Any) -> AudioChunk:
    """sayso_msgs/AudioChunk."""
    return AudioChunk(np.array(message.samples, dtype=np.int16), seconds(message.header.stamp), int(message.sample_rate))


def transcript(message: Any) -> Transcript:
    """sayso_msgs/Transcript."""
    alternatives = tuple(TranscriptAlternative(item.text, float(item.log_p)) for item in message.alternatives)
    stamp, started = seconds(message.header.stamp), seconds(message.started)
    return Transcript(message.utterance_id, stamp, alternatives, float(message.confidence), started, message.rejected)


def intent_belief(message: Any) -> IntentBelief:
    """sayso_msgs/IntentBelief."""
    return IntentBelief(
        utterance_id=message.utterance_id,
        stamp=seconds(message.header.stamp),
        text=message.text,
        intents=tuple(message.intents),
        clauses=tuple(map(clause, message.clauses)),
        rejected=message.rejected,
        p_train=_floats(getattr(message, "p_train", ())),
        hearings=tuple(map(hearing, getattr(message, "hearings", ()))),
    )


def hearing(message: Any) -> Hearing:
    """sayso_msgs/Hearing."""
    return Hearing(message.text, float(message.p), tuple(map(clause, message.clauses)))


def clause(message: Any) -> Clause:
    """sayso_msgs/Clause."""
    return Clause(
        text=message.text,
        start=int(message.start),
        end=int(message.end),
        intent=message.intent,
        probabilities=_floats(message.probabilities),
        roles=tuple(map(role, message.roles)),
        out_of_scope=float(message.out_of_scope),
        negated=bool(message.negated),
        modifiers=modifiers(message),
        left_over=tuple(getattr(message, "left_over", ())),
        support=Support(1.0 - float(getattr(message, "p_otherwise", 0.0)), not getattr(message, "disagreed", False)),
    )


def role(message: Any) -> Role:
    """sayso_msgs/Role."""
    return Role(
        name=message.name,
        text=message.text,
        start=int(message.start),
        end=int(message.end),
        entity=message.entity,
        kind=message.kind,
        score=float(message.score),
        candidates=_pairs(message.candidate_entities, message.candidate_scores),
        value=float(message.value),
        unit=message.unit,
        description=description(getattr(message, "description", ())),
    )


def action_belief(message: Any) -> ActionBelief:
    """sayso_msgs/ActionBelief."""
    return ActionBelief(
        utterance_id=message.utterance_id,
        stamp=seconds(message.header.stamp),
        candidates=tuple(map(action_candidate, message.candidates)),
        decision=message.decision,
        reason=message.reason,
        question=message.question,
        options=tuple(Action(option.action, _arguments(option)) for option in message.options),
        referents=tuple(zip(message.referent_objects, message.referent_phrases, strict=True)),
        utilities=_pairs(getattr(message, "weighed_decisions", ()), getattr(message, "utilities", ())),
        notes=tuple(getattr(message, "notes", ())),
        then=str(getattr(message, "then", "")),
        words=tuple(getattr(message, "words", ())),
        choices=_choices(message),
    )


def action_candidate(message: Any) -> ActionCandidate:
    """sayso_msgs/ActionCandidate."""
    return ActionCandidate(
        clause=int(message.clause),
        action=Action(message.action, _arguments(message)),
        likelihood=float(message.likelihood),
        prior=float(message.prior),
        probability=float(message.probability),
        utility=float(message.utility),
        factors=_pairs(getattr(message, "factor_names", ()), getattr(message, "factors", ())),
        part=int(getattr(message, "part", 0)),
    )


def grounding(message: Any) -> Grounding:
    """sayso_msgs/Grounding."""
    return Grounding(
        utterance_id=message.utterance_id,
        stamp=seconds(message.header.stamp),
        object_id=message.object_id,
        phrase=message.phrase,
        attention=_floats(message.attention).reshape(message.rows, message.cols),
        entropy=float(message.entropy),
        confidence=float(message.confidence),
        found=bool(message.found),
        pixel=(float(message.pixel_u), float(message.pixel_v)),
        point=point(message.point),
        candidates=tuple(map(candidate, getattr(message, "candidates", ()))),
        options=tuple(getattr(message, "options", ())),
        words=tuple(word(each, message.rows, message.cols) for each in getattr(message, "words", ())),
    )


def object_belief(message: Any) -> ObjectBelief:
    """sayso_msgs/ObjectBelief."""
    return ObjectBelief(message.object_id, tuple(message.places), _floats(message.probabilities), seconds(message.header.stamp))


def plan_state(message: Any) -> PlanState:
    """sayso_msgs/PlanState."""
    done, ahead = tuple(map(skill_call, message.done)), tuple(map(skill_call, message.ahead))
    stamp = seconds(message.header.stamp)
    believed = tuple(map(object_belief, getattr(message, "believed", ())))
    worth = float(message.value), float(getattr(message, "bound", math.inf)), float(getattr(message, "p_done", math.nan))
    return PlanState(message.utterance_id, stamp, message.action, message.status, done, ahead, *worth, believed, _choices(message))


def skill_call(message: Any) -> SkillCall:
    """sayso_msgs/SkillCall."""
    return SkillCall(message.name, _arguments(message))


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
        facts=_facts(message),
        looks=_looks(message),
    )


def agenda_entry(message: Any) -> AgendaEntry:
    """sayso_msgs/AgendaEntry."""
    words = message.id, message.kind, message.what, message.when, message.text
    return AgendaEntry(*words, float(message.created), float(message.due), message.state, message.reason)


def world(message: Any) -> GroundTruth:
    """sayso_msgs/WorldState."""
    positions = dict(zip(message.objects, map(point, message.positions), strict=True))
    pose = float(message.x), float(message.y), float(message.yaw)
    locations = dict(zip(message.objects, message.locations, strict=True))
    places = map(point, getattr(message, "people_positions", ()))
    people = {name: at[:2] for name, at in zip(getattr(message, "people", ()), places, strict=True)}
    return GroundTruth(seconds(message.header.stamp), *pose, locations, positions, frozenset(_facts(message)), people)


def people_seen(message: Any) -> People:
    """sayso_msgs/People; a tracker that tells no deviations has none."""
    places = map(point, message.positions)
    deviations = list(map(float, message.deviations)) or [0.0] * len(message.people)
    seen = {name: (*at[:2], how) for name, at, how in zip(message.people, places, deviations, strict=True)}
    return People(seconds(message.header.stamp), seen, _looks(message))


def picture(message: Any) -> Image:
    """sensor_msgs/Image of encoding rgb8; rows may be padded."""
    rows = np.asarray(message.data, dtype=np.uint8).reshape(message.height, message.step)
    return Image(rows[:, : 3 * message.width].reshape(message.height, message.width, 3), seconds(message.header.stamp))


def _looks(message: Any) -> tuple[PersonLook, ...]:
    """Trackers and bags from before people had looks tell none."""
    names = getattr(message, "looks_of", ())
    return tuple(
        PersonLook(name, look, float(p))
        for name, look, p in zip(names, getattr(message, "looks", ()), getattr(message, "look_probabilities", ()), strict=True)
    )


def _choices(message: Any) -> tuple[Choice, ...]:
    """Bags from before the robot asked about things that it sees have none."""
    return tuple(map(choice, getattr(message, "choices", ())))


def _facts(message: Any) -> tuple[str, ...]:
    """Bags recorded before there were doors have no facts."""
    return tuple(getattr(message, "facts", ()))


def _arguments(message: Any) -> tuple[tuple[str, str], ...]:
    """(role, value) of an action or a skill call."""
    return tuple(zip(message.argument_names, message.argument_values, strict=True))


def _pairs(names: Iterable[Any], values: Iterable[float]) -> tuple[tuple[Any, float], ...]:
    return tuple(zip(names, map(float, values), strict=True))


def _floats(values: Any) -> FloatArray:
    """A copy: the array of a message would hold all of its memory."""
    return np.array(values, dtype=np.float64)


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
