"""Questions to the robot, judged by ground truth: where, how many, what is on, which colour, who, what did you do, why did you ask, …

In random apartments a simulated robot has looked for most things, with the misses and false alarms of its domain file, has carried out some
commands and asked a question. Then it is asked questions of all kinds, and each answer is judged by what is the case. The sentences come
from a generator, so that this part is a smoke test of understanding; what people say is in answers.yaml, written by hand: for these
sentences the row says whether the answer is of the right kind.

Baseline: the answers to the same questions by a robot that has never looked, from the habits of the home alone.
"""

from __future__ import annotations

import re
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from _answers_home import LivedHome, lived_home
from _answers_judge import AnswerVerdict, AskedAnswer, questions
from _meaning_share import Share
from sayso.console.bench import Row
from sayso.console.watch import counted
from sayso.domain import load_domain
from sayso.pipeline import Pipeline, Understanding
from sayso.selection import WorldView
from sayso.yaml_source import read_yaml

HOMES = 12
FIRST_SEED = 31
SETS = {"people": "sentences of people, seen while the rules were made", "held_out": "sentences of people, held out"}


@dataclass(frozen=True)
class JudgedAnswer:
    """A question with the verdict on its answer, and on that of a robot that has never looked."""

    asked: AskedAnswer
    answer: str
    verdict: AnswerVerdict
    blind: AnswerVerdict

    @property
    def rightly(self) -> bool:
        """Whether it is right; where the robot cannot know, also if it says so with the probability of its belief."""
        return self.verdict == "right" or (self.verdict == "doubt" and not self.asked.known)


def run(quick: bool = False, wrong: bool = False) -> Iterator[Row]:
    """Yield all rows; --quick: one apartment and a few sentences; --wrong: print what is not right."""
    judged: list[JudgedAnswer] = []
    with tempfile.TemporaryDirectory() as folder:
        for seed in counted(range(FIRST_SEED, FIRST_SEED + (1 if quick else HOMES)), "homes with questions"):
            home = lived_home(seed, Path(folder) / str(seed))
            judged += [_judged(home, each) for each in counted(list(questions(home, Random(seed))), "questions in a home")]
    if wrong:
        for each in judged:
            if not each.rightly:
                print(f"{each.verdict}: {each.asked.kind}: “{each.asked.question}” → “{each.answer}”", file=sys.stderr)
    yield from _truth_rows(judged)
    yield from _people_rows(quick, wrong)


def _judged(home: LivedHome, asked: AskedAnswer) -> JudgedAnswer:
    known = _told(home.pipeline, asked.question, home.view)
    blind = _told(home.pipeline, asked.question, WorldView.of(home.view.context, recent=home.view.recent.of_now()))
    verdicts = [asked.judge(each.question) if each.decision == "answer" else "wrong" for each in (known, blind)]
    return JudgedAnswer(asked, known.question, verdicts[0], verdicts[1])


def _told(pipeline: Pipeline, question: str, view: WorldView | None = None) -> Understanding:
    """The answer; if the robot would look first, "tell me how many cups are on the desk", what it says if the look shows nothing new."""
    context = view.context if view is not None else None
    understanding = pipeline.understand(question, context, view)
    return pipeline.after_look(understanding, context, view) if understanding.action_belief.then else understanding


def _truth_rows(judged: Sequence[JudgedAnswer]) -> Iterator[Row]:
    seen = [each for each in judged if each.asked.known]
    blind = Share(sum(each.blind == "right" for each in judged), len(judged))
    yield Share(sum(each.rightly for each in judged), len(judged)).row(
        "generated questions answered rightly, or with due doubt", "higher", 95.0
    )
    yield _share(judged, "right").row(
        "generated questions answered rightly by ground truth, seen or not", "higher", None, never_looked=blind
    )
    yield _share(seen, "right").row("the same, of what the robot has seen or needs not to see", "higher", 95.0)
    yield _share(judged, "unfounded").row("generated questions answered with unfounded certainty", "lower", 0.0)
    yield _share(judged, "wrong").row("generated questions answered wrongly, or not at all", "lower")
    for kind in dict.fromkeys(each.asked.kind for each in judged):
        of_kind = [each for each in judged if each.asked.kind == kind]
        yield Share(sum(each.rightly for each in of_kind), len(of_kind)).row(f"{kind}: rightly, or with due doubt", "higher")


def _share(judged: Sequence[JudgedAnswer], verdict: AnswerVerdict) -> Share:
    return Share(sum(each.verdict == verdict for each in judged), len(judged))


def _people_rows(quick: bool, wrong: bool) -> Iterator[Row]:
    data: Mapping[str, Mapping[str, object]] = read_yaml(Path(__file__).with_suffix(".yaml"), "questions of people").value
    pipeline = Pipeline(load_domain())
    for name, title in SETS.items():
        answered = total = 0
        for kind, sentences in counted(data[name].items(), f"kinds of {title}"):
            for sentence in list(sentences)[: 1 if quick else None]:  # type: ignore[call-overload]
                told = _told(pipeline, sentence)
                fits = told.decision == "answer" and re.search(str(data["fits"][kind]), told.question) is not None
                answered, total = answered + fits, total + 1
                if wrong and not fits:
                    print(f"{name}: {kind}: “{sentence}” → {told.decision} “{told.question}”", file=sys.stderr)
        yield Share(answered, total).row(f"{title}: answered as their kind", "higher", 95.0)
