"""Counts what P(understood) of src/sayso/selection/reliability.yaml ought to be, on the development sentences of `sayso bench meaning`
and on people's sentences of public sets that trained nothing (SAYSO_DATA).

    python scripts/fit_reliability.py            # the shares, and of how many sentences
    python scripts/fit_reliability.py --wrong    # also the sentences that were not understood

Only sentences count that the robot would act on if all words were understood: the shares decide about those. A sentence counts as
understood if acting on its most probable meaning would be right. The RoboCup sentences are left out, since people did not say them, and
plurals and conditions of tests/data/commands.yaml, whose labels leave them out.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import pairwise

from sayso.console.bench import load_benchmark
from sayso.paths import project_root
from sayso.pipeline import Pipeline, Understanding
from sayso.selection import ActionSelector
from sayso.selection.evidence import Doubt, EvidenceReader
from sayso.selection.reliability import Reliability
from sayso.types import Clause

ROOT = project_root()
EDGES = (0.0, 0.3, 0.6, 0.8, 0.9, 0.95, 0.98, 1.0 + 1e-9)  # of the bins of P(meaning | words)


def examples() -> Iterator[tuple[str, str, Doubt, bool]]:
    """(set, sentence, features, understood) of each development sentence that counts."""
    from _meaning_sets import development_sets, others

    for each in [*development_sets(), others("calibration")]:
        if each.name.startswith("gpsr"):
            continue
        pipeline = Pipeline(each.domain())
        pipeline.select = ActionSelector(pipeline.domain, reliability=Reliability.certain())
        reader = EvidenceReader(pipeline.domain)
        for judged in each.judged_with(pipeline):
            evidence = doubted(reader, judged.understanding)
            if (
                evidence is not None
                and not evidence.hinted
                and not (each.name == "hand_written" and any(map(unlabelled, judged.understanding.clauses)))
            ):
                yield each.name, judged.label.say, evidence, judged.verdict == "right"


def unlabelled(clause: Clause) -> bool:
    """Whether the clause has a plural or a condition, which the labels of tests/data/commands.yaml leave out."""
    plural = any(role.description is not None and role.description.plural for role in clause.roles)
    return plural or bool(clause.modifiers.conditions)


def doubted(reader: EvidenceReader, understanding: Understanding) -> Doubt | None:
    """The evidence of doubt about an utterance that the robot acts on, of its most doubtful clause; None if it does not act."""
    acted = [index for index, clause in enumerate(understanding.clauses) if clause.modifiers.mood in ("request", "hint")]
    if not acted or not understanding.actions or understanding.decision not in ("execute", "defer"):
        return None
    return max((reader(understanding.intent_belief, index) for index in acted), key=_weight)


def _weight(evidence: Doubt) -> tuple[bool, bool, float]:
    """How much speaks against a clause: first of all words that nothing explains."""
    return evidence.unexplained, not evidence.support.agreed, -evidence.support.parsed


def main() -> None:
    """Count and print the shares."""
    load_benchmark(ROOT / "benchmarks" / "meaning.py")  # puts the modules beside it on the path
    rows = [row for row in examples() if not row[2].hinted]
    people = [name.startswith("others") for name, *_ in rows]
    for title, wanted in (("people's", True), ("the team's", False)):
        some = [row for row, of in zip(rows, people, strict=True) if of is wanted]
        print(title)
        _show("words that nothing explains", [right for *_, doubt, right in some if doubt.unexplained])
        for name, agreed in (("agreed", True), ("disagreed", False)):
            for low, high in pairwise(EDGES):
                found = [
                    right
                    for *_, doubt, right in some
                    if not doubt.unexplained and doubt.support.agreed is agreed and low <= doubt.support.parsed < high
                ]
                _show(f"{name}, P(meaning) {low:.2f} to {min(high, 1.0):.2f}", found)
    if "--wrong" in sys.argv:
        for name, said, evidence, right in rows:
            if not right:
                print(name, "|", said, evidence)


def _show(what: str, understood: list[bool]) -> None:
    if understood:
        print(f"  {what}: {sum(understood)} of {len(understood)} understood, {sum(understood) / len(understood):.3f}")


if __name__ == "__main__":
    main()
