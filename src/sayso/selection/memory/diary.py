"""Keeps what the robot saw, did, asked and refused, from what the stages publish, so that it can tell later."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import replace
from typing import TypeVar

from sayso.agenda import Now
from sayso.domain.model import Domain
from sayso.domain.vocabulary import parse_literal
from sayso.domain.wording import listed, spoken_action
from sayso.meaning.recollection import AskedQuestion, Deed, DeedState, LastSeen, Recollection, RefusedCommand
from sayso.types import Action, ActionBelief, Context, IntentBelief, Outcome, PlanState

KEPT = 16  # utterances
MOST_OPTIONS = 3  # of a question, in an answer
Entry = TypeVar("Entry")


class Diary:
    """Messages in, recollections out. Call it from one thread at a time."""

    def __init__(self, domain: Domain) -> None:
        self._domain = domain
        self._said: OrderedDict[str, str] = OrderedDict()  # utterance_id → its words
        self._deeds: OrderedDict[str, Deed] = OrderedDict()  # by utterance_id
        self._last_seen: dict[str, LastSeen] = {}
        self._in_view: frozenset[str] = frozenset()
        self._asked: AskedQuestion | None = None
        self._refused: RefusedCommand | None = None

    def noticed(self, context: Context) -> None:
        """Note what has come into view. What stays there keeps the older time, since `visible` says only that it was lately."""
        view = frozenset(context.visible)
        for thing in view - self._in_view:
            place = context.place if context.place in self._domain.places else ""
            if place and thing in self._domain.people:  # in the robot's room, but not where the robot stands
                place = self._domain.room_of(place)
            self._last_seen[thing] = LastSeen(place, context.stamp)
        self._in_view = view

    def heard(self, utterance: IntentBelief) -> None:
        """Note the words of an utterance."""
        self._said[utterance.utterance_id] = utterance.text
        _shorten(self._said)

    def decided(self, belief: ActionBelief, now: float) -> None:
        """Note a decision; `now` is in s of ROS time."""
        said = self._said.get(belief.utterance_id, "")
        if belief.decision == "execute":
            what, probability = self._in_words(belief.chosen), self._probability(belief)
            self._deeds[belief.utterance_id] = Deed(what, said, probability, now, actions=belief.chosen)
            self._deeds.move_to_end(belief.utterance_id)
            _shorten(self._deeds)
        elif belief.decision in ("confirm", "ask"):
            self._asked = AskedQuestion(belief.question, said, belief.reason, self._options(belief))
        elif belief.decision == "reject" and belief.question:
            self._refused = RefusedCommand(said, belief.question, now)

    def planned(self, state: PlanState) -> None:
        """Note that a command is being carried out."""
        if not state.is_over:
            self._update(state.utterance_id, "running", state.stamp)

    def concluded(self, outcome: Outcome) -> None:
        """Note the end of a command, and where it has left things."""
        done = self._update(outcome.utterance_id, "done" if outcome.succeeded else "failed", outcome.stamp, outcome.reason)
        if outcome.succeeded:
            self._last_seen.update(self._left_at(done, outcome.stamp))

    def recollection(self, now: Now | None) -> Recollection:
        """What is remembered at this moment."""
        return Recollection(now, dict(self._last_seen), tuple(self._deeds.values()), self._asked, self._refused)

    def _update(self, utterance_id: str, state: DeedState, stamp: float, reason: str = "") -> tuple[Action, ...]:
        """Give a deed its new state; returns its actions, none if the utterance led to no deed."""
        if utterance_id not in self._deeds:
            return ()
        deed = self._deeds[utterance_id]
        self._deeds[utterance_id] = replace(deed, state=state, stamp=stamp, reason=reason)
        return deed.actions

    def _left_at(self, actions: tuple[Action, ...], stamp: float) -> Iterator[tuple[str, LastSeen]]:
        """Where actions leave things, by their goals: on(theme, goal), has(recipient, theme)."""
        for action in actions:
            spec = self._domain.actions.get(action.name)
            for literal in spec.goal if spec is not None else ():
                predicate, roles = parse_literal(literal)
                values = [action.argument(role) for role in roles]
                things = [value for value in values if value in self._domain.objects]
                ends = [value for value in values if value in self._domain.places or value in self._domain.people]
                if predicate in ("on", "has") and len(things) == len(ends) == 1:
                    yield things[0], LastSeen(ends[0], stamp, "given" if ends[0] in self._domain.people else "put")

    def _in_words(self, actions: tuple[Action, ...]) -> str:
        return listed([spoken_action(self._domain, action) for action in actions])

    def _options(self, belief: ActionBelief) -> tuple[tuple[str, float], ...]:
        asked = [each for each in belief.candidates if each.action in belief.options]
        best = sorted(asked, key=lambda each: -each.probability)[:MOST_OPTIONS]
        return tuple((spoken_action(self._domain, each.action), each.probability) for each in best)

    def _probability(self, belief: ActionBelief) -> float:
        found = {each.action: each.probability for each in reversed(belief.candidates)}
        return min((found.get(action, 0.0) for action in belief.chosen), default=0.0)


def _shorten(kept: OrderedDict[str, Entry]) -> None:
    while len(kept) > KEPT:
        kept.popitem(last=False)
