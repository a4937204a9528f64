"""Fits P(understood): the weights of src/sayso/selection/reliability.yaml, on the development sentences of `sayso bench meaning`.

    python scripts/fit_reliability.py            # prints the weights, the evidence and the log-likelihood
    python scripts/fit_reliability.py --write    # and writes them

A sentence counts as understood if acting on its most probable meaning would be right. Weights are not negative: more evidence of doubt
never makes a sentence more certain. A ridge keeps them finite where the few sentences separate.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import astuple, fields
from pathlib import Path

import numpy as np
import yaml
from scipy.optimize import minimize

from sayso.console.bench import load_benchmark
from sayso.paths import project_root
from sayso.pipeline import Pipeline
from sayso.selection.reliability import Evidence, evidence_of
from sayso.types import FloatArray

ROOT = project_root()
WEIGHTS = ROOT / "src" / "sayso" / "selection" / "reliability.yaml"
RIDGE = 0.05  # on each weight, per sentence-sized unit of the log-likelihood
HEADING = "# P(understood) = σ(intercept − Σ weight · feature): see reliability.py. Written by scripts/fit_reliability.py.\n"


def examples() -> Iterator[tuple[Evidence, bool]]:
    """(features, understood) of each development sentence that asks for something and is not rejected outright."""
    load_benchmark(ROOT / "benchmarks" / "meaning.py")  # puts the modules beside it on the path
    from _meaning_actions import Interpretation
    from _meaning_judge import means
    from _meaning_sets import development_sets

    for each in development_sets():
        pipeline = Pipeline(each.domain())
        for label in each.labels:
            understanding = pipeline.understand(label.say)
            if understanding.action_belief.then:
                understanding = pipeline.after_look(understanding)
            clauses = [clause for clause in understanding.clauses if clause.modifiers.mood in ("request", "hint")]
            if not clauses or not understanding.actions:
                continue
            wanted = not label.wants_a_question and not label.nothing
            understood = wanted and means(Interpretation(pipeline.domain, understanding), label)
            yield max((evidence_of(clause) for clause in clauses), key=lambda evidence: sum(astuple(evidence))), understood


def fitted(x: FloatArray, y: FloatArray) -> FloatArray:
    """(F + 1,) the intercept and F weights ≥ 0 of the largest penalised likelihood; x is (N, F), y is (N,) of 0 and 1."""

    def cost(parameters: FloatArray) -> float:
        z = parameters[0] - x @ parameters[1:]
        return float(np.logaddexp(0.0, np.where(y > 0.5, -z, z)).sum() + RIDGE * (parameters[1:] ** 2).sum())

    start = np.concatenate([[3.0], np.ones(x.shape[1])])
    found = minimize(cost, start, bounds=[(None, None), *[(0.0, None)] * x.shape[1]])
    return np.asarray(found.x, np.float64)


def main() -> None:
    """Fit, print and perhaps write the weights."""
    pairs = list(examples())
    x, y = np.array([astuple(evidence) for evidence, _ in pairs]), np.array([float(right) for _, right in pairs])
    parameters = fitted(x, y)
    names = [field.name for field in fields(Evidence)]
    z = parameters[0] - x @ parameters[1:]
    loss = float(np.logaddexp(0.0, np.where(y > 0.5, -z, z)).mean())
    print(f"{len(y)} sentences, {int(y.sum())} understood; mean −ln P {loss:.3f}; intercept {parameters[0]:.2f}")
    for name, weight, column in zip(names, parameters[1:], x.T, strict=True):
        print(f"{name:12} weight {weight:5.2f}  present in {int((column > 0).sum())}, understood {y[column > 0].mean() if (column > 0).any() else 1.0:.2f}")
    if "--write" in sys.argv:
        weights = {name: round(float(weight), 2) for name, weight in zip(names, parameters[1:], strict=True)}
        held = {"intercept": round(float(parameters[0]), 2), "weights": weights}
        Path(WEIGHTS).write_text(HEADING + yaml.safe_dump(held, sort_keys=False), encoding="utf-8")


if __name__ == "__main__":
    main()
