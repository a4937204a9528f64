"""Action selection: Bayes with context against the posterior alone, the double-counted prior and always executing; sets, time, stopping.

Interactions are generated from the domain: the wanted action from P(a|ctx), the sentence from its templates, so that the meaning is known.
A simulated person answers questions truthfully. The classifiers are simulated ones (calibrated under a training prior that is nearly
independent of the wanted actions; correct roles) and the real one: each sentence is from a template on which neither encoder, tagger nor
the head was trained. All methods use the domain's costs; "always execute" uses our posterior. Wrong executions and questions are shares of
all interactions.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import yaml
from rich.console import Console
from rich.progress import Progress, TaskID

from sayso.console.bench import Row, load_benchmark, quantile_row
from sayso.console.watch import progress
from sayso.domain import Domain, load_domain
from sayso.domain.model import Place, Priors, Thing
from sayso.intent import IntentClassifier
from sayso.paths import project_root
from sayso.selection import ActionSelector
from sayso.selection.memory.learnt import LearntPrior, expected_names
from sayso.training.intents.evaluation import transcript_of
from sayso.training.selection.calibration import Known, generated, has_set, known
from sayso.training.selection.habits import SimulatedHabits
from sayso.training.selection.hand_written import hand_written
from sayso.training.selection.interactions import Interaction, interactions, parts, sayings
from sayso.training.selection.person import JudgedInteraction, judged
from sayso.training.selection.simulated_classifier import SimulatedClassifier
from sayso.types import ActionBelief, Clause, Context, FloatArray, IntentBelief, Role

HERE = Path(__file__).parent
PICTURE = project_root() / "docs" / "images" / "selection.png"
OURS, ALONE, DOUBLE, ALWAYS = "ours", "posterior only", "posterior × prior", "always execute"
FLOOR = 1e-4  # of the posterior in −ln p: a missing candidate counts as a probability of 1e-4
Heard = Sequence[tuple[Interaction, IntentBelief]]
Select = Callable[[IntentBelief, Context], ActionBelief]


@dataclass(frozen=True, slots=True)
class UnderstoodInteractions:
    """Interactions with the beliefs of one classifier."""

    name: str
    heard: Heard


def run(quick: bool = False) -> Iterator[Row]:
    """Yield all rows; --quick: a few of everything, and no picture."""
    settings = yaml.safe_load((HERE / "selection.yaml").read_text(encoding="utf-8"))
    if quick:
        settings = _quick(settings)
    domain = load_domain()
    with Progress(console=Console(stderr=True), transient=True) as bar:
        doing = bar.add_task("", total=1.0)
        said = _Said(bar, doing)
        simulated = list(_simulated(domain, settings["simulated"], said))
        real = _real(domain, settings["interactions"], said, quick)
        understood: dict[str, list[list[Known]]] = {}
        for one in simulated:
            yield from _methods(domain, [one], {}, understood, said)
        yield from _methods(domain, real, {"wrong executions": 0.5, "questions": 12.0}, understood, said)
        if not quick:
            yield from _hand_written(domain, settings["hand_written"], said)
        yield _learnt(domain, settings["learning"], said)
        yield from load_benchmark(HERE / "_selection_sets.py").rows(understood, settings["conformal"]["splits"])
        for size in settings["latency"]:
            yield _time(domain, size, said)
        if not quick:
            curves = {each[0].name: _curve(domain, each, settings["curve"], said) for each in ([simulated[len(simulated) // 2]], real)}
            load_benchmark(HERE / "_selection_picture.py").draw(curves, PICTURE)
    if not quick:  # they have quick runs of their own
        yield from load_benchmark(HERE / "_selection_stop.py").rows()


class _Said:
    """Shows the current work on the progress bar."""

    def __init__(self, bar: Progress, task: TaskID) -> None:
        self._bar, self._task = bar, task

    def __call__(self, doing: str, share: float) -> None:
        progress(doing)
        self._bar.update(self._task, description=doing, completed=share)


def _quick(settings: dict[str, Any]) -> dict[str, Any]:
    simulated = {**settings["simulated"], "accuracies": [0.8], "interactions": 160, "per_template": 1}
    learning = {**settings["learning"], "people": 1, "commands": 16, "measured": 24}
    latency = [{**size, "runs": 3} for size in settings["latency"][:1]]
    return {**settings, "interactions": 80, "simulated": simulated, "learning": learning, "conformal": {"splits": 10}, "latency": latency}


# Interactions and the classifiers' beliefs


def _simulated(domain: Domain, settings: dict[str, Any], said: _Said) -> Iterator[UnderstoodInteractions]:
    pool = sayings(domain, settings["per_template"])
    for number, accuracy in enumerate(settings["accuracies"]):
        said(f"simulating a classifier of {accuracy:.0%}", number / len(settings["accuracies"]))
        classify = SimulatedClassifier(_training_prior(domain, settings["training_prior"], number), accuracy, number)
        drawn = interactions(domain, pool, settings["interactions"], number)
        yield UnderstoodInteractions(f"{accuracy:.0%} classifier", [(each, classify(each)) for each in drawn])


def _training_prior(domain: Domain, width: float, seed: int) -> dict[str, float]:
    weights = np.random.default_rng(seed).lognormal(0.0, width, len(domain.intents))
    return dict(zip(domain.intents, (weights / weights.sum()).tolist(), strict=True))


def _real(domain: Domain, number: int, said: _Said, quick: bool) -> list[UnderstoodInteractions]:
    if not quick:
        return [UnderstoodInteractions("real classifier", part) for part in generated(domain, number, 1, said)]
    classify = IntentClassifier(domain, lm_weight=0.0)  # the shipped head: a quick run trains nothing
    drawn = list(interactions(domain, sayings(domain, 1, 1, parts(domain)[0].__contains__), number, 1))
    beliefs = {text: classify(transcript_of(text)) for text in {each.text for each in drawn}}
    return [UnderstoodInteractions("real classifier", [(each, beliefs[each.text]) for each in drawn])]


# Comparison of the methods


def _methods(
    domain: Domain, parts_: list[UnderstoodInteractions], goals: Mapping[str, float], understood: dict[str, list[list[Known]]], said: _Said
) -> Iterator[Row]:
    """Five rows of one classifier; adds its posteriors to `understood`."""
    found: dict[str, list[JudgedInteraction]] = {name: [] for name in (OURS, ALONE, DOUBLE, ALWAYS)}
    templates: list[str] = []
    for part in parts_:
        posteriors: list[Known] = []
        for name, select in _selectors(domain).items():
            said(f"{part.name}: {name}", 0.0)
            for interaction, belief in part.heard:
                chosen = select(belief, interaction.context)
                found[name].append(judged(domain, chosen, (interaction.meaning,)))
                if name == OURS:
                    found[ALWAYS].append(judged(domain, chosen, (interaction.meaning,), always=True))
                    posteriors += [known(domain, interaction, chosen)] if has_set(belief, chosen) else []
        understood.setdefault(part.name, []).append(posteriors)
        templates += [interaction.template for interaction, _ in part.heard]
    yield from _rows(parts_[0].name, found, goals, templates)


def _selectors(domain: Domain) -> dict[str, Select]:
    """Ours; P(a|c) = Σ_k P(a|k) P(k|c) without context (eq. 13); and the prior times P(k|c), which already includes a prior."""
    ours, flat = ActionSelector(domain), ActionSelector(domain.model_copy(update={"priors": Priors()}))
    return {
        OURS: ours,
        ALONE: lambda belief, context: flat(_with_uniform_prior(belief), context),
        DOUBLE: lambda belief, context: ours(_with_uniform_prior(belief), context),
    }


def _with_uniform_prior(belief: IntentBelief) -> IntentBelief:
    """The belief as if P_train(k) were uniform: then nothing is divided out."""
    return replace(belief, p_train=np.empty(0))


def _rows(
    name: str, found: Mapping[str, Sequence[JudgedInteraction]], goals: Mapping[str, float], templates: Sequence[str]
) -> Iterator[Row]:
    measures: tuple[tuple[str, str, str, Callable[[JudgedInteraction], float]], ...] = (
        ("most probable action right", "%", "higher", lambda each: 100.0 * each.right),
        ("negative log-likelihood of what was meant", "nats", "lower", lambda each: -math.log(max(each.p, FLOOR))),
        ("utility", "of 1", "higher", lambda each: each.utility),
        ("wrong executions", "%", "lower", lambda each: 100.0 * each.wrong),
        ("questions", "%", "lower", lambda each: 100.0 * each.asked),
    )
    for measure, unit, better, value in measures:
        values = {method: np.array([value(each) for each in judgements]) for method, judgements in found.items()}
        others = {method: float(of.mean()) for method, of in values.items() if method != OURS}
        title, spread = f"{name}: {measure}", _over_templates(values[OURS], templates)
        yield Row(title, float(values[OURS].mean()), unit, better, goals.get(measure), others, spread, len(values[OURS]))  # type: ignore[arg-type]


def _over_templates(values: FloatArray, templates: Sequence[str]) -> tuple[float, float]:
    """Quartiles of the mean over resampled templates: sentences of one template fail together."""
    names = list(dict.fromkeys(templates))
    group = np.array([names.index(template) for template in templates])
    sums, counts = np.bincount(group, values), np.bincount(group)
    drawn = np.random.default_rng(0).integers(0, len(names), (1000, len(names)))
    low, high = np.quantile(sums[drawn].sum(1) / counts[drawn].sum(1), (0.25, 0.75))
    return float(low), float(high)


def _hand_written(domain: Domain, file: str, said: _Said) -> Iterator[Row]:
    """Hand-written sentences, some of several clauses, each once, with the shipped classifier."""
    classify = IntentClassifier(domain, lm_weight=0.0)
    commands, chatter = hand_written(domain, project_root() / file, "held_out")
    found: dict[str, list[JudgedInteraction]] = {name: [] for name in (OURS, ALONE, DOUBLE, ALWAYS)}
    selectors = _selectors(domain)
    for at, (text, meanings) in enumerate(commands):
        said("hand-written sentences", at / len(commands))
        belief = classify(transcript_of(text))
        for name, select in selectors.items():
            chosen = select(belief, Context())
            found[name].append(judged(domain, chosen, meanings))
            if name == OURS:
                found[ALWAYS].append(judged(domain, chosen, meanings, always=True))
    yield from _rows("hand-written commands, shipped classifier", found, {}, [text for text, _ in commands])
    talk = {
        name: [judged(domain, select(classify(transcript_of(text)), Context()), ()) for text in chatter]
        for name, select in selectors.items()
    }
    wrong, asked = (
        {name: 100.0 * float(np.mean([getattr(each, what) for each in of])) for name, of in talk.items()} for what in ("wrong", "asked")
    )
    for what, shares in (("something done", wrong), ("questions", asked)):
        yield Row(
            f"hand-written talk that is not for the robot: {what}", shares.pop(OURS), "%", "lower", None, dict(shares), n=len(chatter)
        )


# Learning


def _learnt(domain: Domain, settings: dict[str, Any], said: _Said) -> Row:
    """Accuracy of the most probable action lost with the learnt prior, against the person's true prior."""
    right: dict[str, list[bool]] = {name: [] for name in ("true", "learnt", "from every command", "nothing learnt")}
    pool = sayings(domain, 3)
    for person in range(settings["people"]):
        said("learning what people want", person / settings["people"])
        habits = SimulatedHabits(domain, settings["habits"], person)
        classify = SimulatedClassifier(_training_prior(domain, 1.0, person), settings["accuracy"], person)
        drawn = list(interactions(domain, pool, settings["commands"] + settings["measured"], 100 + person, habits.draw))
        asked, every = LearntPrior(domain), LearntPrior(domain)
        select = ActionSelector(domain, asked)
        for each in drawn[: settings["commands"]]:
            chosen = select(classify(each), each.context)
            became, expected = judged(domain, chosen, (each.meaning,)), expected_names(chosen.candidates)
            if became.asked or became.wrong:  # confirmed or corrected
                asked.update(each.meaning.actions[0], each.context, expected)
            every.update(each.meaning.actions[0], each.context, expected)
        priors = zip(right, (habits, asked, every, None), strict=True)
        selectors = {name: ActionSelector(domain, prior) for name, prior in priors}
        for each in drawn[settings["commands"] :]:
            belief = classify(each)
            for name, choose in selectors.items():
                chosen = choose(belief, each.context)
                right[name].append(judged(domain, chosen, (each.meaning,)).right)
    share = {name: 100.0 * float(np.mean(values)) for name, values in right.items()}
    lost = {name: share["true"] - value for name, value in share.items() if name != "true"}
    measure = f"accuracy lost with the learnt prior against the true one, after {settings['commands']} commands, 80% classifier"
    return Row(measure, lost.pop("learnt"), "points", "lower", 0.5, dict(lost), n=len(right["true"]))


# Time


def _time(domain: Domain, size: dict[str, Any], said: _Said) -> Row:
    """One selection in a large building with many boxes and shelves: "bring me the box", "put the box on the shelf"."""
    things, surfaces = size["things"], size["surfaces"]
    building = _building(domain, things, surfaces)
    intents = tuple(building.intents)
    meant = "put" if surfaces else "bring"
    p = np.full(len(intents), 0.02 / len(intents))
    p[intents.index(meant)] += 0.98
    theme = Role("theme", "the box", 0, 7, "thing_0", "object", 1.0, tuple((f"thing_{number}", 1.0) for number in range(things)))
    goal = Role("goal", "the shelf", 12, 21, "shelf_0", "place", 1.0, tuple((f"shelf_{number}", 1.0) for number in range(surfaces)))
    text = "put the box on the shelf" if surfaces else "bring me the box"
    belief = IntentBelief("", 0.0, text, intents, (Clause(text, 0, len(text), meant, p, (theme, goal) if surfaces else (theme,), -1.0),))
    select = ActionSelector(building)
    visible = tuple(f"thing_{number}" for number in range(0, things, 50))
    took = []
    for at in range(size["runs"] + 3):
        said("time", at / (size["runs"] + 3))
        began = time.perf_counter()
        select(belief, Context(visible=visible, holding="thing_1"))
        took.append(time.perf_counter() - began)
    return quantile_row(f"selection among {things * max(1, surfaces):,} candidates, p50", took[3:], 0.5, size["goal"])


def _building(domain: Domain, things: int, surfaces: int) -> Domain:
    shelves = {f"shelf_{number}": Place(pose=(float(number), 0.0, 0.0), surface=True) for number in range(surfaces)}
    boxes = {f"thing_{number}": Thing(category="box") for number in range(things)}
    return domain.model_copy(update={"places": {**domain.places, **shelves}, "objects": {**domain.objects, **boxes}})


# Wrong executions against questions


def _curve(
    domain: Domain, real: list[UnderstoodInteractions], settings: dict[str, Any], said: _Said
) -> dict[str, list[tuple[float, float]]]:
    """Method → (questions, wrong executions) in %, for increasing costs of mistakes."""
    found: dict[str, list[tuple[float, float]]] = {name: [] for name in (OURS, DOUBLE, ALONE)}
    share = settings["interactions"] / sum(len(part.heard) for part in real)
    steps = list(product(settings["wrong"], (OURS, DOUBLE, ALONE)))
    for at, (factor, name) in enumerate(steps):
        said(f"{real[0].name}: wrong executions against questions", at / len(steps))
        actions = {key: spec.model_copy(update={"wrong": factor * spec.wrong}) for key, spec in domain.actions.items()}
        careful = domain.model_copy(update={"actions": actions})
        became = []
        for part in real:
            select = _selectors(careful)[name]
            for interaction, belief in part.heard[: max(1, round(share * len(part.heard)))]:
                became.append(judged(domain, select(belief, interaction.context), (interaction.meaning,)))
        found[name].append(
            (100.0 * float(np.mean([each.asked for each in became])), 100.0 * float(np.mean([each.wrong for each in became])))
        )
    return found
