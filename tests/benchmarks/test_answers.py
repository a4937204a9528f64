"""`sayso bench answers`: in a quick run nothing is said with unfounded certainty, and every kind of question has a row."""

from __future__ import annotations

import pytest

from quick_benchmark import quick_rows

pytestmark = pytest.mark.long("runs a benchmark")

pytestmark = pytest.mark.long("runs a benchmark")


def test_no_answer_is_more_certain_than_the_belief() -> None:
    rows = quick_rows("answers")
    assert rows["generated questions answered with unfounded certainty"]["value"] == 0.0
    assert rows["generated questions answered rightly, or with due doubt"]["value"] >= 90.0
    kinds = {measure.partition(":")[0] for measure in rows if measure.endswith(": rightly, or with due doubt")}
    assert {"where", "how_many", "what_on", "colour", "who", "sight", "done", "why_asked", "time"} <= kinds
