"""Two recordings, or a recording and its replay, sentence by sentence: what was heard, meant, decided and done, and where they differ."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import Any

from sayso.replay.types import UtteranceRecord
from sayso.web.recorded import Mark

Row = dict[str, Any]  # t: s in each; first, second: {field: text} or None; differs: names of fields


def compared(first: Sequence[Mark], second: Sequence[Mark]) -> list[Row]:
    """The utterances of two recordings in pairs: equal sentences in the same order, and what lies between them in turn."""
    rows = []
    for a, b in _pairs([mark.heard for mark in first], [mark.heard for mark in second]):
        one, other = (None if index is None else marks[index] for index, marks in ((a, first), (b, second)))
        rows.append(_row((one.at if one else None, other.at if other else None), _told(one), _told(other)))
    return rows


def rerun_row(record: UtteranceRecord) -> Row:
    """An utterance as it was recorded, and as today's version understands it."""
    came = " ".join(word for word in (record.decision, record.action if record.decision != "reject" else "") if word)
    then = {
        "heard": record.recorded_text, "meant": record.recorded_intent,
        "decided": f"{record.recorded_decision} {record.recorded_action}".strip(), "plan": record.recorded_plan,
    }  # fmt: skip
    decided = f"{record.decision} {record.action}".strip() if record.recorded_decision == "reject" else came
    now = {"heard": record.text, "meant": record.intent, "decided": "stops at once" if record.stop else decided, "plan": record.plan}
    row = _row((record.t, record.t), then if any(then.values()) else None, now)
    return {**row, "differs": [name for name in ("heard", "meant", "decided", "plan") if then[name] and _changed(name, record)]}


def _changed(name: str, record: UtteranceRecord) -> bool:
    """Whether the replay calls a field of that column changed."""
    fields = {"heard": {"text"}, "meant": {"intent"}, "decided": {"decision", "action"}, "plan": {"plan"}}
    return bool(fields[name] & set(record.changed.split(", ")))


def _row(times: tuple[float | None, float | None], first: Row | None, second: Row | None) -> Row:
    both = first is not None and second is not None
    differs = [name for name in first if first[name] != second[name]] if first is not None and second is not None else []
    return {"t": list(times), "first": first, "second": second, "differs": differs if both else ["heard"]}


def _told(mark: Mark | None) -> Row | None:
    return None if mark is None else {"heard": mark.heard, "meant": mark.meant, "decided": mark.decided, "outcome": mark.outcome}


def _pairs(first: list[str], second: list[str]) -> Iterator[tuple[int | None, int | None]]:
    """Indices into both."""
    for _, a0, a1, b0, b1 in SequenceMatcher(None, first, second, autojunk=False).get_opcodes():
        for step in range(max(a1 - a0, b1 - b0)):
            yield a0 + step if a0 + step < a1 else None, b0 + step if b0 + step < b1 else None
