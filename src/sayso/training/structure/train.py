"""`sayso train structure`: train the head that reads the structure of sentences, on the vectors of the finished 8-bit encoder."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from random import Random

import numpy as np
import torch
from rich.console import Console
from rich.progress import Progress
from torch import Tensor, nn

from sayso.encoder import SentenceEncoder
from sayso.intent.structure import LAYERS, STRUCTURE, StructureTagger
from sayso.intent.tags import Span, best_spans
from sayso.models import record_model
from sayso.paths import models_dir
from sayso.training.onnx_storage import export_head
from sayso.training.structure.card import structure_card
from sayso.training.structure.config import StructureConfig, load_structure_config
from sayso.training.structure.head import IGNORED, StructureHead
from sayso.training.structure.sentences import CONDITIONS, MOODS, ROLES, Marked, read_sentences, varied
from sayso.training.word_head import Said, optimise, padded


def train_structure(config_path: Path | None = None, threads: int = 2) -> Path:
    """Train the head, write it with its card into models/ and print its scores. Returns its path."""
    config, console = load_structure_config(config_path), Console(stderr=True)
    torch.set_num_threads(threads)
    encode, chance = SentenceEncoder(), Random(config.seed)
    sentences = list(read_sentences())
    chance.shuffle(sentences)
    kept = int(config.held_out * len(sentences))
    measured, trained = sentences[:kept], sentences[kept:]
    labels = labels_of(sentences)
    with Progress(console=console, transient=True) as bar:
        task = bar.add_task("encoding sentences", total=1.0)

        def said(doing: str, share: float) -> None:
            bar.update(task, description=doing, completed=share)

        head = fit(trained, labels, encode, config, said)
    path = models_dir() / STRUCTURE
    export(head, labels, path)
    record_model(
        STRUCTURE, licence="Apache-2.0", source="sentences of the team with their structure marked", command="sayso train structure"
    )
    console.print(f"{path}: {path.stat().st_size / 1e6:.1f} MB", highlight=False)
    tag = StructureTagger()
    vectors = [encode.words(each.words) for each in measured]
    read = [[best_spans(np.log(tag.read(each, layer)), tag.layers[layer]) for layer in LAYERS] for each in vectors]
    found = scores(read, measured) if measured else {}
    for name, value in found.items():
        console.print(f"{name}: {value:.3f}", highlight=False)
    card = structure_card(config, head, len(trained), len(measured), path.stat().st_size, found)
    path.with_suffix(".md").write_text(card, encoding="utf-8")
    return path


def labels_of(sentences: Sequence[Marked]) -> tuple[tuple[str, ...], ...]:
    """The labels of each layer."""
    acts = sorted({span.label for each in sentences for span in each.layers[0]})
    return tuple(acts), MOODS, CONDITIONS, ROLES


def fit(
    sentences: Sequence[Marked], labels: Sequence[Sequence[str]], encode: SentenceEncoder, config: StructureConfig, said: Said
) -> StructureHead:
    """Train a head; the same seed gives the same head."""
    torch.manual_seed(config.seed)
    chance = Random(config.seed)
    drawn = varied(sentences, chance, config.pairs)
    known = []
    for at, each in enumerate(drawn):
        known.append((encode.words(each.words), each.tags(labels)))
        if not at % 100:
            said("encoding sentences", at / len(drawn))
    head = StructureHead(labels, known[0][0].shape[1], config.width, config.layers, config.dropout)

    def next_loss() -> Tensor:
        vectors, tags = zip(*(chance.choice(known) for _ in range(config.batch)), strict=True)
        return head.loss(*padded(vectors), _rows(tags))

    optimise(head, next_loss, config, 0.02, said)
    return head


def scores(found: Sequence[Sequence[Sequence[Span]]], gold: Sequence[Marked]) -> dict[str, float]:
    """F1 of spans with their labels in each layer, and the share of sentences with the right acts, moods and conditions."""
    result: dict[str, float] = {}
    for number, layer in enumerate(LAYERS):
        pairs = [(set(layers[number]), set(want.layers[number])) for layers, want in zip(found, gold, strict=True)]
        total = sum(len(here) + len(there) for here, there in pairs)
        result[f"{layer}, F1"] = 2 * sum(len(here & there) for here, there in pairs) / max(total, 1)
    same = sum(_outline(layers[:3]) == _outline(want.layers[:3]) for layers, want in zip(found, gold, strict=True))
    result["acts, moods and conditions all right"] = same / max(len(gold), 1)
    return result


def _outline(layers: Sequence[Sequence[Span]]) -> Counter[str]:
    """The labels of the acts, moods and conditions, without remarks."""
    return Counter(span.label for spans in layers for span in spans if span.label not in ("aside", "call"))


class _DeployedHead(nn.Module):
    """The words of one sentence → log-probabilities of the tags of each layer."""

    def __init__(self, head: StructureHead) -> None:
        super().__init__()
        self.head = head

    def forward(self, words: Tensor) -> tuple[Tensor, ...]:
        return tuple(each[0].log_softmax(-1) for each in self.head(words.unsqueeze(0)))


def export(head: StructureHead, labels: Sequence[Sequence[str]], path: Path) -> None:
    """Write an ONNX graph with 8-bit weights: words (n, D) → (n, 2L + 1) for each layer."""
    example = (torch.randn(5, head.inward.in_features),)
    axes = {name: {0: "n"} for name in ("words", *LAYERS)}
    named = dict(zip(LAYERS, labels, strict=True))
    export_head(_DeployedHead(head), example, (["words"], list(LAYERS)), axes, path, layers=named)


def _rows(batch: Sequence[Sequence[Sequence[int]]]) -> list[Tensor]:
    """The tags of some sentences, padded, a (B, n) tensor for each layer."""
    longest = max(len(layers[0]) for layers in batch)
    return [torch.tensor([[*tags, *([IGNORED] * (longest - len(tags)))] for tags in layer]) for layer in zip(*batch, strict=True)]
