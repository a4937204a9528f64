"""Mutated files of every kind give a result or one clear message: no crash, no hang, no traceback, no gigabytes. `make fuzz` tries more."""

from __future__ import annotations

import pytest

from budget import GATE, in_gate
from fuzzed_readers import READERS, cases
from limited import limited, only

COUNT = 60


@pytest.mark.parametrize("name", READERS)
def test_valid_files_are_read(name: str) -> None:
    made = READERS[name].made()
    assert [outcome for outcome in limited(READERS[name].read, made, seconds=10.0) if outcome.kind != "read"] == []


@pytest.mark.parametrize("name", READERS)
def test_mutated_files_give_a_result_or_one_message(name: str) -> None:
    reader = READERS[name]
    once = reader.seeds(name)[len(reader.made()) :]  # files that once failed
    made = cases(name, 0, min(COUNT, GATE) if in_gate() else COUNT)
    faults = [outcome for outcome in limited(reader.read, [*once, *made]) if outcome.is_fault]
    assert not faults, faults[0].said


def test_the_harness_sees_what_it_looks_for() -> None:
    def hang(_: bytes) -> None:
        while True:
            pass

    def crash(_: bytes) -> None:
        import ctypes

        ctypes.string_at(0)

    assert only(hang, b"", seconds=0.2).kind == "hang"
    assert only(crash, b"").kind == "crash"
    assert only(lambda _: bytes(2_000_000_000), b"").kind == "memory"
    assert only(lambda _: 1 // 0, b"").kind == "traceback"
    assert only(lambda _: 1, b"").kind == "read"
