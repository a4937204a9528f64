"""What only `make test-all` runs has a reason, and CONTRIBUTING.md lists the reasons in one table."""

from __future__ import annotations

import ast
import re
import subprocess
from collections import defaultdict
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ROW = re.compile(r"^\| “([^”|]+)” \| ([^|]+) \| ([^|]+) \|$", re.MULTILINE)


@cache
def reasons() -> dict[str, set[str]]:
    """Each reason with the test files that give it.

    Raises:
        AssertionError: a mark without a reason in plain text.
    """
    found: dict[str, set[str]] = defaultdict(set)
    for path in (ROOT / "tests").rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        if "long" not in text:
            continue
        nodes = list(ast.walk(ast.parse(text)))
        named = [node for node in nodes if isinstance(node, ast.Attribute) and node.attr == "long"]
        marks = [node for node in named if ast.unparse(node) == "pytest.mark.long"]
        calls = [node for node in nodes if isinstance(node, ast.Call) and node.func in marks]
        given = [each.args[0].value for each in calls if len(each.args) == 1 and isinstance(each.args[0], ast.Constant)]
        assert len(given) == len(marks), f"{path.relative_to(ROOT)}: each long mark needs its reason, in quotes"
        for reason in given:
            found[str(reason)].add(path.relative_to(ROOT / "tests").as_posix())
    return found


def test_each_reason_for_a_long_test_is_a_row_of_the_table_and_each_row_is_used() -> None:
    table = [row[0] for row in ROW.findall((ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"))]
    assert sorted(table) == sorted(reasons())


def test_the_long_tests_are_where_the_table_says() -> None:
    table = {reason: re.findall(r"`([\w/]+)`", places) for reason, places, _ in ROW.findall((ROOT / "CONTRIBUTING.md").read_text("utf-8"))}
    for reason, files in reasons().items():
        strangers = [file for file in files if not any(file.startswith(place) for place in table[reason])]
        assert strangers == [], f"“{reason}” is of {table[reason]}"


def test_make_leaves_out_long_tests_and_make_test_all_runs_everything() -> None:
    def selections(target: str) -> list[str]:
        done = subprocess.run(["make", "-n", target], cwd=ROOT, capture_output=True, text=True, check=True)
        return re.findall(r'-m "([^"]+)"', done.stdout)

    whole = ["not ros and not timed", "ros and not timed", "timed"]
    assert selections("test-all") == whole
    assert selections("test") == [f"{each} and not long" for each in whole]
