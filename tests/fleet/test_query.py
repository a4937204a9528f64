"""Queries over the results of replays: what they accept and refuse. A query reads and does nothing else."""

from __future__ import annotations

import json
import os
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from sayso.console.bags import app
from sayso.errors import SaysoError
from sayso.fleet.expression import parse_condition
from sayso.fleet.store import RECORDS, ask, open_results, write_parquet

ROWS = [
    {"text": "bring me the red cup", "decision": "execute", "p": 0.97, "right": True, "objects": ["red_cup"]},
    {"text": "bring me the cup", "decision": "ask", "p": 0.55, "right": None, "objects": ["red_cup", "blue_cup"]},
    {"text": "the weather is nice", "decision": "reject", "p": 0.45, "right": False, "objects": []},
    {"text": "Stop", "decision": "reject", "p": None, "right": True, "objects": []},
]
KINDS = {"text": "text", "decision": "text", "p": "number", "right": "truth", "objects": "list"}


def found(condition: str) -> list[int]:
    frame = pl.DataFrame(ROWS).with_row_index()
    return frame.filter(parse_condition(condition, KINDS))["index"].to_list()  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("condition", "rows"),
    [
        ('decision == "reject" and p > 0.4', [2]),
        ("decision in ['ask', 'execute']", [0, 1]),
        ("decision not in ('ask', 'execute')", [2, 3]),
        ("0.5 <= p < 0.9", [1]),
        ('"cup" in text and not "red" in text', [1]),
        ("'blue_cup' in objects", [1]),
        ("p == None", [3]),
        ("p is not None and p < 0.5", [2]),
        ("not p > 0.5", [2, 3]),
        ('decision != "reject" or p != 0.45', [0, 1, 3]),
        ("right", [0, 3]),
        ("not right", [1, 2]),
        ("right == False", [2]),
        ("lower(text) == 'stop'", [3]),
        ("length(text) <= 4 or startswith(text, 'the')", [2, 3]),
        ("abs(p - 0.5) * 2 < 0.2", [1, 2]),
        ("-p < -0.9", [0]),
        ("p % 0.5 > 0.4", [0, 2]),
        ("true", [0, 1, 2, 3]),
    ],
)
def test_a_query_finds_its_rows(condition: str, rows: list[int]) -> None:
    assert found(condition) == rows


@pytest.mark.parametrize(
    ("condition", "says"),
    [
        ("desicion == 'reject'", r"no column 'desicion' \(did you mean 'decision'\?\); there are: text, decision, p, right, objects"),
        ("decision == reject", "no column 'reject'.*Texts need quotes"),
        ("decision = 'reject'", "cannot read the condition at character"),
        ("p > 'much'", "'p' is a number and ''much'' a text"),
        ("text == 3", "never equal"),
        ("p", "must be true or false for each row"),
        ("right & p > 0.4", "write and, or instead of &"),
        ("p > 0.4 AND right", "cannot read the condition"),
        ("", "cannot read the condition"),
        ("p in []", "holds constants of one kind"),
        ("p in 'cup'", "neither a list nor a text"),
        ("text < objects", "they cannot be compared"),
        ("lower(p) == 'a'", "'p' is a number; a text is needed"),
        ("lower(text, text) == 'a'", "takes 1 arguments"),
        ("p > 99999999999999999999", "too large a number"),
        ("text == b'x'", "neither a number, a text"),
        ("not " * 600 + "right", "at most"),
        ("(" * 300 + "right" + ")" * 300, "nested too deeply|too many nested"),
        ("p > 1\x00", "cannot read the condition"),
    ],
)
def test_an_invalid_condition_says_why(condition: str, says: str) -> None:
    with pytest.raises(SaysoError, match=says):
        found(condition)


@pytest.mark.parametrize(
    "condition",
    [
        "__import__('os').system('true')",
        "open('/etc/passwd').read() == ''",
        "read_csv('/etc/passwd') == ''",
        "text.__class__ == 'x'",
        "[x for x in (1, 2)] == p",
        "(lambda: right)()",
        "f'{p}' == '1'",
        "text[0] == 'b'",
        "(p := 1) == 1",
        "2 ** 2 ** 2 ** 2 ** 2 == p",
        "right if right else right",
    ],
)
def test_a_condition_reaches_nothing_but_its_columns(condition: str) -> None:
    with pytest.raises(SaysoError, match="is not supported"):
        found(condition)


@given(st.text(max_size=40))
def test_every_text_is_a_condition_or_refused(condition: str) -> None:
    try:
        rows = found(condition)
    except SaysoError:
        return
    assert set(rows) <= {0, 1, 2, 3}


def results(folder: Path, rows: list[dict[str, object]]) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / RECORDS).write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return folder


def test_results_of_many_bags_are_one_table(tmp_path: Path) -> None:
    """Older results lack columns that newer ones have, and a column that held nothing has no kind of its own."""
    results(tmp_path / "week1" / "a", [{"text": "one", "p": 1, "right": None}])
    write_parquet(results(tmp_path / "week1" / "b", [{"text": "two", "p": 0.5, "right": True}]) / RECORDS)
    results(tmp_path / "week2", [{"text": "three", "p": None, "seconds": 0.1}])
    (tmp_path / "empty").mkdir()
    (tmp_path / "empty" / RECORDS).touch()
    opened = open_results([tmp_path, tmp_path / "week1"])
    assert opened.files == 3
    assert opened.problems == ()
    assert ask(opened, "p <= 1", ["text"])["text"].to_list() == ["one", "two"]
    assert ask(opened, "seconds == 0.1 or right", ["text", "folder"]).rows() == [
        ("two", str(tmp_path / "week1" / "b")),
        ("three", str(tmp_path / "week2")),
    ]
    assert ask(opened, "true", ["text"], limit=2).height == 2


def test_parquet_and_json_lines_give_the_same_rows(tmp_path: Path) -> None:
    folder = results(tmp_path, [{**row, "nested": {"a": 1}, "mixed": [1, "a"]} for row in ROWS])
    before = ask(open_results([folder]), "p != 0.97").rows()
    write_parquet(folder / RECORDS)
    (folder / RECORDS).unlink()
    assert ask(open_results([folder]), "p != 0.97").rows() == before
    assert len(before) == 3


def test_parquet_that_is_older_than_its_lines_is_not_believed(tmp_path: Path) -> None:
    packed = write_parquet(results(tmp_path, [{"text": "old"}]) / RECORDS)
    os.utime(packed, (1, 1))
    results(tmp_path, [{"text": "new"}])
    assert ask(open_results([tmp_path]), "true", ["text"])["text"].to_list() == ["new"]


def test_what_is_damaged_is_named_and_the_rest_is_used(tmp_path: Path) -> None:
    results(tmp_path / "good", [{"text": "one", "p": 0.1}])
    (results(tmp_path / "cut", [{"text": "two", "p": 0.2}]) / RECORDS).open("a").write('{"text": "thr')
    results(tmp_path / "wild", [{"text": "four", "p": 0.3}, {"text": "five", "p": "much"}])
    results(tmp_path / "wilder", [{"text": "six", "p": "more"}])
    (tmp_path / "torn").mkdir()
    (tmp_path / "torn" / RECORDS).with_suffix(".parquet").write_bytes(b"PAR1 and no more")
    opened = open_results([tmp_path])
    problems = "\n".join(opened.problems)
    assert "line 2: not a JSON object; left out" in problems
    assert "torn" in problems
    assert "1 values of 'p' are of another type" in problems
    assert "p of another type than in the rest" in problems
    assert sorted(ask(opened, "true")["text"].to_list()) == ["five", "four", "one", "six", "two"]
    assert ask(opened, "p > 0.1")["text"].to_list() == ["two", "four"]


def test_not_a_number_is_missing(tmp_path: Path) -> None:
    results(tmp_path, [{"p": float("nan")}, {"p": 0.5}])
    opened = open_results([tmp_path])
    assert ask(opened, "p > 0.1")["p"].to_list() == [0.5]
    assert ask(opened, "p == None").height == 1


def test_a_column_without_any_value_can_be_queried(tmp_path: Path) -> None:
    results(tmp_path, [{"text": "one", "right": None, "p": None}])
    opened = open_results([tmp_path])
    assert ask(opened, "p > 0.4 or right or lower(p) == 'x' or abs(p) > 1").height == 0
    assert ask(opened, "p == None and not right").height == 1


def test_columns_and_folders_that_are_not_there_are_named(tmp_path: Path) -> None:
    with pytest.raises(SaysoError, match="no such file"):
        open_results([tmp_path / "nowhere"])
    with pytest.raises(SaysoError, match="no results in"):
        open_results([tmp_path])
    opened = open_results([results(tmp_path, [{"text": "one"}])])
    with pytest.raises(SaysoError, match="no column 'word'; there are: text, folder"):
        ask(opened, "true", ["word"])


def test_a_write_that_fails_leaves_no_half_file(tmp_path: Path) -> None:
    (results(tmp_path, [{"text": "one"}]) / RECORDS).open("a").write("{")
    with pytest.raises(SaysoError, match="line 2"):
        write_parquet(tmp_path / RECORDS)
    assert [file.name for file in tmp_path.iterdir()] == [RECORDS]


def said(*arguments: str) -> str:
    result = CliRunner().invoke(app, list(arguments), catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


UTTERANCES: list[dict[str, object]] = [
    {"bag": "monday", "t": 3.25, "text": "bring me the cup", "decision": "ask", "p": 0.55, "verdict": "right"},
    {"bag": "monday", "t": 9.5, "text": "the weather, is nice", "decision": "reject", "p": 0.45, "verdict": "wrong"},
    {"bag": "tuesday", "t": 1.0, "text": "stop", "decision": "execute", "p": 0.99, "verdict": "right"},
]


def test_the_table_shows_what_fits_and_how_many_there_are(tmp_path: Path) -> None:
    results(tmp_path, UTTERANCES)
    result = CliRunner().invoke(app, ["query", 'decision == "reject" and p > 0.4', str(tmp_path)])
    assert result.stdout.splitlines()[0].split() == ["bag", "t", "text", "decision", "p", "verdict"]
    assert len(result.stdout.splitlines()) == 2
    assert "1 of 3 utterances in 1 folder" in result.stderr


def test_programs_get_all_columns_and_nothing_else(tmp_path: Path) -> None:
    results(tmp_path, [{**row, "objects": ["a", "b"]} for row in UTTERANCES])
    lines = said("query", "p > 0.5", str(tmp_path), "--json").splitlines()
    assert [json.loads(line)["text"] for line in lines] == ["bring me the cup", "stop"]
    assert json.loads(lines[0])["objects"] == ["a", "b"]
    table = said("query", "p < 0.5", str(tmp_path), "--csv").splitlines()
    assert table[0] == "bag,t,text,decision,p,verdict,objects,folder"
    assert table[1].startswith('monday,9.5,"the weather, is nice",reject,0.45,wrong,a b,')
    assert said("query", "true", str(tmp_path), "--csv", "-c", "p, text", "-n", "1").splitlines() == ["p,text", "0.55,bring me the cup"]


def test_each_bag_is_listed_with_its_decisions(tmp_path: Path) -> None:
    results(tmp_path, UTTERANCES)
    _, monday, tuesday = (line.split()[:-1] for line in said("list", str(tmp_path)).splitlines())
    assert monday == ["monday", "2", "0", "0", "1", "1", "1", "1"]
    assert tuesday == ["tuesday", "1", "1", "0", "0", "0", "1", "0"]


def test_columns_are_named_with_what_they_hold(tmp_path: Path) -> None:
    results(tmp_path, UTTERANCES)
    assert [line.split()[:2] for line in said("columns", str(tmp_path)).splitlines()][1:3] == [["t", "number"], ["text", "text"]]


def test_no_results_is_an_error_that_says_where_they_come_from(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SaysoError, match="sayso replay --out"):
        CliRunner().invoke(app, ["query", "true"], catch_exceptions=False)
