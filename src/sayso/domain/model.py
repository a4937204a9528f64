"""The contents of a domain file as checked, immutable objects: places, objects, people, skills, actions, intents and priors.

The docstring under a field is its documentation: docs/home-reference.md, the editors' JSON Schema and error messages are made from it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Literal

from pydantic import Field

from sayso.domain.battery import BatteryModel
from sayso.domain.costs import Decisions, Positive, Rewards, Weight
from sayso.domain.intents import IntentSpec
from sayso.domain.vocabulary import EntityKind, Hour, Literal_, Name, Pattern_, Probability
from sayso.yaml_source import StrictModel

Ability = Literal["opens", "switches", "wipes", "pours", "fills"]  # of a place or, the last two, of an object


class Entity(StrictModel):
    """Something that has names: a place, an object or a person."""

    names: tuple[Name, ...] = ()
    """Names that people use; the robot uses the first one. Default: the id, with spaces."""

    def known_as(self, entity_id: str) -> tuple[str, ...]:
        """All names that people use for it; without any, the id with spaces."""
        return self.names or (self.spoken(entity_id),)

    def spoken(self, entity_id: str) -> str:
        """The name that the robot uses for it."""
        return self.names[0] if self.names else entity_id.replace("_", " ")


class Place(Entity):
    """A room, a piece of furniture in a room, or a spot on the floor."""

    kind: Literal["room", "furniture", "spot"] = "furniture"
    """Kind of place."""
    inside: str = ""
    """Id of the place that contains it: the room of a table."""
    pose: tuple[float, float, float]
    """[x, y, yaw] in m, m, rad in the map frame: the robot's pose at this place."""
    surface: bool = False
    """Whether things can be put on it."""
    opens: bool = False
    """Whether the robot can open and close it: it has a door or a drawer."""
    stores: bool = False
    """Whether things are kept inside it, behind its door: the robot opens it to put something in or to take it out."""
    switches: bool = False
    """Whether the robot can switch it on and off."""
    wipes: bool = False
    """Whether the robot can wipe its top."""

    @property
    def takes(self) -> bool:
        """Whether things can be put on it or in it."""
        return self.surface or self.stores


class Thing(Entity):
    """An object that occurs in commands."""

    care: float = Field(default=1.0, ge=1.0)
    """Factor on the cost of a mistake with it: 5 for hot soup or a knife."""
    category: Name
    """Its name without attributes: "cup"."""
    attributes: dict[str, str] = Field(default_factory=dict)
    """Words that distinguish it from others of its category: {color: red, size: small}."""
    usual: dict[str, Weight] = Field(default_factory=dict)
    """Place id → weight: its likely places."""
    size: Weight = 0.0
    """Its largest dimension in m, for "the biggest box"; 0: unknown."""
    thickness: Weight = 0.0
    """Its smallest dimension in m, for "the thinnest book"; 0: unknown."""
    weight: Weight = 0.0
    """Its mass in kg, for "the heaviest bottle"; 0: unknown."""
    owner: str = ""
    """Id of the person it belongs to, for "Anna's book"."""
    uses: tuple[Name, ...] = ()
    """Verbs of what it is good for: [drink] for "something to drink"."""
    pours: bool = False
    """Whether the robot can pour out of it."""
    fills: bool = False
    """Whether the robot can pour something into it."""


class Person(Entity):
    """A person who speaks to the robot, or who occurs in commands."""

    usual: dict[str, Weight] = Field(default_factory=dict)
    """Place id → weight: the person's likely places."""


class Skill(StrictModel):
    """An ability of the robot, behind the ExecuteSkill action."""

    arguments: dict[str, EntityKind] = Field(default_factory=dict)
    """Argument → kind of its value."""
    needs: dict[str, Ability] = Field(default_factory=dict)
    """Argument of kind place or object → what it must be able to do: {theme: opens}."""
    requires: tuple[Literal_, ...] = ()
    """Facts that must hold before: "holding(theme)"."""
    optional: tuple[str, ...] = ()
    """Arguments that no effect needs: what was said for the role of that name, or nothing."""
    until_told: bool = False
    """Whether it goes on until somebody ends it, unless one of its optional arguments was said."""
    effects: tuple[Literal_, ...] = ()
    """Facts that hold after it succeeded."""
    removes: tuple[Pattern_, ...] = ()
    """Facts that no longer hold after it succeeded; * stands for any argument."""
    failure_removes: tuple[Pattern_, ...] = ()
    """Facts that no longer hold after it failed; * stands for any argument."""
    senses: str = ""
    """What it looks for: an object, which it finds only at its place; or a place, of which it sees each object (`success`)."""
    success: Probability = 1.0
    """Probability that it succeeds."""
    false_alarm: Annotated[float, Field(ge=0.0, lt=1.0)] = 0.0
    """Of a skill that senses: probability that it finds the object where it is not."""
    seconds: Positive = 1.0
    """Expected duration in s, without the way there."""
    speed: Weight = 0.0
    """Speed in m/s of a skill that drives to its place or person; 0: it stays where it is."""


class ActionSpec(StrictModel):
    """A thing to do for a person: a goal for the planner, and the cost of a mistake."""

    goal: tuple[Literal_, ...] = ()
    """Facts over the action's roles that must hold in the end. The robot understands an action without a goal and declines it by name."""
    say: str = ""
    """The robot's words for it: "bring {theme} to {recipient}". Default: the action's name."""
    defaults: dict[str, str] = Field(default_factory=dict)
    """Role → value, if neither the words nor the intent's role give one."""
    ask: dict[str, str] = Field(default_factory=dict)
    """Role → question if it is missing: "What should I bring {recipient}?"."""
    confirm: str = ""
    """The yes/no question. Word it unlike the command, so that people notice a mishearing: "Should I fetch {theme}?"."""
    wrong: Weight = 1.0
    """Cost of doing it when it was not meant; doing the right thing is worth 1."""


class When(StrictModel):
    """Conditions over the context; all that are given must hold. A role name ("theme") stands for the candidate's argument."""

    place: str | None = None
    """The robot is at or in this place."""
    holding: str | None = None
    """The object in the gripper: an object id, a role name, "any" or "none"."""
    visible: str | None = None
    """An object that the camera sees: its id or a role name."""
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
    """Its name in `sayso ask --explain`."""
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
    """Factors on the weights in certain contexts."""
    context_within: Positive = 5.0
    """Age in s from which the context is too old: no factor applies then."""


class Domain(StrictModel):
    """A home and its robot, as the domain file describes them."""

    name: str
    """Name of the home, for people."""
    robot: str = "the robot"
    """The robot's name."""
    basket: int = Field(default=0, ge=0)
    """How many things the robot can carry besides the one in its gripper; with a basket, include sayso:basket.yaml for its skills."""
    language: Annotated[str, Field(pattern="^[a-z]{2}$")] = "en"
    """What people speak, as two letters: en, de, es. Another language than English needs a recogniser of its own (docs/languages.md)."""
    speaker: str
    """Id of the speaker if the context names none."""
    scene: str = ""
    """Scene file of the simulation and of the robot's map, relative to the domain file; or "sayso:scenes/apartment.yaml"."""
    places: dict[str, Place]
    """Place id → room, furniture or spot."""
    objects: dict[str, Thing]
    """Object id → thing."""
    people: dict[str, Person]
    """Person id → person."""
    skills: dict[str, Skill]
    """The robot's abilities by name; include sayso:skills.yaml for the shipped ones."""
    actions: dict[str, ActionSpec]
    """The things to do for people, by name; include sayso:skills.yaml for the shipped ones."""
    intents: dict[str, IntentSpec]
    """The meanings of sentences, by name; include sayso:intents.yaml for the shipped ones."""
    priors: Priors = Priors()
    """Probabilities of actions in each context."""
    decisions: Decisions = Decisions()
    """Costs of questions and mistakes."""
    rewards: Rewards = Rewards()
    """What goals are worth, and what time costs."""
    battery: BatteryModel | None = None
    """The battery's use and reserve; `{}` is the default one. Without it, nothing is declined for want of charge."""
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
        """The robot's words for it: "the red cup"; other texts stay as they are."""
        entity = self.entity(entity_id)
        name = entity.spoken(entity_id) if entity else entity_id
        has_article = entity is None or entity_id in self.people or name.startswith(("the ", "my "))
        return name if has_article else f"the {name}"

    def able(self, entity_id: str, ability: Ability) -> bool:
        """Whether it is a place that opens, switches or can be wiped, or an object that pours or can be filled."""
        return bool(getattr(self.places.get(entity_id) or self.objects.get(entity_id), ability, False))

    def containing(self, place_id: str) -> Iterator[str]:
        """The place and every place that contains it, innermost first; nothing if it is not a place."""
        while place_id in self.places:
            yield place_id
            place_id = self.places[place_id].inside

    def room_of(self, place_id: str) -> str:
        """The outermost place that contains it, or itself."""
        while self.places[place_id].inside:
            place_id = self.places[place_id].inside
        return place_id
