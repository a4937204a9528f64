"""The people of a home, cast for a command that tells them by their looks: who is meant, others beside them, and where they stand."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from random import Random

from sayso.domain import Domain
from sayso.looks import AGES, COLOURS, fits
from sayso.robot import RobotMap
from sayso.robot.path import PathPlanner
from sayso.scene.layout import Rectangle, obstacles
from sayso.scene.scene import Figure, Scene

BESIDE = 2.0  # m: a person stands at a place
APART, FREE_SPOT = 0.9, 0.55  # m between people, and from a spot to furniture
FROM_POSE = 0.8  # m from where the robot stands at a place
NEAR = 0.3  # m from a place's pose, as near as the robot must get
TRIES = 400
_WORDS: Mapping[str, str] = {  # label of sayso.looks → the words of the grammars for it
    "waving": r"waving", "raising_left_arm": r"raising their left arm", "raising_right_arm": r"raising their right arm",
    "pointing_left": r"pointing to the left", "pointing_right": r"pointing to the right", "sitting": r"sitting", "standing": r"standing",
    "lying": r"lying(?: down)?", "male": r"(?:man|men|males?|boys?)", "female": r"(?:woman|women|females?|girls?)",
    "child": r"(?:child|children|boys?|girls?)", "elder": r"elders?",
}  # fmt: skip
_GARMENTS = {"pants": "trousers", "shoes": "shoes", "t-shirt": "t_shirt"}
_WORN = re.compile(
    r"\b(?:wearing|dressed in) (?:an? )?(?:(?P<colour>blue|yellow|black|white|red|gray|orange) ?)?"
    r"(?P<garment>t-shirt|shirt|blouse|sweater|coat|jacket|pants|shoes)?s?\b"
)
_UNTOLD = re.compile(r"\b(?:nicely|old|young)\b")  # no label tells it
_SUPERLATIVE = re.compile(r"\b(\w+est) (?:man|woman|person)\b")
_OF_AGE = {"youngest": 1, "oldest": -1}  # the sign with which ages are in order; who is slimmer than others nobody can tell
_GROUP = re.compile(r"\b(?:everyone|all the (?!objects)\w+)\b")
_GROUPS = {
    "pose": ("standing", "sitting", "lying"),
    "gesture": ("no_gesture", "waving", "raising_left_arm", "raising_right_arm", "pointing_left", "pointing_right"),
    "gender": ("male", "female"),
    "age": ("child", "adult", "elder"),
}


def looks_wanted(say: str, chance: Random) -> tuple[str, ...] | None:
    """The labels of the people whom a sentence needs; random ones if it asks for them; None if it tells nobody by their looks."""
    asked = re.search(r"\bthe (name|gender|pose) of the person\b", say)
    if asked:
        return (chance.choice(_GROUPS[asked[1]]),) if asked[1] in _GROUPS else ()
    return looks_said(say) or None


def looks_said(say: str) -> tuple[str, ...]:
    """The labels that a sentence of the grammars tells; none if it also tells what no label does."""
    if _UNTOLD.search(say):
        return ()
    labels = [label for label, words in _WORDS.items() if re.search(rf"\b{words}\b", say)]
    for worn in _WORN.finditer(say):
        labels += ["_".join(filter(None, (worn["colour"], _GARMENTS.get(worn["garment"] or "", worn["garment"]))))]
    return tuple(filter(None, labels))


def superlative_of(say: str) -> str:
    """The order by which a sentence tells a person, "oldest"; empty if it tells nobody so."""
    found = _SUPERLATIVE.search(say)
    return found[1] if found else ""


def group_said(say: str) -> bool:
    """Whether a sentence is about all of a group: "everyone", "all the women"."""
    return _GROUP.search(say) is not None


def fitting(scene: Scene, people: Iterable[str], labels: Sequence[str], order: str = "") -> list[str]:
    """The people who have all of these labels, and of them the oldest or youngest; by any other order, all of whom it may be said."""
    found = [name for name in people if all(any(fits(own, label) for own in scene.people[name].looks) for label in labels)]
    ages = {name: scene.people[name].age for name in found}
    if order not in _OF_AGE or len(found) < 2:
        return found
    ranks = {name: _OF_AGE[order] * AGES.index(age) for name, age in ages.items() if age is not None}
    return [name for name in found if name in ranks and ranks[name] == min(ranks.values())]


def inside(domain: Domain, scene: Scene, people: Iterable[str], place: str) -> list[str]:
    """Those who are in the room, or beside the piece of furniture in its room."""
    x0, y0, x1, y1 = scene.rooms[domain.room_of(place)].area
    found = []
    for name in people:
        x, y = scene.people[name].at
        near = place in scene.rooms or math.dist((x, y), domain.places[place].pose[:2]) <= BESIDE
        if x0 <= x <= x1 and y0 <= y <= y1 and near:
            found.append(name)
    return found


def cast(domain: Domain, scene: Scene, labels: Sequence[str], place: str, several: bool, chance: Random, order: str = "") -> Scene | None:
    """The scene with one person at the place who has the labels, or with one or two (`several`), and with everybody else looking otherwise.

    With an order there are one or two, of different age. None if there is no room for a person there.
    """
    others = [name for name in sorted(scene.people) if name != domain.speaker]
    chance.shuffle(others)
    there = inside(domain, scene, others, place)
    meant = (there + [name for name in others if name not in there])[: chance.randint(1, 2) if several or order else 1]
    people = dict(scene.people)
    for name in others:
        people[name] = people[name].model_copy(update={"walks": (), **_drawn(labels, fits_all=name in meant, chance=chance)})
    if order:
        for name, age in zip(meant, chance.sample(AGES, len(meant)), strict=True):
            people[name] = people[name].model_copy(update={"age": age})
    scene = scene.model_copy(update={"people": people})
    for name in meant:
        if name not in there:
            spot = _spot(domain, scene, place, name, chance)
            if spot is None:
                return None
            people[name] = people[name].model_copy(update={"at": spot})
            scene = scene.model_copy(update={"people": dict(people)})
    return scene


def _drawn(labels: Sequence[str], *, fits_all: bool, chance: Random) -> dict[str, object]:
    """The fields of a figure with these looks; or with random ones, of which at least one is not wanted."""
    while True:
        # Nobody lies down unless it is said: a body on the floor needs two metres, and who was drawn standing may have less.
        fields: dict[str, object] = {
            "pose": chance.choice(("standing", "standing", "sitting")),
            "gesture": chance.choice(_GROUPS["gesture"]),
            "gender": chance.choice(_GROUPS["gender"]),
            "age": chance.choice(_GROUPS["age"]),
            "wears": {chance.choice(("shirt", "t_shirt", "coat", "sweater")): chance.choice(COLOURS), "trousers": chance.choice(COLOURS)},
        }
        if fits_all:
            fields["pose"] = "standing"  # who sits can't be followed or guided
            for label in labels:
                fields |= dict(_field(label, chance))
            return fields
        looks = Figure.model_validate({"at": (0.0, 0.0), **fields}).looks
        if not labels or not all(any(fits(own, label) for own in looks) for label in labels):
            return fields


def _field(label: str, chance: Random) -> Iterator[tuple[str, object]]:
    """The field that gives a figure the label."""
    group = next((name for name, members in _GROUPS.items() if label in members), "wears")
    if group != "wears":
        yield group, label
        return
    colour = next((each for each in COLOURS if label.startswith(each)), "")
    garment = label.removeprefix(colour).removeprefix("_") or "shirt"
    lower = garment in ("trousers", "shoes")
    kept = {"shirt": "gray" if colour != "gray" else "blue"} if lower else {"trousers": "brown"}
    yield "wears", {**kept, garment: colour or chance.choice(COLOURS)}


def _spot(domain: Domain, scene: Scene, place: str, person: str, chance: Random) -> tuple[float, float] | None:
    """A free spot in the room, or beside the furniture; not where the robot stands at one of its places."""
    x0, y0, x1, y1 = scene.rooms[domain.room_of(place)].area
    blocks: list[Rectangle] = [each for each in obstacles(scene) if each.name != person]
    poses = [spec.pose[:2] for name, spec in domain.places.items() if domain.room_of(name) == domain.room_of(place)]
    for _ in range(TRIES):
        at = chance.uniform(x0, x1), chance.uniform(y0, y1)
        if place not in scene.rooms and math.dist(at, domain.places[place].pose[:2]) > BESIDE - 0.3:
            continue
        crowded = any(block.distance(*at) < (APART if block.name in scene.people else FREE_SPOT) for block in blocks)
        aside = all(math.dist(at, pose) >= FROM_POSE for pose in (*poses, scene.robot.at))
        if not crowded and aside and _leaves_ways(domain, scene, person, at):
            return at
    return None


def _leaves_ways(domain: Domain, scene: Scene, person: str, at: tuple[float, float]) -> bool:
    """Whether the robot gets to all places of the home while the person stands there."""
    figure = scene.people[person].model_copy(update={"at": at})
    home = RobotMap.from_scene(scene.model_copy(update={"people": {**scene.people, person: figure}}), domain)
    costs = PathPlanner(home).costs(scene.robot.at)  # of all cells at once: no way need be drawn
    ends = (home.nearest_free(spec.pose[:2], NEAR) for spec in domain.places.values())
    return all(end is not None and math.isfinite(costs[home.cell(end)]) for end in ends)
