"""Colours that the training does not have are judged by a fit on trained colours that are treated as if it did not have them."""

from collections.abc import Iterator
from types import SimpleNamespace

import numpy as np
import pytest

pytest.importorskip("torch")  # extra 'train'

from sayso.domain import load_domain
from sayso.grounding.colors import lab
from sayso.grounding.phrase import PhraseUnit
from sayso.grounding.words import COLOR, UnitReader
from sayso.paths import models_dir
from sayso.training.grounder.config import load_config
from sayso.training.grounder.evaluation import ColoredRegion
from sayso.training.grounder.phrases import PhraseBook
from sayso.training.grounder.untrained import SurveyReader, fitted_pixels

pytestmark = pytest.mark.long("trains or exports a network")

SURVEY = {"red": "#e50000", "blue": "#0343df"}
VOTES = np.full(20, 1 / 20)


def region(color: str, seen: tuple[int, int, int], others: float, right: bool) -> ColoredRegion:
    return ColoredRegion(color, others, (np.tile(np.array(seen, np.uint8), (20, 1)), VOTES), right)


def regions(_: object) -> Iterator[ColoredRegion]:
    red, blue = (160, 20, 25), (20, 50, 150)
    for others in (8.0, 4.0, -3.0, -8.0):
        yield region("red", red, others, others > 0)
        yield region("blue", blue, others, others > 0)
        yield region("red", blue, others, False)
        yield region("blue", red, others, False)
        yield region("teal", red, others, True)  # held out: it must not count


def test_the_fit_needs_the_noun_and_the_color_and_no_color_that_is_held_out() -> None:
    noun, share, other, _ = fitted_pixels(SimpleNamespace(colored_regions=regions), models_dir(), SURVEY)  # type: ignore[arg-type]
    assert noun > 0.1
    assert share > 0.1
    assert other < 0.0


def test_a_color_is_asked_as_people_call_it_and_not_as_the_scenes_paint_it() -> None:
    value = np.array([0xE5, 0, 0], np.uint8)
    reader, plain = SurveyReader({"red": value}), UnitReader()
    red, cup, blue = PhraseUnit("red", color=True), PhraseUnit("cup"), PhraseUnit("blue", color=True)
    assert reader(red)[0][0, 1 - COLOR :] == pytest.approx(lab(value[None])[0] / 100.0, abs=1e-5)
    assert not np.array_equal(reader(red)[0], plain(red)[0])
    for unit in (cup, blue):
        np.testing.assert_array_equal(reader(unit)[0], plain(unit)[0])


def test_every_trained_color_and_no_other_is_in_the_survey() -> None:
    config = load_config()
    assert set(config.survey) == set(PhraseBook(load_domain(), config.words, config.held_out).color_names)
    assert not set(config.survey) & set(config.held_out.colors)


def test_the_network_does_not_depend_on_the_survey() -> None:
    config = load_config()
    assert config.model_copy(update={"survey": SURVEY}).digest == config.digest
