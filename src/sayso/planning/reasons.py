"""Why an action is over, in one line for a person."""

from __future__ import annotations

from sayso.domain.model import Domain
from sayso.domain.wording import called, filled, listed, spoken_action
from sayso.planning.belief import TRIES, WorldBelief
from sayso.planning.facts import Facts
from sayso.types import Action, SkillCall

# What the robot could not do, by skill; any other is called by its name.
_COULD_NOT = {
    "navigate_to": "get to {goal}",
    "look_for": "look for {theme}",
    "approach": "get to {recipient}",
    "pick": "pick up {theme}",
    "place": "put {theme} on {goal}",
    "hand_over": "hand {theme} to {recipient}",
}


def why_done(belief: WorldBelief, action: Action) -> str:
    """Why there is nothing (more) to do; `action` has its goal."""
    place = action.argument("goal")
    if place and belief.domain.actions[action.name].goal == ("robot_at(goal)",):
        return f"I am at {called(belief.domain, place)}."
    return "Done."


def why_given_up(belief: WorldBelief, action: Action, goal: Facts) -> str:
    """Why the goal is out of reach: no skill, a skill that failed too often, or a search without success."""
    domain = belief.domain
    if not goal:
        return f"I can't {spoken_action(domain, action)}."
    lines: list[str] = []
    for _, value in action.arguments:
        looked = list(dict.fromkeys(place for thing, place in belief.misses if thing == value and place))
        if looked and value not in belief.sighted:
            lines.append(f"I looked at {listed([called(domain, place) for place in looked])} and did not find {called(domain, value)}.")
        elif looked:
            lines.append(f"I could not find {called(domain, value)} again.")
    stuck = [call for call, count in belief.failures.items() if count >= TRIES]
    lines.extend(f"I could not {spoken_call(domain, call)}{_because(belief, call)}." for call in stuck)
    return " ".join(lines) or f"I don't know how to {spoken_action(domain, action)}."


def spoken_call(domain: Domain, call: SkillCall) -> str:
    """What the robot calls a skill: "pick up the red cup"."""
    return filled(domain, _COULD_NOT.get(call.name, call.name.replace("_", " ")), call.arguments)


def _because(belief: WorldBelief, call: SkillCall) -> str:
    failure = belief.last_failure
    return f": {failure.reason.rstrip('.')}" if failure and failure.call == call and failure.reason else ""
