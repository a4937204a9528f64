"""Checks the effect of a sentence against the simulator's ground truth, not against the robot's own report."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import dist, hypot
from typing import Literal

from sayso.bags.messages import GroundTruth
from sayso.domain.model import Domain
from sayso.domain.states import OPPOSITE
from sayso.domain.vocabulary import parse_literal
from sayso.types import Action, ActionBelief, Outcome, Transcript

Expected = Literal["done", "asks", "no command", "as decided"]
STILL = 0.02  # m: a smaller motion of the robot is none
SETTLED = 0.01  # m: a smaller motion of an object is none
THERE = 0.5  # m from a place's pose: the robot is there
TOGETHER = 2.0  # m between the robot and the person whom it has followed
GUIDED = 1.6  # m from a place's pose: robot and person have arrived there
WALKED = 1.0  # m: a person who has not gone this far has not been followed anywhere


@dataclass(frozen=True, slots=True)
class Check:
    """One check."""

    what: str
    wanted: str
    found: str
    ok: bool


def judge(
    expected: Expected,
    domain: Domain,
    *,
    transcript: Transcript | None,
    belief: ActionBelief | None,
    outcome: Outcome | None,
    before: GroundTruth,
    after: GroundTruth,
) -> tuple[Check, ...]:
    """All checks of one sentence: the decision, the reported outcome, and the state of the world."""
    if transcript is None and expected == "no command":
        return (Check("heard", "no command", "nothing", ok=True), *_unmoved(before, after))
    if transcript is None:
        return (Check("heard", "a transcript", "none came", ok=False),)
    decision = belief.decision if belief else "reject" if transcript.rejected else "none"
    checks = [_decision(expected, decision)] if expected != "as decided" else []
    executes = decision == "execute" if expected == "as decided" else expected == "done"
    if not executes:
        return (*checks, *_unmoved(before, after))
    reported = "none came" if outcome is None else "done" if outcome.succeeded else f"not done: {outcome.reason}"
    checks.append(Check("the robot reports", "done", reported, ok=reported == "done"))
    for action in belief.chosen if belief else ():
        checks.extend(_goals(action, before, after, domain))
    return tuple(checks)


def _decision(expected: Expected, decision: str) -> Check:
    wanted = {"done": ("execute",), "asks": ("ask", "confirm"), "no command": ("reject",)}[expected]
    return Check("decision", " or ".join(wanted), decision, ok=decision in wanted)


def _unmoved(before: GroundTruth, after: GroundTruth) -> Iterator[Check]:
    moved = hypot(after.x - before.x, after.y - before.y)
    yield Check("the robot stays", f"moved < {100 * STILL:.0f} cm", f"{100 * moved:.1f} cm", ok=moved < STILL)
    taken = [name for name, place in after.locations.items() if before.locations.get(name) != place]
    shifted = [name for name, point in after.positions.items() if dist(point, before.positions.get(name, point)) > SETTLED]
    found = ", ".join(sorted({*taken, *shifted})) or "none"
    yield Check("objects moved", "none", found, ok=found == "none")
    if before.facts or after.facts:
        new = ", ".join(sorted(after.facts ^ before.facts)) or "none"
        yield Check("doors and appliances changed", "none", new, ok=new == "none")


def _goals(action: Action, before: GroundTruth, after: GroundTruth, domain: Domain) -> Iterator[Check]:
    """Checks of the action's goal literals. Some (seen, said) leave no trace in the world."""
    for literal in domain.actions[action.name].goal:
        predicate, roles = parse_literal(literal)
        yield from _goal(predicate, [action.argument(role) or role for role in roles], before, after, domain)


def _goal(predicate: str, values: list[str], before: GroundTruth, after: GroundTruth, domain: Domain) -> Iterator[Check]:
    match predicate:
        case "has":
            yield _location(values[1], values[0], after)
        case "on":
            yield _location(values[0], values[1], after)
        case "holding":
            yield _location(values[0], "gripper", after)
        case "docked":
            yield from _robot_at("dock", domain, after)
        case "robot_at":
            yield from _robot_at(values[0], domain, after)
        case "open" | "closed" | "powered" | "unpowered":
            yield _state(predicate, values[0], after)
        case "cleaned" | "poured":
            yield from _cleaned(values[0], after) if predicate == "cleaned" else _poured(values[0], values[1], after)
        case "pointed_at":
            yield from _pointed_at(values[0], domain, after)
        case "followed" | "guided":
            yield from _followed(values[0], before, after) if predicate == "followed" else _guided(values[0], values[1], domain, after)


def _cleaned(place: str, after: GroundTruth) -> Iterator[Check]:
    """No stain is left; a place that has never had one cannot show anything."""
    found = next((state for state in ("clean", "dirty") if f"{state}({place})" in after.facts), "")
    if found:
        yield Check(f"{place} is", "clean", found, ok=found == "clean")


def _poured(source: str, receiver: str, after: GroundTruth) -> Iterator[Check]:
    """The receiver holds some of it, and nothing went beside."""
    into = f"poured({source}, {receiver})" in after.facts
    yield Check(f"{source} is in", receiver, receiver if into else "elsewhere", ok=into)
    spilled = f"spilled({source})" in after.facts
    yield Check(f"{source} spilled", "nothing", "some" if spilled else "nothing", ok=not spilled)


def _pointed_at(thing: str, domain: Domain, after: GroundTruth) -> Iterator[Check]:
    """The arm and the robot's heading were in its direction. The simulation knows nothing of the domain's spots on the floor."""
    if thing in domain.places and domain.places[thing].kind == "spot":
        return
    others = ", ".join(sorted(each for each in after.facts if each.startswith("pointed_at("))) or "nothing"
    there = f"pointed_at({thing})" in after.facts
    yield Check(f"the arm pointed at {thing}", "within 10°", "within 10°" if there else others, ok=there)


def _followed(person: str, before: GroundTruth, after: GroundTruth) -> Iterator[Check]:
    """The person has walked, and the robot is near them in the end."""
    if person not in after.people:
        yield Check(f"{person} was followed", "known where", "unknown", ok=False)
        return
    x, y = after.people[person]
    walked, away = dist(before.people.get(person, (x, y)), (x, y)), hypot(after.x - x, after.y - y)
    yield Check(f"{person} has walked", f"{WALKED:.1f} m or more", f"{walked:.2f} m", ok=walked >= WALKED)
    yield Check(f"the robot is with {person}", f"within {TOGETHER:.1f} m", f"{away:.2f} m away", ok=away <= TOGETHER)


def _guided(person: str, place: str, domain: Domain, after: GroundTruth) -> Iterator[Check]:
    """The robot and the person are at the place."""
    if person not in after.people or place not in domain.places:
        yield Check(f"{person} was guided", "known where", "unknown", ok=False)
        return
    x, y, _ = domain.places[place].pose
    for who, at in ((person, after.people[person]), ("the robot", (after.x, after.y))):
        away = hypot(at[0] - x, at[1] - y)
        yield Check(f"{who} is at {place}", f"within {GUIDED:.1f} m", f"{away:.2f} m away", ok=away <= GUIDED)


def _robot_at(place: str, domain: Domain, after: GroundTruth) -> Iterator[Check]:
    if place in domain.places:
        x, y, _ = domain.places[place].pose
        away = hypot(after.x - x, after.y - y)
        yield Check(f"robot is at {place}", f"within {THERE:.1f} m", f"{away:.2f} m away", ok=away <= THERE)


def _location(object_id: str, wanted: str, after: GroundTruth) -> Check:
    found = after.locations.get(object_id, "nowhere")
    return Check(f"{object_id} is at", wanted, found, ok=found == wanted)


def _state(wanted: str, place: str, after: GroundTruth) -> Check:
    found = next((state for state in (wanted, OPPOSITE[wanted]) if f"{state}({place})" in after.facts), "neither")
    return Check(f"{place} is", wanted, found, ok=found == wanted)
