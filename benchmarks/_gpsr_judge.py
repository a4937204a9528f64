"""Whether a command of the RoboCup@Home grammars was done, by the ground truth of the simulation and by what the robot said.

done: every act of one of the label's sequences has happened, in order, and the robot reports no failure; or its answer is right.
declined: the robot did not start: it asked, and the person had no short answer, or it said that it can't. failed: it started, and says that
it could not. wrong: it says or shows that it is done, and it is not.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal

from _gpsr_answers import SpokenAnswer, is_where
from _gpsr_commands import GpsrCommand
from _gpsr_orders import ORDERS, SIDES, firsts, is_in_part
from _gpsr_people import looks_said
from _meaning_actions import reduced
from _meaning_labels import FREE, Expression, LabelledAct
from sayso.bags.messages import GroundTruth
from sayso.domain import Domain
from sayso.domain.states import OPPOSITE
from sayso.domain.vocabulary import parse_literal
from sayso.evaluation.execution import SEEN, Performance
from sayso.evaluation.judge import GUIDED, THERE, TOGETHER, WALKED
from sayso.scene.layout import surfaces_of
from sayso.scene.scene import Scene

GpsrVerdict = Literal["done", "declined", "failed", "wrong"]
WITH = 1.7  # m from a person
_DECLINES = re.compile(r"^I (?:can't|don't know|know no)\b")


@dataclass(frozen=True, slots=True)
class JudgedCommand:
    """A command with what became of it."""

    command: GpsrCommand
    played: Performance
    verdict: GpsrVerdict

    @property
    def smooth(self) -> bool:
        """Whether it was done without a failed skill."""
        return self.verdict == "done" and all(moment.outcome.succeeded for moment in self.played.moments)


def judged_command(domain: Domain, scene: Scene, command: GpsrCommand, played: Performance) -> JudgedCommand:
    """The verdict on a performance."""
    truth = _Truth(domain, scene, command, played)
    return JudgedCommand(command, played, truth.verdict())


@dataclass(frozen=True, slots=True)
class _Truth:
    """What happened, against what was wanted."""

    domain: Domain
    scene: Scene
    command: GpsrCommand
    played: Performance

    def verdict(self) -> GpsrVerdict:
        outcome, decision = self.played.outcome, self.played.understanding.decision
        if decision == "answer":
            return "done" if self._spoken.is_right() else "declined" if _DECLINES.search(self.played.understanding.question) else "wrong"
        if decision != "execute" or outcome is None:
            return "declined"
        if not outcome.succeeded:
            return "failed"
        return "done" if any(self._happened(sequence) for each in self.command.label.do for sequence in (each, reduced(each))) else "wrong"

    @property
    def _spoken(self) -> SpokenAnswer:
        lines = (line for moment in self.played.moments for line in moment.said)
        said = " ".join([*lines, self.played.understanding.question])
        return SpokenAnswer(self.domain, self.scene, self.command, self.played.before.locations, said)

    def _happened(self, sequence: Sequence[LabelledAct]) -> bool:
        """Whether all acts happened in order. A thing counts for one act of a kind only: "two cups" are two."""
        start, taken = 0, set[tuple[tuple[str, ...], str]]()
        for act in sequence:
            moment = self._moment(act, start, taken)
            if moment is None:
                return False
            start = moment
        return True

    def _moment(self, act: LabelledAct, start: int, taken: set[tuple[tuple[str, ...], str]]) -> int | None:
        """The first moment from `start` on at which the act is done; None if there is none."""
        names = {*act.names}
        if names & {"bring", "give", "put", "pick_up"}:
            return self._moved(act, start, taken)
        if names & {"go_to"}:
            return self._first(start, lambda world: self._is_inside((world.x, world.y), act.values("goal")))
        if self.command.introduced and "tell" in names:
            return self._made_known(act, start)
        people = [value for value in (*act.values("recipient"), *act.values("theme")) if value in self.scene.people]
        if self.command.looks and people and not self._addressed(people):
            return None
        if names & {"tell", "answer", "repeat"} and self._spoken.wanted and not self._spoken.told():
            return None
        if names & {"come_here", "find", "greet"} and people:
            return self._first(start, lambda world: any(self._is_with(world, person) for person in people))
        if names & {"follow", "guide"}:
            return self._went_along(act, start)
        return self._changed(act, start)

    def _changed(self, act: LabelledAct, start: int) -> int | None:
        """The moment at which a thing was found, a place has the state that was wanted, or the words were said."""
        names = {*act.names}
        if names & {"find"}:
            return start if any(self._was_found(theme) for theme in self._themes(act)) else None
        if names & {"pour"}:
            said = (value for kept in self.command.label.keep if kept.name == "described" for value in kept.arguments)
            vessels = act.values("goal") or tuple(said)  # "in a bowl"
            poured = {f"poured({theme}, {vessel})" for theme in act.values("theme") for vessel in vessels}
            return self._first(start, lambda world: bool(poured & world.facts))
        states = {predicate for name in names for predicate in self._predicates(name) if predicate in OPPOSITE}
        if states:
            wanted = {f"{state}({theme})" for state in states for theme in act.values("theme")}
            return self._first(start, lambda world: bool(wanted & world.facts))
        if names & {"tell", "answer", "repeat"}:
            return start if self._spoken.told() else None
        return None

    def _made_known(self, act: LabelledAct, start: int) -> int | None:
        """The moment at which the robot tells the act's person the name of whoever is to be made known."""
        name = self.domain.people[self.command.introduced].spoken(self.command.introduced)
        people = act.values("recipient")
        for moment in self.played.moments[start:]:
            if moment.outcome.call.argument("recipient") in people and any(name.lower() in line.lower() for line in moment.said):
                return start  # in whatever order
        return None

    def _addressed(self, people: Sequence[str]) -> bool:
        """Whether the robot turned to nobody else, whom another act does not name: it may happen to stand beside two."""
        acts = (act for sequence in self.command.label.do for act in sequence)
        named = {value for act in acts for value in (*act.values("recipient"), *act.values("theme"))}
        calls = (moment.outcome.call for moment in self.played.moments)
        return {call.argument("recipient") for call in calls} & {*self.scene.people} <= {*people, *named, self.domain.speaker}

    def _predicates(self, action: str) -> list[str]:
        """What holds once the action is done: "open", for open."""
        return [parse_literal(literal)[0] for literal in self.domain.actions[action].goal] if action in self.domain.actions else []

    def _went_along(self, act: LabelledAct, start: int) -> int | None:
        """Whether the person and the robot are together where they were to go; without a goal, where the person has walked to."""
        person, goals = next(iter(act.values("recipient")), ""), act.values("goal")
        before = self.played.before.people.get(person)
        if before is None:
            return None

        def together(world: GroundTruth) -> bool:
            x, y = world.people[person]
            if "guide" in act.names and all(self._is_inside(at, goals, GUIDED) for at in ((x, y), (world.x, world.y))):
                return True
            if math.dist((x, y), (world.x, world.y)) > TOGETHER:
                return False
            followed = "follow" in act.names and self._is_inside((x, y), goals, GUIDED)  # the robot stops behind who is there
            return followed or self._is_inside((world.x, world.y), goals, GUIDED) if goals else math.dist((x, y), before) >= WALKED

        return self._first(start, together)

    def _moved(self, act: LabelledAct, start: int, taken: set[tuple[tuple[str, ...], str]]) -> int | None:
        for theme in self._themes(act):
            if (act.names, theme) in taken:
                continue
            if {*act.names} == {"pick_up"}:
                done = self._first(start, partial(_holds, theme))
            else:
                is_there = is_where(
                    self.domain, self.played.after.locations.get(theme, ""), (*act.values("recipient"), *act.values("goal"))
                )
                done = start if is_there else None
            if done is not None:
                taken.add((act.names, theme))
                return done
        return None

    def _first(self, start: int, holds: Callable[[GroundTruth], bool]) -> int | None:
        worlds = [moment.world for moment in self.played.moments]
        if not worlds:
            return start if holds(self.played.after) else None
        return next((index for index in range(min(start, len(worlds) - 1), len(worlds)) if holds(worlds[index])), None)

    def _is_inside(self, at: tuple[float, float], goals: Sequence[str], within: float = THERE) -> bool:
        """Whether a point is in one of these rooms, or that near to one of these places."""
        for goal in goals:
            if goal in self.scene.rooms:
                x0, y0, x1, y1 = self.scene.rooms[goal].area
                if x0 <= at[0] <= x1 and y0 <= at[1] <= y1:
                    return True
            elif goal in self.domain.places and math.dist(self.domain.places[goal].pose[:2], at) <= within:
                return True
        return False

    def _is_with(self, world: GroundTruth, person: str) -> bool:
        return math.dist(world.people.get(person, self.scene.people[person].at), (world.x, world.y)) <= WITH

    def _was_found(self, theme: str) -> bool:
        if theme not in self.played.found or theme not in self.played.after.positions:
            return False
        return math.dist(self.played.found[theme], self.played.after.positions[theme]) <= SEEN

    def _themes(self, act: LabelledAct) -> list[str]:
        """The objects that the act may mean, by the truth at its start: at the place that was said, and the biggest if that was said."""
        before, source = self.played.before.locations, act.values("source")
        said = [value for value in act.values("theme") if value in before]
        anything = act.values("theme") == (FREE,) and (source or any(kept.name == "purpose" for kept in self.command.label.keep))
        themes = said or (list(before) if anything else [])
        source = source or self._fetched_from(act)
        if source:
            themes = [theme for theme in themes if is_where(self.domain, before[theme], source)]
        for kept in self.command.label.keep:
            themes = self._kept(themes, kept)
        return themes

    def _fetched_from(self, act: LabelledAct) -> tuple[str, ...]:
        """The furniture at which the sentence says that the thing is, "the toys at the desk's center"; empty for rooms of people."""
        where = next((kept.arguments for kept in self.command.label.keep if kept.name == "where"), ())
        return where if {*act.names} & {"bring", "give", "put"} and {*where} & {*self.scene.furniture} else ()

    def _kept(self, themes: list[str], kept: Expression) -> list[str]:
        """The themes that a restriction leaves."""
        name = kept.name
        if len(themes) < 2 or name in ("where", "exactly", "all"):  # "the heaviest bottle" is the one that is there
            return themes
        if name == "purpose":  # "something to eat"
            return [theme for theme in themes if {*kept.arguments} & {*self.domain.objects[theme].uses}]
        if name == "described" and (self.command.cast is not None or any(looks_said(words) for words in kept.arguments)):
            return themes  # people, not the thing
        if name == "described" and {*kept.arguments} <= {*SIDES, "center"}:
            return [theme for theme in themes if self._is_in_part(theme, kept.arguments[0])]
        if name in ORDERS:
            return firsts(self.domain, self.scene, themes, name)
        if name in ("leftmost", "rightmost"):
            ordered = sorted(themes, key=self._to_the_left)
            return ordered[-1:] if name == "leftmost" else ordered[:1]
        if name == "colour":
            return [theme for theme in themes if self.domain.objects[theme].attributes.get("color") in kept.arguments]
        if name in ("left_of", "right_of") and kept.arguments and kept.arguments[0] in self.played.before.positions:
            edge, sign = self._to_the_left(kept.arguments[0]), 1.0 if name == "left_of" else -1.0
            return [each for each in themes if each != kept.arguments[0] and sign * (self._to_the_left(each) - edge) > 0.0]
        return []  # nobody can say which it is

    def _is_in_part(self, theme: str, part: str) -> bool:
        """Whether it stands in that part of the surface that bears it."""
        place = self.played.before.locations[theme]
        tops = surfaces_of(self.scene, place) if place in self.scene.furniture else ()
        if not tops:
            return False
        x, y, yaw = tops[0].x, tops[0].y, self.domain.places[place].pose[2]
        aside = self._to_the_left(theme) - (-math.sin(yaw) * x + math.cos(yaw) * y)
        return is_in_part(part, aside, 2 * tops[0].half[1])

    def _to_the_left(self, theme: str) -> float:
        """How far left it stands, m, as the robot sees it from the pose of its place."""
        place = self.played.before.locations[theme]
        yaw = self.domain.places[place].pose[2] if place in self.domain.places else 0.0
        x, y, _ = self.played.before.positions[theme]
        return -math.sin(yaw) * x + math.cos(yaw) * y


def _holds(theme: str, world: GroundTruth) -> bool:
    return world.locations.get(theme) == "gripper"
