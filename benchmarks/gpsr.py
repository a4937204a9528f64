"""Commands of the RoboCup@Home grammars (GPSR and EGPSR) in random homes, from text to what has happened, judged by the ground truth.

Each command is derived from the competition's grammar with the names of a random home, and the things that it speaks of are put where it
says. The stages, planner, skills and grounder carry it out on the embedded simulation in one process (no ROS). A simulated person answers
the robot's questions with "yes" or the number of an option, if that is what was meant, and says which of several things that the robot
sees is the right one. Where skills fail on purpose, they do as often as config/tasks.yaml says. Where commands are spoken, synthetic voices
say them in a quiet room (_gpsr_spoken.py). The sentences come from a grammar: it measures the whole chain, and no person's way of speaking.

Baseline: the commands that were done without a failed skill, which is the result of a robot that gives up at the first failure.
"""

from __future__ import annotations

import math
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from _gpsr_commands import GpsrCommand, commands
from _gpsr_judge import JudgedCommand, judged_command
from _gpsr_spoken import NEEDED, SpokenCommands, said_by, voices
from _meaning_actions import Interpretation
from _meaning_judge import means
from _meaning_labels import FREE
from _meaning_share import Share
from _task_settings import task_settings
from sayso.console.bench import Row
from sayso.console.watch import counted, progress
from sayso.domain import Domain, load_domain
from sayso.errors import SimulationError
from sayso.evaluation.circumstances import Company, Troubles
from sayso.evaluation.execution import Rehearsal
from sayso.grounding.seeing_once import SeeingOnce
from sayso.grounding.spoken import SpokenGrounder
from sayso.pipeline import Pipeline, Understanding
from sayso.random_home import random_home
from sayso.scene import load_scene
from sayso.types import Context, Transcript, TranscriptAlternative

HOMES = 10
COMMANDS = 200
FIRST_SEED = 51
TOLD_AFTER = 60.0  # s: then the person ends following
REPLIES = ("yes", "1", "2", "3")
SETS = ("text", "spoken", "failing")
GOALS = {"text": 95.0, "spoken": 85.0, "failing": 80.0}
TITLES = {"text": "from text", "spoken": "spoken", "failing": "with failing skills"}


def run(quick: bool = False, only: str = "", wrong: bool = False, limit: int = 0) -> Iterator[Row]:
    """Yield all rows; `only`: text, spoken or failing; --wrong: print what was not done; `limit`: number of commands; --quick: three."""
    count = 3 if quick else limit or COMMANDS
    homes = 1 if quick else min(HOMES, count)
    for name in (only,) if only else SETS:
        if name == "spoken" and not voices():
            yield Row(f"commands done, {TITLES[name]}", None, "%", "higher", GOALS[name], reason=NEEDED, absent="program")
            continue
        troubles = task_settings()["troubles"] if name == "failing" else None
        judged: list[JudgedCommand] = []
        for number in counted(range(homes), f"homes, {TITLES[name]}"):
            share = count // homes + (number < count % homes)
            judged += _carried_out(FIRST_SEED + number, share, troubles, spoken=name == "spoken", wrong=wrong)
        said = f"said by {said_by(math.ceil(count / homes))}" if name == "spoken" else ""
        yield from (replace(row, reason=row.reason or said) for row in _rows(TITLES[name], judged, GOALS[name]))


def _carried_out(
    seed: int, count: int, troubles: dict[str, dict[str, float]] | None, *, spoken: bool = False, wrong: bool = False
) -> Iterator[JudgedCommand]:
    """Carry out commands in one home, each from the start; typed, or `spoken`."""
    with tempfile.TemporaryDirectory() as folder:
        scene_file, domain_file = random_home(seed, Path(folder))
        domain, scene = load_domain(domain_file), load_scene(scene_file)
        if troubles:
            scene = scene.model_copy(update={"gripper": scene.gripper.model_copy(update={"fails": troubles["gripper"]})})
        pipeline = Pipeline(domain)
        rehearsal = Rehearsal(domain, scene, SpokenGrounder(SeeingOnce(), pipeline.describe), pipeline)
        heard = SpokenCommands(domain) if spoken else _typed
        try:
            wanted = commands(domain, scene, seed, 2 * count)
            done = 0
            while done < count and wanted:
                command = wanted.pop(0)
                person = _Person(domain, rehearsal.pipeline, command)
                faults = Troubles(troubles["interrupted"]) if troubles else None
                try:
                    company = Company(command.walks, TOLD_AFTER, when_followed=True, asks=command.asks)
                    with _home_of(command, rehearsal) as home:
                        played = home.perform(heard(command.label.say, done), person, command.world, 1000 * seed + done, faults, company)
                except SimulationError as full:
                    if "no room" not in str(full):
                        raise
                    continue
                done += 1
                progress(f"command {done + 1} of {count} in this home")
                judged = judged_command(domain, command.cast or scene, command, played)
                if wrong and judged.verdict != "done":
                    _show(judged)
                yield judged
        finally:
            rehearsal.close()


@contextmanager
def _home_of(command: GpsrCommand, rehearsal: Rehearsal) -> Iterator[Rehearsal]:
    """The home with the people that the command needs."""
    if command.cast is None:
        yield rehearsal
        return
    home = Rehearsal(rehearsal.domain, command.cast, rehearsal.grounder, rehearsal.pipeline)
    try:
        yield home
    finally:
        home.close()


class _Person:
    """Answers the robot's question, if a short answer leads to what was meant."""

    def __init__(self, domain: Domain, pipeline: Pipeline, command: GpsrCommand) -> None:
        self._domain, self._pipeline, self._command = domain, pipeline, command

    def __call__(self, asked: Understanding, context: Context) -> Understanding | None:
        if asked.decision not in ("confirm", "ask"):
            return None
        answers = (self._pipeline.answer(asked, reply, context) for reply in (*REPLIES, *self._goals()))
        return next((each for each in answers if each is not None and self._is_meant(each)), None)

    def _goals(self) -> list[str]:
        """Where to, in words: the answer to "where should I take her"."""
        goals = (act.values("goal") for sequence in self._command.label.do for act in sequence)
        return [self._domain.spoken(goal) for found in goals for goal in found if goal in self._domain.places]

    def _is_meant(self, understood: Understanding) -> bool:
        """Whether it is what the label says. What the label leaves open, "something in a bowl", has no short answer."""
        label = self._command.label
        untold = self._command.describes_people and self._command.cast is None
        if untold or any(values == (FREE,) for sequence in label.do for act in sequence for _, values in act.roles):
            return False
        return understood.decision == "execute" and means(Interpretation(self._domain, understood), label)


def _typed(text: str, number: int) -> Transcript:
    return Transcript(f"gpsr-{number}", 0.0, (TranscriptAlternative(text, 0.0),), confidence=1.0)


def _show(judged: JudgedCommand) -> None:
    understanding = judged.played.understanding
    outcome = judged.played.outcome
    told = understanding.question or (outcome.reason if outcome is not None else "")
    chosen = "; ".join(map(str, understanding.actions))
    skills = " ".join(f"{each.outcome.call}{'' if each.outcome.succeeded else '!'}" for each in judged.played.moments)
    said, heard = judged.command.label.say, understanding.transcript.text
    as_heard = "" if heard == said else f" heard “{heard}”"
    print(
        f"{judged.verdict}: {judged.command.form}: “{said}”{as_heard} → {understanding.decision} {chosen} “{told}” {skills}",
        file=sys.stderr,
    )


def _rows(title: str, judged: Sequence[JudgedCommand], goal: float) -> Iterator[Row]:
    def share(verdict: str) -> Share:
        return Share(sum(each.verdict == verdict for each in judged), len(judged))

    smooth = Share(sum(each.smooth for each in judged), len(judged))
    yield share("done").row(f"commands done, {title}", "higher", goal, giving_up_at_the_first_failure=smooth)
    shown = [each for each in judged if not each.command.describes_people]
    yield Share(sum(each.verdict == "done" for each in shown), len(shown)).row(
        f"the same, without people who are told by their looks, {title}", "higher", goal
    )
    yield share("declined").row(f"not started: asked or declined, {title}", "lower")
    yield share("failed").row(f"started, and said to have failed, {title}", "lower")
    yield share("wrong").row(f"said to be done, and not done, {title}", "lower", 0.0)
    for form in sorted({each.command.form for each in judged}):
        of_form = [each for each in judged if each.command.form == form]
        yield Share(sum(each.verdict == "done" for each in of_form), len(of_form)).row(f"{form}: done, {title}", "higher")
