"""Fits P(understood): the weights of src/sayso/selection/reliability.yaml, on the development sentences of `sayso bench meaning`.

    python scripts/fit_reliability.py            # prints the weights, the evidence and the log-likelihood
    python scripts/fit_reliability.py --write    # and writes them

Only sentences count that the robot acts on, or would act on but for the evidence of doubt: the weights decide about those. A sentence
counts as understood if acting on its most probable meaning would be right. The RoboCup sentences are left out, since people did not say
them, and plurals of tests/data/commands.yaml, whose labels name one thing only. Weights are not negative: more evidence never makes a
sentence more certain. A ridge keeps them finite where the few sentences separate, and half a sentence of either kind (Jeffreys' prior)
the intercept. The development set was written to be hard, one construction a sentence: its sentences without any evidence have an offset
of their own, which is fitted and left out, so that the intercept stands for ordinary commands.
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
from sayso.pipeline import Pipeline, Understanding
from sayso.selection.reliability import Evidence, Reliability, evidence_of
from sayso.types import FloatArray

ROOT = project_root()
WEIGHTS = ROOT / "src" / "sayso" / "selection" / "reliability.yaml"
MODEL = Reliability.shipped()
WOULD_ACT = 0.9  # least posterior of the actions, given that the words were understood
HARD = "hard set"  # the offset that is left out
RIDGE = 0.01  # on each weight, in sentences
HEADING = "# P(understood) = σ(intercept − Σ weight · feature): see reliability.py. Written by scripts/fit_reliability.py.\n"


def examples() -> Iterator[tuple[str, str, Evidence, bool]]:
    """(set, sentence, features, understood) of each development sentence that counts."""
    load_benchmark(ROOT / "benchmarks" / "meaning.py")  # puts the modules beside it on the path
    from _meaning_actions import Interpretation
    from _meaning_judge import means
    from _meaning_sets import development_sets

    for each in development_sets():
        if each.name.startswith("gpsr"):
            continue
        pipeline = Pipeline(each.domain())
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


def doubted(understanding: Understanding) -> Evidence | None:
    """The evidence of doubt about an utterance, of its most doubtful clause; None if something else keeps the robot from acting."""
    clauses = [clause for clause in understanding.clauses if clause.modifiers.mood in ("request", "hint")]
    if not clauses or not understanding.actions:
        return None
    found = max((evidence_of(clause) for clause in clauses), key=lambda evidence: sum(astuple(evidence)[:-1]))
    acts = understanding.decision in ("execute", "defer")
    given_the_words = understanding.probability / min(map(MODEL, clauses))
    would_act = understanding.decision == "confirm" and sum(astuple(found)[:-1]) > 0.0 and given_the_words >= WOULD_ACT
    return found if acts or would_act else None


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
    """Fit, print and perhaps write the weights."""
    rows = list(examples())
    x = np.array([(*astuple(evidence), float(name == "development" and not sum(astuple(evidence)[:-1]))) for name, _, evidence, _ in rows])
    y = np.array([float(right) for *_, right in rows])
    parameters = fitted(x, y)
    names = [*(field.name for field in fields(Evidence)), HARD]
    z = parameters[0] - x @ parameters[1:]
    loss = float(np.logaddexp(0.0, np.where(y > 0.5, -z, z)).mean())
    print(f"{len(y)} sentences, {int(y.sum())} understood; mean −ln P {loss:.3f}; intercept {parameters[0]:.2f}")
    for name, weight, column in zip(names, parameters[1:], x.T, strict=True):
        present = column > 0
        share = y[present].mean() if present.any() else 1.0
        print(f"{name:12} weight {weight:5.2f}  present in {int(present.sum())}, understood {share:.2f}")
    if "--write" in sys.argv:
        weights = {name: round(float(weight), 2) for name, weight in zip(names, parameters[1:], strict=True) if name != HARD}
        held = {"intercept": round(float(parameters[0]), 2), "weights": weights}
        Path(WEIGHTS).write_text(HEADING + yaml.safe_dump(held, sort_keys=False), encoding="utf-8")
    if "--wrong" in sys.argv:
        for name, said, evidence, right in rows:
            if not right:
                print(name, "|", said, evidence)


if __name__ == "__main__":
    main()
