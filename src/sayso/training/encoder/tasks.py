"""Training tasks of the sentence encoder: commands of the default home and of robot corpora, and intents of public data sets."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from sayso.domain import load_domain
from sayso.intent.learning import examples_of, kept_for_calibration
from sayso.intent.normalise import normalise
from sayso.intent.plain import PlainText
from sayso.training.config import read_config
from sayso.training.data import corpora
from sayso.training.data.corpora import Frame, Framed, Labelled
from sayso.training.data.hearing import as_heard
from sayso.training.tagger.batches import COMMAND_TAGS, TAGE_TAGS, TaggedSentences, tagged_sentences

DEFAULT = Path(__file__).with_name("tuning.yaml")
COMMANDS = "commands"  # the task of the default home's intents


class Rule(BaseModel):
    """A condition on a frame, and the intent that it then stands for."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    intent: str
    with_: str = Field("", alias="with")
    without: str = ""
    says: dict[str, tuple[str, ...]] = {}
    words: tuple[str, ...] = ()

    def holds(self, text: str, frame: Frame) -> bool:
        """Whether the condition holds for the frame of that sentence."""
        return (
            (not self.with_ or self.with_ in frame.elements)
            and self.without not in frame.elements
            and all(frame.elements.get(name, "").lower() in allowed for name, allowed in self.says.items())
            and (not self.words or bool(set(self.words) & set(text.lower().split())))
        )


class Stage(BaseModel):
    """Steps of a stage, and its tasks."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    steps: int = Field(gt=0)
    shares: dict[str, float]  # task → share of the steps


class Masking(BaseModel):
    """The optional stage before the others: masked words of the same sentences are predicted."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    steps: int = Field(ge=0)  # 0: no such stage
    learning_rate: float = Field(gt=0.0)
    share: float = Field(gt=0.0, lt=1.0)


class TuningConfig(BaseModel):
    """All settings of the tuning; tuning.yaml explains each number."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    seed: int
    batch: int = Field(gt=1)
    learning_rate: float = Field(gt=0.0)
    head_learning_rate: float = Field(gt=0.0)
    tag_learning_rate: float = Field(gt=0.0)
    warm_up: int = Field(ge=0)
    loss: Literal["softmax", "triplet"]
    margin: float = Field(gt=0.0)
    scale: float = Field(gt=0.0)
    label_smoothing: float = Field(ge=0.0, lt=1.0)
    longest: int = Field(gt=2, le=512)
    masking: Masking
    stages: tuple[Stage, ...] = Field(min_length=1)
    chatter: float = Field(ge=0.0, lt=1.0)
    expansions: int = Field(gt=0)
    alfred_steps: int = Field(ge=0)
    recorded_twice: int = Field(gt=0)
    frames: dict[str, tuple[Rule, ...]]
    alfred_intents: dict[str, str]


def load_tuning(path: Path | None = None) -> TuningConfig:
    """Read and check that file; default: the configuration of the model in models/.

    Raises:
        SaysoError: the file is missing or has an invalid value.
    """
    return read_config(path or DEFAULT, TuningConfig)


@dataclass(frozen=True, slots=True)
class Tasks:
    """Sentences by task and label, and held-out ones for validation."""

    sentences: dict[str, dict[str, list[str]]]  # task → label → texts
    held_out: tuple[Labelled, ...]  # of the default home's examples
    tagged: Mapping[str, TaggedSentences]  # task → sentences whose words are tagged

    def draw(self, task: str, count: int, chatter: float, chance: Random) -> tuple[list[str], list[str]]:
        """Random texts with recognition errors, and their labels. Commands are drawn by intent, the others by sentence."""
        by_label = self.sentences[task]
        if task == COMMANDS:
            commands = [label for label in by_label if label]
            labels = ["" if chance.random() < chatter else chance.choice(commands) for _ in range(count)]
        else:
            labels = chance.choices(list(by_label), [len(texts) for texts in by_label.values()], k=count)
        return [as_heard(chance.choice(by_label[label]), chance) for label in labels], labels


def gather(config: TuningConfig, stage: Stage) -> Tasks:
    """Read every data set of a stage.

    Raises:
        SaysoError: a data set is missing.
    """
    domain = load_domain()
    plain = PlainText(domain)
    tasks: dict[str, list[Labelled]] = {}
    for name in stage.shares:
        if name == "clinc150":
            tasks[name] = [_plain(each) for each in corpora.clinc150("train")]
        elif name == "alfred":
            tasks[name] = [_plain(each) for each in corpora.alfred("train")]
        elif name not in {COMMANDS, COMMAND_TAGS, TAGE_TAGS}:
            tasks[name] = [_plain(each) for each in corpora.lines(name, "train")]
    own = [example for seed in range(config.expansions) for example in examples_of(domain, seed)]
    recorded = [Labelled(plain(each.text), each.label) for each in map(_plain, recorded_commands(config))]
    tasks[COMMANDS] = [
        *dict.fromkeys(Labelled(each.text, each.intent) for each in own if not kept_for_calibration(each.template)),
        *recorded * config.recorded_twice,
    ]
    held_out = (Labelled(each.text, each.intent) for each in own if kept_for_calibration(each.template))
    tagged = tagged_sentences(config.seed)
    shared = {name: sentences for name, sentences in tagged.items() if name in stage.shares}
    return Tasks({name: _by_label(each) for name, each in tasks.items()}, tuple(held_out), shared)


def recorded_commands(config: TuningConfig) -> list[Labelled]:
    """People's sentences of tagE and ALFRED (training parts) with a single request that matches an intent of the default home."""
    unseen = {each.text.lower() for each in (*corpora.tage("dev"), *corpora.huric())}
    labelled = [*intended(corpora.tage("train"), config)]
    chance = Random(config.seed)
    steps = [each for each in corpora.alfred("train") if len(each.text.split()) < 16]
    for action, intent in config.alfred_intents.items():
        texts = [each.text for each in steps if each.label == action]
        labelled += [Labelled(text, intent) for text in chance.sample(texts, min(config.alfred_steps, len(texts)))]
    return [each for each in labelled if each.text.lower() not in unseen]


def intended(sentences: Iterable[Framed], config: TuningConfig) -> list[Labelled]:
    """The sentences with a single frame that stands for an intent."""
    found = []
    for sentence in sentences:
        rules = config.frames.get(sentence.frames[0].name, ()) if len(sentence.frames) == 1 else ()
        rule = next((rule for rule in rules if rule.holds(sentence.text, sentence.frames[0])), None)
        if rule is not None:
            found.append(Labelled(sentence.text, rule.intent))
    return found


def _plain(each: Labelled) -> Labelled:
    return Labelled(normalise(each.text).replace(",", ""), each.label)


def _by_label(labelled: Iterable[Labelled]) -> dict[str, list[str]]:
    grouped: dict[str, list[str]] = defaultdict(list)
    for each in labelled:
        if each.text:
            grouped[each.label].append(each.text)
    return dict(grouped)
