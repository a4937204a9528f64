"""`make test` runs several files with nodes at a time: each has ROS domains of its own, or its nodes would meet those of the other."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parents[1]
NAMES = {"BROKEN", "DOMAIN", "EMPTY", "NETWORK", "OTHER"}  # how test files call theirs
LAST = 101  # ports of higher ones are those that Linux gives to anybody (RTPS 9.6.2.3)


def domains(text: str) -> Iterator[int]:
    """The numbers that a test file gives to its domains, also as "DOMAIN + 1"."""
    known = dict[str, int]()
    for node in ast.walk(ast.parse(text)):  # assignments at the top come first
        if isinstance(node, ast.Assign):
            targets = node.targets[0].elts if isinstance(node.targets[0], ast.Tuple) else node.targets
            values = node.value.elts if isinstance(node.value, ast.Tuple) else [node.value]
            pairs = [each for each in zip(targets, values, strict=False) if isinstance(each[0], ast.Name) and each[0].id in NAMES]
            named = [value for _, value in pairs]
            known |= {target.id: int(value.value) for target, value in pairs if is_number(value)}  # type: ignore[attr-defined]
        elif isinstance(node, ast.Call):
            named = [keyword.value for keyword in node.keywords if keyword.arg in ("ROS_DOMAIN_ID", "domain_id")]
        elif isinstance(node, ast.BinOp) and isinstance(node.left, ast.Name) and node.left.id in known and is_number(node.right):
            yield known[node.left.id] + int(node.right.value)  # type: ignore[attr-defined]
            continue
        else:
            continue
        yield from (int(value.value) for value in named if is_number(value))  # type: ignore[attr-defined]


def is_number(value: ast.expr) -> bool:
    """Whether it is a number, or one in quotes."""
    return isinstance(value, ast.Constant) and str(value.value).isdigit()


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("DOMAIN = 40", [40]),
        ('DOMAIN = "49"', [49]),
        ("DOMAIN, OTHER = 45, 46", [45, 46]),
        ('run(node, ROS_DOMAIN_ID="59")', [59]),
        ("DOMAIN = 40\ndomain = DOMAIN + 2", [40, 42]),
        ("DOMAIN = load_domain()", []),
        ('OTHER = "192.0.2.1"', []),
    ],
)
def test_the_domains_of_a_test_file_are_found(text: str, found: list[int]) -> None:
    assert list(domains(text)) == found


def test_no_two_test_files_share_a_domain_or_have_one_that_a_demo_may_take() -> None:
    from sayso_nodes.commands.demo import DOMAINS

    users = defaultdict(set)
    for file in TESTS.rglob("test_*.py"):
        text = file.read_text(encoding="utf-8")
        for domain in domains(text) if "pytest.mark.ros" in text else ():
            users[domain].add(file.relative_to(TESTS).as_posix())
    assert len(users) > 20
    free = sorted(set(range(40, LAST + 1)) - set(users) - set(DOMAINS))
    assert not {domain: sorted(files) for domain, files in users.items() if len(files) > 1}, f"free: {free}"
    assert not {domain: files for domain, files in users.items() if domain in DOMAINS or not 0 < domain <= LAST}, f"free: {free}"


def test_marks_are_written_in_the_test_files_where_make_looks_for_them() -> None:
    others = [file for file in TESTS.rglob("*.py") if not file.name.startswith("test_")]
    marks = re.compile(r"mark\s*\.\s*(ros|timed)\b")
    assert len(others) > 10
    assert not [file.name for file in others if marks.search(file.read_text(encoding="utf-8"))]
    assert not [file.name for file in TESTS.rglob("test_*.py") if re.search(r"(?<!pytest\.)\bmark\.(ros|timed)\b", file.read_text("utf-8"))]
