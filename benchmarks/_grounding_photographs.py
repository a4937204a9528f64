"""Photographs: 128 of COCO's val2017, bottles and cups of telephones, food in jars of a kitchen. Nothing was fitted on them.

A phrase about something that is there is right if it is found and the box overlaps the marked one by half (IoU ≥ 0.5); one about something
that is not there is right if nothing is found. The baselines are the same network without what was added (_grounding_finders.py), and
another one of its size (_grounding_centernet.py).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np

from _grounding_centernet import centernet
from _grounding_clothed import clothes_rows
from _grounding_counts import count_rows
from _grounding_finders import Answer, Finder, FoundBox, at_its_word, one_look, with_detector
from _grounding_phrases import asked_about
from _meaning_share import Share
from sayso.console.bench import Row, quantile_row
from sayso.console.watch import counted
from sayso.grounding.detector import Detector
from sayso.grounding.detector.nouns import classes, groups
from sayso.training.data.photographs import Photograph, photographs
from sayso.training.detector.fit import is_right
from sayso.training.detector.phrases import Asked
from sayso.types import Image
from sayso.yaml_source import read_plain

COLORS = Path(__file__).with_name("_grounding_colors.yaml")
SMALLEST = 32 * 32 / (640 * 480)  # share of the picture
SEED = 3
BINS = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
FEW = 20  # a bin with fewer answers says nothing
OURS, BASELINE, CENTERNET = "ours", "network at its word", "CenterNet"
# Sets: data set, split, kinds that are marked (none: all of the detector's).
SETS: dict[str, tuple[str, str, tuple[str, ...]]] = {
    "COCO": ("coco128", "val2017", ()),
    "bottles and cups": ("bottles_and_cups", "test", ("bottle", "cup")),
}
KITCHEN = ("kitchen_containers", "all")


@dataclass(frozen=True, slots=True)
class Judged:
    """A phrase, what the finders say, and the picture."""

    photo: str
    asked: Asked
    ours: Answer
    others: Mapping[str, Answer]

    @property
    def baseline(self) -> Answer:
        """Of the same network at its word."""
        return self.others[BASELINE]


def rows(quick: bool = False) -> Iterator[Row]:
    """Yield all rows; quick: few pictures."""
    backend, limit = Detector(), 6 if quick else 0
    finders = {OURS: with_detector(backend), BASELINE: at_its_word(one_look(backend))}
    if not quick:  # it is downloaded
        finders[CENTERNET] = at_its_word(centernet())
    judged = {name: list(_judged(*of, finders, limit)) for name, of in SETS.items()}
    everything = [each for some in judged.values() for each in some]
    yield _right("photographs: all phrases, the right box", [each for each in everything if each.asked.right], 60.0)
    yield _right(
        "photographs: all phrases, things that are not there are refused", [each for each in everything if not each.asked.right], 90.0
    )
    for name, some in judged.items():
        yield from _by_tag(name, some)
    yield from count_rows(backend, [(data, split, kinds) for data, split, kinds in SETS.values()], SMALLEST, limit)
    yield from clothes_rows(backend, limit)
    yield from _kitchen(backend, finders, limit)
    yield from _calibration(everything)
    yield from _times(backend, 3 if quick else 40)


def _judged(data: str, split: str, kinds: tuple[str, ...], finders: Mapping[str, Finder], limit: int) -> Iterator[Judged]:
    colors = read_plain(COLORS)
    for photo in counted(photographs(data, split, limit), f"photographs, {data}"):
        asked = asked_about(photo, kinds, SMALLEST, colors, SEED)
        said = {name: finder(photo.image, asked) for name, finder in finders.items()} if asked else {}
        for at, each in enumerate(asked):
            answers = {name: answers[at] for name, answers in said.items()}
            yield Judged(photo.name, each, answers.pop(OURS), answers)


def correct(asked: Asked, answer: Answer) -> bool:
    """Whether the answer is the right box, or rightly none."""
    return is_right(answer.chosen.box, asked) if answer.chosen and asked.right else bool(answer.chosen) == bool(asked.right)


def _right(measure: str, some: Sequence[Judged], goal: float | None = None) -> Row:
    of: Callable[[Callable[[Judged], Answer]], Share] = lambda pick: Share(sum(correct(each.asked, pick(each)) for each in some), len(some))  # noqa: E731
    others = {name: of(lambda each, name=name: each.others[name]) for name in (some[0].others if some else ())}  # type: ignore[misc]
    return of(lambda each: each.ours).row(measure, "higher", goal, **others)


def _by_tag(name: str, some: Sequence[Judged]) -> Iterator[Row]:
    def with_tag(tag: str, present: bool) -> list[Judged]:
        return [each for each in some if tag in each.asked.tags and bool(each.asked.right) == present]

    for what, tag, present in (
        ("a kind, the right box", "kind", True),
        ("a similar kind that is not there is refused", "alike", False),
        ("another kind that is not there is refused", "other", False),
        ("a kind and its colour, the right box", "color", True),
        ("a kind in a wrong colour is refused", "color", False),
    ):
        if chosen := with_tag(tag, present):
            yield _right(f"{name}: {what}", chosen)
    related = with_tag("relation", True)
    for relation in ("left", "right", "biggest", "left of"):
        chosen = [each for each in related if each.asked.relation.partition(" of")[0] == relation.partition(" of")[0]
                  and (" of " in each.asked.relation) == (relation == "left of")]  # fmt: skip
        if chosen:
            yield _right(f'{name}: "{relation} …", the right box, by the resolver', chosen)
            yield Share(sum(each.ours.asks for each in chosen), len(chosen)).row(f'{name}: "{relation} …", it asks first', "lower")


def _kitchen(backend: Detector, finders: Mapping[str, Finder], limit: int) -> Iterator[Row]:
    """Nouns that no class means, of things in the picture; and kinds that a kitchen counter surely has not."""
    named, refused, absent = 0, list[bool](), dict[str, list[bool]]()
    outdoors = [*groups()["animal"], *groups()["vehicle"]]
    pictures = list(photographs(*KITCHEN, limit))
    for number, photo in enumerate(pictures):
        for noun in {thing.kind for thing in photo.things}:
            (look,) = backend.look(photo.image, [noun])
            named += bool(look.unknown)
            refused.append(not look.candidates)
        kind = outdoors[number % len(outdoors)]
        asked = Asked(kind, (), plain=kind)
        for name, finder in finders.items():
            absent.setdefault(name, []).append(correct(asked, finder(photo.image, [asked])[0]))
    yield Share(sum(refused), len(refused)).row(
        "kitchen: a noun without a class has no candidate, and is named", "higher", 100.0, named=Share(named, len(refused))
    )
    shares = {name: Share(sum(right), len(right)) for name, right in absent.items()}
    yield shares.pop(OURS).row("kitchen: an animal or vehicle is refused", "higher", None, **shares)


def _calibration(everything: Sequence[Judged]) -> Iterator[Row]:
    """P(the best candidate is meant) and P(there is one), of plain phrases, against how often it is so."""
    plain = [each for each in everything if not each.asked.relation]

    def right(each: Judged, best: FoundBox | None) -> bool:
        return best is not None and bool(each.asked.right) and is_right(best.box, each.asked)

    for what, ours, baseline in (
        (
            "the best candidate",
            [(each.ours.best.probability, right(each, each.ours.best)) for each in plain if each.ours.best],
            [(each.baseline.best.probability, right(each, each.baseline.best)) for each in plain if each.baseline.best],
        ),
        (
            "presence",
            [(each.ours.presence, bool(each.asked.right)) for each in plain],
            [(each.baseline.presence, bool(each.asked.right)) for each in plain],
        ),
    ):
        yield Row(f"photographs: calibration error, {what}", _error(ours), "%", "lower", 3.0, {BASELINE: _error(baseline)}, n=len(ours))
        for low, high in pairwise(BINS):
            inside = [(p, is_so) for p, is_so in ours if low <= p < high or p == high == 1.0]
            if len(inside) >= FEW:
                said, so = 100.0 * float(np.mean([p for p, _ in inside])), Share(sum(is_so for _, is_so in inside), len(inside))
                yield so.row(f"photographs: {what}, P in [{low:g}, {high:g}), {said:.1f} % on average: so often it is so", "higher")


def _error(pairs: Sequence[tuple[float, bool]]) -> float | None:
    """The mean distance between what is said and what is so, over the bins, weighted by their number; percent."""
    total = 0.0
    for low, high in pairwise(BINS):
        inside = [(p, is_so) for p, is_so in pairs if low <= p < high or p == high == 1.0]
        if inside:
            total += abs(sum(p for p, _ in inside) - sum(is_so for _, is_so in inside))
    return 100.0 * total / len(pairs) if pairs else None


def _times(backend: Detector, repeats: int) -> Iterator[Row]:
    pictures = [_cropped(photo) for photo in photographs("coco128", "val2017", repeats)]
    for what, phrases in (("one phrase", ["red cup"]), ("ten phrases", [f"red {kind}" for kind in classes()[39:49]])):
        taken = []
        for image in pictures:
            began = time.process_time()
            backend.look(image, phrases)
            taken.append(time.process_time() - began)
        yield quantile_row(f"one picture of 640×480 and {what}, processor time", taken, 0.5, 150.0)


def _cropped(photo: Photograph) -> Image:
    """The picture at the size of a usual camera."""
    from PIL import Image as Picture

    return Image(np.asarray(Picture.fromarray(photo.image.rgb).resize((640, 480))), 0.0)
