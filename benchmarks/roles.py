"""Triggers, arguments and roles: the tagger's head on public corpora, and the whole stage on people's sentences.

tagE: the head is fitted here on the training part, on the vectors of the shipped encoder, and measured on the dev part. HuRIC, which none
of our models has seen: five folds, the head fitted on four. Baseline: the same head on the published encoder. Whole stage, on the same
sentences: the last words of the phrases that fill theme, goal, source and recipient, which need not be names of the home. Baseline: the
rules alone, without the tagger. Needs SAYSO_DATA and torch.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from random import Random

from sayso.console.bench import Row, part, quantile_row
from sayso.console.watch import counted, progress
from sayso.domain import load_domain
from sayso.encoder import SentenceEncoder
from sayso.intent.classifier import IntentClassifier
from sayso.intent.clauses import words_of
from sayso.intent.normalise import normalise
from sayso.intent.tagger import Tagger
from sayso.intent.tags import TaggedFrame
from sayso.types import Transcript, TranscriptAlternative

FOLDS = 5
WORN = 2  # copies of each training sentence as a recogniser may hear it
STEPS = {"tagE": 1000, "HuRIC": 400}
ROLES = frozenset(("theme", "goal", "source", "recipient"))
ELEMENTS = {"Sought_entity": "theme", "Beneficiary": "recipient", "Location": "source", "Item": "theme", "Phenomenon": "theme"}


def run(quick: bool = False) -> Iterator[Row]:
    """Yield all rows; --quick: a few steps and one fold, as a smoke test."""
    yield from part("triggers and arguments", partial(_corpora, quick))
    yield from part("the whole stage", partial(_stage, quick))
    yield from part("time", partial(_times, quick))


def _corpora(quick: bool) -> Iterator[Row]:
    from sayso.training.data import corpora
    from sayso.training.encoder.export import export_encoder
    from sayso.training.tagger.batches import TagScores, scores
    from sayso.training.tagger.sentences import Tagged, published

    train, dev, huric = (published(part) for part in (corpora.tage("train"), corpora.tage("dev"), corpora.huric()))
    train = [each for each in train if len(each.words) <= 60]
    folds = _folds(len(huric))[: 1 if quick else FOLDS]
    with tempfile.TemporaryDirectory() as place:
        encoders = {"ours": SentenceEncoder(), "published": SentenceEncoder(export_encoder(None, Path(place)))}
        found: dict[tuple[str, str], TagScores] = {}
        for name, encode in encoders.items():
            found["tagE", name] = scores(_tagged(encode, train, dev, "tagE", quick), dev)
            heard: list[tuple[TaggedFrame, ...]] = []
            gold: list[Tagged] = []
            for rest, part in folds:
                gold += (held := [huric[index] for index in part])
                heard += _tagged(encode, [huric[index] for index in rest], held, "HuRIC", quick)
            found["HuRIC", name] = scores(heard, gold)
    goals = {"tagE": (97.5, 90.0, 68.0), "HuRIC": (95.0, 90.0, None)}
    titles = {"tagE": "tagE dev", "HuRIC": "HuRIC, five folds"}
    for corpus, (trigger, argument, exact) in goals.items():
        for measure, field, goal in (
            ("trigger F1", "trigger_f1", trigger),
            ("argument span F1", "argument_f1", argument),
            ("whole sentence exact", "exact", exact),
        ):
            value, baseline = (100 * float(getattr(found[corpus, name], field)) for name in ("ours", "published"))
            n = found[corpus, "ours"].sentences
            yield Row(f"{titles[corpus]}: {measure}", value, "%", "higher", goal, {"same head, published encoder": baseline}, n=n)


def _folds(count: int) -> list[tuple[list[int], list[int]]]:
    order = Random(0).sample(range(count), count)
    return [([index for index in order if index not in set(part)], part) for part in (order[fold::FOLDS] for fold in range(FOLDS))]


def _tagged(encode: SentenceEncoder, train: Sequence, held: Sequence, corpus: str, quick: bool) -> list[tuple[TaggedFrame, ...]]:  # type: ignore[type-arg]
    """Fit a head on one part and return its frames in the other."""
    import torch

    from sayso.training.data.hearing import heard_words
    from sayso.training.tagger.batches import as_heard_tagged, read_off
    from sayso.training.tagger.config import load_tagger_config
    from sayso.training.tagger.sentences import annotation_of
    from sayso.training.tagger.train import fit, vectors_of

    def said(what: str, share: float) -> None:
        progress(f"{corpus}: {what}")
        print(f"\r{corpus}: {what}, {share:.0%}    ", end="", file=sys.stderr, flush=True)

    config = load_tagger_config().model_copy(update={"steps": 20 if quick else STEPS[corpus]})
    chance = Random(config.seed)
    worn = [as_heard_tagged(each, heard_words(each.words, chance)) for _ in range(0 if quick else WORN) for each in train]
    every, annotation = [*train, *worn], annotation_of(train)
    head = fit(every, vectors_of(encode, every, said), annotation, config, said)
    print(file=sys.stderr)
    return [read_off(head, torch.from_numpy(encode.words(each.words)), annotation) for each in held]


def _stage(quick: bool) -> Iterator[Row]:
    from sayso.training.data import corpora
    from sayso.training.tagger.sentences import as_commands

    ours, rules = IntentClassifier(load_domain()), IntentClassifier(load_domain(), tagger=False)
    for name, corpus in (("tagE dev", corpora.tage("dev")), ("HuRIC", corpora.huric())):
        every = [each for each in zip(corpus, as_commands(corpus, ELEMENTS), strict=True) if each[1].frames][: 20 if quick else None]
        right = {"ours": Counter[str](), "rules": Counter[str]()}
        for sentence, tagged in counted(every, f"sentences, {name}"):
            wanted = Counter((s.label, tagged.words[s.last]) for f in tagged.frames for s in f.arguments if s.label in ROLES)
            for who, classify in (("ours", ours), ("rules", rules)):
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
            {"rules alone": f1["rules"]},
            n=len(every),
        )
        yield Row(
            f"{name}, whole stage: right number of clauses",
            clauses["ours"],
            "%",
            "higher",
            None,
            {"rules alone": clauses["rules"]},
            n=len(every),
        )


def _times(quick: bool) -> Iterator[Row]:
    encode = SentenceEncoder()
    tag = Tagger(encode)
    sentences = [
        [word.text for word in words_of(normalise(text))]
        for text in ("bring me the red cup from the kitchen", "go to the kitchen and then bring me the cup", "stop", "where are my glasses")
    ]
    took = []
    for index in range(20 if quick else 400):
        words = sentences[index % len(sentences)]
        began = time.perf_counter()
        tag(words)
        took.append(time.perf_counter() - began)
    yield quantile_row("tagging one sentence, encoder included, one core, p50", took[4:], 0.5, None)
    yield quantile_row("tagging one sentence, encoder included, one core, p99", took[4:], 0.99, None)
