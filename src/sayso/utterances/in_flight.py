"""Follows every accepted utterance from its transcript to its end, and finds the lost ones: a stage did not answer in time, or died.

All times are steady seconds.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from enum import Enum

from sayso.supervision import OtherNode
from sayso.types import ActionBelief, IntentBelief, Outcome, PlanState, Transcript
from sayso.utterances.journal import Followed

STAGE_WITHIN = 10.0  # s for a stage to answer
RECOVERED_WITHIN = 3.0  # s for a sign of an utterance that was on its way when the watcher itself died
PLANNER_GONE = 2.0  # s of silence of the planner after which what it carries out is lost
KEPT = 256  # utterances that are over and remembered, so that late messages do not begin them anew


class Awaited(Enum):
    """What an utterance waits for, as a person would say it."""

    HEARD = "intent_classifier did not answer"
    UNDERSTOOD = "action_selector did not answer"
    DECIDED = "planner did not answer"
    RUNNING = "the planner was lost"
    ASKED = "action_selector did not ask which thing is meant"
    LOOKED = "action_selector did not decide after the look"
    PLANNED = "planner gave no outcome"
    ANSWERED = "action_selector was started again and has forgotten its question"
    RECOVERED = "it was on its way when nodes were restarted"


@dataclass(frozen=True, slots=True)
class Lost:
    """An utterance that will get no answer of the stages."""

    utterance_id: str
    stamp: float  # ROS time at which the speech ended; 0 if unknown
    reason: str  # one line for a person


@dataclass(slots=True)
class _Question:
    utterance_id: str
    stamp: float
    life: str  # of the action_selector that asked
    planner: str = ""  # life of the planner that waits for the answer; empty: none does


@dataclass(slots=True)
class _Flight:
    awaits: Awaited
    since: float
    stamp: float
    looks: bool = False  # its decision was to look first
    life: str = ""  # of the planner that carries it out


class InFlight:
    """The utterances that have not ended. Feed it every message of the stages; ask `lost` periodically."""

    def __init__(self, planner: OtherNode, selector: OtherNode) -> None:
        """`planner` and `selector` tell whether these nodes live."""
        self._planner, self._selector = planner, selector
        self._question: _Question | None = None  # the open one
        self._flights: dict[str, _Flight] = {}
        self._over: deque[str] = deque(maxlen=KEPT)
        self._asked: deque[str] = deque(maxlen=KEPT)  # those that a question has ended

    def __contains__(self, utterance_id: str) -> bool:
        return utterance_id in self._flights

    @property
    def followed(self) -> Followed:
        """All that the next watcher must know."""
        over = tuple(dict.fromkeys(self._over))
        asked = tuple(each for each in dict.fromkeys(self._asked) if each not in self._flights and each not in over)
        return Followed(tuple(self._flights), asked, over)

    def recover(self, followed: Followed, now: float) -> None:
        """Begin with those that an earlier watcher has followed. Remembered messages may have come before."""
        self._over = deque((*followed.over, *self._over), KEPT)
        self._asked = deque((*followed.asked, *self._asked), KEPT)
        for utterance_id in (*followed.over, *followed.asked):
            self._flights.pop(utterance_id, None)
        for utterance_id in followed.on_its_way:
            if utterance_id not in (*self._over, *self._asked):
                self._flights.setdefault(utterance_id, _Flight(Awaited.RECOVERED, now, 0.0))

    def transcript(self, transcript: Transcript, now: float) -> None:
        """It was heard. One that the recogniser rejected promises nothing."""
        if not transcript.rejected and transcript.utterance_id not in (*self._over, *self._asked):
            self._flights.setdefault(transcript.utterance_id, _Flight(Awaited.HEARD, now, transcript.stamp))

    def understood(self, belief: IntentBelief, now: float) -> None:
        """It was classified."""
        flight = self._flights.get(belief.utterance_id)
        if flight is not None and flight.awaits in (Awaited.HEARD, Awaited.RECOVERED):
            self._wait(flight, Awaited.UNDERSTOOD, now)

    def decided(self, belief: ActionBelief, now: float) -> None:
        """It was decided: a question ends it, until its answer leads to another decision."""
        for utterance_id in [each for each in self._flights if any(each in note for note in belief.notes)]:
            self._end(utterance_id)  # it is the answer to a question of that other utterance, which goes on
        self._question = None
        if belief.decision in ("ask", "confirm"):
            flight = self._flights.pop(belief.utterance_id, None)
            self._asked.append(belief.utterance_id)
            planner = (flight and flight.life) or self._planner.life
            self._question = _Question(belief.utterance_id, belief.stamp, self._selector.life, planner if belief.choices else "")
        elif belief.utterance_id not in self._over:
            flight = self._flights.setdefault(belief.utterance_id, _Flight(Awaited.DECIDED, now, belief.stamp))
            flight.looks = bool(belief.then)
            if flight.awaits != Awaited.RUNNING:  # a rejection may take back what runs
                self._wait(flight, Awaited.DECIDED, now)

    def planned(self, state: PlanState, now: float) -> None:
        """The planner carries it out, or has ended."""
        resumed = state.status == "running" and state.utterance_id in self._asked and state.utterance_id not in self._over
        if resumed:  # after an answer; the decision itself may come later
            self._flights.setdefault(state.utterance_id, _Flight(Awaited.RUNNING, now, 0.0))
        flight = self._flights.get(state.utterance_id)
        if flight is None:
            return
        if state.status in ("running", "asking"):
            flight.life = self._planner.life
            self._wait(flight, Awaited.RUNNING if state.status == "running" else Awaited.ASKED, now)
        else:
            self._wait(flight, Awaited.LOOKED if flight.looks and state.status != "cancelled" else Awaited.PLANNED, now)

    def outcome(self, outcome: Outcome) -> None:
        """It has ended."""
        self._end(outcome.utterance_id)

    def lost(self, now: float) -> list[Lost]:
        """Those that are lost, each once."""
        found = [Lost(name, flight.stamp, flight.awaits.value) for name, flight in self._flights.items() if self._is_lost(flight, now)]
        if self._question is not None and self._is_forgotten(self._question):
            found.append(Lost(self._question.utterance_id, self._question.stamp, Awaited.ANSWERED.value))
        elif self._question is not None and self._has_nobody_waiting(self._question, now):
            found.append(Lost(self._question.utterance_id, self._question.stamp, Awaited.RUNNING.value))
        for each in found:
            self._end(each.utterance_id)
        return found

    def _is_forgotten(self, question: _Question) -> bool:
        question.life = question.life or self._selector.life
        return self._selector.life != question.life

    def _has_nobody_waiting(self, question: _Question, now: float) -> bool:
        """Whether the planner that waits for the answer is gone."""
        return bool(question.planner) and (self._planner.life != question.planner or self._planner.silent(now) > PLANNER_GONE)

    def _is_lost(self, flight: _Flight, now: float) -> bool:
        if flight.awaits == Awaited.RUNNING:
            flight.life = flight.life or self._planner.life
            return self._planner.life != flight.life or self._planner.silent(now) > PLANNER_GONE
        return now - flight.since > (RECOVERED_WITHIN if flight.awaits == Awaited.RECOVERED else STAGE_WITHIN)

    def _wait(self, flight: _Flight, awaited: Awaited, now: float) -> None:
        flight.awaits, flight.since = awaited, now

    def _end(self, utterance_id: str) -> None:
        if self._question is not None and self._question.utterance_id == utterance_id:
            self._question = None
        self._flights.pop(utterance_id, None)
        self._over.append(utterance_id)
