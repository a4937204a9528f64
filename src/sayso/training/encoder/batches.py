"""The sentences of a stage as data sets for SentenceTransformerTrainer, all drawn beforehand from the seed."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING

from sayso.training.data.hearing import heard_words
from sayso.training.encoder.tasks import Stage, Tasks, TuningConfig
from sayso.training.tagger.batches import as_heard_tagged
from sayso.training.tagger.sentences import Annotation, Tagged

if TYPE_CHECKING:
    from datasets import Dataset


@dataclass(frozen=True, slots=True)
class Drawn:
    """What a stage reads of one task."""

    sentences: Dataset  # columns `text`, and `label`: an index into `labels` or into `tagged`
    labels: tuple[str, ...] = ()
    tagged: tuple[Tagged, ...] = ()
    annotation: Annotation | None = None  # of the tagged words; None for tasks on whole sentences


def draw(tasks: Tasks, stage: Stage, config: TuningConfig) -> dict[str, Drawn]:
    """Every task of the stage with its share of the steps, in whole batches; half of the sentences have recognition errors."""
    found = {}
    for name, share in stage.shares.items():
        count = max(1, round(stage.steps * share / sum(stage.shares.values()))) * config.batch
        chance = Random(f"{config.seed} {stage.steps} {name}")
        found[name] = _tagged(tasks, name, count, chance) if name in tasks.tagged else _labelled(tasks, name, count, config.chatter, chance)
    return found


def _labelled(tasks: Tasks, name: str, count: int, chatter: float, chance: Random) -> Drawn:
    from datasets import Dataset

    texts, labels = tasks.draw(name, count, chatter, chance)
    known = tuple(sorted(tasks.sentences[name]))
    return Drawn(Dataset.from_dict({"text": texts, "label": [known.index(label) for label in labels]}), labels=known)


def _tagged(tasks: Tasks, name: str, count: int, chance: Random) -> Drawn:
    from datasets import Dataset

    source = tasks.tagged[name]
    drawn = (source.draw(chance) for _ in range(count))
    tagged = tuple(as_heard_tagged(each, heard_words(each.words, chance)) for each in drawn)
    texts = {"text": [" ".join(each.words) for each in tagged], "label": list(range(count))}
    return Drawn(Dataset.from_dict(texts), tagged=tagged, annotation=source.annotation)
