"""Roles: the words that fill theme, goal, source and recipient in people's sentences of public corpora.

tagE dev and HuRIC, neither of which the parser has seen; the last word of each filler counts, which need not be a name of the home.
Baseline: the intent head and the gazetteer alone, without the parser. Needs SAYSO_DATA.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import partial

from sayso.console.bench import Row, part
from sayso.console.watch import counted
from sayso.domain import load_domain
from sayso.intent.classifier import IntentClassifier
from sayso.types import Transcript, TranscriptAlternative

ROLES = frozenset(("theme", "goal", "source", "recipient"))
ELEMENTS = {"Sought_entity": "theme", "Beneficiary": "recipient", "Location": "source", "Item": "theme", "Phenomenon": "theme"}


def run(quick: bool = False) -> Iterator[Row]:
    """Yield all rows; --quick: a few sentences, as a smoke test."""
    yield from part("roles", partial(_stage, quick))


def _stage(quick: bool) -> Iterator[Row]:
    from sayso.training.data import corpora
    from sayso.training.tagger.sentences import as_commands

    ours, head = IntentClassifier(load_domain()), IntentClassifier(load_domain(), parser=False)
    for name, corpus in (("tagE dev", corpora.tage("dev")), ("HuRIC", corpora.huric())):
        every = [each for each in zip(corpus, as_commands(corpus, ELEMENTS), strict=True) if each[1].frames][: 20 if quick else None]
        right = {"ours": Counter[str](), "head": Counter[str]()}
        for sentence, tagged in counted(every, f"sentences, {name}"):
            wanted = Counter((s.label, tagged.words[s.last]) for f in tagged.frames for s in f.arguments if s.label in ROLES)
            for who, classify in (("ours", ours), ("head", head)):
                belief = classify(Transcript("", 0.0, (TranscriptAlternative(sentence.text, 0.0),), 1.0))
                filled = Counter((r.name, r.text.split()[-1]) for c in belief.clauses for r in c.roles if r.name in ROLES)
                right[who].update(
                    both=(wanted & filled).total(),
                    either=wanted.total() + filled.total(),
                    clauses=len(belief.clauses) == len(tagged.frames),
                )
        f1, clauses = (
            {
                who: 100 * scale * counted[part] / max(counted[whole], 1) if whole else 100 * counted[part] / len(every)
                for who, counted in right.items()
            }
            for part, whole, scale in (("both", "either", 2), ("clauses", "", 1))
        )
        yield Row(
            f"{name}, whole stage: theme, goal, source, recipient, F1",
            f1["ours"],
            "%",
            "higher",
            None,
            {"head alone": f1["head"]},
            n=len(every),
        )
        yield Row(
            f"{name}, whole stage: right number of clauses",
            clauses["ours"],
            "%",
            "higher",
            None,
            {"head alone": clauses["head"]},
            n=len(every),
        )
