"""Commands of the RoboCup@Home grammars for one home, and a world in which each can be carried out."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from random import Random

from _gpsr_people import cast, fitting, group_said, looks_wanted, superlative_of
from _meaning_gpsr import GrammarPhrase, SlotNames, gpsr_label, gpsr_phrases, members_of
from _meaning_labels import FREE, Label, LabelledAct
from sayso.domain import Domain
from sayso.domain.wording import plural
from sayso.scene.scene import Scene

DRAWS = 60  # random phrases of each form, from which the commands are chosen
COMPANY = 3  # objects on a surface of which one is "the biggest"
BESIDE = 2.0  # m: a person stands at a place
FAR = 3.0  # m that a person walks at least
GESTURES = ("waving", "raising their left arm", "raising their right arm", "pointing to the left", "pointing to the right")
EDIBLE, DRINKABLE, TABLEWARE = "eat", "drink", ("plate", "bowl", "cup", "glass")
QUESTIONS = {  # that people ask who are to be answered a question → what the answer must hold
    "what time is it": r"\d{1,2}:\d\d",
    "what day is it today": r"(?i)monday|tuesday|wednesday|thursday|friday|saturday|sunday",
    "what day is tomorrow": r"(?i)monday|tuesday|wednesday|thursday|friday|saturday|sunday",
    "what is your name": r"\b(?:I am|My name is)\b",
    "what can you do": r"\bI can\b",
}
PEOPLE = frozenset((
    "person", "man", "woman", "boy", "girl", "people", "men", "women", "boys", "girls", "child", "children", "elders", "guests", "male",
    "female", "everyone", "pose", "gender", "looks",
))  # fmt: skip
FRONT_DOOR, DOORS = "front_door", ("entrance", "corridor")
_BY_PLACE = re.compile(r"\bthe person (?=(?:in|at) the )")  # of whom nothing else is said
NOWHERE = ("exit", "taxi", "cab", "uber")  # words of the grammars for places that our homes do not have


@dataclass(frozen=True, slots=True)
class GpsrCommand:
    """A command, what it means, what stands where at the start, and who walks where."""

    label: Label
    world: Mapping[str, str]  # object → furniture
    walks: Mapping[str, tuple[str, ...]]  # person → places
    cast: Scene | None = None  # the home with people who look as the command says; None: as the home has them
    looks: tuple[str, ...] = ()  # the labels of those who are meant
    introduced: str = ""  # who is to be made known to others

    @property
    def describes_people(self) -> bool:
        """Whether it tells people by gesture, pose, age or clothes, or asks for these."""
        return bool(set(_BY_PLACE.sub("", self.label.say).split()) & PEOPLE)

    @property
    def asks(self) -> str:
        """What the person asks who is to be answered a question; empty if nobody is."""
        if "answer a question" not in self.label.say:
            return ""
        return Random(f"question {self.label.say}").choice(sorted(QUESTIONS))

    @property
    def form(self) -> str:
        """The grammar's form, for example "gpsr deliver2"."""
        return self.label.about


def commands(domain: Domain, scene: Scene, seed: int, count: int) -> list[GpsrCommand]:
    """`count` commands for this home, of all forms alike; the same seed gives the same ones."""
    chance = Random(f"commands {seed}")
    by_form: list[list[GpsrCommand]] = []
    for grammar, form, phrases in gpsr_phrases(domain, seed, _slot_names(domain, scene), DRAWS):
        fitting = (_command(domain, scene, phrase, f"{grammar} {form}", chance) for phrase in phrases)
        by_form.append([each for each in fitting if each is not None])
    chance.shuffle(by_form)
    rounds = [found[turn] for turn in range(DRAWS) for found in by_form if turn < len(found)]
    settled = (_with_cast(domain, scene, each) for each in rounds)
    return list(islice((_with_goal(domain, each) for each in settled if each is not None), count))


def _slot_names(domain: Domain, scene: Scene) -> SlotNames:
    """Slot → words → id. The home's names stand in for those of the competition's arena."""
    things = {name: domain.objects[name] for name in scene.objects if name in domain.objects}
    places = {each.spoken(name): (name, each) for name, each in domain.places.items()}

    def of(ids: Sequence[str]) -> dict[str, str]:
        return {domain.spoken(name).removeprefix("the "): name for name in ids}

    kinds = dict.fromkeys(each.category for each in things.values())
    categories = {plural(kind): [name for name, each in things.items() if each.category == kind] for kind in kinds}
    drinks = [name for name, each in things.items() if DRINKABLE in each.uses]
    food = [name for name, each in things.items() if EDIBLE in each.uses]
    categories = {word: members for word, members in categories.items() if len(members) > 1} | {"drinks": drinks}
    furniture = [name for name, each in places.values() if each.kind != "room"]
    return {
        "object": of(list(things)),
        "aobject": of(food),
        "kobject": of([name for name in things if name not in food]),
        "sobject": {},
        "drink": of(drinks),
        "tableware": of([name for name, each in things.items() if each.category in TABLEWARE]),
        "cutlery": {},
        "category": {word: members_of(word, members) for word, members in categories.items() if members},
        "room": {words: name for words, (name, place) in places.items() if place.kind == "room"},
        "placement": {words: name for words, (name, place) in places.items() if place.surface and name in scene.furniture},
        "name": {domain.people[name].spoken(name): name for name in scene.people if name != domain.speaker},
        "gesture": {each: each for each in GESTURES},
        "beacon": of(furniture),
        "storage": {},
        "bowl": of([name for name, each in things.items() if each.category in ("bowl", "cup")]),
    }


def _command(domain: Domain, scene: Scene, phrase: GrammarPhrase, form: str, chance: Random) -> GpsrCommand | None:
    """The command with its world; None if the sentence speaks of what this home does not have, or of a person who is elsewhere."""
    label = _with_person(domain, scene, _with_door(domain, _with_things(domain, scene, gpsr_label(phrase, form))), ())
    if set(label.say.split()) & set(NOWHERE) or not _people_are_there(domain, scene, phrase):
        return None
    if any(act.values("recipient") == (FREE,) for sequence in label.do for act in sequence) and _BY_PLACE.search(label.say):
        return None
    world: dict[str, str] = {}
    may_be, where = _fitting(domain, scene, label), next((each.arguments[0] for each in label.keep if each.name == "where"), "")
    for act in label.do[0] if label.do else ():
        fetched = act.values("recipient") == (domain.speaker,) or act.values("goal")  # else it is where the person is, or the goal
        source = next(iter(act.values("source")), where if act.values("theme") and fetched else "")
        if not _set_up(domain, scene, act, source, world, may_be, chance):
            return None
    asked_about = [each.arguments[0] for each in label.keep if each.name == "where" and each.arguments]
    counted = sorted(_members(label) & set(scene.objects))
    for place in asked_about if label.question else ():
        if place in domain.places and domain.places[place].surface:
            there = chance.sample(counted, chance.randint(min(1, len(counted)), min(2, len(counted))))
            others = sorted(set(scene.objects) - set(world) - set(there))
            world |= dict.fromkeys([*there, *chance.sample(others, COMPANY - len(there))], place)
    return GpsrCommand(label, world, dict(_walks(domain, scene, label, chance)))


def _with_things(domain: Domain, scene: Scene, label: Label) -> Label:
    """The label with the things that are "drinks" and "snacks" here."""
    uses = {"drinks": DRINKABLE, "snacks": EDIBLE}

    def served(act: LabelledAct) -> LabelledAct:
        word = next((value for value in act.values("theme") if (value,) == act.values("theme") and value in uses), "")
        things = [name for name in sorted(scene.objects) if word and uses[word] in domain.objects[name].uses]
        return (
            replace(act, roles=tuple((roles, (*things, word) if "theme" in roles else values) for roles, values in act.roles))
            if word
            else act
        )

    return replace(label, do=tuple(tuple(served(act) for act in sequence) for sequence in label.do))


def _with_door(domain: Domain, label: Label) -> Label:
    """The label with the home's only door for "the entrance door" and "the corridor door"."""
    doors = [words for kept in label.keep if kept.name == "described" for words in kept.arguments if words in DOORS]
    if not doors or FRONT_DOOR not in domain.places:
        return label
    of_door = ((("theme",), (FRONT_DOOR,)),)
    do = tuple(tuple(replace(act, roles=of_door) if {*act.names} <= {"open", "close"} else act for act in acts) for acts in label.do)
    return replace(label, do=do)


def _with_cast(domain: Domain, scene: Scene, command: GpsrCommand) -> GpsrCommand | None:
    """The command with the people of whom it speaks, if it tells them by their looks or speaks of all; None without room for them."""
    label, chance = command.label, Random(f"people {command.label.say}")
    places = [each.arguments[0] for each in label.keep if each.name == "where" and each.arguments]
    order, group = superlative_of(label.say), group_said(label.say)
    looks = looks_wanted(label.say, chance)
    if (looks is None and not order and not group) or not places or places[0] not in domain.places:
        return command
    several = bool(group) or (bool(label.question) and not _BY_PLACE.search(label.say))
    home = cast(domain, scene, looks or (), places[0], several=several, chance=chance, order=order)
    if home is None:
        return None
    label = _with_person(domain, home, label, looks or (), order=order, group=group)
    introduced = next((who for act in label.do[0] for who in act.values("theme") if who in home.people), "") if label.do else ""
    if "introduce" not in label.say or introduced not in label.say:
        introduced = ""
    return replace(
        command, label=label, walks=dict(_walks(domain, home, label, chance)), cast=home, looks=looks or (), introduced=introduced
    )


def _with_person(domain: Domain, scene: Scene, label: Label, looks: tuple[str, ...], *, order: str = "", group: bool = False) -> Label:
    """The label with the name of "the person at the desk", if one stands there; "?" stands for any other number of people.

    What is to be done for all of a group is done for each of them.
    """
    places = [each.arguments[0] for each in label.keep if each.name == "where" and each.arguments]
    if not (_BY_PLACE.search(label.say) or looks or order or group) or not places or places[0] not in domain.places:
        return label
    there = [name for name in scene.people if name != domain.speaker and _stands_at(domain, scene, name, places[0])]
    there = fitting(scene, there, looks, order)
    if group:
        named = {value for sequence in label.do for act in sequence for value in (*act.values("theme"), *act.values("recipient"))}
        each = tuple(name for name in there if name not in named)  # anna is not made known to herself
    else:
        each = tuple(there) if len(there) == 1 else (FREE,)
    do = tuple(tuple(one for act in sequence for one in _of_people(act, each)) for sequence in label.do)
    return replace(label, do=do)


def _of_people(act: LabelledAct, people: Sequence[str]) -> Iterator[LabelledAct]:
    """The act for each of these recipients, if the label leaves them open."""
    if not {*act.names} & {"follow", "guide", "greet", "bring", "give"} or act.values("recipient") not in ((), (FREE,)):
        yield act
        return
    roles = tuple(each for each in act.roles if each[0] != ("recipient",))
    for person in people:
        yield replace(act, roles=(*roles, (("recipient",), (person,))))


def _with_goal(domain: Domain, command: GpsrCommand) -> GpsrCommand:
    """The command with the place that the speaker has in mind where none is said, "escort him": the robot must ask for it."""
    chance = Random(f"goal {command.label.say}")
    rooms = sorted(name for name, place in domain.places.items() if place.kind == "room")

    def completed(act: LabelledAct) -> LabelledAct:
        if act.names != ("guide",) or act.values("goal") or "back" in command.label.say.split():
            return act
        return replace(act, roles=(*act.roles, (("goal",), (chance.choice(rooms),))))

    do = tuple(tuple(completed(act) for act in sequence) for sequence in command.label.do)
    return replace(command, label=replace(command.label, do=do))


def _stands_at(domain: Domain, scene: Scene, person: str, place: str) -> bool:
    """Whether a person is in a room, or beside a piece of furniture in it."""
    x, y = scene.people[person].at
    x0, y0, x1, y1 = scene.rooms[domain.room_of(place)].area
    beside = place in scene.rooms or math.dist((x, y), domain.places[place].pose[:2]) <= BESIDE
    return bool(x0 <= x <= x1 and y0 <= y <= y1 and beside)


def _walks(domain: Domain, scene: Scene, label: Label, chance: Random) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Who is to be followed walks to the goal, or somewhere."""
    rooms = [name for name, place in domain.places.items() if place.kind == "room"]
    for act in label.do[0] if label.do else ():
        person, goal = next(iter(act.values("recipient")), ""), next(iter(act.values("goal")), "")
        if "follow" in act.names and person in scene.people:
            x, y = scene.people[person].at
            elsewhere = [name for name in rooms if math.dist(domain.places[name].pose[:2], (x, y)) > FAR]
            yield person, (goal if goal in domain.places else chance.choice(elsewhere or rooms),)


def _members(label: Label) -> set[str]:
    """What the question is about: the things of its category."""
    said = {value for each in label.question for argument in each.arguments for value in argument.split("|")}
    return said | {value for sequence in label.do for act in sequence for value in act.values("theme")}


def _people_are_there(domain: Domain, scene: Scene, phrase: GrammarPhrase) -> bool:
    """Whether the person of a sentence stands at the place that it names first: people do not move for the sake of a sentence."""
    person = phrase.slots.get("name")
    beacon = phrase.slots.get("beacon")
    if person is None or beacon is None:
        return True
    return _stands_at(domain, scene, person, beacon)


def _fitting(domain: Domain, scene: Scene, label: Label) -> list[str]:
    """What "the black object" may be; all things, if no colour is said."""
    colours = [colour for each in label.keep if each.name == "colour" for colour in each.arguments]
    return [name for name in sorted(scene.objects) if not colours or domain.objects[name].attributes.get("color") in colours]


def _set_up(
    domain: Domain, scene: Scene, act: LabelledAct, source: str, world: dict[str, str], fitting: Sequence[str], chance: Random
) -> bool:
    """Put what the act speaks of at its source, and for "an object" one that is `fitting`; whether that is possible."""
    themes = [value for value in act.values("theme") if value in scene.objects]
    if themes:
        themes = [value for value in themes if value in fitting]
        if not themes:
            return False
    if not source or not act.values("theme"):
        return True
    surfaces = [name for name in scene.furniture if source in domain.containing(name) and domain.places[name].surface]
    if not surfaces:
        return False
    place = chance.choice(surfaces)
    if themes:
        theme = chance.choice(themes)
        world.setdefault(theme, place)
        return world[theme] in surfaces
    if act.values("theme") == (FREE,):
        free = [name for name in fitting if name not in world]
        if not free:
            return False
        one = chance.choice(free)
        world |= dict.fromkeys([one, *chance.sample(sorted(set(scene.objects) - {one, *world}), COMPANY - 1)], place)
    return True
