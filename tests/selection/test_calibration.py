"""`sayso calibrate` and its files, which are valid only for the home they were made for."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import typer
import yaml
from typer.testing import CliRunner

from sayso.console.calibrate import calibrate
from sayso.domain import Domain, load_domain
from sayso.domain.model import Priors
from sayso.errors import ModelError, SaysoError
from sayso.selection.choosing.calibration import Calibration, Level, cached, key_of, read_calibration, stored, write_calibration
from sayso.selection.choosing.conformal import kind_of
from sayso.training.selection.calibration import Known, as_known, calibrated, holds
from sayso.training.selection.interactions import interactions, sayings
from sayso.training.selection.strange_words import with_strange_words

HOME = load_domain()


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def named(name: str, **changes: object) -> Domain:
    return HOME.model_copy(update={"name": name, **changes})


def calibration(domain: Domain, **changes: object) -> Calibration:
    levels = {0.05: Level(clear=0.2, unclear=0.8, coverage=0.95, offered=0.97, size=1.8), 0.01: Level.model_validate(
        {"clear": math.inf, "unclear": math.inf, "coverage": 1.0, "offered": 1.0, "size": 5.0})}  # fmt: skip
    fields = {"key": key_of(domain), "domain": domain.name, "source": "a test", "n": 400, "held_out": 400, "unclear": 0.1, "missing": 0.0}
    return Calibration.model_validate({**fields, "epsilon": 0.05, "levels": levels, **changes})


def test_a_calibration_is_used_for_its_home() -> None:
    home = named("my flat")
    write_calibration(calibration(home), cached(home))
    found, note = stored(home)
    assert found is not None
    assert (found.epsilon, found.clear, found.unclear, note) == (0.05, 0.2, 0.8, "")


def test_an_infinite_quantile_is_restored() -> None:
    home = named("my flat")
    write_calibration(calibration(home, epsilon=0.01), cached(home))
    found, _ = stored(home)
    assert found is not None
    assert found(np.array([0.6, 0.4, 0.0])).all()


@pytest.mark.parametrize(
    "change",
    [
        lambda home: {"intents": {name: spec for name, spec in home.intents.items() if name != "count"}},
        lambda home: {"objects": {name: thing for name, thing in home.objects.items() if name != "red_cup"}},
        lambda home: {"priors": home.priors.model_copy(update={"actions": {"stop": 1.0}})},
    ],
    ids=["an intent less", "an object less", "another prior"],
)
def test_a_changed_home_makes_its_calibration_stale(change: Callable[[Domain], dict[str, object]]) -> None:
    home = named("my flat")
    write_calibration(calibration(home), cached(home))
    found, note = stored(home.model_copy(update=change(home)))
    assert found is None
    assert "for an earlier 'my flat'" in note
    assert "sayso calibrate" in note
    assert "\n" not in note


def test_changed_costs_keep_a_calibration_valid() -> None:
    home = named("my flat")
    write_calibration(calibration(home), cached(home))
    actions = {name: spec.model_copy(update={"wrong": 9.0}) for name, spec in home.actions.items()}
    assert stored(home.model_copy(update={"actions": actions}))[0] is not None


def test_an_uncalibrated_home_gives_no_warning() -> None:
    assert stored(named("new", priors=Priors())) == (None, "")


def test_the_shipped_calibration_is_up_to_date() -> None:
    found, note = stored(HOME)
    assert note == ""
    assert found is not None, "run `sayso calibrate` after changing the home, the examples or the classifier"


@pytest.mark.parametrize("content", [b"", b"levels: [", b"\x00\x01\xff", b"key: 7\n", b"- a\n- b\n", b"epsilon: .nan\nlevels: {}\n"])
def test_a_malformed_file_is_reported_in_one_line_and_not_used(content: bytes) -> None:
    home = named("my flat")
    cached(home).parent.mkdir(parents=True)
    cached(home).write_bytes(content)
    found, note = stored(home)
    assert found is None
    assert "sayso calibrate" in note
    assert str(cached(home)) in note
    assert "\n" not in note


def test_a_truncated_file_never_yields_different_sets() -> None:
    home = named("my flat")
    write_calibration(calibration(home), cached(home))
    whole, sound = cached(home).read_bytes(), stored(home)[0]
    for cut in range(0, len(whole), 7):
        cached(home).write_bytes(whole[:cut])
        assert stored(home)[0] in (None, sound)


def test_the_epsilon_in_use_must_be_a_level(tmp_path: Path) -> None:
    write_calibration(calibration(HOME, epsilon=0.2), tmp_path / "c.yaml")
    with pytest.raises(ModelError, match=r"0\.2 is none of the levels"):
        read_calibration(tmp_path / "c.yaml")


def test_an_unwritable_path_is_reported(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ModelError, match="cannot be written"):
        write_calibration(calibration(HOME), tmp_path / "file" / "c.yaml")


def mixed(count: int) -> list[Known]:
    """`count` clear interactions with two actions, and as many unclear ones with three."""
    chance = np.random.default_rng(0)
    clear = [Known(np.array([p, 1.0 - p]), (int(chance.random() < 0.02),)) for p in chance.uniform(0.95, 1.0, count)]
    unclear = [Known(np.sort(chance.dirichlet((3.0, 2.0, 1.0)))[::-1], (int(chance.integers(3)),)) for _ in range(count)]
    return [*clear, *unclear]


def test_coverage_holds_on_held_out_interactions() -> None:
    found = calibrated(HOME, mixed(4_000), "a test", 0.05)
    assert found.levels[0.05].coverage == pytest.approx(0.95, abs=0.015)
    assert found.levels[0.1].coverage == pytest.approx(0.9, abs=0.02)
    assert found.levels[0.01].size > found.levels[0.05].size > found.levels[0.1].size
    assert found.levels[0.05].offered >= 0.93


def test_a_custom_epsilon_is_calibrated_too() -> None:
    found = calibrated(HOME, mixed(400), "a test", 0.2)
    assert sorted(found.levels) == [0.01, 0.05, 0.1, 0.2]
    assert found.conformal_set.epsilon == 0.2


def doubtful(count: int) -> list[Known]:
    """Interactions with P(the words were understood) = 0.6, in which the best of two actions is meant as often, or something else."""
    chance = np.random.default_rng(1)
    return [Known(np.array([0.55, 0.05]), (0,) if chance.random() < 0.6 else ()) for _ in range(count)]


def test_sets_of_sentences_that_were_perhaps_misunderstood_hold_something_else() -> None:
    found = calibrated(HOME, [*mixed(400), *doubtful(400)], "a test", 0.05)
    choose = found.conformal_set
    assert choose(np.array([0.55, 0.05])).tolist() == [True, False]
    assert choose.holds_others(np.array([0.55, 0.05]))
    assert not choose.holds_others(np.array([0.7, 0.3]))  # several things may be meant, but the words were understood
    assert found.levels[0.05].coverage == pytest.approx(0.97, abs=0.03)
    assert 0.2 < found.levels[0.05].others < 0.5


def test_each_kind_of_doubt_keeps_its_promise() -> None:
    """Many clear and many doubtful interactions cannot make up for the unclear ones."""
    every = [*mixed(2_000), *doubtful(4_000)]
    choose = calibrated(HOME, every, "a test", 0.1).conformal_set
    unclear = [each for each in mixed(3_000) if kind_of(each.p) == "unclear"]
    assert np.mean([holds(choose, each) for each in unclear]) == pytest.approx(0.9, abs=0.02)


def test_strange_words_change_the_text_and_only_sometimes_the_meaning() -> None:
    drawn = list(interactions(HOME, sayings(HOME, 4), 1500, 0))
    changed = with_strange_words(HOME, drawn, 0)
    other = [(before, after) for before, after in zip(drawn, changed, strict=True) if before.text != after.text]
    assert 0.15 < len(other) / len(drawn) < 0.35
    assert 0.2 < np.mean([after.meaning.actions == () for _, after in other]) < 0.7
    assert all(after == before for before, after in zip(drawn, changed, strict=True) if before.text == after.text)


def test_too_few_interactions_are_refused() -> None:
    with pytest.raises(SaysoError, match="too few to calibrate on"):
        calibrated(HOME, mixed(10), "a test", 0.05)


def test_a_recorded_posterior_merges_actions_with_one_goal() -> None:
    rows = [("bring(recipient=anna, theme=red_cup)", 0.4), ("give(recipient=anna, theme=red_cup)", 0.3), ("stop()", 0.3)]
    found = as_known(HOME, ["give(recipient=anna, theme=red_cup)"], rows)
    assert found.p == pytest.approx([0.7, 0.3])
    assert found.meant == (0,)


@pytest.mark.parametrize("text", ["fly(goal=moon)", "bring the cup", "bring(theme)", ""])
def test_a_malformed_action_is_refused_with_the_expected_form(text: str) -> None:
    with pytest.raises(SaysoError, match=r"name\(role=value, …\)"):
        as_known(HOME, [text], [("stop()", 1.0)])


def small_home(file: Path) -> None:
    """Write a home of three intents with few examples, so that training is quick."""
    intents = {name: HOME.intents[name].model_dump() for name in ("go_to", "pick_up", "stop")}
    for spec in intents.values():
        spec["examples"], spec["paraphrases"] = list(spec["examples"])[:8], ()
    used = {"speaker", "skills", "actions", "priors", "decisions", "people", "places", "objects"}
    plain = {**HOME.model_dump(mode="json", include=used, exclude_unset=True), "name": "small", "intents": intents}
    file.write_text(yaml.safe_dump(json.loads(json.dumps(plain)), sort_keys=False), encoding="utf-8")


def test_calibrating_a_home_prints_the_coverage_and_writes_a_valid_file(tmp_path: Path) -> None:
    small_home(tmp_path / "small.yaml")
    app = typer.Typer()
    app.command()(calibrate)
    result = CliRunner().invoke(app, ["--domain", str(tmp_path / "small.yaml"), "--number", "200"], catch_exceptions=False)
    assert result.exit_code == 0
    assert "95.0%" in result.output
    assert "of 200 interactions" in result.output
    home = load_domain(tmp_path / "small.yaml")
    assert stored(home)[0] is not None


def test_a_missing_bag_is_refused(tmp_path: Path) -> None:
    app = typer.Typer()
    app.command()(calibrate)
    missing = CliRunner().invoke(app, [str(tmp_path / "nothing.mcap")])
    assert isinstance(missing.exception, SaysoError)
    assert "no such file or folder" in str(missing.exception)
