"""Sources of tagged sentences, their tensors for a TagHead, decoding and scores."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING

from sayso.training.data import corpora
from sayso.training.tagger.sentences import COMMANDS, Annotation, CommandMaker, Tagged, annotation_of, as_commands, published
from sayso.training.tagger.tags import Span, TaggedFrame, tags_of

if TYPE_CHECKING:
    from torch import Tensor


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
