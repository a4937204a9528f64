"""Being near a person who may walk: driving to them, driving behind them, looking for one who is out of sight."""

from __future__ import annotations

import math

import numpy as np

from sayso.domain.wording import called
from sayso.robot.body import RobotState
from sayso.robot.follow import PathFollower, Ramp
from sayso.robot.geometry import Point2, Standing
from sayso.robot.skill import Asking, Skill, SkillFailed, Step
from sayso.robot.stand import come_near
from sayso.types import FloatArray

BEFORE = (0.75, 0.95)  # m from the middle of a tracked person: near enough to hand something over
MOVED = 0.5  # m: a person who has moved this far is driven to anew
CHASE = 60.0  # s: longer than this, the robot does not run after anybody
REPLAN = 0.3  # m that a person walks until the robot plans its way anew
SLACK = 0.2  # m more than its distance: a robot that stands stays, since the tracker is noisy
FACING = 0.3  # rad: a robot that stands turns to a person who is further to the side
SEARCH = 8.0  # s to look for a person where they were last seen
LOOKING = 0.8  # rad/s
CROWDED = 0.7  # m: a person who comes this near wants to pass, and the robot goes out of their way


def come_to(body: RobotState, person_id: str, status: str) -> Skill:
    """Drive to a person until their hand is within reach, and face them; if they walk meanwhile, to where they are then.

    Raises:
        SkillFailed: nobody knows where the person is, they are not where they were, or they keep walking away.
    """
    began = body.now
    while body.now - began <= CHASE:
        person = body.person(person_id)
        arrived = yield from _up_to(body, person, status)
        if not arrived:
            continue
        if body.people.silent(body.now) or body.people.in_view(person_id, body.now) is not None:
            return
        found = yield from _watched(body, person_id, _turning(body, f"looking for {called(body.domain, person_id)}"))
        if not found:
            raise SkillFailed(f"{called(body.domain, person_id)} is not {near(body, (person.x, person.y))}")
    raise SkillFailed(f"{called(body.domain, person_id)} keeps walking away")


def near(body: RobotState, point: Point2) -> str:
    """Say where a point is: "near the kitchen table"; "here" if that is no place."""
    place = body.map.place_at(point)
    return f"near {body.spoken(place)}" if place else "here"


def tracked(body: RobotState, doing: str) -> None:
    """Fail unless the robot has a tracker that works; `doing` is what it can't do without: "follow Anna"."""
    if body.people.silent(body.now):
        raise SkillFailed(f"I can't {doing}: nothing tells me where people are")


def seek(body: RobotState, person_id: str) -> Skill:
    """Drive to where the person was last seen, and turn round there, until they are in view again.

    Raises:
        SkillFailed: they are not, after some seconds there, or the tracker has gone silent.
    """
    last, who = body.people.last(person_id, body.now), called(body.domain, person_id)
    if last is None:
        raise SkillFailed(f"I don't see {who}")
    for search in (body.follow(last, None, f"looking for {who}"), _turning(body, f"looking for {who}")):
        found = yield from _watched(body, person_id, search)
        if found:
            return
    raise SkillFailed(f"I lost {who} {near(body, last)}")


def _watched(body: RobotState, person_id: str, search: Skill) -> Asking[bool]:
    """Search until the person is in view; whether they are."""
    try:
        for step in search:
            if body.people.in_view(person_id, body.now) is not None:
                return True
            tracked(body, f"find {called(body.domain, person_id)}")
            yield step
    finally:
        search.close()
        body.robot.drive(0.0, 0.0)
    return body.people.in_view(person_id, body.now) is not None


def _turning(body: RobotState, status: str) -> Skill:
    began, ramp = body.now, Ramp(body.limits)
    while body.now - began < SEARCH:
        body.robot.drive(*ramp(0.0, LOOKING, body.now))
        yield Step(status)


class Pursuit:
    """Drives behind a moving point, and comes to rest at a distance from it, facing it. One call a tick."""

    def __init__(self, body: RobotState, distance: float) -> None:
        """`distance` in m, along the way."""
        self._body, self._distance = body, distance
        self._ramp = Ramp(body.limits)
        self._follower: PathFollower | None = None
        self._target: Point2 = (math.inf, math.inf)
        self._leg: Skill | None = None  # with a navigator
        self._gives_way = False  # is the follower on a way out of the person's way?

    def __call__(self, target: Point2) -> None:
        """Set the speed for this tick."""
        body = self._body
        near = self._distance + (SLACK if self._follower is None else 0.0)
        if self._leg is None and body.pose.distance(target) <= near and not body.map.separated(body.pose.xy, target):
            self._stay_with(target)
            return
        self._gives_way = False
        if body.navigator is not None:
            self._by_navigator(target)
            return
        if self._follower is None or self._follower.arrived or math.dist(self._target, target) > REPLAN:
            self._target, self._follower = target, PathFollower(self._way(target), None, body.map, body.limits, self._ramp)
        body.robot.drive(*self._follower(body.pose, body.now))

    def close(self) -> None:
        """Come to rest."""
        if self._leg is not None:
            self._leg.close()
            self._leg = None
        self._body.robot.drive(0.0, 0.0)

    def _stay_with(self, target: Point2) -> None:
        """Turn to the point, and go out of the way of whoever comes very near: the robot may stand in their door."""
        body = self._body
        if self._follower is None or not self._gives_way or self._follower.arrived:
            spot = self._out_of_the_way(target) if body.pose.distance(target) < CROWDED else None
            self._gives_way, self._follower = spot is not None, None
            if spot is not None:
                self._follower = PathFollower(body.planner(body.pose.xy, spot), None, body.map, body.limits, self._ramp)
        if self._follower is not None:
            body.robot.drive(*self._follower(body.pose, body.now))
            return
        aside = body.pose.bearing(target)
        w = math.copysign(min(1.5 * abs(aside), body.limits.turning), aside) if abs(aside) > FACING else 0.0
        body.robot.drive(*self._ramp(0.0, w, body.now))

    def _out_of_the_way(self, target: Point2) -> Point2 | None:
        """The free spot at the robot's distance from the point that is cheapest to reach; None if there is none."""
        body = self._body
        x, y = body.map.centres
        return body.planner.cheapest(body.pose.xy, np.hypot(x - target[0], y - target[1]) >= self._distance)

    def _way(self, target: Point2) -> FloatArray:
        """(N, 2) m: the path to the point, without its last metres."""
        body = self._body
        path = body.planner(body.pose.xy, body.map.nearest_free(target) or target)
        ahead = np.concatenate([np.cumsum(np.hypot(*np.diff(path, axis=0).T)[::-1])[::-1], [0.0]])
        return path[: max(2, int((ahead >= self._distance).sum()))]

    def _by_navigator(self, target: Point2) -> None:
        """Drive in legs, each to behind where the person was when it began: a navigation stack plans by itself."""
        if self._leg is None:
            x, y = self._way(target)[-1]
            self._leg = self._body.follow((float(x), float(y)), None, "")
        if next(self._leg, None) is None:
            self._leg = None


def _up_to(body: RobotState, person: Standing, status: str) -> Asking[bool]:
    """Drive there; True once the robot has arrived, False if the person has walked on."""
    middle, (nearest, farthest) = (person.x, person.y), BEFORE
    leg = come_near(body, (*middle, 0.0), status, farthest, nearest) if person.tracked else come_near(body, person.hand, status)
    try:
        for step in leg:
            at = body.people.in_view(person.name, body.now)
            if at is not None and math.dist(at, middle) > MOVED:
                return False
            yield step
    finally:
        leg.close()
    return True
