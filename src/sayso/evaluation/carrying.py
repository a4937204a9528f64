"""One command while a simulated robot carries it out: its skills, deliberate faults, and the person who says which thing is meant."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from sayso.bags.messages import GroundTruth
from sayso.evaluation.answering import right_choice
from sayso.evaluation.circumstances import Troubles
from sayso.evaluation.simulated_robot import SimulatedRobot
from sayso.pipeline import Pipeline, Understanding
from sayso.robot import SkillRunner
from sayso.robot.geometry import Point3
from sayso.types import Choice, SkillOutcome


@dataclass(frozen=True, slots=True)
class SkillEnd:
    """The end of one skill."""

    outcome: SkillOutcome
    world: GroundTruth
    said: tuple[str, ...]  # by the robot, during the skill


@dataclass
class Carried:
    """One command while it is carried out."""

    runner: SkillRunner
    robot: SimulatedRobot
    troubles: Troubles
    rng: np.random.Generator
    moments: list[SkillEnd] = field(default_factory=list)  # the skills that have ended
    choices: dict[str, tuple[Choice, ...]] = field(default_factory=dict)  # theme → what the person has chosen, then the others
    left: str = ""  # why it was left undone, after the person's answer

    def choose(self, theme: str, at: Point3 | None, pipeline: Pipeline, asked: Understanding) -> None:
        """Ask the person which thing is meant.

        Args:
            theme: the object that the skill is about.
            at: where it is, m, map frame; None: nowhere.
            pipeline: understands the answer.
            asked: has the question.
        """
        reply = right_choice(asked.action_belief.choices, at)
        self.robot.said.append(asked.question)
        answered = pipeline.answer(asked, reply, self.runner.context(self.robot.simulation.time))
        if answered is not None and answered.decision == "execute":
            self.choices[theme] = answered.action_belief.choices
        else:
            self.left = f"the robot asked “{asked.question}”, and the answer was “{reply}”"
