"""Whether the battery's charge suffices: for skills that are expected, for the way to the dock after them, and for the reserve.

Ways are straight lines, as everywhere in planning. At any charge the robot may drive to its dock, and run the skills that move nothing.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from sayso.domain.battery import DOCK, DOCKED, BatteryModel
from sayso.domain.model import Domain
from sayso.domain.vocabulary import MOTIONLESS
from sayso.planning.facts import ground_skill, position, travel_seconds
from sayso.planning.reasons import why_charge_first, why_out_of_charge
from sayso.types import Context, SkillCall

Point = tuple[float, float]


def too_much(domain: Domain, calls: Sequence[SkillCall], context: Context) -> str:
    """Why the calls must not begin, one line for a person; empty if they may, and where nothing is known of the battery."""
    battery = domain.battery
    if battery is None or not _limited(domain, calls):
        return ""
    used, at = expected_use(domain, battery, calls, (context.x, context.y))
    used += _to_dock(domain, battery, at)
    return why_charge_first(context.battery, used, battery.reserve) if context.battery < used + battery.reserve else ""


def too_low(domain: Domain, calls: Sequence[SkillCall], context: Context) -> str:
    """Why the calls must not go on, as above: no more than the reserve would be left at the dock."""
    battery = domain.battery
    if battery is None or not _limited(domain, calls):
        return ""
    least = _to_dock(domain, battery, (context.x, context.y)) + battery.reserve
    return why_out_of_charge(context.battery) if context.battery < least else ""


def expected_use(domain: Domain, battery: BatteryModel, calls: Sequence[SkillCall], start: Point) -> tuple[float, Point]:
    """The charge that the calls take one after the other, as a share of a full battery, and where the robot is in the end.

    Args:
        domain: has the skills of the calls.
        battery: its use.
        calls: as planned, if all goes as expected.
        start: (x, y) of the robot, m, map frame.
    """
    used, at = 0.0, start
    for call in calls:
        skill = ground_skill(domain, call)
        to = position(domain, DOCK if _docks(domain, call) else skill.destination) or at
        used += battery.use(skill.seconds + travel_seconds(at, to, skill.speed), math.dist(at, to))
        at = to
    return used, at


def _to_dock(domain: Domain, battery: BatteryModel, start: Point) -> float:
    """The charge that the way to the dock takes; 0 at the dock, and in a home without one."""
    docking = next((SkillCall(name) for name in domain.skills if _docks(domain, SkillCall(name))), None)
    if docking is None or position(domain, DOCK) in (None, start):
        return 0.0
    return expected_use(domain, battery, (docking,), start)[0]


def _limited(domain: Domain, calls: Sequence[SkillCall]) -> bool:
    """Whether one of the calls is neither the way to the dock nor without motion."""
    return any(not (call.name in MOTIONLESS or _docks(domain, call) or ground_skill(domain, call).destination == DOCK) for call in calls)


def _docks(domain: Domain, call: SkillCall) -> bool:
    return DOCKED in domain.skills[call.name].effects
