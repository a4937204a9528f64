"""The simulated person of the benchmarks, who knows what was meant and answers the robot's question about it."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from sayso.pipeline import Pipeline, Understanding
from sayso.robot.geometry import Point3
from sayso.types import Action, Choice, Context, Transcript

SEEN = 0.15  # m: largest error of a found position


def right_answer(
    pipeline: Pipeline, asked: Understanding, meant: str, wanted: Sequence[Action], context: Context | None
) -> tuple[str, Understanding] | None:
    """A short answer and what is understood then; None if nothing was asked, or if no short answer is right.

    The person says yes if the question is about what they want, and says again which of two words it was.

    Args:
        pipeline: understands the answer.
        asked: what the robot understood, with its question.
        meant: what the person really said.
        wanted: the actions that this means; empty: nothing, and no answer is right.
        context: the robot's situation; None: as it begins.
    """
    named = [word for word in re.findall("“(.+?)”", asked.action_belief.question) if f" {word} " in f" {meant} "]
    for reply in ("yes", *named) if wanted else ():
        answered = pipeline.answer(asked, reply, context)
        if answered is not None and answered.action_belief.chosen == tuple(wanted):
            return reply, answered
    return None


def spoken_answer(pipeline: Pipeline, heard: Transcript, meant: str) -> str:
    """What the person answers to a robot that has heard this and asks; "" if no short answer is right."""
    asked = pipeline.understand(heard)
    right = right_answer(pipeline, asked, meant, pipeline.understand(meant).action_belief.chosen, None)
    return right[0] if right else ""


def right_choice(choices: Sequence[Choice], at: Point3 | None) -> str:
    """What the person answers who sees where the thing really is: its words, or "never mind" if it is none of those in question.

    Args:
        choices: the things that the robot asks about.
        at: where the thing is, m, map frame; None: nowhere.
    """
    if at is None:
        return "never mind"
    nearest = min(choices, key=lambda each: math.dist(each.point, at))
    return nearest.words if math.dist(nearest.point, at) <= SEEN else "never mind"
