"""Fits P(understood) of src/sayso/selection/choosing/reliability.yaml on people's sentences of public sets that trained nothing
(SAYSO_DATA), and counts how often what it says holds, on them and on the development sentences of `sayso bench meaning`.

    python scripts/fit_reliability.py            # the weights, and said against found
    python scripts/fit_reliability.py --write    # the weights into reliability.yaml
    python scripts/fit_reliability.py --wrong    # also the sentences that were not understood

Only sentences count that the robot would act on if all words were understood: P(understood) decides about those. A sentence counts as
understood if acting on its most probable meaning would be right. The RoboCup sentences are left out, since people did not say them, and
plurals and conditions of tests/data/commands.yaml, whose labels leave them out.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from itertools import pairwise

import numpy as np

from sayso.console.bench import load_benchmark
from sayso.domain import Domain
from sayso.paths import project_root
from sayso.pipeline import Pipeline, Understanding
from sayso.selection import ActionSelector
from sayso.selection.choosing.evidence import Doubt, doubt_about
from sayso.selection.choosing.reliability import Reliability, features
from sayso.training.speech.train import logistic
from sayso.types import Clause

ROOT = project_root()
STOP = "stop"
WEIGHTS = ("agreed", "certainty", "certainty_agreed", "several", "bias")
EDGES = (0.0, 0.5, 0.8, 0.9, 0.95, 0.98, 0.99, 1.0 + 1e-9)  # of the bins of P(understood)
PENALTY = 1.0  # of the squared weights, but for the bias
YAML = ROOT / "src" / "sayso" / "selection" / "choosing" / "reliability.yaml"


def examples() -> Iterator[tuple[str, str, Doubt, bool]]:
    """(set, sentence, features, understood) of each development sentence that counts."""
    from _meaning_sets import development_sets, others

    for each in [*development_sets(), others("calibration")]:
        if each.name.startswith("gpsr"):
            continue
        pipeline = Pipeline(each.domain())
        pipeline.select = ActionSelector(pipeline.domain, reliability=Reliability.certain())
        for judged in each.judged_with(pipeline):
            evidence = doubted(pipeline.domain, judged.understanding)
            if evidence is not None and not (each.name == "hand_written" and any(map(unlabelled, judged.understanding.clauses))):
                yield each.name, judged.label.say, evidence, judged.verdict == "right"


def unlabelled(clause: Clause) -> bool:
    """Whether the clause has a plural or a condition, which the labels of tests/data/commands.yaml leave out."""
    plural = any(role.description is not None and role.description.plural for role in clause.roles)
    return plural or bool(clause.modifiers.conditions)


def doubted(domain: Domain, understanding: Understanding) -> Doubt | None:
    """The evidence of doubt about an utterance that the robot acts on, of its most doubtful clause; None if it does not act."""
    acted = [index for index, clause in enumerate(understanding.clauses) if clause.modifiers.mood in ("request", "hint")]
    if not acted or not understanding.actions or understanding.decision not in ("execute", "defer"):
        return None
    if any(action.name == STOP for action in understanding.actions):
        return None  # done at once, however sure it is
    return max((doubt_about(domain, understanding.intent_belief, index) for index in acted), key=_weight)


def _weight(evidence: Doubt) -> tuple[bool, bool, float]:
    """How much speaks against a clause: first of all words that nothing explains."""
    return evidence.unexplained, not evidence.support.agreed, -evidence.support.parsed


def fitted(people: Sequence[tuple[Doubt, bool]]) -> Reliability:
    """The weights that make people's verdicts likeliest (logistic regression)."""
    clear = [(doubt, right) for doubt, right in people if not (doubt.unexplained or doubt.untold or doubt.hinted)]
    design = np.array([[*features(doubt.support, several=doubt.several), 1.0] for doubt, _ in clear])
    w = logistic(design, np.array([right for _, right in clear], float), np.ones(len(clear)), PENALTY)
    weights = dict(zip(WEIGHTS, (round(float(each), 3) for each in w), strict=True))
    return replace(Reliability.shipped(), **weights, unexplained=_share(strange(people)), untold=_share(untold(people)))


def strange(some: Sequence[tuple[Doubt, bool]]) -> list[bool]:
    """Which sentences with words that nothing explains were understood."""
    return [right for doubt, right in some if doubt.unexplained and not doubt.hinted]


def untold(some: Sequence[tuple[Doubt, bool]]) -> list[bool]:
    """Which sentences were understood that say of a thing only what the home does not know and what cannot matter."""
    return [right for doubt, right in some if doubt.untold and not (doubt.unexplained or doubt.hinted)]


def _share(right: Sequence[bool]) -> float:
    """The share of those that were right."""
    return round(sum(right) / max(len(right), 1), 2)


def main() -> None:
    """Fit, count and print."""
    load_benchmark(ROOT / "benchmarks" / "meaning.py")  # puts the modules beside it on the path
    rows = list(examples())
    people = [(doubt, right) for name, _, doubt, right in rows if name.startswith("others")]
    team = [(doubt, right) for name, _, doubt, right in rows if not name.startswith("others")]
    found = fitted(people)
    lines = [f"{name}: {value}" for name, value in asdict(found).items()]
    print("\n".join(lines))
    for title, some in (("people's", people), ("the team's", team)):
        for what, right in (("words that nothing explains", strange(some)), ("attributes that cannot matter", untold(some))):
            print(f"{title}, with {what}: {sum(right)} of {len(right)} understood")
        print(f"{title}: said → understood")
        for low, high in pairwise(EDGES):
            held = [(found(doubt), right) for doubt, right in some if low <= found(doubt) < high]
            if held:
                said, right = sum(p for p, _ in held) / len(held), sum(right for _, right in held)
                print(f"  {said:.3f} → {right / len(held):.3f}, {right} of {len(held)}")
    if "--write" in sys.argv:
        head = [line for line in YAML.read_text(encoding="utf-8").splitlines() if line.startswith("#")]
        YAML.write_text("\n".join([*head, *lines, ""]), encoding="utf-8")
    if "--wrong" in sys.argv:
        for name, said_words, doubt, right in rows:
            if not right:
                print(name, "|", said_words, doubt)


if __name__ == "__main__":
    main()
