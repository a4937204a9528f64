"""Fits P(understood) of src/sayso/selection/reliability.yaml on the development sentences of `sayso bench meaning`, and prints the weights.

    python scripts/fit_reliability.py            # the weights, and how often each kind of evidence was right
    python scripts/fit_reliability.py --wrong    # also the sentences that were not understood

Only sentences count that the robot would act on if all words were understood: the weights decide about those. A sentence counts as
understood if acting on its most probable meaning would be right. The RoboCup sentences are left out, since people did not say them, and
plurals of tests/data/commands.yaml, whose labels name one thing only. Weights are not negative: more evidence never makes a sentence more
certain. A ridge keeps them finite where the few sentences separate, and half a sentence of either kind (Jeffreys' prior) the intercept.
The development set was written to be hard, one construction a sentence: its sentences without any evidence have an offset of their own.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import astuple, fields

import numpy as np
from scipy.optimize import minimize

from sayso.console.bench import load_benchmark
from sayso.paths import project_root
from sayso.pipeline import Pipeline, Understanding
from sayso.selection import ActionSelector
from sayso.selection.reliability import Doubt, Reliability, evidence_of
from sayso.types import FloatArray

ROOT = project_root()
WEIGHTS = ROOT / "src" / "sayso" / "selection" / "reliability.yaml"
CERTAIN = Reliability(50.0, {})  # every word counts as understood
HARD = "hard set"  # the offset that is left out
RIDGE = 0.01  # on each weight, in sentences
HEADING = "# P(understood) = σ(intercept − Σ weight · feature): see reliability.py. Written by scripts/fit_reliability.py.\n"


def examples() -> Iterator[tuple[str, str, Doubt, bool]]:
    """(set, sentence, features, understood) of each development sentence that counts."""
    load_benchmark(ROOT / "benchmarks" / "meaning.py")  # puts the modules beside it on the path
    from _meaning_actions import Interpretation
    from _meaning_judge import means
    from _meaning_sets import development_sets

    for each in development_sets():
        if each.name.startswith("gpsr"):
            continue
        pipeline = Pipeline(each.domain())
        pipeline.select = ActionSelector(pipeline.domain, reliability=CERTAIN)
        for label in each.labels:
            understanding = pipeline.understand(label.say)
            if understanding.action_belief.then:
                understanding = pipeline.after_look(understanding)
            evidence = doubted(understanding)
            plural = any(
                role.description is not None and role.description.plural for clause in understanding.clauses for role in clause.roles
            )
            if evidence is not None and not (each.name == "hand_written" and plural):
                wanted = not label.wants_a_question and not label.nothing
                right = wanted and means(Interpretation(pipeline.domain, understanding), label)
                yield each.name, label.say, evidence, right


def doubted(understanding: Understanding) -> Doubt | None:
    """The evidence of doubt about an utterance that the robot acts on, of its most doubtful clause; None if it does not act."""
    clauses = [clause for clause in understanding.clauses if clause.modifiers.mood in ("request", "hint")]
    if not clauses or not understanding.actions or understanding.decision not in ("execute", "defer"):
        return None
    return max((evidence_of(clause) for clause in clauses), key=lambda evidence: sum(astuple(evidence)[:-1]))


def fitted(x: FloatArray, y: FloatArray) -> FloatArray:
    """(F + 1,) the intercept and F weights ≥ 0 of the largest penalised likelihood; x is (N, F), y is (N,) of 0 and 1."""

    def cost(parameters: FloatArray) -> float:
        z = parameters[0] - x @ parameters[1:]
        prior = 0.5 * (np.logaddexp(0.0, -parameters[0]) + np.logaddexp(0.0, parameters[0]))
        return float(np.logaddexp(0.0, np.where(y > 0.5, -z, z)).sum() + prior + RIDGE * (parameters[1:] ** 2).sum())

    start = np.concatenate([[3.0], np.ones(x.shape[1])])
    found = minimize(cost, start, bounds=[(None, None), *[(0.0, None)] * x.shape[1]])
    return np.asarray(found.x, np.float64)


def main() -> None:
    """Fit and print the weights."""
    rows = list(examples())
    x = np.array([(*astuple(evidence), float(name == "development" and not sum(astuple(evidence)[:-1]))) for name, _, evidence, _ in rows])
    y = np.array([float(right) for *_, right in rows])
    parameters = fitted(x, y)
    names = [*(field.name for field in fields(Doubt)), HARD]
    z = parameters[0] - x @ parameters[1:]
    loss = float(np.logaddexp(0.0, np.where(y > 0.5, -z, z)).mean())
    print(f"{len(y)} sentences, {int(y.sum())} understood; mean −ln P {loss:.3f}; intercept {parameters[0]:.2f}")
    for name, weight, column in zip(names, parameters[1:], x.T, strict=True):
        present = column > 0
        share = y[present].mean() if present.any() else 1.0
        print(f"{name:12} weight {weight:5.2f}  present in {int(present.sum())}, understood {share:.2f}")
    if "--wrong" in sys.argv:
        for name, said, evidence, right in rows:
            if not right:
                print(name, "|", said, evidence)


if __name__ == "__main__":
    main()
