"""The contents of a domain file as checked, immutable objects: places, objects, people, skills, actions, intents and priors.

The docstring under a field is its documentation: docs/home-reference.md, the editors' JSON Schema and error messages are made from it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from sayso.yaml_source import StrictModel

EntityKind = Literal["place", "object", "person", "quantity", "direction", "words"]
Probability = Annotated[float, Field(ge=0.0, le=1.0)]
Weight = Annotated[float, Field(ge=0.0)]
Positive = Annotated[float, Field(gt=0.0)]
Hour = Annotated[float, Field(ge=0.0, le=24.0)]
_LITERAL = re.compile(r"^(?P<name>[a-z_]+)\((?P<arguments>[a-z_, *]*)\)$")
ANY = "*"  # in `removes`: any argument


def _literal(text: str) -> str:
    if not _LITERAL.match(text) or ANY in text:
        raise ValueError(f"'{text}' is not of the form predicate(argument, …); in a [list] of YAML, quote what holds a comma")
    return text


def _named(text: str) -> str:
    if not text.strip():
        raise ValueError("a name must not be empty")
    return text


def _pattern(text: str) -> str:
    if any(ANY in argument and argument != ANY for argument in parse_literal(text)[1]):
        raise ValueError(f"'{text}': * stands for a whole argument")
    return text


Literal_ = Annotated[str, AfterValidator(_literal)]  # "holding(theme)": a predicate over arguments and constants
Pattern_ = Annotated[str, AfterValidator(_pattern)]  # "robot_at(*)": a literal, or every literal of that form
Name = Annotated[str, AfterValidator(_named)]


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

    names: tuple[Name, ...] = ()
    """What people call it; the robot uses the first name. Default: the id, with spaces."""

    def spoken(self, entity_id: str) -> str:
        """The name that the robot uses for it."""
        return self.names[0] if self.names else entity_id.replace("_", " ")


class Place(Entity):
    """A room, a piece of furniture in a room, or a spot on the floor."""

    kind: Literal["room", "furniture", "spot"] = "furniture"
    """What sort of place it is."""
    inside: str = ""
    """Id of the place that contains it: the room of a table."""
    pose: tuple[float, float, float]
    """[x, y, yaw] in m, m, rad in the map frame: where the robot stands to be there."""
    surface: bool = False
    """Whether things can be put on it."""


class Thing(Entity):
    """An object that commands can be about."""

    care: float = Field(default=1.0, ge=1.0)
    """How many times as much a mistake with it costs: 5 for hot soup or a knife."""
    category: Name
    """What it is called without its attributes: "cup"."""
    attributes: dict[str, str] = Field(default_factory=dict)
    """Words that tell it from others of its category: {color: red, size: small}."""
    usual: dict[str, Weight] = Field(default_factory=dict)
    """Place id → weight: where it tends to be."""


class Person(Entity):
    """Someone who speaks to the robot, or whom commands can be about."""

    usual: dict[str, Weight] = Field(default_factory=dict)
    """Place id → weight: where the person tends to be."""


class Skill(StrictModel):
    """Something that the robot can do by itself, behind the ExecuteSkill action."""

    arguments: dict[str, EntityKind] = Field(default_factory=dict)
    """Argument → kind of its value."""
    requires: tuple[Literal_, ...] = ()
    """Facts that must hold before: "holding(theme)"."""
    effects: tuple[Literal_, ...] = ()
    """Facts that hold after it succeeded."""
    removes: tuple[Pattern_, ...] = ()
    """Facts that no longer hold after it succeeded; * stands for any argument."""
    failure_removes: tuple[Pattern_, ...] = ()
    """Facts that no longer hold after it failed; * stands for any argument."""
    senses: str = ""
    """The argument that it looks for. The skill can succeed only where that object is, and then does so with `success`."""
    success: Probability = 1.0
    """Probability that it succeeds."""
    seconds: Positive = 1.0
    """Expected duration in s, without the way there."""
    speed: Weight = 0.0
    """Speed in m/s of a skill that drives to its place or person; 0: it stays where it is."""


class ActionSpec(StrictModel):
    """Something that a person may want done: a goal for the planner, and the cost of a mistake."""

    goal: tuple[Literal_, ...] = ()
    """Facts over the action's roles that must hold in the end. Without a goal the action is understood and declined by name."""
    say: str = ""
    """What the robot calls it: "bring {theme} to {recipient}". Default: the action's name."""
    defaults: dict[str, str] = Field(default_factory=dict)
    """Role → value, where neither the words nor the intent's role give one."""
    ask: dict[str, str] = Field(default_factory=dict)
    """Role → question where it is missing: "What should I bring {recipient}?"."""
    confirm: str = ""
    """The yes/no question. Word it unlike the command, so that people notice a mishearing: "Should I fetch {theme}?"."""
    wrong: Weight = 1.0
    """Cost of doing it when it was not meant; doing the right thing is worth 1."""


class RoleSpec(StrictModel):
    """A role of an intent."""

    kinds: tuple[EntityKind, ...]
    """Kinds of values that can fill it."""
    required: bool = False
    """Whether the robot asks for it when it is missing."""
    default: str = ""
    """The value when none is said: an id, a literal value, or "speaker"."""
    surface: bool = False
    """Whether only places with `surface: true` can fill it."""


class IntentSpec(StrictModel):
    """A meaning that a clause can have, learnt from its examples."""

    roles: dict[str, RoleSpec] = Field(default_factory=dict)
    """The roles that its sentences fill: theme, goal, recipient, …"""
    actions: dict[str, Probability] = Field(default_factory=dict)
    """P(a | k): action → probability; sums to 1. Default: the action of the intent's own name."""
    prior: Positive = 1.0
    """Weight of P(k): how often people mean it."""
    examples: tuple[str, ...]
    """Sentences as people say them; {object}, {place}, {person}, {surface}, {number}, … stand for any such name."""


class When(StrictModel):
    """Conditions over the context; all that are given must hold. A role name ("theme") stands for the candidate's argument."""

    place: str | None = None
    """The robot is at or in this place."""
    holding: str | None = None
    """What is in the gripper: an object id, a role name, "any" or "none"."""
    visible: str | None = None
    """What the camera sees: an object id or a role name."""
    last_action: str | None = None
    """The action that was done last."""
    speaker: str | None = None
    """Id of the person who speaks."""
    battery_below: Probability | None = None
    """The battery's charge is below this share."""
    hours: tuple[Hour, Hour] | None = None
    """[from, to) in hours of local time; may pass midnight: [22, 6]."""


class Factor(StrictModel):
    """Multiplies P(a | ctx) of some actions in a certain context."""

    name: str
    """What `sayso ask --explain` calls it."""
    when: When
    """The context that it applies to."""
    actions: tuple[str, ...] = ()
    """The actions that it applies to. Default: all."""
    factor: Positive
    """Above 1: more probable; below 1: less probable."""


class Priors(StrictModel):
    """P(a | ctx) ∝ weight(a) · ∏ factors that apply."""

    actions: dict[str, Weight] = Field(default_factory=dict)
    """Action → weight. Default: 1; 0 rules the action out."""
    factors: tuple[Factor, ...] = ()
    """What changes the weights in which context."""
    context_within: Positive = 5.0
    """Age in s from which the context is too old: no factor applies then."""


class Decisions(StrictModel):
    """Costs of choosing between execute, confirm, ask and reject; doing the right thing is worth 1."""

    confirm: Weight = 0.15
    """Cost of a yes/no question."""
    ask: Weight = 0.25
    """Cost of an open question, or of a choice."""
    reject: Weight = 0.5
    """Cost of turning down a command that was meant."""
    options: int = Field(default=3, ge=2)
    """How many options a question offers at most."""


class Domain(StrictModel):
    """A home and its robot, as the domain file describes them."""

    name: str
    """Name of the home, for people."""
    robot: str = "the robot"
    """What the robot is called."""
    speaker: str
    """Id of the person who speaks where the context does not say."""
    scene: str = ""
    """Scene file of the simulation and of the robot's map, relative to the domain file; or "sayso:scenes/apartment.yaml"."""
    places: dict[str, Place]
    """Place id → room, furniture or spot."""
    objects: dict[str, Thing]
    """Object id → thing."""
    people: dict[str, Person]
    """Person id → person."""
    skills: dict[str, Skill]
    """Skill → what the robot can do; include sayso:skills.yaml for those of Sayso."""
    actions: dict[str, ActionSpec]
    """Action → what people may want done; include sayso:skills.yaml for those of Sayso."""
    intents: dict[str, IntentSpec]
    """Intent → how people say it; include sayso:intents.yaml for those of Sayso."""
    priors: Priors = Priors()
    """How probable each action is, in which context."""
    decisions: Decisions = Decisions()
    """What questions and mistakes cost."""
    chatter: tuple[str, ...] = ()
    """Sentences that are not commands, to learn from."""

    @property
    def by_kind(self) -> Mapping[str, Mapping[str, Entity]]:
        """The entities by id, for each kind that has ids: "place", "object", "person"."""
        return {"place": self.places, "object": self.objects, "person": self.people}

    def entity(self, entity_id: str) -> Entity | None:
        """The place, object or person of that id, or None."""
        return self.places.get(entity_id) or self.objects.get(entity_id) or self.people.get(entity_id)

    def spoken(self, entity_id: str) -> str:
        """What the robot calls it: "the red cup"; other texts stay as they are."""
        if entity_id in self.people:
            return self.people[entity_id].spoken(entity_id)
        entity = self.entity(entity_id)
        if entity is None:
            return entity_id
        name = entity.spoken(entity_id)
        return name if name.startswith(("the ", "my ")) else f"the {name}"

    def room_of(self, place_id: str) -> str:
        """The outermost place that contains it, or itself."""
        while self.places[place_id].inside:
            place_id = self.places[place_id].inside
        return place_id
