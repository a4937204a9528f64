"""The data that passes between the stages: one frozen dataclass for each message of `sayso_msgs`.

Units are SI, frames follow REP 103 (x forward, y left, yaw counter-clockwise), times are seconds of ROS time.
Probabilities are float64 in [0, 1] and named `p…`, `probability` or `probabilities`; natural log-probabilities are named `log_p…`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from sayso.looks import PersonLook
from sayso.representation import Description, Modifiers

# Offered here with the data of the other stages.
from sayso.sight import Candidate as Candidate  # noqa: PLC0414
from sayso.sight import Choice as Choice  # noqa: PLC0414
from sayso.sight import Grounding as Grounding  # noqa: PLC0414
from sayso.sight import Image as Image  # noqa: PLC0414
from sayso.sight import WordAttention as WordAttention  # noqa: PLC0414

FloatArray = NDArray[np.float64]
# defer: kept as a standing rule or for later. answer: nothing moves; `question` holds what the robot says.
Decision = Literal["execute", "confirm", "ask", "defer", "answer", "reject"]
PlanStatus = Literal["running", "asking", "succeeded", "failed", "cancelled"]  # asking: until a person has chosen one of `choices`

SAMPLE_RATE = 16_000  # Hz, of all audio inside Sayso
NAME_SCALE = 0.05  # of Role.score: a name whose score is lower by this much is e times less probable


@dataclass(frozen=True, slots=True)
class AudioChunk:
    """A piece of sound from a microphone, a file or a bag."""

    samples: NDArray[np.int16]  # (N,) mono
    stamp: float  # time of the first sample
    sample_rate: int = SAMPLE_RATE  # Hz


@dataclass(frozen=True, slots=True)
class TranscriptAlternative:
    """One possible text of the utterance."""

    text: str  # lower case, no punctuation
    log_p: float  # ln P(text | audio); what the probabilities of a transcript lack to 1 is that of texts not listed


@dataclass(frozen=True, slots=True)
class Transcript:
    """Audio → possible texts."""

    utterance_id: str
    stamp: float  # end of the speech; every later message of this utterance carries it
    alternatives: tuple[TranscriptAlternative, ...]  # best first; empty if nothing was recognised
    confidence: float  # in [0, 1]: from the sound, whether this is a sentence of the domain
    started: float = 0.0  # start of the speech
    rejected: str = ""  # why it must be ignored; empty if it is accepted

    @property
    def text(self) -> str:
        """The most probable text, empty if there is none."""
        return self.alternatives[0].text if self.alternatives else ""


@dataclass(frozen=True, slots=True)
class Role:
    """A phrase that fills a role of the clause (theme, goal, source, recipient, …), linked to the domain."""

    name: str
    text: str  # as said
    start: int  # first character in IntentBelief.text
    end: int  # one past the last
    entity: str = ""  # id of the most likely place, object or person; empty if none fits
    kind: str = ""  # "place", "object", "person", "quantity", "direction" or "words"
    score: float = 0.0  # in [0, 1]: how well the words fit the entity's names
    candidates: tuple[tuple[str, float], ...] = ()  # (entity, score) of all fitting entities, best first
    value: float = float("nan")  # of a quantity, in SI units
    unit: str = ""  # "m", "rad", "s" or ""
    description: Description | None = None  # of a noun phrase; `candidates` are what it denotes by name, kind and attributes


@dataclass(frozen=True, slots=True)
class Support:
    """What speaks for the meaning of a sentence."""

    parsed: float = 1.0  # P(it means this), by the parser: the mass of its structures that compose to it, in [0, 1]
    agreed: bool = True  # whether the intent head, which reads each act's words as a whole, finds its intent possible too


@dataclass(frozen=True, slots=True)
class Clause:
    """One request in the utterance, from its words alone."""

    text: str
    start: int  # first character in IntentBelief.text
    end: int
    intent: str  # argmax of `probabilities`
    probabilities: FloatArray  # (K,) calibrated P(k | clause), sums to 1, order of IntentBelief.intents
    roles: tuple[Role, ...]
    out_of_scope: float  # nats; higher is less familiar, above 0 is out of scope; not a probability
    negated: bool = False  # "don't go to the kitchen"
    modifiers: Modifiers = field(default_factory=Modifiers)  # conditions, times, repetition, mood
    left_over: tuple[str, ...] = ()  # content words that nothing explains
    support: Support = Support()  # of the sentence: the same in each of its clauses

    def role(self, name: str) -> Role | None:
        """The first role of that name, or None."""
        return next((role for role in self.roles if role.name == name), None)


@dataclass(frozen=True, slots=True)
class Hearing:
    """A meaning that the sound may have: of all texts that mean the same."""

    text: str  # normalised, the most probable of them
    p: float  # P(one of them was said | audio)
    clauses: tuple[Clause, ...]  # none: there is nothing to do in it


@dataclass(frozen=True, slots=True)
class IntentBelief:
    """Transcript → one belief over the intents for each clause, in spoken order."""

    utterance_id: str
    stamp: float
    text: str  # normalised; spans of clauses and roles count its characters
    intents: tuple[str, ...]  # (K,) names, the order of every Clause.probabilities
    clauses: tuple[Clause, ...]
    rejected: str = ""  # why there is nothing to act on; empty if there is
    p_train: FloatArray = field(default_factory=lambda: np.empty(0))  # (K,) P_train(k), the classifier's own prior; empty: uniform
    hearings: tuple[Hearing, ...] = ()  # what may have been said, likeliest first; `clauses` are of the first. Empty: there is one meaning


@dataclass(frozen=True, slots=True)
class Action:
    """Something the robot can do for a person: bring(theme=red_cup, recipient=operator)."""

    name: str
    arguments: tuple[tuple[str, str], ...] = ()  # (role, entity id or literal), sorted by role

    def __str__(self) -> str:
        return f"{self.name}({', '.join(f'{role}={value}' for role, value in self.arguments)})"

    def argument(self, role: str) -> str:
        """The value of that role, empty if there is none."""
        return dict(self.arguments).get(role, "")


@dataclass(frozen=True, slots=True)
class ActionCandidate:
    """An action that a clause may ask for, with the terms of its posterior."""

    clause: int  # index into IntentBelief.clauses
    action: Action
    likelihood: float  # P(c | a, ctx) up to a factor common to the clause
    prior: float  # P(a | ctx), normalised over the clause's candidates
    probability: float  # posterior P(a | c, ctx); sums to P(the words were understood) over the clause's candidates
    utility: float  # expected utility of executing it
    factors: tuple[tuple[str, float], ...] = ()  # of `prior`, up to a factor common to the clause: (name, factor)
    part: int = 0  # which member, if the clause speaks of several: "all the books", "twice"


@dataclass(frozen=True, slots=True)
class ActionBelief:
    """Intent belief + context → posterior over grounded actions, and the resulting decision."""

    utterance_id: str
    stamp: float
    candidates: tuple[ActionCandidate, ...]  # by clause, most probable first; if there are very many, only the best
    decision: Decision  # for the whole utterance: the most careful one of its clauses
    reason: str  # one line for a person: why this decision
    question: str = ""  # to ask if the decision is confirm or ask; else to say
    options: tuple[Action, ...] = ()  # of ask: the actions that the answers mean; of confirm: those that "yes" executes, all of them
    referents: tuple[tuple[str, str], ...] = ()  # (object id, phrase): "the red cup", for the visual grounder
    utilities: tuple[tuple[Decision, float], ...] = ()  # expected, of each possible decision for the clause that decided, best first
    notes: tuple[str, ...] = ()  # further information for a person: "the context is 12 s old"
    then: str = ""  # what is decided after the robot has looked, in words; the decision is then to execute the looking
    words: tuple[str, ...] = ()  # of a question about what was said: the words of each option, "left" and "right"
    # Of ask: the things that the robot sees and cannot tell apart. Of execute: the one that the person has chosen, then the others.
    choices: tuple[Choice, ...] = ()

    @property
    def chosen(self) -> tuple[Action, ...]:
        """The most probable action of each clause, and of each member of a plural, in spoken order. P = 0 is never chosen."""
        best: dict[tuple[int, int], ActionCandidate] = {}
        for candidate in self.candidates:
            key = (candidate.clause, candidate.part)
            if candidate.probability > 0.0 and (key not in best or candidate.probability > best[key].probability):
                best[key] = candidate
        return tuple(best[key].action for key in sorted(best))


@dataclass(frozen=True, slots=True)
class Context:
    """What the robot knows about its situation: the ctx of P(a | ctx)."""

    stamp: float = 0.0
    x: float = 0.0  # m, map frame
    y: float = 0.0
    yaw: float = 0.0  # rad
    place: str = ""  # id of the innermost place that contains the robot
    holding: str = ""  # id of the object in the gripper, empty for none
    battery: float = 1.0  # charge in [0, 1]
    visible: tuple[str, ...] = ()  # ids of recently seen objects, and of people in view in the same room
    last_action: str = ""  # name of the last action that succeeded
    speaker: str = ""  # id of the speaker, empty for the domain's default
    facts: tuple[str, ...] = ()  # what the robot has opened, closed and switched, as literals: "open(fridge)", "powered(lamp)"
    looks: tuple[PersonLook, ...] = ()  # of the people in `visible`, by the last few seconds


@dataclass(frozen=True, slots=True)
class People:
    """Everybody whom the robot's tracker sees at one moment."""

    stamp: float
    people: Mapping[str, tuple[float, float, float]]  # id → x, y in the map, and the deviation of both (0: not known), m
    looks: tuple[PersonLook, ...] = ()  # as far as the tracker can tell


@dataclass(frozen=True, slots=True)
class ObjectBelief:
    """A categorical distribution over the places where an object may be."""

    object_id: str
    places: tuple[str, ...]
    probabilities: FloatArray  # (len(places),), sums to 1
    stamp: float = 0.0

    @property
    def is_distribution(self) -> bool:
        """Whether it is what it says; a message may hold anything."""
        p = self.probabilities
        fits = bool(self.places) and len(self.places) == len(p)
        return fits and bool(np.isfinite(p).all() and (p >= 0.0).all() and abs(p.sum() - 1.0) < 1e-3)


@dataclass(frozen=True, slots=True)
class SkillCall:
    """One step for the robot: navigate_to(goal=kitchen)."""

    name: str
    arguments: tuple[tuple[str, str], ...] = ()

    def __str__(self) -> str:
        return f"{self.name}({', '.join(f'{role}={value}' for role, value in self.arguments)})"

    def argument(self, role: str) -> str:
        """The value of that argument, empty if there is none."""
        return dict(self.arguments).get(role, "")


@dataclass(frozen=True, slots=True)
class SkillOutcome:
    """The result of a skill, as the robot reports it: the observation from which the planner plans again."""

    call: SkillCall
    succeeded: bool
    reason: str = ""  # why it failed, one line
    seconds: float = 0.0
    interrupted: bool = False  # ended early: an object not seen until then may still be there
    choices: tuple[Choice, ...] = ()  # if it ended because a phrase fits several things alike: those things


@dataclass(frozen=True, slots=True)
class PlanState:
    """Action + belief of the world → the next skill, and those expected after it."""

    utterance_id: str
    stamp: float
    action: str  # str(Action) being carried out
    status: PlanStatus
    done: tuple[SkillCall, ...] = ()  # so far, oldest first
    ahead: tuple[SkillCall, ...] = ()  # the policy along its most probable outcomes; [0] is next
    value: float = 0.0  # V(s), expected discounted reward from here
    bound: float = float("inf")  # no policy is worth more; infinite if unknown
    p_done: float = float("nan")  # P(the action will be carried out) from here; nan if unknown or over
    believed: tuple[ObjectBelief, ...] = ()  # at the end: where the objects that it was about, or that it saw, are believed to be
    choices: tuple[Choice, ...] = ()  # of asking: the things in question

    @property
    def is_over(self) -> bool:
        """Whether the planner has ended."""
        return self.status not in ("running", "asking")


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of an utterance; sent only after the robot reported it."""

    utterance_id: str
    stamp: float
    succeeded: bool
    action: str
    reason: str = ""  # one line for a person
    seconds: float = 0.0  # from the end of speech to here
