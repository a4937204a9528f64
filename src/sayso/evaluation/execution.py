"""Executes one command in one process, from transcript to outcome: real stages, planner, skills and grounder on the embedded simulation.

Nodes run the same parts in separate processes. Here only simulated time passes, so a hundred commands take minutes.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field

import numpy as np

from sayso.bags.messages import GroundTruth
from sayso.domain.model import Domain, parse_literal
from sayso.evaluation.judge import Check, judge
from sayso.pipeline import Pipeline, Understanding
from sayso.planning import Task, ended_as_told, is_endless
from sayso.robot import Pose, RobotMap, SkillRunner
from sayso.robot.geometry import Point3
from sayso.robot.skill import GripCommand, T
from sayso.scene.scene import Scene
from sayso.sim.simulation import Simulation
from sayso.strolls import Ways, set_out
from sayso.types import Action, Context, Grounding, Image, Outcome, People, SkillCall, SkillOutcome, Transcript

TICK = 0.06  # s: three of the simulation's control periods
PATIENCE = 300.0  # s for one skill, more than any takes
SKILLS = 60  # at most, in one execution
EARLY, LATE = 0.5, 8.0  # s: when an interrupted skill fails
SEEN = 0.15  # m: largest error of a found position

Grounder = Callable[[Image, str, str], Grounding]


@dataclass
class SimulatedRobot:
    """The robot for the skills, on the embedded simulation, as fast as it runs."""

    simulation: Simulation
    grounder: Grounder
    stopped: bool = False
    tracker: bool = True  # has it a person tracker?
    said: list[str] = field(default_factory=list)
    found: dict[str, Point3] = field(default_factory=dict)  # object → last seen position

    def pose(self) -> Pose:
        """The robot's pose."""
        x, y, yaw, *_ = self.simulation.odometry
        return Pose(x, y, yaw, self.simulation.time)

    def drive(self, v: float, w: float) -> None:
        """Set the speed."""
        self.simulation.drive(v, w)

    def grip(self, command: GripCommand, target: Point3) -> Future[tuple[bool, str]]:
        """Use the gripper."""
        return _done(self.simulation.grip(command, target))

    def hand(self) -> Future[tuple[bool, str]]:
        """Read the gripper."""
        return _done((True, self.simulation.holding))

    def ground(self, phrase: str, object_id: str, not_before: float) -> Future[Grounding]:  # noqa: ARG002 — every picture is current
        """Ground the phrase in a picture taken now."""
        grounding = self.grounder(self.simulation.render(), phrase, object_id)
        if grounding.found:
            self.found[object_id] = grounding.point
        return _done(grounding)

    def people(self) -> People | None:
        """The report of the person tracker, now."""
        return self.simulation.people_seen() if self.tracker else None

    def say(self, text: str) -> None:
        """Record a sentence of the robot; people nearby hear it."""
        self.said.append(text)
        self.simulation.people.hear(text)

    def stop(self) -> Future[tuple[bool, str]]:
        """Close the motion gate."""
        self.stopped = True
        self.simulation.drive(0.0, 0.0)
        return _done((True, ""))

    def resume(self) -> Future[tuple[bool, str]]:
        """Open the motion gate."""
        self.stopped = False
        return _done((True, ""))


def _named(actions: tuple[Action, ...]) -> str:
    return "; ".join(map(str, actions)) or "none"


def _done(answer: T) -> Future[T]:
    future: Future[T] = Future()
    future.set_result(answer)
    return future


@dataclass(frozen=True, slots=True)
class Troubles:
    """Deliberate faults: skills that fail at a random moment."""

    interrupted: Mapping[str, float] = field(default_factory=dict)  # skill → probability

    def moment(self, call: SkillCall, rng: np.random.Generator) -> float:
        """After how many seconds this call fails; infinity if it does not."""
        return float(rng.uniform(EARLY, LATE)) if rng.random() < self.interrupted.get(call.name, 0.0) else math.inf


@dataclass(frozen=True, slots=True)
class Company:
    """What people do while the robot carries out a command."""

    walks: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # person → places of the domain to walk to, from the beginning
    told_after: float = 30.0  # s: then the person ends a skill that goes on until it is told to end


@dataclass(frozen=True, slots=True)
class Execution:
    """The result of one command."""

    transcript: Transcript
    actions: tuple[Action, ...]  # that were chosen
    outcomes: tuple[SkillOutcome, ...]  # of its skills, in order
    outcome: Outcome | None
    checks: tuple[Check, ...]
    asked: bool = False  # the robot asked, and the answer led to what was meant

    @property
    def done(self) -> bool:
        """Whether every check against the simulation's ground truth holds."""
        return all(check.ok for check in self.checks)

    @property
    def failed_skills(self) -> int:
        """Number of failed skills."""
        return sum(not outcome.succeeded for outcome in self.outcomes)


class Rehearsal:
    """A home with its robot and stages. Carries out one command at a time, each from the initial state. Call `close` at the end."""

    def __init__(self, domain: Domain, scene: Scene, grounder: Grounder, pipeline: Pipeline | None = None) -> None:
        self.domain, self.scene = domain, scene
        self.pipeline = pipeline or Pipeline(domain)
        self.simulation = Simulation(scene)
        self._grounder = grounder
        self._map = RobotMap.from_scene(scene, domain)
        self._company = Company()

    def close(self) -> None:
        """Free the OpenGL context."""
        self.simulation.close()

    def __call__(
        self, transcript: Transcript, seed: int = 0, troubles: Troubles | None = None, meant: str = "", company: Company | None = None
    ) -> Execution:
        """Carry out a transcript. The same seed and transcript give the same execution.

        Args:
            transcript: of the task's sentence.
            seed: of the faults.
            troubles: deliberate faults.
            meant: what the person really said, and only it counts as done. The person says yes to a question about it, and says again
                which of two words it was. Without it questions stay unanswered.
            company: what people do; without it they walk only as the scene says.

        Raises:
            SimulationError: no picture can be drawn here.
        """
        self.simulation.reset(seed)
        self._company = company or Company()
        robot = SimulatedRobot(self.simulation, self._grounder)
        runner = SkillRunner(self._map, robot)
        runner.tick(self.simulation.time)
        before = self._world()
        context = runner.context(self.simulation.time)
        understanding = self.pipeline.understand(transcript, context)
        wanted = self.pipeline.understand(meant, context).action_belief.chosen if meant else ()
        answered = self._answered(understanding, meant, wanted, context)
        belief = (answered or understanding).action_belief
        outcomes: list[SkillOutcome] = []
        outcome = None
        if belief.decision == "execute":
            self._set_out()
            task = self._carried_out(
                Task.start(self.pipeline.planner, belief.chosen, context),
                runner,
                outcomes,
                troubles or Troubles(),
                np.random.default_rng(seed),
            )
            outcome = Outcome(transcript.utterance_id, self.simulation.time, task.status == "succeeded", str(task.action), task.reason)
        self.simulation.step(1.0)  # let objects come to rest
        after = self._world()
        right = [Check("the command", _named(wanted), _named(belief.chosen), ok=belief.chosen == wanted)] if meant else []
        checks = judge("done", self.domain, transcript=transcript, belief=belief, outcome=outcome, before=before, after=after)
        seen = [check for action in belief.chosen for check in self._sightings(action, robot, after)]
        return Execution(transcript, belief.chosen, tuple(outcomes), outcome, (*right, *checks, *seen), asked=answered is not None)

    def _set_out(self) -> None:
        """Let people begin to walk."""
        set_out(self.simulation, self.domain)
        if self._company.walks:
            ways = Ways(self.simulation, self.domain)
            for person, places in self._company.walks.items():
                self.simulation.people.walk(person, ways(self.simulation.people.places()[person], places))

    def _answered(self, asked: Understanding, meant: str, wanted: tuple[Action, ...], context: Context) -> Understanding | None:
        """The understanding after the person's answer; None if nothing was asked, or if no short answer is right."""
        named = [word for word in re.findall("“(.+?)”", asked.action_belief.question) if f" {word} " in f" {meant} "]
        for reply in ("yes", *named) if wanted else ():
            answered = self.pipeline.answer(asked, reply, context)
            if answered is not None and answered.action_belief.chosen == wanted:
                return answered
        return None

    def _carried_out(
        self, task: Task, runner: SkillRunner, outcomes: list[SkillOutcome], troubles: Troubles, rng: np.random.Generator
    ) -> Task:
        while task.next is not None and len(outcomes) < SKILLS:
            outcomes.append(self._performed(task.next, runner, troubles.moment(task.next, rng)))
            task = task.after(outcomes[-1], runner.context(self.simulation.time))
        return task

    def _performed(self, call: SkillCall, runner: SkillRunner, wrong_after: float) -> SkillOutcome:
        runner.start(call)
        began = self.simulation.time
        told_after = self._company.told_after if is_endless(self.domain, call) else math.inf
        while True:
            outcome = runner.tick(self.simulation.time)
            if outcome is not None:
                return outcome
            passed = self.simulation.time - began
            if passed > told_after and (told := runner.cancel()) is not None:
                return ended_as_told(self.domain, told)
            if passed > min(wrong_after, PATIENCE):
                runner.cancel()
                reason = "something is in the way" if wrong_after < PATIENCE else f"not done after {PATIENCE:.0f} s"
                return SkillOutcome(call, succeeded=False, reason=reason, seconds=passed, interrupted=True)
            self.simulation.step(TICK)

    def _sightings(self, action: Action, robot: SimulatedRobot, after: GroundTruth) -> Iterator[Check]:
        """Checks that found objects are where the robot reports them."""
        for literal in self.domain.actions[action.name].goal:
            predicate, roles = parse_literal(literal)
            theme = action.argument(roles[0]) if roles else ""
            if predicate == "seen" and theme in after.positions:
                point = robot.found.get(theme, (math.inf,) * 3)
                away = math.dist(point, after.positions[theme])
                yield Check(f"{theme} was found", f"within {100 * SEEN:.0f} cm", f"{100 * away:.0f} cm away", ok=away <= SEEN)

    def _world(self) -> GroundTruth:
        truth = self.simulation.truth()
        positions = {name: (float(x), float(y), float(z)) for name, (x, y, z) in zip(truth.objects, truth.positions, strict=True)}
        locations = dict(zip(truth.objects, truth.locations, strict=True))
        return GroundTruth(truth.stamp, truth.x, truth.y, truth.yaw, locations, positions, truth.people)
