"""Who was seen where and when, from the reports of a person tracker."""

from __future__ import annotations

import math
from collections import defaultdict, deque
from collections.abc import Collection
from dataclasses import dataclass, field

from sayso.looks import PersonLook
from sayso.robot.geometry import Point2, Standing
from sayso.robot.glances import Report, posterior
from sayso.robot.map import RobotMap
from sayso.types import People

FRESH = 1.0  # s: a person seen within this time is in view
REMEMBERED = 600.0  # s: after this, a person is as likely to be where they usually are
SILENT = 2.0  # s without a report, after which the tracker counts as dead; one that sees nobody says so
UNSURE = 0.5  # m: a sighting with a larger deviation is no help
SAME_SPOT = 0.5  # m: a person seen this near to where the map has them stands there
STEP = 0.3  # m: a smaller motion is none
HAND = 0.95  # m above the floor, of a person whom the map does not have
GLANCE = 3.0  # s for which a look at somebody counts
ARM = 0.25  # m from the person's middle to the hand that takes things


@dataclass
class _Track:
    """The last sighting of one person, and since when they have stood there."""

    at: Point2  # m, map frame
    stamp: float  # s
    stood_at: Point2
    since: float  # s


def _no_looks() -> dict[str, deque[Report]]:
    return defaultdict(deque)


@dataclass
class PeopleMemory:
    """The last sighting of each person of the home, and of strangers for a moment: the robot drives around them.

    Sightings without a position and too vague ones are left out.
    """

    heard: float = -math.inf  # s: the last report
    _tracks: dict[str, _Track] = field(default_factory=dict)
    _strangers: dict[str, tuple[float, Point2]] = field(default_factory=dict)  # label of the tracker → s, m
    _looks: dict[str, deque[Report]] = field(default_factory=_no_looks)  # person → (s, label, P) of the last glances

    def update(self, report: People | None, known: Collection[str], now: float) -> None:
        """Take a report. The same one again, one from before it, and one of the future change nothing."""
        if report is None or not self.heard < report.stamp <= now + FRESH:
            return
        self.heard = report.stamp
        self._strangers = {name: each for name, each in self._strangers.items() if report.stamp - each[0] <= FRESH}
        for name, (x, y, deviation) in report.people.items():
            at = x, y
            if not (math.isfinite(x) and math.isfinite(y) and deviation <= UNSURE):
                continue
            if name not in known:
                self._strangers[name] = report.stamp, at
                continue
            before = self._tracks.get(name)
            stays = before is not None and math.dist(before.stood_at, at) <= STEP
            stood_at, since = (before.stood_at, before.since) if before is not None and stays else (at, report.stamp)
            self._tracks[name] = _Track(at, report.stamp, stood_at, since)
        for each in report.looks:
            if each.person in known and 0.0 <= each.probability <= 1.0:
                self._looks[each.person].append((report.stamp, each.look, each.probability))
        for glances in self._looks.values():
            while glances and glances[0][0] < report.stamp - GLANCE:
                glances.popleft()

    def clear(self) -> None:
        """Forget everybody."""
        self.heard = -math.inf
        self._tracks.clear()
        self._strangers.clear()
        self._looks.clear()

    def silent(self, now: float) -> bool:
        """Whether there is no tracker, or nothing came from it for a while."""
        return now - self.heard > SILENT

    def in_view(self, person_id: str, now: float) -> Point2 | None:
        """Where the person is, if the tracker sees them now."""
        track = self._seen(now).get(person_id)
        return track.at if track is not None else None

    def astray(self, robot_map: RobotMap, now: float) -> dict[str, Point2]:
        """Where everybody is who is in view and not where the map has them, strangers too: the robot's paths know nothing of these."""
        usual = {person.name: (person.x, person.y) for person in robot_map.people}
        seen = self._seen(now).items()
        strangers = {name: at for name, (stamp, at) in self._strangers.items() if now - stamp <= FRESH}
        return strangers | {name: track.at for name, track in seen if name not in usual or math.dist(track.at, usual[name]) > SAME_SPOT}

    def around(self, robot_map: RobotMap, xy: Point2, now: float) -> tuple[str, ...]:
        """Who is in view and in the same room as that point, m."""
        here = robot_map.room_at(xy)
        return tuple(name for name, track in self._seen(now).items() if here and robot_map.room_at(track.at) == here)

    def looks(self, people: Collection[str], now: float) -> tuple[PersonLook, ...]:
        """How these people look: P of each label that was reported in the last seconds."""
        found = []
        for person in people:
            glances = [glance for glance in self._looks.get(person, ()) if now - glance[0] <= GLANCE]
            found += [PersonLook(person, look, p) for look, p in sorted(posterior(glances).items())]
        return tuple(found)

    def last(self, person_id: str, now: float) -> Point2 | None:
        """Where the person was last seen, unless that is too long ago to mean anything."""
        track = self._tracks.get(person_id)
        return track.at if track is not None and now - track.stamp <= REMEMBERED else None

    def still_for(self, person_id: str, now: float) -> float:
        """For how long the person has stood still, s; 0 for one who is not in view."""
        track = self._seen(now).get(person_id)
        return now - track.since if track is not None else 0.0

    def _seen(self, now: float) -> dict[str, _Track]:
        """Who is in view."""
        return {name: track for name, track in self._tracks.items() if now - track.stamp <= FRESH}


def standing(person_id: str, at: Point2, seen_from: Point2, height: float) -> Standing:
    """A person who was seen there, turned to whoever sees them: nothing tells where they look, and they will turn to be given things."""
    away = math.dist(at, seen_from)
    x, y = at
    if away > ARM:
        x, y = x + ARM * (seen_from[0] - x) / away, y + ARM * (seen_from[1] - y) / away
    return Standing(person_id, *at, (x, y, height), tracked=True)
