"""`sayso train tagger`: train a head that tags words, on the vectors of the finished 8-bit encoder."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from random import Random

import torch
from rich.console import Console
from rich.progress import Progress
from torch import Tensor, nn

from sayso.encoder import SentenceEncoder
from sayso.intent.tagger import TAGGER, Tagger
from sayso.models import record_model
from sayso.paths import models_dir
from sayso.training.data import corpora
from sayso.training.data.hearing import heard_words
from sayso.training.onnx_storage import export_head
from sayso.training.tagger.batches import COMMAND_TAGS, as_heard_tagged, scores, tagged_sentences, targets
from sayso.training.tagger.card import tagger_card
from sayso.training.tagger.config import TaggerConfig, load_tagger_config
from sayso.training.tagger.head import TagHead
from sayso.training.tagger.sentences import Annotation, CommandMaker, Tagged, as_commands
from sayso.training.word_head import Said, Vectors, optimise, padded


def train_tagger(config_path: Path | None = None, threads: int = 2) -> Path:
    """Train the tagger, write it with its card into models/ and print its scores. Returns its path."""
    config, console = load_tagger_config(config_path), Console(stderr=True)
    torch.set_num_threads(threads)
    encode = SentenceEncoder()
    chance = Random(config.seed)
    source = tagged_sentences(config.seed)[COMMAND_TAGS]
    with Progress(console=console, transient=True) as bar:
        task = bar.add_task("drawing sentences", total=1.0)

        def said(doing: str, share: float) -> None:
            bar.update(task, description=doing, completed=share)

        drawn = []
        for _ in range(config.drawn):
            each = source.draw(chance)
            drawn.append(as_heard_tagged(each, heard_words(each.words, chance)))
        head = fit(drawn, vectors_of(encode, drawn, said), source.annotation, config, said)
    path = models_dir() / TAGGER
    export(head, source.annotation, path)
    record_model(
        TAGGER, licence="Apache-2.0", source="examples of config/intents.yaml; tagE's training part (MIT)", command="sayso train tagger"
    )
    console.print(f"{path}: {path.stat().st_size / 1e6:.1f} MB", highlight=False)
    tagger = Tagger(encode)
    measured = {name: scores([tagger(each.words) for each in sentences], sentences) for name, sentences in _held_out(config.seed).items()}
    for name, score in measured.items():
        console.print(
            f"{name}: triggers {score.trigger_f1:.3f}, arguments {score.argument_f1:.3f}, whole {score.exact:.3f}", highlight=False
        )
    path.with_suffix(".md").write_text(tagger_card(config, head, source.annotation, path.stat().st_size, measured), encoding="utf-8")
    return path


def _held_out(seed: int) -> dict[str, list[Tagged]]:
    """Held-out sentences by source."""
    people = as_commands(corpora.tage("train"))
    maker, chance = CommandMaker(people, seed, held_out=True), Random(seed)
    return {"tagE dev": as_commands(corpora.tage("dev")), "commands of held-out templates": [maker.draw(chance) for _ in range(400)]}


def vectors_of(encode: SentenceEncoder, sentences: Sequence[Tagged], said: Said) -> list[Vectors]:
    """The encoder's vectors of each sentence's words."""
    result = []
    for at, each in enumerate(sentences):
        if not at % 50:
            said("encoding sentences", at / len(sentences))
        result.append(encode.words(each.words))
    return result


def fit(sentences: Sequence[Tagged], vectors: Sequence[Vectors], annotation: Annotation, config: TaggerConfig, said: Said) -> TagHead:
    """Train a head for that annotation; the same seed gives the same head."""
    torch.manual_seed(config.seed)
    chance = Random(config.seed)
    head = TagHead(len(annotation.triggers), len(annotation.arguments), vectors[0].shape[1], config.width, dropout=config.dropout)
    order: list[int] = []

    def next_loss() -> Tensor:
        if len(order) < config.batch:
            order.extend(chance.sample(range(len(sentences)), len(sentences)))
        drawn = [order.pop(0) for _ in range(config.batch)]
        words, _ = padded([vectors[index] for index in drawn])
        return head.loss(words, **targets([sentences[index] for index in drawn], annotation))

    optimise(head, next_loss, config, 0.01, said)
    return head


class _DeployedTagger(nn.Module):
    """The words of one sentence and its triggers' places → log-probabilities of both kinds of tags."""

    def __init__(self, head: TagHead) -> None:
        super().__init__()
        self.head = head

    def forward(self, words: Tensor, at: Tensor) -> tuple[Tensor, Tensor]:
        read = self.head.read(words.unsqueeze(0), None)
        scores = self.head.arguments_of(read.expand(at.shape[0], -1, -1), None, at)
        return self.head.triggers(read)[0].log_softmax(-1), scores.log_softmax(-1)


def export(head: TagHead, annotation: Annotation, path: Path) -> None:
    """Write an ONNX graph with 8-bit weights: words (n, D) and at (m, n) → (n, 2T + 1) and (m, n, 2A + 1)."""
    example = (torch.randn(5, head.inward.in_features), torch.eye(2, 5))
    axes = {"words": {0: "n"}, "at": {0: "m", 1: "n"}, "triggers": {0: "n"}, "arguments": {0: "m", 1: "n"}}
    names = (["words", "at"], ["triggers", "arguments"])
    export_head(_DeployedTagger(head), example, names, axes, path, triggers=annotation.triggers, arguments=annotation.arguments)
