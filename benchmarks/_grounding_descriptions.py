"""Descriptions in a picture: relations, superlatives, counting, exclusion, ambiguity, on simulated table tops.

The resolver alone gets the true pixels and kinds of the things, so that its own errors show; the whole chain finds them with a backend.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from _grounding_scenes import TableTop, TableTops
from sayso.console.bench import Row
from sayso.console.watch import counted
from sayso.domain import load_domain
from sayso.grounding.backend import Backend, Look
from sayso.grounding.candidates import located
from sayso.grounding.describe import DescriptionGrounder, is_count
from sayso.grounding.resolution import Resolution
from sayso.intent.meaning.answers import AnswerDescriber
from sayso.types import Candidate, Image

SCENES = 400
QUICK = 12  # scenes of a quick run
GOAL = 0.95
FALSE_ALARMS = 0.05
P_TRUE = 0.97  # of a thing that the truth names
GROUPS = {
    "relation": "relations", "superlative": "superlatives", "count": "counting", "exclusion": "exclusion", "clear": "one thing fits",
    "absent": "nothing fits",
}  # fmt: skip


class TrueBackend:
    """Finds what is there, from the simulator's pixels."""

    threshold = 0.5

    def __init__(self) -> None:
        self.scene: TableTop | None = None

    def look(self, image: Image, phrases: Sequence[str]) -> tuple[Look, ...]:
        """The things of that kind and colour, each with P_TRUE."""
        return tuple(self._look(image, phrase) for phrase in phrases)

    def _look(self, image: Image, phrase: str) -> Look:
        scene = self.scene
        assert scene is not None
        fitting = [name for name in scene.masks if phrase in (scene.kinds[name], f"{scene.colors[name]} {scene.kinds[name]}", "thing")]
        found = tuple(_candidate(image, scene, name) for name in fitting)
        return Look(phrase, np.full((1, 1), 1.0), P_TRUE if found else 0.0, found)


@dataclass(frozen=True, slots=True)
class DescriptionAnswer:
    """One phrase, resolved."""

    group: str
    right: bool
    asked: bool  # the verdict is ambiguous
    scene: int
    phrase: str


def rows(backends: dict[str, Backend], quick: bool = False) -> Iterator[Row]:
    """Yield the rows: the resolver alone, and with each backend. Quick: 12 scenes, and more until each kind of phrase came up."""
    truth = TrueBackend()
    systems: dict[str, Backend] = {"resolver alone": truth, **backends}
    answers = {name: list[DescriptionAnswer]() for name in systems}
    describe = AnswerDescriber(load_domain())
    with TableTops() as tables:
        for number in counted(range(SCENES), "tables to speak of"):
            if quick and number >= QUICK and GROUPS.keys() <= {answer.group for answer in answers["resolver alone"]}:
                break
            scene = tables.scene(number)
            truth.scene = scene
            for name, backend in systems.items():
                answers[name] += _answers(number, scene, DescriptionGrounder(backend, describe))
    for name, found in answers.items():
        yield from _rows(name, found)


def _rows(name: str, answers: Sequence[DescriptionAnswer]) -> Iterator[Row]:
    by_group = defaultdict[str, list[DescriptionAnswer]](list)
    for answer in answers:
        by_group[answer.group].append(answer)
    for group, called in GROUPS.items():
        yield _share(f"{called}, {name}", [answer.right for answer in by_group[group]], "higher", GOAL)
    yield _share(f"ambiguity noticed, {name}", [answer.asked for answer in by_group["ambiguous"]], "higher", GOAL)
    clear = [answer.asked for answer in answers if answer.group in ("relation", "superlative", "clear")]
    yield _share(f"asked although it is clear, {name}", clear, "lower", FALSE_ALARMS)


def _share(measure: str, hits: Sequence[bool], better: str, goal: float) -> Row:
    if not hits:
        return Row(measure, None, "share", better, goal, reason="no such phrase came up")  # type: ignore[arg-type]
    return Row(measure, sum(hits) / len(hits), "share", better, goal, n=len(hits))  # type: ignore[arg-type]


def _answers(number: int, scene: TableTop, grounder: DescriptionGrounder) -> Iterator[DescriptionAnswer]:
    for query in scene.queries:
        found = grounder(scene.image, query.phrase)
        if is_count(query.phrase):
            right = _number(found) == query.number
        elif query.group == "ambiguous":
            right = found.verdict == "ambiguous"
        else:
            hit = [_owner(scene, thing) for thing in found.things]
            right = found.verdict != "ambiguous" and len(hit) == len(set(hit)) and set(hit) == query.meant
        yield DescriptionAnswer(query.group, right, found.verdict == "ambiguous", number, query.phrase)


def _number(found: Resolution) -> int:
    return max(found.counts, key=lambda pair: pair[1])[0] if found.counts else 0


def _owner(scene: TableTop, thing: Candidate) -> str:
    """The object that the candidate's pixel is on; the nearest within 4 pixels, as far as a gripper cares."""
    column, row = thing.pixel
    distances = {}
    for name, mask in scene.masks.items():
        rows, cols = np.where(mask)
        distances[name] = float(np.hypot(rows - row, cols - column).min())
    nearest = min(distances, key=lambda name: distances[name], default="")
    return nearest if nearest and distances[nearest] <= 4.0 else f"nothing at {column:.0f}, {row:.0f}"


def _candidate(image: Image, scene: TableTop, name: str) -> Candidate:
    at = np.argwhere(scene.masks[name])
    (top, left), (bottom, right) = at.min(axis=0), at.max(axis=0) + 1
    row, col = at[np.argmin(((at - at.mean(axis=0)) ** 2).sum(axis=1))]
    pixel = (float(col), float(row))
    point, covariance = located(image, at.astype(np.float64), np.ones(len(at)), pixel)
    box = (float(left), float(top), float(right), float(bottom))
    assert not math.isnan(point[0])
    return Candidate(P_TRUE, pixel, box, point, covariance, scene.kinds[name], scene.colors[name])


if __name__ == "__main__":
    import sys

    from sayso.grounding.backends import backend

    for each in rows({name: backend(name) for name in sys.argv[1:]}):
        print(f"{each.measure:60} {each.value if each.value is not None else each.reason} n={each.n}")
