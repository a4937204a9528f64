"""A robot that learns how well its skills work, beside one that plans with the domain's constants, in a simulated home of its own.

In each world, grasping is hard at some shelves and the way to some is slow; the domain knows nothing of it: its constants are the mean over
all worlds. Both robots do the same errands one after the other, with the same truth about where things are and the same luck. Nobody has
measured real shelves: how much there is to learn here is an assumption, the Beta and Gamma distributions below.
"""

from __future__ import annotations

import math
import random
import statistics
from collections.abc import Iterator

from _planning_worlds import mean_within
from sayso.console.bench import Row
from sayso.console.watch import counted
from sayso.domain import load_domain
from sayso.domain.model import Domain, Rewards
from sayso.planning import Experience, Planner, Task
from sayso.planning.facts import ground_skill, position
from sayso.planning.trials import trial_of
from sayso.types import Action, Context, SkillOutcome

THINGS = ("red_cup", "blue_cup", "milk", "apple")
SHELVES, HALF = 6, 6.0  # m
ERRANDS = 120  # of each robot in one world
START = Context(x=0.0, y=0.0)
HARD = (1.2, 0.8)  # Beta of the success of a grasp at a shelf: mean 0.6
SLOW = (4.0, 0.25)  # Gamma (shape, scale) of how many times longer a drive to a shelf takes: mean 1
REWARDS = Rewards()
MEASURES = (
    ("reward", "", "higher"),
    ("time", "s", "lower"),
    ("done", "%", "higher"),
    ("reward promised by the first plan − reward", "", "lower"),
    ("the same in each home, absolute", "", "lower"),
)
LONGEST = 200  # skills of one errand


def rows(worlds: int, errands: int = ERRANDS) -> Iterator[Row]:
    """Reward, time and success of the errands after the first third, in which the robot has learnt something."""
    found: dict[bool, list[tuple[float, ...]]] = {True: [], False: []}
    gains = []
    for number in counted(range(worlds), "homes with hard shelves"):
        for learns in (True, False):
            found[learns].append(_mean_of(_life(number, learns, errands)[errands // 3 :]))
        gains.append(found[True][-1][0] - found[False][-1][0])
    what = f"{errands} errands in each of {worlds} homes with hard shelves, from errand {errands // 3 + 1} on"
    n = worlds * (errands - errands // 3)
    for index, (measure, unit, better) in enumerate(MEASURES):
        learnt, constant = (statistics.mean(each[index] for each in found[learns]) for learns in (True, False))
        yield Row(f"{measure}, learning, {what}", learnt, unit, better, None, {"the domain's constants": constant}, n=n)
    gain, spread = mean_within(gains)
    yield Row(f"reward gained by learning, {what} (spread: 95 % of the mean)", gain, "", "higher", None, {}, spread, n)


def _home(chance: random.Random) -> Domain:
    home = load_domain()
    corners = [(chance.uniform(-HALF, HALF), chance.uniform(-HALF, HALF), 0.0) for _ in range(SHELVES)]
    shelves = {f"shelf_{n}": home.places["counter"].model_copy(update={"pose": pose, "inside": ""}) for n, pose in enumerate(corners)}
    things = {
        name: home.objects[name].model_copy(update={"usual": {shelf: 0.2 + chance.random() for shelf in chance.sample(sorted(shelves), 3)}})
        for name in THINGS
    }
    pick = home.skills["pick"].model_copy(update={"success": HARD[0] / sum(HARD)})
    changed = {"places": {**home.places, **shelves}, "objects": {**home.objects, **things}, "skills": {**home.skills, "pick": pick}}
    return home.model_copy(update=changed)


def _life(number: int, learns: bool, errands: int) -> list[tuple[float, ...]]:
    """(reward, s, whether it was done, V of the first plan) of each errand of a robot in one world."""
    chance = random.Random(number)
    domain = _home(chance)
    grasp = {f"shelf_{n}": chance.betavariate(*HARD) for n in range(SHELVES)}
    slower = {f"shelf_{n}": chance.gammavariate(*SLOW) for n in range(SHELVES)}
    experience, found = Experience(), []
    for errand in range(errands):
        luck = random.Random(f"{number} {errand}")
        action = Action("bring", (("recipient", "operator"), ("theme", luck.choice(THINGS))))
        planner = Planner(domain, experience=experience)
        belief = planner.begin(action, START).objects[action.argument("theme")]
        truth = luck.choices(belief.places, [float(p) for p in belief.probabilities])[0]
        result, learnt = _errand(planner, action, truth, luck, (grasp, slower), errand)
        found.append(result)
        experience = learnt if learns else experience
    return found


def _errand(
    planner: Planner, action: Action, truth: str, luck: random.Random, world: tuple[dict[str, float], dict[str, float]], number: int
) -> tuple[tuple[float, ...], Experience]:
    """One errand, and what was learnt from it."""
    domain, (grasp, slower), experience = planner.domain, world, planner.experience
    task, xy, reward, discount, spent, held = Task.start(planner, (action,), START), (START.x, START.y), 0.0, 1.0, 0.0, False
    promised = task.plan.value
    for step in range(LONGEST):
        if task.next is None:
            break
        skill, at = ground_skill(domain, task.next), task.belief.at
        to = position(domain, skill.destination) if skill.destination else None
        seconds = skill.seconds + (math.dist(xy, to) / skill.speed if to is not None else 0.0)
        seconds *= slower.get(skill.destination, 1.0)
        p = skill.success
        if skill.senses:
            p = skill.success if at == truth else skill.false_alarm
        if skill.call.name == "pick":
            p = grasp.get(at, skill.success) if at == truth else 0.0
        done = luck.random() < p
        held = held or (done and skill.call.name == "pick")
        outcome = SkillOutcome(skill.call, done, seconds=seconds)
        trial = trial_of(domain, outcome, at, xy, (f"{number}", float(step)))
        experience = experience.after(domain, trial) if trial is not None else experience
        xy = to if to is not None and done else xy
        task = task.after(outcome, Context(x=xy[0], y=xy[1]))
        reward, spent = reward - discount * REWARDS.hour / 3600.0 * seconds, spent + seconds
        discount *= REWARDS.discount
    right = task.status == "succeeded" and held
    return (reward + (discount / REWARDS.discount * REWARDS.goal if right else 0.0), spent, float(right), promised), experience


def _mean_of(errands: list[tuple[float, ...]]) -> tuple[float, ...]:
    """Mean reward, mean time in s, share done in %, mean of what the plan promised too much, and the same without regard to sign."""
    rewards, times, done, promised = zip(*errands, strict=True)
    excess = statistics.mean(promised) - statistics.mean(rewards)
    return statistics.mean(rewards), statistics.mean(times), 100.0 * statistics.mean(done), excess, abs(excess)
