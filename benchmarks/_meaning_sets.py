"""The labelled sets of the benchmark `meaning`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from random import Random

import yaml

from _meaning_gpsr import gpsr_labels, is_unseen
from _meaning_judge import JudgedSentence, judged_look, judged_parse, judged_sentence
from _meaning_labels import Label, as_label, read_labels
from sayso.console.watch import counted
from sayso.domain import Domain, load_domain
from sayso.errors import SaysoError
from sayso.paths import project_root
from sayso.pipeline import Pipeline, Understanding
from sayso.training.parser.people import sentence
from sayso.training.selection.hand_written import EACH, hand_written
from sayso.types import Context

HERE = Path(__file__).parent / "meaning"
# Only measured: no sentence of these is ever listed.
SECRET = frozenset(("held_out", "homes_held_out", "gpsr_unseen", "hand_written", "others_held_out"))
DEVELOPMENT = ("development", "crowd", "study", "family")  # sentences of the team that may be looked at
PER_FORM = 24  # sentences of each form of the RoboCup grammars
LOOKS = 6  # at most, for one sentence
QUICK = 12  # sentences of each set in a quick run
Judge = Callable[[Domain, Label, Understanding], JudgedSentence]


@dataclass(frozen=True, slots=True)
class LabelledSet:
    """Sentences in one home, with their labels."""

    name: str
    home: Path | None  # None: the default home
    labels: tuple[Label, ...]
    judge: Judge = judged_sentence

    def domain(self) -> Domain:
        """The home that the sentences speak of."""
        return load_domain(self.home) if self.home else load_domain()

    def judged(self) -> list[JudgedSentence]:
        """The program's understanding of each sentence, judged."""
        return self.judged_with(Pipeline(self.domain()))

    def judged_with(self, pipeline: Pipeline) -> list[JudgedSentence]:
        """The understanding of each sentence by a given pipeline, judged."""
        return [self._judged(pipeline, label) for label in counted(self.labels, f"sentences, {self.name}")]

    def _judged(self, pipeline: Pipeline, label: Label) -> JudgedSentence:
        """The verdict; of a sentence for which the robot looks first, on what it decides if the look shows nothing new."""
        understanding = pipeline.understand(label.say)
        if not understanding.action_belief.then:
            return self.judge(pipeline.domain, label, understanding)
        after = understanding
        for _ in range(LOOKS):  # in a long room it looks from a second place, too
            after = pipeline.after_look(after, Context(place=after.actions[-1].argument("goal")))
            if not after.action_belief.then:
                break
        return JudgedSentence(label, understanding, judged_look(pipeline.domain, label, after, parsed=self.judge is judged_parse))

    def sample(self, count: int) -> LabelledSet:
        """At most that many of its sentences, at random."""
        return replace(self, labels=tuple(Random(0).sample(self.labels, min(count, len(self.labels)))))


def own_set(name: str) -> LabelledSet:
    """A set from its file in benchmarks/meaning.

    Raises:
        SaysoError: the file cannot be read, or an entry is malformed.
    """
    return LabelledSet(name, None, tuple(read_labels(HERE / f"{name}.yaml")))


def homes(part: str) -> list[LabelledSet]:
    """A part of the sentences of each of the five homes of other kinds, which have intents of their own; `about` is the home.

    Raises:
        SaysoError: a file cannot be read, or an entry is malformed.
    """
    found = []
    for path in sorted((HERE / "homes").glob("*.yaml")):
        labels = read_labels(path.parent / "sentences" / path.name, part)
        found.append(LabelledSet(f"homes_{part}", path, tuple(replace(label, about=path.stem) for label in labels)))
    return found


def own_intents() -> LabelledSet:
    """Every example of the own intents of own_home.yaml in each of its rooms; without a room, the robot must ask for it."""
    path = HERE / "own_home.yaml"
    rooms = {name: place.names[0] if place.names else name for name, place in load_domain(path).places.items() if place.kind == "room"}
    found: list[Label] = []
    for intent, spec in yaml.safe_load(path.read_text(encoding="utf-8"))["intents"].items():
        for example in spec["examples"]:
            if "{room}" not in example:
                found.append(as_label({"say": example, "about": intent, "ask": ["room", "where"]}))
                continue
            found += [
                as_label({"say": example.replace("{room}", words), "about": intent, "do": f"{intent}(goal={name})"})
                for name, words in rooms.items()
            ]
    return LabelledSet("own_home", path, tuple(found))


def gpsr_sets() -> list[LabelledSet]:
    """Sentences of the RoboCup grammars: those of three in four templates, and the others."""
    path = HERE / "gpsr_home.yaml"
    labels = gpsr_labels(load_domain(path), PER_FORM)
    parts = {"gpsr_seen": False, "gpsr_unseen": True}
    return [
        LabelledSet(name, path, tuple(label for label in labels if is_unseen(label.template) == unseen), judged_parse)
        for name, unseen in parts.items()
    ]


def hand_written_set(part: str = "held_out") -> LabelledSet:
    """The sentences of tests/data/commands.yaml, whose head explains their labels.

    Raises:
        SaysoError: the file cannot be read.
    """
    path = project_root() / "tests" / "data" / "commands.yaml"
    domain = load_domain()
    commands, chatter = hand_written(domain, path, part)
    meanings = yaml.safe_load(path.read_text(encoding="utf-8"))[part]["commands"]
    labels = [_hand_written(text, meanings[text], all(clause.possible for clause in clauses)) for text, clauses in commands]
    return LabelledSet("hand_written", None, (*labels, *(Label(text, "chatter", nothing=True) for text in chatter)))


def _hand_written(text: str, meaning: str, possible: bool) -> Label:
    """The label of “bring theme=red_cup; go_to goal=?”; of what is impossible or unclear, any question or named refusal is right."""
    entry: dict[str, object] = {"say": text, "about": "hand-written"}
    if not possible or "=it" in meaning:
        return as_label({**entry, "ask": []})
    clauses = [each.split() for clause in meaning.split("; ") for each in _of_each(clause)]
    return as_label({**entry, "do": [f"{intent}({', '.join(roles)})" for intent, *roles in clauses], "or_ask": "|" in meaning})


def _of_each(clause: str) -> list[str]:
    """One clause for each thing of “bring theme=milk&cereal”."""
    joined = next((word for word in clause.split() if EACH in word), "")
    role, _, values = joined.partition("=")
    return [clause.replace(joined, f"{role}={value}") for value in values.split(EACH)] if joined else [clause]


def others(part: str) -> LabelledSet:
    """A part of the sentences of people of public sets, in the home that was made for them; the sentences themselves are in SAYSO_DATA.

    `held_out` is of whole sources that nothing was trained, fitted or tuned on; `calibration`, for P(understood), of sentences of the other
    sources that trained nothing.

    Raises:
        SaysoError: the labels or the sentences cannot be read.
    """
    folder = HERE / "others"
    labels = []
    for entry in yaml.safe_load((folder / f"{part}.yaml").read_text(encoding="utf-8")):
        source, _, line = str(entry.pop("id")).partition(":")
        labels.append(as_label({**entry, "say": sentence(source, int(line))}))
    return LabelledSet(f"others_{part}", folder / "home.yaml", tuple(replace(label, say=label.say.strip()) for label in labels))


def development_sets() -> list[LabelledSet]:
    """The sets that may be looked at and fitted on."""
    return [*map(own_set, DEVELOPMENT), *homes("development"), gpsr_sets()[0], hand_written_set("development")]


def judged_sets(chosen: Sequence[str], quick: bool) -> Iterator[tuple[str, list[JudgedSentence] | SaysoError]]:
    """(name, judged sentences) of the chosen sets; instead of sentences the error if a set cannot be read."""
    loaders: dict[str, Callable[[], list[LabelledSet]]] = {
        **{name: partial(lambda name: [own_set(name)], name) for name in (*DEVELOPMENT, "held_out", "examples")},
        "own_home": lambda: [own_intents()],
        "homes": lambda: [*homes("development"), *homes("held_out")],
        "gpsr": gpsr_sets,
        "hand_written": lambda: [hand_written_set()],
        "others": lambda: [others("calibration"), others("held_out")],
    }
    for name in (name for name in loaders if name in chosen):
        try:
            judged: dict[str, list[JudgedSentence]] = {}
            for each in loaders[name]():
                judged.setdefault(each.name, []).extend((each.sample(QUICK) if quick else each).judged())
            yield from judged.items()
        except SaysoError as missing:
            yield name, missing
