"""`sayso train parser`: tune the encoder's upper layers and the parser's heads on marked sentences."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from sayso.encoder.pieces import word_pieces
from sayso.intent.parser.chart import spans_of
from sayso.intent.parser.labels import JOIN, LabelSet
from sayso.intent.parser.tree import nesting, tree_of
from sayso.models import model_path
from sayso.training.checkpoint import Checkpoint, warm_cosine
from sayso.training.parser.config import ParserConfig
from sayso.training.parser.crf import surprise
from sayso.training.parser.marks import MarkedSentence, intents
from sayso.training.parser.network import ParserNetwork, WordPieces
from sayso.training.parser.templates import generate
from sayso.training.parser.trunk import Trunk
from sayso.training.parser.variation import Variation

RARE = 3  # a chain of labels, or a label within another, that fewer sentences have is not learnt
KEPT = 200  # steps between two checkpoints
Report = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Sets:
    """The sentences of a training."""

    trained: tuple[MarkedSentence, ...]
    measured: tuple[MarkedSentence, ...]


def split(sentences: Sequence[MarkedSentence], config: ParserConfig) -> Sets:
    """A share for measurement during development. A sentence stays on its side for good, whatever is marked later."""
    sides: tuple[list[MarkedSentence], list[MarkedSentence]] = ([], [])
    for each in sentences:
        if each.words:
            sides[_fraction(each) < config.held_out].append(each)
    return Sets(*map(tuple, sides))


def _fraction(sentence: MarkedSentence) -> float:
    """A number in [0, 1) that belongs to the words."""
    return int.from_bytes(hashlib.sha256(" ".join(sentence.words).encode()).digest()[:4], "big") / 2**32


def labels_of(sentences: Sequence[MarkedSentence]) -> LabelSet:
    """All labels, and the chains of labels that are not rare in these sentences."""
    seen = Counter(chain for sentence in sentences for chain in sentence.structure.values() if JOIN in chain)
    return LabelSet.of(chain for chain, count in seen.items() if count >= RARE)


def nested_in(sentences: Sequence[MarkedSentence]) -> frozenset[tuple[str, str]]:
    """The pairs of labels, outer and inner, that are not rare in these sentences."""
    seen = Counter(pair for sentence in sentences for pair in nesting(tree_of(sentence.structure, {})))
    return frozenset(pair for pair, count in seen.items() if count >= RARE)


def network_of(sentences: Sequence[MarkedSentence], labels: LabelSet, config: ParserConfig, start: str | None = None) -> ParserNetwork:
    """An untrained network with these labels, and the kinds of questions of the sentences."""
    torch.manual_seed(config.seed)
    kinds = sorted({value for sentence in sentences for value in sentence.values("question").values() if value})
    trunk = Trunk(config.shared_layers, start)
    return ParserNetwork(trunk, labels, sorted(intents()), kinds, config.width, config.dropout)


def shipped_pieces() -> WordPieces:
    """The cutter of the shipped encoder."""
    return WordPieces(word_pieces(model_path("tokenizer.json"))[0])


def fit(network: ParserNetwork, sets: Sets, config: ParserConfig, checkpoint: Path, report: Report, more: int = 0) -> None:
    """Train the network in place; an interrupted run continues from its checkpoint.

    Args:
        network: to train.
        sets: of the training.
        config: its settings.
        checkpoint: the file of its state.
        report: called with a line every 50 steps.
        more: epochs to train further, at lower rates, a network that has been trained; 0: a whole run.
    """
    pieces = shipped_pieces()
    factor = config.more_rate if more else 1.0
    steps = (more or config.epochs) * -(-(len(sets.trained) + config.generated) // config.batch)
    own = {id(each) for each in network.trunk.parameters()}
    parts = [
        {"params": [each for each in network.trunk.parameters() if each.requires_grad], "lr": factor * config.learning_rate},
        {"params": [each for each in network.parameters() if id(each) not in own], "lr": factor * config.head_learning_rate},
    ]
    optimiser = torch.optim.AdamW(parts, weight_decay=0.01, fused=True)
    warm_up = max(int(config.warm_up * steps), 1)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimiser, lambda step: warm_cosine(step, steps, warm_up))
    kept = Checkpoint(checkpoint, KEPT, network=network, optimiser=optimiser, schedule=schedule)
    first = kept.resume()
    batches = drawn_batches(sets.trained, network.labels, config)
    network.train()
    recent: list[float] = []
    for step in range(steps):
        batch = next(batches)
        if step < first:
            continue
        loss = loss_of(network, pieces, batch, config.values)
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimiser.step()
        schedule.step()
        recent.append(loss.item())
        if not (step + 1) % 50:
            report(f"step {step + 1} of {steps}: loss {sum(recent[-50:]) / len(recent[-50:]):.3f}")
        kept.keep(step + 1, steps)
    network.eval()


def drawn_batches(sentences: Sequence[MarkedSentence], labels: LabelSet, config: ParserConfig) -> Iterator[list[MarkedSentence]]:
    """Endless batches of varied sentences of similar length; each epoch has new variations and newly generated sentences."""
    chance = Random(config.seed)
    variation = Variation(sentences, config.chances)
    epoch = 0
    while True:
        drawn = [variation(each, chance) for each in sentences]
        drawn += [variation(each, chance) for each in generate(config.generated, config.seed + epoch)]
        drawn = [known for each in drawn if 0 < len(each.words) <= config.longest and (known := _known(each, labels)) is not None]
        drawn.sort(key=lambda each: (len(each.words), chance.random()))
        batches = [drawn[at : at + config.batch] for at in range(0, len(drawn), config.batch)]
        chance.shuffle(batches)
        yield from batches
        epoch += 1


def _known(sentence: MarkedSentence, labels: LabelSet) -> MarkedSentence | None:
    """The sentence, if all its chains of labels are learnt."""
    return sentence if all(chain in labels.index for chain in sentence.structure.values()) else None


def loss_of(network: ParserNetwork, pieces: WordPieces, sentences: Sequence[MarkedSentence], values: float) -> Tensor:
    """−ln P(structure), and −ln P(intent) and −ln P(kind) of the acts and questions that there are; the mean over the sentences."""
    batch = pieces([each.words for each in sentences])
    found = network(batch)
    structures = [each.structure for each in sentences]
    total = surprise(found.spans, network.within, network.labels, batch.words, structures).mean()
    for scores, names, label in (
        (found.intents, network.intents, "act"),
        (found.kinds, network.kinds, "question"),
        (found.intents, network.intents, "hint"),
    ):
        total = total + values * _surprise_of_values(scores, names, label, sentences, max(batch.words))
    return total


def _surprise_of_values(scores: Tensor, names: Sequence[str], label: str, sentences: Sequence[MarkedSentence], longest: int) -> Tensor:
    first, last = spans_of(longest)
    place = {span: at for at, span in enumerate(zip(first.tolist(), last.tolist(), strict=True))}
    rows, spans, wanted = [], [], []
    for row, sentence in enumerate(sentences):
        for span, value in sentence.values(label).items():
            if value in names:
                rows.append(row)
                spans.append(place[span])
                wanted.append(names.index(value))
    if not rows:
        return scores.new_zeros(())
    chosen = scores[torch.tensor(rows), torch.tensor(spans)]
    return cross_entropy(chosen, torch.tensor(wanted), reduction="sum") / len(sentences)
