"""A random apartment in which a simulated robot has looked around: the ground truth, and what the robot believes and remembers."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from random import Random

from sayso.agenda import Now
from sayso.domain import Domain, load_domain
from sayso.meaning.recollection import DeedState
from sayso.pipeline import Pipeline
from sayso.planning.where import after_missing, after_sighting, expected_places
from sayso.random_home import random_home
from sayso.scene import Scene, load_scene
from sayso.selection import Diary, WorldView
from sayso.types import Context, ObjectBelief, Outcome, PlanState

NOW = Now(ros=1_790_000_000.0, wall=1_790_000_000.0)  # s; the clock of every answer
MOVED = 0.3  # share of the things that somebody has put on any surface
LOOKED_FOR = 0.75  # share of the things that the robot has looked for
CHANGES_NOTHING: tuple[DeedState, ...] = ("done", "failed", "running")
# What the robot was told before, and how it may have ended: a command that moves things has not succeeded, so that the truth stays.
TOLD: tuple[tuple[str, tuple[DeedState, ...]], ...] = (
    ("find {}", CHANGES_NOTHING),
    ("go to {}", CHANGES_NOTHING),
    ("bring me {}", ("failed", "running")),
)
LONGEST_AGO = 3.0 * 3600.0  # s
LATELY = 60.0  # s that a thing counts as visible


@dataclass(frozen=True)
class Truth:
    """What is the case."""

    places: dict[str, str]  # object → the furniture it stands on; a held one is nowhere
    rooms: dict[str, str]  # person → room
    holding: str
    visible: tuple[str, ...]
    robot_at: str
    battery: float
    last: str  # what the newest command was about, in the robot's words; empty if there was none
    last_state: DeedState
    options: tuple[str, ...]  # objects that the last question was about


@dataclass(frozen=True)
class LivedHome:
    """A home after some hours with the robot."""

    domain: Domain
    pipeline: Pipeline
    truth: Truth
    view: WorldView
    seen: frozenset[str]  # things that the robot found at a place


def lived_home(seed: int, folder: Path) -> LivedHome:
    """The home of a seed; the same seed gives the same one."""
    scene_file, domain_file = random_home(seed, folder)
    scene, domain, chance = load_scene(scene_file), load_domain(domain_file), Random(seed)
    surfaces = sorted(place for place, spec in domain.places.items() if spec.surface)
    moved = {thing for thing in scene.objects if chance.random() < MOVED}
    places = {
        thing: chance.choice(surfaces) if thing in moved else spec.on for thing, spec in scene.objects.items() if spec.on in domain.places
    }
    held = chance.choice(sorted(places)) if chance.random() < 0.4 else ""
    where = {thing: place for thing, place in places.items() if thing != held}
    diary = Diary(domain)
    looked_for = sorted(thing for thing in where if chance.random() < LOOKED_FOR)
    beliefs, sightings = _looked_around(domain, where, looked_for, chance)
    for thing, (place, stamp) in sorted(sightings.items(), key=lambda each: each[1][1]):
        diary.noticed(Context(stamp=stamp, place=place, visible=(thing,)))
        diary.noticed(Context(stamp=stamp))
    visible = tuple(thing for thing, (_, stamp) in sightings.items() if NOW.ros - stamp <= LATELY)
    robot_at = chance.choice(sorted(domain.places))
    x, y, yaw = domain.places[robot_at].pose
    context = Context(NOW.ros, x, y, yaw, robot_at, held, round(chance.uniform(0.05, 1.0), 2), visible)
    pipeline = Pipeline(domain)
    last, last_state = _lived(pipeline, diary, context, sorted(where), chance)
    options = _asked(pipeline, diary, context)
    view = WorldView.of(context, beliefs, diary.recollection(NOW))
    rooms = {person: room for person, spec in scene.people.items() if (room := _room(scene, spec.at))}
    truth = Truth(where, rooms, held, visible, robot_at, context.battery, last, last_state, options)
    return LivedHome(domain, pipeline, truth, view, frozenset(sightings))


def _looked_around(
    domain: Domain, where: dict[str, str], things: list[str], chance: Random
) -> tuple[dict[str, ObjectBelief], dict[str, tuple[str, float]]]:
    """Beliefs and sightings after searches with the misses and false alarms of the domain's skill."""
    skill = domain.skills["look_for"]
    beliefs, sightings = {}, {}
    for thing in things:
        belief = expected_places(domain, thing, Context())
        stamp = NOW.ros - chance.choice(
            (chance.uniform(1.0, LATELY), chance.uniform(LATELY, LONGEST_AGO), chance.uniform(LATELY, LONGEST_AGO))
        )
        order = sorted(
            (place for place in belief.places if place in domain.places),
            key=lambda place: -belief.probabilities[belief.places.index(place)],
        )
        for place in [*order, where[thing]]:
            found = chance.random() < (skill.success if place == where[thing] else skill.false_alarm)
            if found:
                belief = after_sighting(belief, place, skill.success, skill.false_alarm)
                sightings[thing] = (place, stamp)
                break
            belief = after_missing(belief, place, skill.success, skill.false_alarm)
        beliefs[thing] = belief
    return beliefs, sightings


def _lived(pipeline: Pipeline, diary: Diary, context: Context, things: list[str], chance: Random) -> tuple[str, DeedState]:
    """Some commands and how they end; returns the name that the last one was about, and its state."""
    about, state = "", CHANGES_NOTHING[0]
    surfaces = [name for name, spec in pipeline.domain.places.items() if spec.surface]
    for number in range(chance.randint(1, 3)):
        template, states = chance.choice(TOLD)
        entity = chance.choice(surfaces if "go" in template else things)
        understood = pipeline.understand(template.format(pipeline.domain.spoken(entity)), context)
        if understood.decision != "execute":
            continue
        name, stamp = understood.intent_belief.utterance_id, NOW.ros - 900.0 + 300.0 * number
        diary.heard(understood.intent_belief)
        diary.decided(understood.action_belief, stamp)
        diary.planned(PlanState(name, stamp, "", "running"))
        about, state = pipeline.domain.spoken(entity), chance.choice(states)
        if state == "running":
            break
        reason = "" if state == "done" else "the way is blocked"
        diary.concluded(Outcome(name, stamp + 60.0, succeeded=state == "done", action="", reason=reason))
    return about, state


def _asked(pipeline: Pipeline, diary: Diary, context: Context) -> tuple[str, ...]:
    """An ambiguous command; returns the objects between which the robot could not decide."""
    kinds: dict[str, list[str]] = {}
    for thing, spec in pipeline.domain.objects.items():
        kinds.setdefault(spec.category, []).append(thing)
    for category, members in sorted(kinds.items()):
        if len(members) < 2:
            continue
        understood = pipeline.understand(f"bring me the {category}", context)
        options = {
            value for action in understood.action_belief.options for _, value in action.arguments if value in pipeline.domain.objects
        }
        if understood.decision == "ask" and len(options) > 1:
            diary.heard(understood.intent_belief)
            diary.decided(understood.action_belief, NOW.ros - 30.0)
            return tuple(sorted(options))
    return ()


def _room(scene: Scene, at: tuple[float, float]) -> str:
    inside = (name for name, room in scene.rooms.items() if room.area[0] <= at[0] <= room.area[2] and room.area[1] <= at[1] <= room.area[3])
    return next(inside, "")
