"""Sources of tagged sentences, their tensors for a TagHead, decoding and scores."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING, Any

import numpy as np

from sayso.intent.tags import Span, TaggedFrame, best_spans, tags_of
from sayso.training.data import corpora
from sayso.training.tagger.sentences import COMMANDS, Annotation, CommandMaker, Tagged, annotation_of, as_commands, published

if TYPE_CHECKING:
    from torch import Tensor

    from sayso.training.tagger.head import TagHead

COMMAND_TAGS, TAGE_TAGS = "command_tags", "tage_tags"  # the tasks of tagging words
PEOPLE = 0.4  # share of people's sentences in `command_tags`; the others are generated from examples
LONGEST = 60  # words


@dataclass(frozen=True, slots=True)
class TaggedSentences:
    """A source of tagged sentences, and their labels."""

    annotation: Annotation
    draw: Callable[[Random], Tagged]


def tagged_sentences(seed: int) -> dict[str, TaggedSentences]:
    """The sentences of both tagging tasks, from the training parts only."""
    unseen = {each.text.lower() for each in (*corpora.tage("dev"), *corpora.huric())}
    corpus = [each for each in corpora.tage("train") if each.text.lower() not in unseen and len(each.words) <= LONGEST]
    people, as_published = as_commands(corpus), published(corpus)
    maker = CommandMaker(people, seed)

    def command(chance: Random) -> Tagged:
        return chance.choice(people) if chance.random() < PEOPLE else maker.draw(chance)

    return {
        COMMAND_TAGS: TaggedSentences(COMMANDS, command),
        TAGE_TAGS: TaggedSentences(annotation_of(as_published), lambda chance: chance.choice(as_published)),
    }


def as_heard_tagged(tagged: Tagged, heard: Sequence[tuple[str, int]]) -> Tagged:
    """The sentence with the changed words of `heard_words`; unchanged if a trigger was lost."""
    now: dict[int, list[int]] = {}
    for at, (_, place) in enumerate(heard):
        now.setdefault(place, []).append(at)

    def moved(span: Span) -> Span | None:
        places = [at for place in range(span.first, span.last + 1) for at in now.get(place, ())]
        return Span(span.label, min(places), max(places)) if places else None

    frames = []
    for frame in tagged.frames:
        trigger = moved(frame.trigger)
        if trigger is None:
            return tagged
        if frame.trigger.first == frame.trigger.last:
            trigger = Span(trigger.label, trigger.last, trigger.last)  # of a repeated word the second counts
        frames.append(TaggedFrame(trigger, tuple(span for span in map(moved, frame.arguments) if span)))
    return Tagged(tuple(word for word, _ in heard), tuple(frames))


def pooling(word_ids: Sequence[Sequence[int | None]], words: int) -> Tensor:
    """(B, words, T) matrix of the mean over each word's pieces; `word_ids` gives the word of each of T pieces."""
    import torch

    pool = torch.zeros(len(word_ids), words, len(word_ids[0]))
    for row, ids in enumerate(word_ids):
        for piece, word in enumerate(ids):
            if word is not None and word < words:
                pool[row, word, piece] = 1.0
    return pool / pool.sum(2, keepdim=True).clamp(min=1.0)


def targets(batch: Sequence[Tagged], annotation: Annotation) -> dict[str, Tensor]:
    """The arguments of `TagHead.loss` besides the vectors of the words."""
    import torch

    from sayso.training.tagger.head import IGNORED

    longest = max(len(each.words) for each in batch)
    triggers = torch.full((len(batch), longest), IGNORED)
    frames = [(row, frame) for row, each in enumerate(batch) for frame in each.frames]
    arguments, trigger = torch.full((len(frames), longest), IGNORED), torch.zeros(len(frames), longest, dtype=torch.bool)
    for row, each in enumerate(batch):
        triggers[row, : len(each.words)] = torch.tensor(each.triggers(annotation.triggers))
    for number, (row, frame) in enumerate(frames):
        count = len(batch[row].words)
        arguments[number, :count] = torch.tensor(tags_of(frame.arguments, annotation.arguments, count))
        trigger[number, frame.trigger.first : frame.trigger.last + 1] = True
    keep = torch.arange(longest).unsqueeze(0) < torch.tensor([[len(each.words)] for each in batch])
    return {"keep": keep, "triggers": triggers, "owner": torch.tensor([row for row, _ in frames], dtype=torch.int64), "trigger": trigger,
            "arguments": arguments}  # fmt: skip


def read_off(head: TagHead, words: Tensor, annotation: Annotation) -> tuple[TaggedFrame, ...]:
    """The frames that the head finds in one sentence, given (n, D) vectors of its words."""
    import torch

    with torch.no_grad():
        keep = torch.ones(1, len(words), dtype=torch.bool)
        read = head.read(words.unsqueeze(0), keep)
        found = best_spans(_numpy(head.triggers(read)[0].log_softmax(-1)), annotation.triggers)
        if not found:
            return ()
        trigger = torch.zeros(len(found), len(words), dtype=torch.bool)
        for row, span in enumerate(found):
            trigger[row, span.first : span.last + 1] = True
        scores = head.arguments_of(read.expand(len(found), -1, -1), keep.expand(len(found), -1), trigger)
        log_p = _numpy(scores.log_softmax(-1))
    return tuple(TaggedFrame(span, best_spans(row, annotation.arguments)) for span, row in zip(found, log_p, strict=True))


@dataclass(frozen=True, slots=True)
class TagScores:
    """F1 of triggers with their labels and of arguments with label and trigger, and the share of sentences without an error."""

    trigger_f1: float
    argument_f1: float
    exact: float
    sentences: int


def scores(found: Sequence[tuple[TaggedFrame, ...]], gold: Sequence[Tagged]) -> TagScores:
    """Micro-averaged, exact spans."""
    counts = np.zeros((2, 3))  # right, found, wanted
    exact = 0
    for frames, each in zip(found, gold, strict=True):
        here, there = _facts(frames), _facts(each.frames)
        for kind in range(2):
            counts[kind] += (len(here[kind] & there[kind]), len(here[kind]), len(there[kind]))
        exact += here == there
    f1 = 2 * counts[:, 0] / np.maximum(counts[:, 1] + counts[:, 2], 1)
    return TagScores(float(f1[0]), float(f1[1]), exact / max(len(gold), 1), len(gold))


def _facts(frames: tuple[TaggedFrame, ...]) -> tuple[set[Any], set[Any]]:
    return {frame.trigger for frame in frames}, {(frame.trigger.first, span) for frame in frames for span in frame.arguments}


def _numpy(tensor: Tensor) -> Any:
    return tensor.numpy().astype(np.float64)
