"""Two configurations on the same bags: McNemar's test, bootstrap intervals, and a table that says what differs."""

from __future__ import annotations

import json
import math
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import typer
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom
from typer.testing import CliRunner

from sayso.console.replay import replay
from sayso.console.versus import other_configuration
from sayso.errors import SaysoError
from sayso.paths import config_dir
from sayso.replay import generated
from sayso.replay.compare import compare, paired
from sayso.replay.generated import GeneratedContent, generate_bag
from sayso.replay.paired import mcnemar, mean_interval, median_interval
from sayso.replay.types import Latency, ReplayConfig, ReplayResult, UtteranceRecord

pairs = st.lists(st.tuples(st.booleans(), st.booleans()), max_size=60)


def test_mcnemar_is_the_exact_binomial_of_what_differs() -> None:
    first = [True] * 10 + [True] * 8 + [False] * 1 + [False] * 3
    second = [True] * 10 + [False] * 8 + [True] * 1 + [False] * 3
    found = mcnemar(first, second)
    assert (found.both, found.only_first, found.only_second, found.neither, found.n) == (10, 8, 1, 3, 22)
    assert found.p_value == pytest.approx(2 * binom.cdf(1, 9, 0.5))


@given(pairs)
def test_mcnemar_does_not_care_which_comes_first(rows: list[tuple[bool, bool]]) -> None:
    first, second = [a for a, _ in rows], [b for _, b in rows]
    one, other = mcnemar(first, second), mcnemar(second, first)
    assert one.p_value == pytest.approx(other.p_value)
    assert (one.only_first, one.both, one.neither) == (other.only_second, other.both, other.neither)
    assert 0.0 < one.p_value <= 1.0
    assert one.n == len(rows)


def test_nothing_differs_is_no_evidence() -> None:
    assert mcnemar([True, False], [True, False]).p_value == 1.0


@given(st.lists(st.floats(-1e3, 1e3), min_size=2, max_size=30))
def test_an_interval_holds_its_own_estimate(values: list[float]) -> None:
    for found in (mean_interval(values), median_interval(values)):
        slack = 1e-6 * (1 + abs(found.value))
        assert min(values) - slack <= found.low <= found.high <= max(values) + slack


def test_the_same_records_give_the_same_interval() -> None:
    values = np.random.default_rng(0).normal(size=50)
    assert mean_interval(values) == mean_interval(values)


def test_the_interval_of_the_mean_covers_it_as_often_as_it_says() -> None:
    generator = np.random.default_rng(1)
    covered = [found.low <= 0.3 <= found.high for found in (mean_interval(generator.normal(0.3, 1.0, 40)) for _ in range(60))]
    assert 0.85 <= np.mean(covered) <= 1.0


def test_utterances_of_one_bag_count_as_one_witness_where_there_are_many_bags() -> None:
    """20 bags of 10 utterances that all go the same way: far less is known than from 200 utterances of their own."""
    by_bag = np.random.default_rng(2).choice([0.0, 1.0], 20)
    values, bags = np.repeat(by_bag, 10), [f"bag{index}" for index in range(20) for _ in range(10)]
    together, apart = mean_interval(values, bags), mean_interval(values)
    assert together.value == pytest.approx(apart.value)
    assert together.high - together.low > 2 * (apart.high - apart.low)


def test_too_little_for_an_interval_is_not_made_up() -> None:
    assert math.isnan(mean_interval([]).value)
    assert mean_interval([0.5]).value == 0.5
    assert math.isnan(mean_interval([0.5]).low)
    found = median_interval([2.0, 2.0, 2.0])
    assert (found.low, found.value, found.high) == (2.0, 2.0, 2.0)


def record(t: float, bag: str = "monday", **fields: object) -> UtteranceRecord:
    return UtteranceRecord(bag, t=t, utterance_id=f"u{t}", **fields)  # type: ignore[arg-type]


def result(records: list[UtteranceRecord], seconds: float = 0.01, failed: str = "") -> ReplayResult:
    numbered = [replace(one, number=number) for number, one in enumerate(records, 1)]
    latencies = tuple(Latency(one.bag, one.number, one.utterance_id, classify=seconds * one.number) for one in numbered)
    return ReplayResult(records[0].bag if records else "monday", tuple(numbered), latencies, failed=failed)


def test_utterances_are_paired_by_when_they_ended() -> None:
    """Another recogniser cuts a little later, misses one and hears one more."""
    first = [record(1.0), record(5.0), record(9.0)]
    second = [record(1.2), record(9.3), record(20.0)]
    times = [(pair.first and pair.first.t, pair.second and pair.second.t) for pair in paired(first, second)]
    assert times == [(1.0, 1.2), (5.0, None), (9.0, 9.3), (None, 20.0)]


@given(st.lists(st.floats(0, 20), max_size=12), st.lists(st.floats(0, 20), max_size=12))
def test_each_utterance_is_in_one_pair(first: list[float], second: list[float]) -> None:
    found = list(paired([record(t) for t in first], [record(t) for t in second]))
    assert sorted(pair.first.t for pair in found if pair.first) == sorted(first)
    assert sorted(pair.second.t for pair in found if pair.second) == sorted(second)
    assert [pair.either.t for pair in found] == sorted(pair.either.t for pair in found)


def test_two_configurations_are_weighed_on_the_same_utterances() -> None:
    first = result([record(float(t), verdict="right" if t < 7 else "wrong", decision="execute") for t in range(10)])
    second = result([record(float(t), verdict="right", decision="execute" if t < 7 else "ask") for t in range(10)], seconds=0.02)
    found = compare([first], [second], ("old", "new"))
    assert found.agreement is not None
    assert (found.agreement.both, found.agreement.only_second) == (7, 3)
    assert found.gain is not None
    assert found.gain.value == pytest.approx(0.3)
    assert found.gain.low <= 0.3 <= found.gain.high
    assert found.slower is not None
    assert found.slower.value == pytest.approx(55.0)
    assert [pair.differs for pair in found.differing] == [("decision",)] * 3
    assert "new is right more often, which may be chance" in found.verdict()
    assert json.loads(json.dumps(found.data(), allow_nan=False))["differing"][0]["second"] == {"verdict": "right", "decision": "ask"}


def test_hearing_words_in_silence_is_wrong_and_hearing_none_is_right() -> None:
    first, second = result([record(1.0, verdict="right"), record(8.0, verdict="extra")]), result([record(1.0, verdict="right")])
    agreement = compare([first], [second], ("old", "new")).agreement
    assert agreement is not None
    assert (agreement.both, agreement.only_second, agreement.n) == (1, 1, 2)


def test_a_missed_utterance_counts_once_at_either_time() -> None:
    """`missing` has the expected time; the other configuration may have heard it some seconds away from it."""
    first, second = result([record(1.0, verdict="missing")]), result([record(4.0, verdict="right")])
    agreement = compare([first], [second], ("old", "new")).agreement
    assert agreement is not None
    assert (agreement.only_second, agreement.n) == (1, 1)


def test_sound_files_are_paired_by_file() -> None:
    first = [record(0.0, file="a.wav", verdict="missing"), record(2.5, file="b.wav")]
    second = [record(2.5, file="a.wav"), record(2.4, file="b.wav")]
    assert [(p.first.file, p.second.file) for p in paired(first, second) if p.first and p.second] == [("a.wav",) * 2, ("b.wav",) * 2]


def test_without_expectations_only_differences_are_reported() -> None:
    first, second = result([record(1.0, text="a"), record(2.5)]), result([record(1.0, text="b"), record(2.5)])
    found = compare([first], [second], ("old", "new"))
    assert found.agreement is None
    assert found.gain is None
    assert "1 of 2 utterances are the same" in found.verdict()
    assert found.data()["mcnemar"] is None


def test_a_bag_that_failed_in_one_counts_in_neither() -> None:
    first = [result([record(1.0)]), ReplayResult("tuesday", failed="cut off")]
    second = [result([record(1.0)]), result([record(1.0, "tuesday")])]
    assert [pair.either.bag for pair in compare(first, second, ("old", "new")).pairs] == ["monday"]
    assert compare([], [], ("old", "new")).data()["utterances"] == 0


@pytest.fixture
def parameters(tmp_path: Path) -> Path:
    """Node parameters under which the second question of a bag is no longer open when it is answered, and nothing else differs."""
    file = tmp_path / "params.yaml"
    file.write_text("/**/action_selector:\n  ros__parameters:\n    answer_within: 1.0\n")
    return file


def test_two_configurations_are_shown_side_by_side(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The other home has no cereal. The accepted result of this one is right."""
    texts = ["go to the kitchen", "fetch the cereal", "bring me the cup", "the red one", "what time is it"]
    monkeypatch.setattr(generated, "_texts", lambda _: texts)
    bag = generate_bag(tmp_path / "lab" / "monday", GeneratedContent(80.0))
    home = tmp_path / "home"
    shutil.copytree(config_dir(), home, ignore=shutil.ignore_patterns("sentences"))
    other = home / "home.yaml"
    other.write_text("".join(line for line in other.read_text().splitlines(True) if not line.startswith("  cereal:")))
    run = CliRunner()
    app = typer.Typer()
    app.command()(replay)
    assert run.invoke(app, [str(bag), "--accept", "--out", str(tmp_path / "first")]).exit_code == 0
    every = [str(path) for path in sorted((tmp_path / "lab").iterdir())]
    assert len(every) == 3, "the bag, and what lies beside it"
    result = run.invoke(app, [*every, "--against", str(other), "--out", str(tmp_path / "out"), "--no-media"])
    assert result.exit_code == 0, result.output
    comparison = json.loads((tmp_path / "out" / "comparison.json").read_text())
    assert comparison["names"] == ["home.yaml", "this run"]
    assert comparison["mcnemar"]["only_second"] >= 1
    assert comparison["mcnemar"]["only_first"] == 0
    assert comparison["gain"]["value"] > 0
    assert "action" in comparison["differing"][0]["differs"]
    assert "fetch the cereal" in (tmp_path / "out" / "against" / "utterances.jsonl").read_text()
    assert "this run is right more often" in result.output
    page = (tmp_path / "out" / "report.html").read_text()
    assert "Against home.yaml" in page
    assert "this run is right more often" in page


def test_what_to_compare_with_is_a_domain_parameters_or_models(tmp_path: Path, parameters: Path) -> None:
    config = ReplayConfig()
    assert other_configuration(config, [parameters]).answer_within == 1.0
    (tmp_path / "home.yaml").write_text("name: other")
    assert other_configuration(config, [tmp_path / "home.yaml", parameters]).domain == tmp_path / "home.yaml"
    with pytest.raises(SaysoError, match=r"needs a manifest\.yaml"):
        other_configuration(config, [tmp_path])
    with pytest.raises(SaysoError, match="there is no such file"):
        other_configuration(config, [tmp_path / "nowhere.yaml"])
    (tmp_path / "broken.yaml").write_text("a: [")
    with pytest.raises(SaysoError, match="not YAML"):
        other_configuration(config, [tmp_path / "broken.yaml"])
    (tmp_path / "manifest.yaml").touch()
    assert other_configuration(config, [tmp_path]).models == tmp_path
