"""Compares records with expectations: right, wrong, missing or extra."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from sayso.replay.expectations import Expectation, Expected
from sayso.replay.types import ReplayResult, UtteranceRecord

_NO_WORDS = re.compile(r"[^\w\s']")


def judged(result: ReplayResult, expected: Expected | None) -> ReplayResult:
    """The result with a verdict in every record that has an expectation, and a record for each missing utterance."""
    if expected is None:
        return result
    verdicts: dict[int, tuple[str, str]] = {}  # record index → verdict, the mistake
    missing: list[UtteranceRecord] = []
    partners = _partners(result.records, expected)
    for number, one in enumerate(expected.utterances):
        indices = partners.get(number, [])
        wrong = _wrong(one, [result.records[index] for index in indices])
        if indices:
            verdicts.update(dict.fromkeys(indices, ("wrong", wrong) if wrong else ("right", "")))
        elif wrong:
            missing.append(UtteranceRecord(result.bag, t=one.t or 0.0, file=one.file, verdict="missing", wrong=wrong))
    if expected.others == "nothing":
        for index, record in enumerate(result.records):
            if index not in verdicts and record.decision not in ("", "reject"):
                verdicts[index] = "extra", f"nothing was expected, and “{record.text}” was understood ({record.decision})"
    records = [
        replace(record, verdict=verdicts[index][0], wrong=verdicts[index][1]) if index in verdicts else record
        for index, record in enumerate(result.records)
    ]
    return replace(result, records=(*records, *missing), details=(*result.details, *({} for _ in missing)))


def exact(result: ReplayResult, expected: Expected) -> tuple[int, int]:
    """(expectations met, expectations); an extra utterance counts as an unmet expectation."""
    extra = sum(record.verdict == "extra" for record in result.records)
    partners = _partners([record for record in result.records if record.verdict != "missing"], expected)
    met = sum(
        not _wrong(one, [result.records[index] for index in partners.get(number, [])]) for number, one in enumerate(expected.utterances)
    )
    return met, len(expected.utterances) + extra


def _partners(records: Sequence[UtteranceRecord], expected: Expected) -> dict[int, list[int]]:
    """Expectation → its records: all records of its file, or the nearest in time; each record once."""
    found: dict[int, list[int]] = {}
    for number, one in enumerate(expected.utterances):
        if one.file and (indices := [index for index, record in enumerate(records) if record.file == one.file]):
            found[number] = indices
    near = sorted(
        (abs(one.t - record.t), number, index)
        for number, one in enumerate(expected.utterances)
        if one.t is not None
        for index, record in enumerate(records)
        if abs(one.t - record.t) <= expected.tolerance
    )
    taken: set[int] = set()
    for _, number, index in near:
        if number not in found and index not in taken:
            found[number] = [index]
            taken.add(index)
    return found


def _wrong(one: Expectation, records: Sequence[UtteranceRecord]) -> str:
    """How the records differ from the expectation, in one line; empty if they do not."""
    acted = [record for record in records if record.decision not in ("", "reject")]
    if one.nothing:
        return "; ".join(f"nothing was expected, and “{record.text}” was understood ({record.decision})" for record in acted)
    if not records:
        return "nothing was heard; expected " + ", ".join(f"{name} {_quoted(values)}" for name, values in one.stated.items())
    main = (acted or list(records))[0]
    found = {name: getattr(main, name) for name in one.stated}
    if "text" in found:
        found["text"] = " ".join(record.text for record in records if record.text)
    return "; ".join(_differences(one.stated, found))


def _differences(stated: Mapping[str, tuple[str, ...]], found: Mapping[str, str]) -> Iterator[str]:
    for name, values in stated.items():
        same = _SAME.get(name, _spaced_alike)
        right = ("; ".join(values),) if name == "plan" else values  # the values of a plan are its steps
        if not any(same(value, found[name]) for value in right):
            yield f"{name}: expected {_quoted(right)}, got {_quoted((found[name],))}"


def _quoted(values: Sequence[str]) -> str:
    return " or ".join(f"“{value}”" if value else "none" for value in values) or "something"


def _spaced_alike(wanted: str, found: str) -> bool:
    return "".join(wanted.split()) == "".join(found.split())


def _words_alike(wanted: str, found: str) -> bool:
    return _NO_WORDS.sub(" ", wanted.lower()).split() == _NO_WORDS.sub(" ", found.lower()).split()


def _listed_alike(wanted: str, found: str) -> bool:
    """The same names in any order; "nothing" for none."""
    names = {name.strip() for name in found.split(",")} - {""}
    return names == ({name.strip() for name in wanted.split(",")} - {"", "nothing"})


def _planned_alike(wanted: str, found: str) -> bool:
    """The same steps; an expected step without brackets allows any arguments."""
    ours, theirs = ([step.strip() for step in text.split(";") if step.strip()] for text in (wanted, found))
    return len(ours) == len(theirs) and all(
        _spaced_alike(step, taken if "(" in step else taken.split("(", 1)[0]) for step, taken in zip(ours, theirs, strict=True)
    )


def _ended_alike(wanted: str, found: str) -> bool:
    """The same outcome; an expected "not done" allows any reason."""
    return found == wanted or (wanted == "not done" and found.startswith("not done"))


_SAME: Mapping[str, Callable[[str, str], bool]] = {
    "text": _words_alike,
    "grounded": _listed_alike,
    "plan": _planned_alike,
    "outcome": _ended_alike,
}
