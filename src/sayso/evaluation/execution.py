"""Executes one command in one process, from transcript to outcome: real stages, planner, skills and grounder on the embedded simulation.

Nodes run the same parts in separate processes. Here only simulated time passes, so a hundred commands take minutes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from sayso.agenda import Now
from sayso.bags.messages import GroundTruth
from sayso.domain.model import Domain
from sayso.domain.vocabulary import parse_literal
from sayso.evaluation.answering import SEEN, right_answer
from sayso.evaluation.carrying import Carried, SkillEnd
from sayso.evaluation.circumstances import Company, Troubles
from sayso.evaluation.judge import Check, judge
from sayso.evaluation.simulated_robot import Grounder, SimulatedRobot
from sayso.pipeline import Pipeline, Understanding
from sayso.planning import Task, ended_as_told, is_endless
from sayso.robot import RobotMap, SkillRunner
from sayso.robot.geometry import Point3
from sayso.scene.scene import Scene
from sayso.selection import INVITATION, Diary, WorldView
from sayso.sim.arrange import stand_on
from sayso.sim.simulation import Simulation
from sayso.strolls import Ways, set_out
from sayso.types import Action, Choice, Context, Outcome, SkillCall, SkillOutcome, Transcript

TICK = 0.06  # s: three of the simulation's control periods
AWAKE = 3.0  # s that the robot has been on when the words come
PATIENCE = 300.0  # s for one skill, more than any takes
SKILLS = 60  # at most, in one execution


def _named(actions: tuple[Action, ...]) -> str:
    return "; ".join(map(str, actions)) or "none"


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


@dataclass(frozen=True, slots=True)
class Performance:
    """What a command led to; whoever looks on may judge it."""

    understanding: Understanding  # the last one: after answers, and after looks
    asked: bool  # the robot asked, and the answer settled it
    before: GroundTruth
    moments: tuple[SkillEnd, ...]  # in order
    after: GroundTruth
    outcome: Outcome | None  # None: nothing was carried out
    found: Mapping[str, Point3]  # object → where the robot last saw it, m, map frame


Reply = Callable[[Understanding, Context], Understanding | None]


class Rehearsal:
    """A home with its robot and stages. Carries out one command at a time, each from the initial state. Call `close` at the end."""

    def __init__(self, domain: Domain, scene: Scene, grounder: Grounder, pipeline: Pipeline | None = None) -> None:
        self.domain, self.scene = domain, scene
        self.pipeline = pipeline or Pipeline(domain)
        self.simulation = Simulation(scene)
        self.grounder = grounder
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
        wanted: tuple[Action, ...] = ()
        if meant:
            wanted = self.pipeline.understand(meant, self._context()).action_belief.chosen
        played = self._performed(transcript, lambda asked, context: self._answered(asked, meant, wanted, context), seed, troubles)
        belief = played.understanding.action_belief
        right = [Check("the command", _named(wanted), _named(belief.chosen), ok=belief.chosen == wanted)] if meant else []
        checks = judge(
            "done",
            self.domain,
            transcript=transcript,
            belief=belief,
            outcome=played.outcome,
            before=played.before,
            after=played.after,
        )
        seen = [check for action in belief.chosen for check in self._sightings(action, played)]
        outcomes = tuple(moment.outcome for moment in played.moments)
        return Execution(transcript, belief.chosen, outcomes, played.outcome, (*right, *checks, *seen), asked=played.asked)

    def perform(
        self,
        transcript: Transcript,
        reply: Reply,
        world: Mapping[str, str],
        seed: int = 0,
        troubles: Troubles | None = None,
        company: Company | None = None,
    ) -> Performance:
        """Carry out a transcript without a judgement.

        Args:
            transcript: of a command or a question.
            reply: of the person, to what the robot understood first and to each decision after a look; None: no answer.
            world: object → id of the furniture on which it stands at the start; without an entry, where the scene has it.
            seed: of the faults and of where the objects stand.
            troubles: deliberate faults.
            company: what people do; without it they walk only as the scene says.

        Raises:
            SimulationError: no picture can be drawn here, or a piece of furniture is full.
        """
        self.simulation.reset(seed)
        self._company = company or Company()
        stand_on(self.simulation, world, np.random.default_rng(seed))
        return self._performed(transcript, reply, seed, troubles)

    def _context(self) -> Context:
        runner = SkillRunner(self._map, SimulatedRobot(self.simulation, self.grounder))
        runner.tick(self.simulation.time)
        return runner.context(self.simulation.time)

    def _performed(self, transcript: Transcript, reply: Reply, seed: int, troubles: Troubles | None) -> Performance:
        """Carry out a transcript in the world as it is now."""
        robot = SimulatedRobot(self.simulation, self.grounder)
        runner = SkillRunner(self._map, robot)
        self._watch(runner)
        before, rng = self._world(), np.random.default_rng(seed)
        context = runner.context(self.simulation.time)
        understanding = self.pipeline.understand(transcript, context)
        answered = reply(understanding, context)
        understanding, asked = answered or understanding, answered is not None
        carried = Carried(runner, robot, troubles or Troubles(), rng)
        outcome, before_task, diary = None, None, Diary(self.domain)
        if understanding.decision == "execute":
            self._set_out()
        while understanding.decision == "execute":
            task = Task.start(self.pipeline.planner, understanding.action_belief.chosen, context, before_task)
            task = self._carried_out(task, understanding, carried)
            reason = carried.left or task.reason
            outcome = Outcome(transcript.utterance_id, self.simulation.time, task.status == "succeeded", str(task.action), reason)
            if carried.left or not understanding.action_belief.then:
                break
            before_task, context = task.belief, runner.context(self.simulation.time)  # it went to look: now it can decide
            diary.noticed(context)
            view = WorldView.of(context, task.belief.objects, diary.recollection(Now.at(transcript.stamp)), robot.found)
            understanding = self.pipeline.after_look(understanding, context, view)
            answered = reply(understanding, context)
            understanding, asked = answered or understanding, asked or answered is not None
        self.simulation.step(1.0)  # let objects come to rest
        asked = asked or bool(carried.choices)
        return Performance(understanding, asked, before, tuple(carried.moments), self._world(), outcome, robot.found)

    def _watch(self, runner: SkillRunner) -> None:
        """Let the robot stand for a while before somebody speaks, as it would: its tracker needs more than one picture of people."""
        until = self.simulation.time + AWAKE
        runner.tick(self.simulation.time)
        while self.simulation.time < until:
            self.simulation.step(TICK)
            runner.tick(self.simulation.time)

    def _set_out(self) -> None:
        """Let people begin to walk."""
        set_out(self.simulation.people, self.simulation.scene, self.domain)
        if not self._company.when_followed:
            for person in self._company.walks:
                self._walk(person)

    @cached_property
    def _ways(self) -> Ways:
        return Ways(self.simulation.scene, self.domain)

    def _walk(self, person: str) -> None:
        self.simulation.people.walk(person, self._ways(self.simulation.people.places()[person], self._company.walks[person]))

    def _answered(self, asked: Understanding, meant: str, wanted: tuple[Action, ...], context: Context) -> Understanding | None:
        """The understanding after the person's answer; None if nothing was asked, or if no short answer is right."""
        right = right_answer(self.pipeline, asked, meant, wanted, context)
        return right[1] if right else None

    def _carried_out(self, task: Task, understanding: Understanding, carried: Carried) -> Task:
        while task.next is not None and len(carried.moments) < SKILLS and not carried.left:
            spoken, theme = len(carried.robot.said), task.next.argument("theme")
            outcome = self._run(task.next, carried, carried.choices.get(theme, ()))
            said = tuple(carried.robot.said[spoken:])
            carried.moments.append(SkillEnd(outcome, self._world(), (*said, *self._answers(said, carried.runner))))
            if outcome.choices:
                state = replace(task.state("", self.simulation.time), status="asking", choices=outcome.choices)
                at = self._world().positions.get(theme)
                carried.choose(theme, at, self.pipeline, self.pipeline.which_one(understanding, state))
            task = task.after(outcome, carried.runner.context(self.simulation.time))
        return task

    def _answers(self, said: tuple[str, ...], runner: SkillRunner) -> Iterator[str]:
        """What the robot answers to the question for which it has asked."""
        if self._company.asks and any(INVITATION in line for line in said):
            yield self.pipeline.understand(self._company.asks, runner.context(self.simulation.time)).question

    def _run(self, call: SkillCall, carried: Carried, choices: tuple[Choice, ...]) -> SkillOutcome:
        runner, wrong_after = carried.runner, carried.troubles.moment(call, carried.rng)
        runner.start(call, choices)
        began = self.simulation.time
        if self._company.when_followed and call.name == "follow" and call.argument("recipient") in self._company.walks:
            self._walk(call.argument("recipient"))
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

    def _sightings(self, action: Action, played: Performance) -> Iterator[Check]:
        """Checks that found objects are where the robot reports them."""
        for literal in self.domain.actions[action.name].goal:
            predicate, roles = parse_literal(literal)
            theme = action.argument(roles[0]) if roles else ""
            if predicate == "seen" and theme in played.after.positions:
                point = played.found.get(theme, (math.inf,) * 3)
                away = math.dist(point, played.after.positions[theme])
                yield Check(f"{theme} was found", f"within {100 * SEEN:.0f} cm", f"{100 * away:.0f} cm away", ok=away <= SEEN)

    def _world(self) -> GroundTruth:
        truth = self.simulation.truth()
        positions = {name: (float(x), float(y), float(z)) for name, (x, y, z) in zip(truth.objects, truth.positions, strict=True)}
        locations = dict(zip(truth.objects, truth.locations, strict=True))
        return GroundTruth(truth.stamp, truth.x, truth.y, truth.yaw, locations, positions, frozenset(truth.facts), truth.people)
