"""Rows of the benchmark `meaning`, from judged sentences."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from _meaning_coverage import coverage_row
from _meaning_judge import JudgedSentence, ignored
from _meaning_share import Share, wilson
from sayso.console.bench import Row

BINS = ((0.5, 0.9), (0.9, 0.95), (0.95, 0.99), (0.99, 1.0))
Judged = Sequence[JudgedSentence]


def right(each: JudgedSentence) -> bool:
    """Whether the robot does what the label says; where the label calls for a question, a good one."""
    return each.verdict == "right" or (each.verdict == "asked" and each.label.wants_a_question)


def well(each: JudgedSentence) -> bool:
    """Whether it is right, or asks well."""
    return each.verdict in ("right", "asked")


def wrong_among_executed(judged: Judged) -> Share:
    """Executions of something else than was meant."""
    executed = [each for each in judged if each.executed]
    return Share(sum(each.verdict != "right" for each in executed), len(executed))


def questions(judged: Judged) -> Share:
    """Sentences that the robot answers with a question."""
    return Share(sum(each.understanding.decision in ("confirm", "ask") for each in judged), len(judged))


def set_rows(name: str, judged: Judged, goals: tuple[float | None, float | None]) -> Iterator[Row]:
    """The measures of one set, and how each construction fares."""
    acted = [each for each in judged if not each.label.wants_a_question]
    requests = [each for each in judged if not each.label.nothing]
    talk = [each for each in judged if each.label.nothing]
    alone = Share(sum(map(right, acted)), len(acted))
    yield Share(sum(map(right, judged)), len(judged)).row(f"{name}: whole meaning right", "higher", goals[0], to_be_acted_on=alone)
    yield Share(sum(map(well, judged)), len(judged)).row(f"{name}: right or asked well", "higher", goals[1])
    yield wrong_among_executed(judged).row(f"{name}: wrong among executed", "lower", 1.0)
    yield questions(judged).row(f"{name}: questions", "lower", 15.0, to_be_acted_on=questions(acted))
    yield Share(sum(ignored(each.understanding) for each in requests), len(requests)).row(
        f'{name}: requests rejected as "not meant for me"', "lower", 4.0
    )
    if talk:
        yield Share(sum(each.verdict == "accepted" or each.executed for each in talk), len(talk)).row(
            f"{name}: reactions where nothing was asked for", "lower", 0.5
        )
    yield from about_rows(name, judged)


def about_rows(name: str, judged: Judged) -> Iterator[Row]:
    """One row a construction: the share that is right or asked well; its baselines are the counts of all verdicts."""
    groups: dict[str, list[JudgedSentence]] = defaultdict(list)
    for each in judged:
        groups[each.label.about].append(each)
    for about, group in groups.items():
        if len(groups) > 1:
            share, counts = Share(sum(map(well, group)), len(group)), Counter(each.verdict for each in group)
            verdicts = {verdict: float(count) for verdict, count in counts.most_common()}
            yield Row(f"{name}, {about}", share.value, "%", "higher", None, verdicts, n=share.n)


def example_row(examples: Judged, own_intents: Judged) -> Row:
    """How many rows of the table of examples are right or asked well in all their sentences; own intents are one of them."""
    rows = {each.label.about: True for each in examples} | ({"own intents": all(map(well, own_intents))} if own_intents else {})
    for each in examples:
        rows[each.label.about] &= well(each)
    count = len(rows)
    return Row(
        "examples: rows of the table without a mistake",
        float(sum(rows.values())),
        f"of {count}",
        "higher",
        float(count),
        n=len(examples) + len(own_intents),
    )


def reliability_rows(judged: Judged) -> Iterator[Row]:
    """By bins of the posterior of what is executed, but for empty ones: by how much it differs from the share that is right."""
    executed = [each for each in judged if each.executed]
    p = np.array([each.understanding.probability for each in executed])
    for low, high in BINS:
        inside = (p >= low) & ((p < high) | (high == 1.0))
        if not inside.any():
            continue
        measure = f"posterior of what is executed, {low:g}–{high:g}: distance from the share that is right (spread: the share)"
        hits = int(sum(executed[index].verdict == "right" for index in np.flatnonzero(inside)))
        n, said = int(inside.sum()), 100.0 * float(p[inside].mean())
        yield Row(
            measure, abs(said - 100.0 * hits / n), "points", "lower", 2.0, {"said": said, "right": 100.0 * hits / n}, wilson(hits, n), n
        )


def overall_rows(sets: Mapping[str, Judged]) -> Iterator[Row]:
    """Measures over the sentences of all sets."""
    every = [each for judged in sets.values() for each in judged]
    own = [each for name, judged in sets.items() if not name.startswith(("gpsr", "own_home", "homes")) for each in judged]
    yield wrong_among_executed(every).row("all sets: wrong among executed", "lower", 1.0)
    yield questions(every).row("all sets: questions", "lower", 15.0)
    yield from reliability_rows(every)
    yield coverage_row(own)


def failures(judged: Judged) -> Iterator[tuple[str, str, str, str]]:
    """(verdict, sentence, what the robot does or says, label) of what is neither right nor asked well."""
    for each in judged:
        if not well(each):
            u = each.understanding
            done = "; ".join(map(str, u.actions)) if each.executed else u.question or u.reason
            yield each.verdict, each.label.say, f"{u.decision}: {done}", each.label.expected
