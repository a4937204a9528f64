"""Two and three errands in one sentence: a robot with a basket, which plans them together, against one after the other.

Both robots do the same in the same worlds of the embedded simulation: the sentence as text, the real stages, grounder and planner. By
ground truth a sentence is done when all its things are with the person. Seconds are of simulated time, compared over the sentences that
both have done. The robot without a basket is the baseline. Sentences that a robot asks about are done by neither.
"""

from __future__ import annotations

import random
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from _task_settings import task_settings
from sayso.console.bench import Row
from sayso.console.watch import counted, progress
from sayso.domain import Domain, load_domain
from sayso.evaluation.execution import Rehearsal
from sayso.grounding import VisualGrounder
from sayso.paths import config_dir
from sayso.pipeline import Understanding
from sayso.planning import Planner, Task
from sayso.random_home import random_home
from sayso.scene import Scene, load_scene
from sayso.types import Action, Context, Transcript, TranscriptAlternative

RANDOM_HOMES = (11, 12, 13, 14, 15)
SENTENCES = {2: 3, 3: 2}  # errands → sentences in each home
AT_MOST = 0.7  # of the seconds of one after the other: the goal


@dataclass(frozen=True, slots=True)
class Trial:
    """One sentence, done by both robots."""

    errands: int
    joint: float | None  # s; None: not done
    apart: float | None


def rows(quick: bool = False) -> Iterator[Row]:
    """Yield the rows; quick: one sentence in the apartment."""
    grounder, trials = VisualGrounder(), list[Trial]()
    for name in ("home", "warehouse")[: 1 if quick else None]:
        domain = load_domain(config_dir() / f"{name}.yaml")
        trials += _trials(domain, load_scene(config_dir() / domain.scene), grounder, 0, quick)
    needed = frozenset(task_settings()["needed"])
    for seed in counted(() if quick else RANDOM_HOMES, "random homes with errands"):
        with tempfile.TemporaryDirectory() as folder:
            scene_file, domain_file = random_home(seed, Path(folder), needed)
            trials += _trials(load_domain(domain_file), load_scene(scene_file), grounder, seed, quick)
    for errands in SENTENCES:
        yield from _compared(errands, [trial for trial in trials if trial.errands == errands])
    yield from _thinking(3 if quick else 20)


def with_basket(domain: Domain) -> Domain:
    """The home with a robot that has a basket."""
    skills = load_domain(config_dir() / "home_basket.yaml").skills
    added = {name: skills[name] for name in ("stow", "unstow")}
    return domain.model_copy(update={"basket": 2, "skills": {**domain.skills, **added}})


def _trials(domain: Domain, scene: Scene, grounder: VisualGrounder, seed: int, quick: bool) -> Iterator[Trial]:
    chance = random.Random(seed)
    things = sorted(thing for thing in scene.objects if thing in domain.objects and domain.objects[thing].usual)
    robots = [Rehearsal(home, scene, grounder) for home in (with_basket(domain), domain)]
    try:
        for errands, count in SENTENCES.items():
            for number in range(1 if quick else count):
                chosen = chance.sample(things, errands)
                progress(f"a sentence of {errands} errands")
                joint, apart = (_seconds(robot, chosen, number) for robot in robots)
                yield Trial(errands, joint, apart)
    finally:
        for robot in robots:
            robot.close()


def _seconds(robot: Rehearsal, things: list[str], seed: int) -> float | None:
    """The time until the person has all the things; None if they have not."""
    names = [robot.domain.spoken(thing) for thing in things]
    text = f"bring me {', '.join(names[:-1])} and {names[-1]}"
    transcript = Transcript("errands", 0.0, (TranscriptAlternative(text, 0.0),), confidence=1.0)
    done = robot.perform(transcript, _no_answer, {}, seed)
    with_person = all(done.after.locations.get(thing) == robot.domain.speaker for thing in things)
    return done.outcome.stamp - done.before.stamp if done.outcome and with_person else None


def _no_answer(_: Understanding, __: Context) -> Understanding | None:
    """The person answers no question."""
    return None


def _compared(errands: int, trials: list[Trial]) -> Iterator[Row]:
    both = [(trial.joint, trial.apart) for trial in trials if trial.joint is not None and trial.apart is not None]
    joint, apart = (sum(each[side] for each in both) for side in (0, 1))
    shares = sorted(one / other for one, other in both)
    n = len(trials)
    done = {"one after the other": float(sum(trial.apart is not None for trial in trials))}
    yield Row(
        f"{errands} errands in a sentence: done",
        float(sum(trial.joint is not None for trial in trials)),
        f"of {n}",
        "higher",
        None,
        done,
        n=n,
    )
    yield Row(
        f"{errands} errands in a sentence: mean seconds",
        joint / max(len(both), 1),
        "s",
        "lower",
        None,
        {"one after the other": apart / max(len(both), 1)},
        n=len(both),
    )
    yield Row(
        f"{errands} errands in a sentence: share of the seconds of one after the other",
        joint / max(apart, 1e-9),
        "",
        "lower",
        AT_MOST,
        n=len(both),
    )
    yield Row(f"{errands} errands in a sentence: that share, largest", shares[-1] if shares else 0.0, "", "lower", n=len(both))


def _thinking(repetitions: int) -> Iterator[Row]:
    """The time to the first skill in the apartment, each thing anywhere on its surfaces."""
    domain = with_basket(load_domain())
    surfaces = {place: 1.0 for place, spec in domain.places.items() if spec.surface}
    things = ("red_cup", "bread", "milk")
    moved = {thing: domain.objects[thing].model_copy(update={"usual": surfaces}) for thing in things}
    home = domain.model_copy(update={"objects": {**domain.objects, **moved}})
    planner, context = Planner(home), Context(x=1.42, y=1.85, place="sofa")
    for errands in (1, 2, 3):
        actions = [Action("bring", (("recipient", "operator"), ("theme", thing))) for thing in things[:errands]]
        Task.start(planner, actions, context)
        took = []
        for _ in range(repetitions):
            began = time.perf_counter()
            Task.start(planner, actions, context)
            took.append(1000.0 * (time.perf_counter() - began))
        what = "1 errand" if errands == 1 else f"{errands} errands"
        yield Row(
            f"time to the first skill, {what}, {len(surfaces)} places each, median",
            sorted(took)[len(took) // 2],
            "ms",
            "lower",
            150,
            n=repetitions,
        )
