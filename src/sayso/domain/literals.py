"""Checks of literals: predicates that no skill brings about, wrong numbers of arguments, and arguments that do not exist."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sayso.domain.model import Domain, Skill
from sayso.domain.vocabulary import ANY, parse_literal
from sayso.yaml_source import Contradiction, Location, choices, listed, unknown

# The planner's initial knowledge, from the context (sayso.planning.belief.begin): predicate → arguments.
GIVEN = {"robot_at": 1, "holding": 1, "hand_empty": 0, "hears": 1}
CONDITIONS = ("requires", "removes", "failure_removes")  # must name facts that can hold; effects say which


def wrong_literals(domain: Domain) -> Iterator[Contradiction]:
    """Every literal of skills and goals that cannot hold or be reached."""
    effects: dict[str, set[int]] = {}  # predicate → numbers of arguments
    for skill in domain.skills.values():
        for effect in skill.effects:
            predicate, arguments = parse_literal(effect)
            effects.setdefault(predicate, set()).add(len(arguments))
    possible = {name: set(counts) for name, counts in effects.items()}
    for predicate, count in GIVEN.items():
        possible.setdefault(predicate, set()).add(count)
    for skill_id, skill in domain.skills.items():
        yield from _of_skill(("skills", skill_id), skill, possible)
    yield from _of_goals(domain, effects)


def _of_skill(location: Location, skill: Skill, possible: Mapping[str, set[int]]) -> Iterator[Contradiction]:
    if skill.senses and skill.arguments.get(skill.senses) not in ("object", "place"):
        possible_ones = [name for name, kind in skill.arguments.items() if kind in ("object", "place")]
        yield (
            (*location, "senses"),
            f"'{skill.senses}' is not an argument of kind object or place; known: {listed(possible_ones) or 'none'}",
        )
    for name in skill.needs:
        if skill.arguments.get(name) not in ("place", "object"):
            able = [each for each, kind in skill.arguments.items() if kind in ("place", "object")]
            yield (*location, "needs", name), f"'{name}' is not an argument of kind place or object; known: {listed(able) or 'none'}"
    yield from _of_optional(location, skill)
    for key in ("effects", *CONDITIONS):
        for index, literal in enumerate(getattr(skill, key)):
            predicate, arguments = parse_literal(literal)
            for argument in arguments:
                if argument != ANY and argument not in skill.arguments:
                    known = f"known: {listed(skill.arguments) or 'none'}"
                    yield (*location, key, index), f"'{argument}' is not an argument of the skill; {known}"
            if key in CONDITIONS and predicate not in possible:
                message = unknown("predicate", predicate, possible)
                yield (*location, key, index), f"{message}; it must be among the 'effects' of a skill, or given: {listed(GIVEN)}"
            elif key in CONDITIONS and len(arguments) not in possible[predicate]:
                yield (*location, key, index), _wrong_count(predicate, len(arguments), possible)


def _of_optional(location: Location, skill: Skill) -> Iterator[Contradiction]:
    for index, name in enumerate(skill.optional):
        if name not in skill.arguments:
            yield (*location, "optional", index), f"'{name}' is not an argument of the skill; known: {listed(skill.arguments) or 'none'}"
        elif any(name in parse_literal(literal)[1] for literal in (*skill.effects, *skill.requires)):
            yield (*location, "optional", index), f"'{name}' is in the effects or in what it requires, so it is not optional"


def _of_goals(domain: Domain, effects: Mapping[str, set[int]]) -> Iterator[Contradiction]:
    for action_id, action in domain.actions.items():
        roles = roles_of(domain, action_id)
        for index, literal in enumerate(action.goal):
            predicate, arguments = parse_literal(literal)
            location = ("actions", action_id, "goal", index)
            if predicate not in effects:
                yield location, f"no skill has '{predicate}' among its 'effects'; {choices(predicate, effects)}"
            elif len(arguments) not in effects[predicate]:
                yield location, _wrong_count(predicate, len(arguments), effects)
            for argument in arguments if roles is not None else ():
                if argument not in (roles or ()):
                    yield location, f"{unknown('role', argument, roles or ())}; roles come from the intents that lead to this action"


def roles_of(domain: Domain, action_id: str) -> set[str] | None:
    """The roles that the action can have a value for; None where no intent leads to it, so that they are not known."""
    leading = [intent for intent in domain.intents.values() if action_id in intent.actions]
    if not leading:
        return None
    return {*domain.actions[action_id].defaults, *(role for intent in leading for role in intent.roles)}


def _wrong_count(predicate: str, count: int, known: Mapping[str, set[int]]) -> str:
    wanted = " or ".join(str(number) for number in sorted(known[predicate]))
    return f"'{predicate}' has {wanted} argument{'' if wanted == '1' else 's'}, here {'is' if count == 1 else 'are'} {count}"
