"""Fits P(understood) of src/sayso/selection/reliability.yaml and prints the weights. It is fitted on the development sentences of
`sayso bench meaning` and on people's sentences of public sets that trained nothing (SAYSO_DATA).

    python scripts/fit_reliability.py            # the weights, and how often each kind of evidence was right
    python scripts/fit_reliability.py --wrong    # also the sentences that were not understood
    python scripts/fit_reliability.py --curve    # also what other intercepts would do: wrong executions against questions
    python scripts/fit_reliability.py --write    # also writes the weights

Only sentences count that the robot would act on if all words were understood: the weights decide about those. A sentence counts as
understood if acting on its most probable meaning would be right. The RoboCup sentences are left out, since people did not say them, and
plurals and conditions of tests/data/commands.yaml, whose labels leave them out. Weights are not negative: more evidence never makes a
sentence more certain. A ridge keeps them finite where the few sentences separate.
"left out" is the mean −ln P of sentences that were left out of the fit, in ten parts.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence

import numpy as np
from scipy.optimize import minimize

from sayso.console.bench import load_benchmark
from sayso.paths import project_root
from sayso.pipeline import Pipeline, Understanding
from sayso.selection import ActionSelector
from sayso.selection.evidence import Doubt, EvidenceReader
from sayso.selection.reliability import Reliability
from sayso.types import Clause, FloatArray

ROOT = project_root()
WEIGHTS = ROOT / "src" / "sayso" / "selection" / "reliability.yaml"
CERTAIN = Reliability(50.0, {})  # every word counts as understood
FOLDS = 10
RIDGE = 0.05  # on each weight, in sentences
# Not fitted. Nearly all hints are understood, but a need that nobody asked for deserves a question.
SET = {"hint": 3.6}
# 99.75 %. The fit has less after few mistakes, and the robot would then ask about nearly everything: see --curve.
INTERCEPT = 6.0
CURVE = (0.97, 0.98, 0.985, 0.988, 0.99, 0.993, 0.9975, 0.999)  # P(understood) of sentences without any evidence
PEOPLE = ("development", "crowd")  # the sets of the curve
HEADING = "# P(understood) = σ(intercept − Σ weight · feature): see reliability.py. Written by scripts/fit_reliability.py from\n"


def examples() -> Iterator[tuple[str, str, Doubt, bool]]:
    """(set, sentence, features, understood) of each development sentence that counts."""
    from _meaning_sets import development_sets, others

    for each in [*development_sets(), others("calibration")]:
        if each.name.startswith("gpsr"):
            continue
        pipeline = Pipeline(each.domain())
        pipeline.select = ActionSelector(pipeline.domain, reliability=CERTAIN)
        reader = EvidenceReader(pipeline.domain)
        for judged in each.judged_with(pipeline):
            evidence = doubted(reader, judged.understanding)
            if evidence is not None and not (each.name == "hand_written" and any(map(unlabelled, judged.understanding.clauses))):
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
    return max((reader(understanding.intent_belief, index) for index in acted), key=lambda evidence: sum(evidence.features.values()))


def fitted(x: FloatArray, y: FloatArray) -> FloatArray:
    """(F + 1,) the intercept, and F weights ≥ 0; x is (N, F), y is (N,) of 0 and 1.

    The intercept says how sure a sentence without any evidence is, and is estimated from those alone, with half a sentence of either kind
    added (Jeffreys' prior), but is at least INTERCEPT. The weights have the largest penalised likelihood given it.
    """
    clear = ~x.any(axis=1)
    intercept = max(INTERCEPT, float(np.log((y[clear].sum() + 0.5) / ((1.0 - y[clear]).sum() + 0.5))))

    def cost(weights: FloatArray) -> float:
        return float(losses(np.array([intercept, *weights]), x, y).sum() + RIDGE * (weights**2).sum())

    bounds = [(SET[name], SET[name]) if name in SET else (0.0, None) for name in Doubt().features]
    found = minimize(cost, np.ones(x.shape[1]), bounds=bounds)
    return np.array([intercept, *found.x])


def losses(parameters: FloatArray, x: FloatArray, y: FloatArray) -> FloatArray:
    """(N,) −ln P of what was the case."""
    z = parameters[0] - x @ parameters[1:]
    return np.asarray(np.logaddexp(0.0, np.where(y > 0.5, -z, z)), np.float64)


def left_out(x: FloatArray, y: FloatArray) -> FloatArray:
    """(N,) −ln P of each sentence, by a fit without its fold."""
    fold = np.random.default_rng(0).permutation(len(y)) % FOLDS
    found = np.empty(len(y))
    for each in range(FOLDS):
        found[fold == each] = losses(fitted(x[fold != each], y[fold != each]), x[fold == each], y[fold == each])
    return found


def curve(parameters: FloatArray, names: Sequence[str]) -> None:
    """Prints what other intercepts would do on the sentences of people: questions, and wrong ones among the executed."""
    from _meaning_rows import questions, wrong_among_executed
    from _meaning_sets import own_set

    sets = [own_set(name) for name in PEOPLE]
    pipeline = Pipeline(sets[0].domain())
    weights = dict(zip(names, parameters[1:].tolist(), strict=True))
    for p in CURVE:
        pipeline.select = ActionSelector(pipeline.domain, reliability=Reliability(float(np.log(p / (1.0 - p))), weights))
        judged = [each for held in sets for each in held.judged_with(pipeline)]
        wrong, asked = wrong_among_executed(judged), questions(judged)
        print(f"P(understood) without any evidence {p}: wrong {wrong.k} of {wrong.n} executed, questions {asked.value:.1f} %")


def main() -> None:
    """Fit and print the weights."""
    load_benchmark(ROOT / "benchmarks" / "meaning.py")  # puts the modules beside it on the path
    rows = list(examples())
    names = [*Doubt().features]
    x = np.array([[*evidence.features.values()] for *_, evidence, _ in rows])
    y = np.array([float(right) for *_, right in rows])
    parameters = fitted(x, y)
    clear = ~x.any(axis=1)
    found = (
        f"{len(y)} sentences, {int(y.sum())} understood; of {int(clear.sum())} without any evidence {int(y[clear].sum())}; "
        f"mean −ln P {losses(parameters, x, y).mean():.3f}, left out {left_out(x, y).mean():.3f}"
    )
    print(f"{found}; intercept {parameters[0]:.2f}")
    for name, weight, column in zip(names, parameters[1:], x.T, strict=True):
        present = column > 0
        share = y[present].mean() if present.any() else 1.0
        print(f"{name:12} weight {weight:5.2f}  present in {int(present.sum())}, understood {share:.2f}")
    if "--wrong" in sys.argv:
        for name, said, evidence, right in rows:
            if not right:
                print(name, "|", said, evidence)
    if "--curve" in sys.argv:
        curve(parameters, names)
    if "--write" in sys.argv:
        weights = "".join(f"  {name}: {weight:.2f}\n" for name, weight in zip(names, parameters[1:], strict=True))
        text = f"{HEADING}# {found}.\nintercept: {parameters[0]:.2f}\nweights:\n{weights}"
        WEIGHTS.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
