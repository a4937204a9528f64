"""report.html of a replay: differences from the expectations, changes, and each utterance with its sound and pictures."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from sayso.console.report import data_url, inlined
from sayso.errors import SaysoError
from sayso.replay.changes import Change, changes
from sayso.replay.results import MEDIA, Bagful, tally, typical
from sayso.replay.types import Media, UtteranceRecord

SHOWN = 300  # utterances on the page; if there are more, expected ones are left out
INLINED = 60  # utterances whose sounds and pictures are part of the page; those of the others are files beside it
REPORT = "report.html"
_FIELDS = ("text", "verdict", "error", "answers", "stop", "rejected", "grounded", "missed", "asked", "chosen")  # shown as they are
_SEPARATOR = re.compile(r"; (?=[a-z]+: expected )")  # separates the differences in `wrong`; plans contain semicolons too


def write_replay_report(
    bags: Sequence[Bagful], folder: Path, summary: Mapping[str, Any], comparison: Mapping[str, Any] | None = None
) -> Path:
    """Write the page into the folder, with the comparison if there is one.

    Raises:
        SaysoError: it cannot be written.
    """
    file = folder / REPORT
    try:
        file.write_text(render_replay(bags, folder, summary, comparison), encoding="utf-8")
    except OSError as unwritable:
        raise SaysoError(f"{file}: cannot be written ({unwritable.strerror})") from None
    return file


def render_replay(bags: Sequence[Bagful], folder: Path, summary: Mapping[str, Any], comparison: Mapping[str, Any] | None = None) -> str:
    """The page for these results; their sounds and pictures are in the folder."""
    from jinja2 import Environment, PackageLoader

    template = Environment(loader=PackageLoader("sayso.console", "."), autoescape=True, trim_blocks=True).get_template("replay.html")
    changed = {id(bag): changes(bag) for bag in bags}
    every = sum(len(bag.result.records) for bag in bags)
    shown = [_bag(bag, changed[id(bag)], folder, summary["min_exact"], all_of_them=every <= SHOWN) for bag in bags]
    configuration = dict(summary["configuration"])
    hashes = configuration.pop("sha256")
    return template.render(
        ok=summary["ok"],
        failed=any(bag.result.failed for bag in bags),
        utterances=summary["utterances"],
        expected=summary["expected"],
        met=summary["met"],
        recorded=summary["recorded"],
        as_recorded=summary["as_recorded"],
        accepted=any(bag.accepted for bag in bags),
        changed=sum(map(len, changed.values())),
        latency=typical(latency for bag in bags for latency in bag.result.latencies),
        changes=[_change(change) for bag in bags for change in changed[id(bag)]],
        bags=shown,
        wrong=[one for bag in shown for one in bag["shown"] if one["wrong"]],
        comparison=comparison,
        configuration={**configuration, **{f"SHA-256 of {name}": value for name, value in hashes.items()}},
    )


def _bag(bag: Bagful, changed: Sequence[Change], folder: Path, min_exact: float | None, *, all_of_them: bool) -> dict[str, Any]:
    result, one = bag.result, tally(bag, min_exact)
    by_number = {change.record.number: change for change in changed}
    rows = [
        (record, detail)
        for record, detail in zip(result.records, result.details, strict=True)
        if all_of_them or record.verdict not in ("", "right") or record.error or record.number in by_number
    ][:SHOWN]
    rows.sort(key=lambda row: (row[0].t, row[0].number))
    media: dict[int, list[Media]] = {}
    for item in result.media:
        media.setdefault(item.number, []).append(item)
    return {
        "name": result.bag,
        "failed": result.failed,
        "ok": one.ok,
        "met": one.met,
        "expected": one.expected,
        "utterances": one.utterances,
        "seconds": result.seconds,
        "problems": result.problems,
        "left_out": len(result.records) - len(rows),
        "shown": [
            _utterance(record, detail, by_number.get(record.number), media.get(record.number, []), folder, inline=index < INLINED)
            for index, (record, detail) in enumerate(rows)
        ],
    }


def _utterance(
    record: UtteranceRecord,
    detail: Mapping[str, Any],
    change: Change | None,
    media: Sequence[Media],
    folder: Path,
    *,
    inline: bool,
) -> dict[str, Any]:
    files = [(item, folder / MEDIA / record.bag / item.file) for item in media]
    shown = [(item, _shown(item.kind, file, folder, inline=inline)) for item, file in files if file.is_file()]
    names = [name for name in record.changed.split(", ") if name]
    rows = _rows(change) if change else []
    recorded = [(name, _text(getattr(record, f"recorded_{name}")), _text(getattr(record, name))) for name in names]
    return {
        **{name: getattr(record, name) for name in _FIELDS},
        "wrong": _SEPARATOR.split(record.wrong) if record.wrong else [],
        "outcome": record.outcome,
        "plan_reason": record.plan_reason,
        "anchor": _anchor(record),
        "where": _where(record),
        "confidence": record.confidence or 0.0,
        "heard": detail.get("heard", ()),
        "clauses": detail.get("clauses", ()),
        "candidates": detail.get("candidates", ()),
        "belief": {
            "decision": record.decision,
            "reason": record.reason,
            "question": record.question,
            "options": record.options.split("; ") if record.options else [],
            "then": detail.get("then", ""),
        },
        "plan": record.plan.split("; ") if record.plan else [],
        "sound": next((url for item, url in shown if item.kind == "sound"), ""),
        "pictures": [(url, item.text) for item, url in shown if item.kind == "picture"],
        "recorded": [row for row in recorded if row not in rows],  # the accepted run is usually the recorded one
        "changes": rows,
    }


def _shown(kind: str, file: Path, folder: Path, *, inline: bool) -> str:
    if not inline:
        return file.relative_to(folder).as_posix()
    return inlined(file) if kind == "picture" else data_url(file.read_bytes(), "audio/wav")


def _change(change: Change) -> dict[str, Any]:
    rows = {name: (before, now) for name, before, now in _rows(change)}
    decision = rows.pop("decision", None)
    return {
        "anchor": _anchor(change.record),
        "where": _where(change.record),
        "text": change.record.text,
        "decision": decision,
        "others": list(rows),
    }


def _rows(change: Change) -> list[tuple[str, str, str]]:
    took = [("took", *(f"{1000 * seconds:.0f} ms" for seconds in change.took))] if change.took else []
    return [*change.differences, *took]  # type: ignore[list-item]


def _anchor(record: UtteranceRecord) -> str:
    return f"{record.bag}-{record.number or f'missing-{record.t:.3f}{record.file}'}"


def _where(record: UtteranceRecord) -> str:
    return f"{record.bag}, {record.file}" if record.file else f"{record.bag}, at {record.t:.1f} s"


def _text(value: Any) -> str:
    return f"{value:.3f}" if isinstance(value, float) else value or ""
