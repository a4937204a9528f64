"""What a domain file says, as checked, immutable objects: places, objects, people, skills, actions, intents and priors."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from sayso.yaml_source import StrictModel

EntityKind = Literal["place", "object", "person", "quantity", "direction", "words"]
Probability = Annotated[float, Field(ge=0.0, le=1.0)]
Weight = Annotated[float, Field(ge=0.0, allow_inf_nan=False)]
_LITERAL = re.compile(r"^(?P<name>[a-z_]+)\((?P<arguments>[a-z_, *]*)\)$")
ANY = "*"  # in `removes`: whatever the argument is


def _literal(text: str) -> str:
    if not _LITERAL.match(text) or ANY in text:
        raise ValueError(f"'{text}' is not of the form predicate(argument, …); in a [list] of YAML, quote what holds a comma")
    return text


def _pattern(text: str) -> str:
    if any(ANY in argument and argument != ANY for argument in parse_literal(text)[1]):
        raise ValueError(f"'{text}': * stands for a whole argument")
    return text


Literal_ = Annotated[str, AfterValidator(_literal)]  # "holding(theme)": a predicate over arguments and constants
Pattern_ = Annotated[str, AfterValidator(_pattern)]  # "robot_at(*)": a literal, or every literal of that form


@lru_cache(maxsize=1024)
def parse_literal(text: str) -> tuple[str, tuple[str, ...]]:
    """Split “has(recipient, theme)” → ("has", ("recipient", "theme"))."""
    match = _LITERAL.match(text)
    if match is None:
        raise ValueError(f"'{text}' is not of the form predicate(argument, …); in a [list] of YAML, quote what holds a comma")
    arguments = tuple(part.strip() for part in match["arguments"].split(",") if part.strip())
    return match["name"], arguments


class Entity(StrictModel):
    """Something that has names: a place, an object or a person."""

    names: tuple[str, ...] = ()  # as people say them; the first is what the robot says. Default: the id with spaces

    def spoken(self, entity_id: str) -> str:
        """The name that the robot uses for it."""
        return self.names[0] if self.names else entity_id.replace("_", " ")


class Place(Entity):
    """A room, a piece of furniture in it, or a spot on the floor."""

    kind: Literal["room", "furniture", "spot"] = "furniture"
    inside: str = ""  # the place that contains it
    pose: tuple[float, float, float]  # x, y (m), yaw (rad) in the map frame: where the robot stands to be at it
    surface: bool = False  # things can be put on it


class Thing(Entity):
    """An object that commands may be about."""

    care: float = Field(default=1.0, ge=1.0, allow_inf_nan=False)  # a mistake with it costs so many times as much: hot soup, a knife
    category: str  # what it is called when its attributes are left out: "cup"
    attributes: dict[str, str] = Field(default_factory=dict)  # {"color": "red", "size": "small"}
    usual: dict[str, float] = Field(default_factory=dict)  # place id → weight: where it tends to be


class Person(Entity):
    """Someone who speaks to the robot or is spoken of."""

    usual: dict[str, float] = Field(default_factory=dict)  # place id → weight


class Skill(StrictModel):
    """Something that the robot can do by itself, behind the ExecuteSkill action."""

    arguments: dict[str, EntityKind] = Field(default_factory=dict)
    requires: tuple[Literal_, ...] = ()  # must hold before
    effects: tuple[Literal_, ...] = ()  # hold afterwards, if it succeeds
    removes: tuple[Pattern_, ...] = ()  # hold no longer, if it succeeds
    failure_removes: tuple[Pattern_, ...] = ()  # hold no longer, if it fails
    senses: str = ""  # the object it looks for: it can succeed only where that is, and then does so with `success`
    success: Probability = 1.0
    seconds: float = Field(default=1.0, gt=0.0)  # expected duration, without the way
    speed: float = Field(default=0.0, ge=0.0)  # m/s, of a skill that drives to its place or person; 0: it stays


class ActionSpec(StrictModel):
    """Something that a person may want done: a goal for the planner, and what a mistake costs."""

    goal: tuple[Literal_, ...] = ()  # literals over the action's roles; empty: no skill for it, so it is declined by name
    say: str = ""  # what the robot calls it: "bring {theme} to {recipient}". Default: the name and its arguments
    defaults: dict[str, str] = Field(default_factory=dict)  # arguments where neither the words nor the intent's role give one
    ask: dict[str, str] = Field(default_factory=dict)  # role → question where it is missing: "What should I bring {recipient}?"
    confirm: str = ""  # the yes/no question, in other words than people order it: "Should I fetch {theme} and hand it to {recipient}?"
    wrong: Weight = 1.0  # cost of doing it when it was not meant, in units of doing the right thing


class RoleSpec(StrictModel):
    """A role that an intent has."""

    kinds: tuple[EntityKind, ...]
    required: bool = False
    default: str = ""  # an entity id, a literal, or "speaker"
    surface: bool = False  # only places on which things can be put


class IntentSpec(StrictModel):
    """A meaning that a clause may have, learnt from its examples."""

    roles: dict[str, RoleSpec] = Field(default_factory=dict)
    actions: dict[str, Probability] = Field(default_factory=dict)  # P(a | k); default {the intent's own name: 1}
    prior: float = Field(default=1.0, gt=0.0)  # weight of P(k): how often people mean it
    examples: tuple[str, ...]  # sentences; {object}, {place}, {person}, {surface}, {number}, {direction} stand for any such name


class When(StrictModel):
    """Conditions over the context; all that are given must hold. A role name ("theme") stands for the candidate's argument."""

    place: str | None = None  # the robot is in it
    holding: str | None = None  # an object id, a role name, "any" or "none"
    visible: str | None = None  # an object id or a role name
    last_action: str | None = None
    speaker: str | None = None
    battery_below: Probability | None = None
    hours: tuple[float, float] | None = None  # local time, [from, to), may pass midnight


class Factor(StrictModel):
    """P(a | ctx) is multiplied by `factor` for these actions when the context is so."""

    name: str
    when: When
    actions: tuple[str, ...] = ()  # empty: all of them
    factor: float = Field(gt=0.0, allow_inf_nan=False)


class Priors(StrictModel):
    """P(a | ctx) ∝ weight(a) · ∏ factors that apply."""

    actions: dict[str, Weight] = Field(default_factory=dict)  # weights, 1 where not given; 0: never
    factors: tuple[Factor, ...] = ()
    context_within: float = Field(default=5.0, gt=0.0)  # s; what is known of the robot's situation is too old after that: no factors


class Decisions(StrictModel):
    """Costs and thresholds of choosing between execute, confirm, ask and reject, in units of doing the right thing."""

    confirm: float = Field(default=0.15, ge=0.0)  # cost of a yes/no question
    ask: float = Field(default=0.25, ge=0.0)  # cost of an open or a choice question
    reject: float = Field(default=0.5, ge=0.0)  # cost of turning down what was meant
    options: int = Field(default=3, ge=2)  # at most so many are offered


class Domain(StrictModel):
    """A home and its robot, as the domain file describes them."""

    name: str
    robot: str = "the robot"
    speaker: str  # id of the person who speaks where the context does not say
    scene: str = ""  # scene file of the embedded simulation, relative to the domain file
    places: dict[str, Place]
    objects: dict[str, Thing]
    people: dict[str, Person]
    skills: dict[str, Skill]
    actions: dict[str, ActionSpec]
    intents: dict[str, IntentSpec]
    priors: Priors = Priors()
    decisions: Decisions = Decisions()
    chatter: tuple[str, ...] = ()  # sentences that are no commands, to learn from

    @property
    def by_kind(self) -> Mapping[str, Mapping[str, Entity]]:
        """The entities by id of each kind that a role or a skill's argument may be of: "place", "object", "person"."""
        return {"place": self.places, "object": self.objects, "person": self.people}

    def entity(self, entity_id: str) -> Entity | None:
        """The place, object or person of that id, or None."""
        return self.places.get(entity_id) or self.objects.get(entity_id) or self.people.get(entity_id)

    def spoken(self, entity_id: str) -> str:
        """How the robot says it: "the red cup"; what is no entity is said as it stands."""
        if entity_id in self.people:
            return self.people[entity_id].spoken(entity_id)
        entity = self.entity(entity_id)
        if entity is None:
            return entity_id
        name = entity.spoken(entity_id)
        return name if name.startswith(("the ", "my ")) else f"the {name}"

    def room_of(self, place_id: str) -> str:
        """The outermost place that contains it (itself where nothing does)."""
        while self.places[place_id].inside:
            place_id = self.places[place_id].inside
        return place_id
