"""Why an action ended, in one line for a person."""

from __future__ import annotations

import math

from sayso.domain.model import Domain
from sayso.domain.states import IN_WORDS
from sayso.domain.vocabulary import parse_literal
from sayso.domain.wording import called, capitalised, filled, listed, spoken_action
from sayso.planning.belief import TRIES, WorldBelief
from sayso.planning.facts import Facts
from sayso.types import Action, SkillCall

# Wording of failed skills; other skills are called by their names.
_COULD_NOT = {
    "navigate_to": "get to {goal}",
    "look_for": "look for {theme}",
    "approach": "get to {recipient}",
    "pick": "pick up {theme}",
    "place": "put {theme} on {goal}",
    "hand_over": "hand {theme} to {recipient}",
    "stow": "put {theme} into the basket",
    "unstow": "take {theme} out of the basket",
    "open": "open {theme}",
    "close": "close {theme}",
    "switch_on": "switch {theme} on",
    "switch_off": "switch {theme} off",
    "pour": "pour {theme} into {goal}",
    "point": "point at {theme}",
    "point_to_place": "point at {theme}",
    "point_to_person": "point at {theme}",
    "follow": "follow {recipient}",
    "guide": "guide {recipient} to {goal}",
}


def why_done(belief: WorldBelief, action: Action) -> str:
    """Why nothing remains to be done, once the action's goal holds."""
    place = action.argument("goal")
    if place and belief.domain.actions[action.name].goal == ("robot_at(goal)",):
        return f"I am at {called(belief.domain, place)}."
    for literal in belief.domain.actions[action.name].goal:
        predicate, roles = parse_literal(literal)
        if predicate in IN_WORDS and len(roles) == 1 and action.argument(roles[0]):
            verb = "are" if called(belief.domain, action.argument(roles[0])).endswith("s") else "is"
            return f"{capitalised(called(belief.domain, action.argument(roles[0])))} {verb} {IN_WORDS[predicate]}."
    return "Done."


def why_given_up(belief: WorldBelief, action: Action, goal: Facts) -> str:
    """Why the goal is unreachable: no skill, repeated failure of a skill, or an unsuccessful search."""
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


def why_lacking(domain: Domain, action: Action, lacking: tuple[str, ...]) -> str:
    """Why an action cannot begin: the robot does not have these skills of the domain."""
    return f"I can't {spoken_action(domain, action)}: this robot has no skill {listed([repr(name) for name in lacking], 'or')}."


def why_charge_first(charge: float, use: float, reserve: float) -> str:
    """Why something is not begun with so little charge; all three are shares of a full battery."""
    kept = f", and I keep {100 * reserve:g}% in reserve" if reserve else ""
    return f"My battery is at {_per_cent(charge)}%. That would take about {math.ceil(100 * use)}%{kept}: I should charge first."


def why_out_of_charge(charge: float) -> str:
    """Why something is ended with so little charge, a share of a full battery."""
    return f"I stopped because my battery is at {_per_cent(charge)}%. I should charge now."


def spoken_call(domain: Domain, call: SkillCall) -> str:
    """A skill call in words: "pick up the red cup"."""
    return filled(domain, _COULD_NOT.get(call.name, call.name.replace("_", " ")), call.arguments)


def _per_cent(charge: float) -> int:
    """Whole per cent, rounded down; 0.03 of a message's float32 is 3."""
    return math.floor(100 * charge + 1e-3)


def _because(belief: WorldBelief, call: SkillCall) -> str:
    failure = belief.last_failure
    return f": {failure.reason.rstrip('.')}" if failure and failure.call == call and failure.reason else ""
