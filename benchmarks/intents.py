"""Intent classification: public data sets, out-of-scope detection, few examples, robot commands, time and memory.

For each data set a head is fitted on the training part; the validation part selects ridge, σ and temperature; the test part is only
measured. "Ours" is the shipped encoder with our linear head. It was tuned on the training parts of CLINC150, Banking77, SNIPS, HWU64 and
ALFRED, so the rows with ten sentences a class use the published encoder, which has seen none of their labels.

Baselines: nearest centroid and logistic regression on the published encoder (all-MiniLM-L6-v2, frozen), TF-IDF with a linear SVM.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import yaml
from rich.console import Console
from rich.progress import Progress

from sayso.console.bench import Absent, Row, part, quantile_row, unmeasured
from sayso.console.watch import progress
from sayso.domain import load_domain
from sayso.encoder import SentenceEncoder
from sayso.errors import AbsentDataError, SaysoError
from sayso.intent import IntentClassifier
from sayso.intent.calibration import scope_scale
from sayso.intent.kernel_head import KernelHead
from sayso.intent.learning import examples_of
from sayso.intent.linear_head import Float32Array, LinearHead, log_sum_exp, softmax
from sayso.intent.normalise import normalise
from sayso.intent.plain import PlainText
from sayso.intent.regression import logistic
from sayso.intent.scope import Surroundings, out_of_scope, scope_features
from sayso.paths import project_root
from sayso.training.data import corpora
from sayso.training.data.corpora import Labelled
from sayso.training.encoder.tasks import intended, load_tuning
from sayso.training.intents import classifiers as readers
from sayso.training.intents.classifiers import LabelledPart
from sayso.training.intents.evaluation import evaluated, strangeness, transcript_of
from sayso.training.scores import auroc, expected_calibration_error, false_positives_at
from sayso.types import FloatArray

HERE = Path(__file__).parent
COMMANDS, ENROLMENT = (project_root() / "tests" / "data" / name for name in ("commands.yaml", "enrolment.yaml"))
QUICK = 240  # sentences of a part
CENTROID, SVM, FROZEN, KERNEL = "nearest centroid", "TF-IDF + linear SVM", "frozen MiniLM + logistic regression", "ours, kernel head"


def run(quick: bool = False) -> Iterator[Row]:
    """Yield all rows of the table."""
    settings = yaml.safe_load((HERE / "intents.yaml").read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as folder, Progress(console=Console(stderr=True), transient=True) as bar:
        ours, frozen = Embedder("shipped encoder", None, bar), Embedder("published encoder", _published(Path(folder)), bar)
        yield from part("public data sets", partial(_public_sets, settings, ours, frozen, quick))
        yield from part("few examples", partial(_few_shot, settings, ours, frozen, quick))
        yield from part("robot commands", partial(_robot_commands, frozen, quick))
    yield from part("hand-written commands", partial(_hand_written, quick))
    yield from part("new intents", _enrolled)
    yield from part("time and memory", partial(_process, settings["latency"], quick))


@dataclass
class Embedder:
    """Texts → embeddings on all cores, one text at a time as in the stage; each text is embedded once a run."""

    name: str
    folder: Path | None
    bar: Progress
    known: dict[str, Float32Array] = field(default_factory=dict)

    def __call__(self, texts: Sequence[str]) -> Float32Array:
        """(N, D)."""
        new = [text for text in dict.fromkeys(texts) if text not in self.known]
        task = self.bar.add_task(f"{self.name}: {len(new):,} sentences", total=len(new))
        cores = len(os.sched_getaffinity(0))

        def embed(share: list[str]) -> None:
            encode = SentenceEncoder(self.folder)
            for text in share:
                self.known[text] = encode([text])[0]
                self.bar.advance(task)
                progress(f"{self.name}: the vectors of {len(new):,} sentences")

        with ThreadPoolExecutor(cores) as pool:
            list(pool.map(embed, [new[at::cores] for at in range(cores)]))
        self.bar.remove_task(task)
        return np.stack([self.known[text] for text in texts])


def _published(folder: Path) -> Path | None:
    """all-MiniLM-L6-v2 as published, with 8-bit weights as ours."""
    from sayso.training.encoder.export import export_encoder

    return export_encoder(None, folder)


def _read(corpus: str, part: str) -> list[Labelled]:
    if corpus == "clinc150":
        return list(corpora.clinc150(part))
    return list(corpora.alfred(part) if corpus == "alfred" else corpora.lines(corpus, part))


def _cleaned(text: str) -> str:
    return normalise(text).replace(",", "") or "-"


def _parts(entry: dict[str, Any], quick: bool) -> tuple[list[list[Labelled]], tuple[str, ...]]:
    """Training, validation and test part, and the labels by number."""
    chance = random.Random(0)
    train, valid, test = (_read(entry["corpus"], part) for part in entry["parts"])
    if entry["parts"][0] == entry["parts"][1]:  # the set has no validation part
        chance.shuffle(train)
        train, valid = train[: entry["of"]], train[entry["of"] : entry["of"] * 5 // 4]
    if quick:
        labels = set(chance.sample(sorted({each.label for each in train}), 5))
        train, valid, test = ([each for each in part if each.label in labels][:QUICK] for part in (train, valid, test))
    names = tuple(sorted({each.label for each in train}))
    return [[each for each in part if each.label in names] for part in (train, valid, test)], names


def _embedded(labelled: Sequence[Labelled], names: Sequence[str], embed: Embedder) -> LabelledPart:
    texts = tuple(_cleaned(each.text) for each in labelled)
    numbers = {name: number for number, name in enumerate(names)}
    return LabelledPart(texts, np.array([numbers[each.label] for each in labelled]), embed(texts))


def _public_sets(settings: dict[str, Any], ours: Embedder, frozen: Embedder, quick: bool) -> Iterator[Row]:
    for entry in settings["sets"]:
        try:
            parts, names = _parts(entry, quick)
        except SaysoError as absent:
            yield unmeasured(f"{entry['name']}, accuracy", "%", "higher", absent, entry.get("goal"))
            continue
        own = [_embedded(part, names, ours) for part in parts]
        other = [_embedded(part, names, frozen) for part in parts]
        heads = (readers.linear_head(own[0], own[1], len(names)), readers.kernel_head(own[0], own[1], len(names)))
        fitted = {
            "": (readers.honest_reader(heads[0], own[1]), own[2]),
            KERNEL: (readers.honest_reader(heads[1], own[1]), own[2]),
            CENTROID: (readers.nearest_centroid(other[0], other[1], len(names)), other[2]),
            SVM: (readers.svm_on_words(other[0], other[1], len(names)), other[2]),
            FROZEN: (readers.linear_reader(other[0], other[1], len(names)), other[2]),
        }
        logits = {name: reader.logits(test.texts, test.h) for name, (reader, test) in fitted.items()}
        labels, n = own[2].labels, len(own[2].labels)
        right = {name: 100 * float((each.argmax(1) == labels).mean()) for name, each in logits.items()}
        yield Row(f"{entry['name']}, {len(names)} classes, accuracy", right.pop(""), "%", "higher", entry.get("goal"), right, n=n)
        if entry["corpus"] == "clinc150":
            yield from _out_of_scope(own, heads, fitted, logits, (ours, frozen))
            error = {name: _calibration_error(each, labels) for name, each in logits.items()}
            yield Row("CLINC150, expected calibration error, 15 bins", error.pop(""), "", "lower", 0.005, error, n=n)


def _calibration_error(logits: FloatArray, labels: readers.Labels) -> float:
    p = softmax(logits)
    return expected_calibration_error(p.max(1), p.argmax(1) == labels, np.ones(len(p)))


def _out_of_scope(
    own: list[LabelledPart],
    heads: tuple[LinearHead, KernelHead],
    fitted: dict[str, Any],
    logits: dict[str, FloatArray],
    embed: tuple[Embedder, ...],
) -> Iterator[Row]:
    """AUROC and FPR95 of a score fitted on the training and validation parts only."""
    (train, valid, test), (linear, kernel), (ours, frozen) = own, heads, embed
    strangers = {part: [_cleaned(each.text) for each in corpora.clinc150(part)] for part in ("oos_train", "oos_val", "oos_test")}
    h = {part: ours(texts) for part, texts in strangers.items()}
    both = np.concatenate([train.h, h["oos_train"]])
    is_in = np.arange(len(both)) < len(train.h)
    weights = np.where(is_in, 1 / is_in.sum(), 1 / (~is_in).sum())
    two = logistic(both, np.stack([~is_in, is_in], 1).astype(np.float32), weights, 1e-3)
    around = Surroundings(h["oos_train"], two[1] - two[0])

    def features(x: Float32Array) -> FloatArray:
        return scope_features(linear.logits(x), kernel.logits(x), around(x, train.h))

    scale = scope_scale(features(valid.h), features(h["oos_val"]), np.ones(len(valid.h)))
    inside, outside = -out_of_scope(features(test.h), scale), -out_of_scope(features(h["oos_test"]), scale)
    others = {}
    for name in (KERNEL, CENTROID, SVM, FROZEN):
        x = (ours if name == KERNEL else frozen)(strangers["oos_test"])
        strange = fitted[name][0].logits(strangers["oos_test"], x)
        score = log_sum_exp if name in {KERNEL, FROZEN} else (lambda each: each.max(1))  # density, energy; nearness, margin
        others[name] = (score(logits[name]), score(strange))
    others["ours, largest probability"] = tuple(
        softmax(each).max(1) for each in (logits[""], fitted[""][0].logits(strangers["oos_test"], h["oos_test"]))
    )
    n = len(inside) + len(outside)
    beside = {name: auroc(*scores) for name, scores in others.items()}
    yield Row("CLINC150, out of scope, AUROC", auroc(inside, outside), "", "higher", 0.985, beside, n=n)
    beside = {name: false_positives_at(*scores) for name, scores in others.items()}
    yield Row("CLINC150, out of scope, FPR95", false_positives_at(inside, outside), "", "lower", 0.07, beside, n=n)


def _few_shot(settings: dict[str, Any], ours: Embedder, frozen: Embedder, quick: bool) -> Iterator[Row]:
    ridge = settings["few_shot_ridge"]
    for entry in settings["few_shot"]:
        measure = f"{entry['name']}, 10 sentences a class, accuracy (on the published encoder, without labels)"
        folder = corpora.data_folder() / entry["folder"]
        try:
            texts, labels = ((folder / name).read_text(encoding="utf-8").splitlines() for name in ("seq.in", "label"))
            test = _read(entry["corpus"], "test")
        except (OSError, SaysoError) as absent:
            lacks: Absent = "data" if isinstance(absent, FileNotFoundError | AbsentDataError) else ""
            yield unmeasured(measure, "%", "higher", f"{folder}: {absent}", entry["goal"], lacks)
            continue
        shown = [Labelled(*pair) for pair in zip(texts, labels, strict=True)]
        names = tuple(sorted(set(labels)))[: 5 if quick else None]
        shown, test = ([each for each in part if each.label in names] for part in (shown, test))
        named = [Labelled(name.replace("_", " ").replace("?", ""), name) for name in names]
        right = {}
        for name, embed in (("", frozen), ("the shipped encoder, tuned on all labels", ours)):
            reader = readers.few_shot_head(_embedded([*shown, *named], names, embed), ridge, len(names))
            right[name] = readers.accuracy(reader, _embedded(test, names, embed))
        train, tested = _embedded(shown, names, frozen), _embedded(test, names, frozen)
        for name, reader in (
            ("without the classes' names", readers.few_shot_head(train, ridge, len(names))),
            (KERNEL, readers.few_shot_kernel(train, len(names))),
            (CENTROID, readers.nearest_centroid(train, train, len(names))),
            (SVM, readers.svm_on_words(train, train, len(names))),
        ):
            right[name] = readers.accuracy(reader, tested)
        yield Row(
            measure, 100 * right.pop(""), "%", "higher", entry["goal"], {name: 100 * each for name, each in right.items()}, n=len(test)
        )


def _robot_commands(frozen: Embedder, quick: bool) -> Iterator[Row]:
    """People's commands that match an intent of the default home, classified by the whole stage; baselines learn from its examples."""
    domain, config = load_domain(), load_tuning()
    plain = PlainText(domain)
    names = tuple(domain.intents)
    examples = [Labelled(each.text, each.intent) for each in examples_of(domain) if each.intent]
    stages = {"": IntentClassifier(domain), KERNEL: IntentClassifier(domain, head="kernel")}
    beside: dict[str, readers.Reader] = {}
    for corpus, read in (("HuRIC", corpora.huric), ("tagE dev", lambda: corpora.tage("dev"))):
        measure = f"{corpus}, one command with an intent of the default home, intent right"
        try:
            commands = [each for each in intended(read(), config) if each.label][: 20 if quick else None]
        except SaysoError as absent:
            yield unmeasured(measure, "%", "higher", absent)
            continue
        if not beside:
            train = _embedded(examples[:: 10 if quick else 2], names, frozen)
            beside = {CENTROID: readers.nearest_centroid(train, train, len(names)), SVM: readers.svm_on_words(train, train, len(names))}
            beside[FROZEN] = readers.linear_reader(train, train, len(names))
        right = {name: 100 * float(np.mean([_means(stage, each) for each in commands])) for name, stage in stages.items()}
        test = _embedded([Labelled(plain(_cleaned(each.text)), each.label) for each in commands], names, frozen)
        right |= {name: 100 * readers.accuracy(reader, test) for name, reader in beside.items()}
        yield Row(measure, right.pop(""), "%", "higher", None, right, n=len(commands))


def _means(classify: IntentClassifier, command: Labelled) -> bool:
    return [clause.intent for clause in classify(transcript_of(command.text)).clauses] == [command.label]


def _hand_written(quick: bool) -> Iterator[Row]:
    heads = ("linear",) if quick else ("linear", "kernel")
    measured = {head: evaluated(load_domain(), COMMANDS, head)["held_out"] for head in heads}  # type: ignore[arg-type]
    for measure, name, better in (
        ("hand-written commands, all intents right", "intents right (all of a command)", "higher"),
        ("hand-written commands, rejected", "commands rejected", "lower"),
        ("hand-written chatter, accepted", "chatter accepted", "lower"),
    ):
        beside = {KERNEL: 100 * measured["kernel"][name]} if "kernel" in measured else {}
        n = int(measured["linear"]["chatter" if "chatter" in measure else "commands"])
        yield Row(measure, 100 * measured["linear"][name], "%", better, None, beside, n=n)  # type: ignore[arg-type]


def _enrolled() -> Iterator[Row]:
    """Intents unknown to all models, enrolled from five examples each."""
    home, new = load_domain(), yaml.safe_load(ENROLMENT.read_text(encoding="utf-8"))
    specs = {name: home.intents["stop"].model_copy(update={"examples": tuple(parts["examples"])}) for name, parts in new.items()}
    more = home.model_copy(update={"intents": {**home.intents, **specs}})
    unseen = [Labelled(text, name) for name, parts in new.items() for text in parts["others"]]
    parts = yaml.safe_load(COMMANDS.read_text(encoding="utf-8"))
    old = [Labelled(text, expected.split()[0]) for text, expected in parts["held_out"]["commands"].items() if ";" not in expected]
    right: dict[str, list[float]] = {}
    for kind in ("linear", "kernel"):
        before, after = (IntentClassifier(domain, head=kind) for domain in (home, more))  # type: ignore[arg-type]
        accepted = [_means(after, each) and strangeness(after(transcript_of(each.text))) <= 0 for each in unseen]
        right[kind] = [100 * float(np.mean(each)) for each in (accepted, [_means(before, o) for o in old], [_means(after, o) for o in old])]
    measure = f"{len(new)} new intents, enrolled from {len(next(iter(new.values()))['examples'])} examples each: right and in scope"
    yield Row(measure, right["linear"][0], "%", "higher", None, {KERNEL: right["kernel"][0]}, n=len(unseen))
    beside = {"before": right["linear"][1], f"{KERNEL}, before": right["kernel"][1], f"{KERNEL}, after": right["kernel"][2]}
    yield Row("hand-written single commands right after this enrolment", right["linear"][2], "%", "higher", None, beside, n=len(old))


def _process(settings: dict[str, Any], quick: bool) -> Iterator[Row]:
    """Time and memory of the stage in a separate process, on one core, with a different sentence each time."""
    texts = [sentence.format(name) for name in settings["names"] for sentence in settings["sentences"] if "{}" in sentence]
    texts = (texts + [sentence for sentence in settings["sentences"] if "{}" not in sentence])[:: 8 if quick else 1]
    process = [sys.executable, str(HERE / "_understanding_process.py")]
    done = subprocess.run(process, input="\n".join(texts), capture_output=True, text=True, timeout=600, check=False)
    if done.returncode:
        reason = (done.stderr.strip().splitlines() or ["the process died"])[-1]
        yield unmeasured("classification with roles, one core", "ms", "lower", reason, settings["goals"]["p50"])
        return
    measured = json.loads(done.stdout)
    if measured["torch"]:
        raise SaysoError("the classifier has loaded torch, which it must not need")
    seconds, alone = [ms / 1e3 for ms in measured["ms"]], measured["encoder_ms"]
    for name, q in (("p50", 0.5), ("p99", 0.99)):
        row = quantile_row(f"classification with roles, one sentence, one core, without torch, {name}", seconds, q, settings["goals"][name])
        yield Row(
            row.measure, row.value, row.unit, row.better, row.goal, {"encoder alone": float(np.quantile(alone, q))}, row.spread, row.n
        )
    yield Row("memory of the classifier process, peak", measured["peak_mb"], "MB", "lower", settings["goals"]["memory"], n=1)
    yield Row("start of the classifier", measured["start_s"], "s", "lower", None, n=1)
