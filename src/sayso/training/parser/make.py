"""`sayso train parser`: from marked sentences to models/parser.onnx with its card."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch
from rich.console import Console

from sayso.intent.parser.chart import Grammar, log_sum, score_of
from sayso.intent.parser.parser import StructureParser
from sayso.intent.parser.tree import ParsedSentence, Place, SpanNode
from sayso.paths import models_dir, work_dir
from sayso.training.parser.card import parser_card
from sayso.training.parser.config import load_parser_config
from sayso.training.parser.export import export_parser
from sayso.training.parser.marks import MarkedSentence
from sayso.training.parser.measure import Read, measured, outline
from sayso.training.parser.network import ParserNetwork
from sayso.training.parser.people import FOLDER
from sayso.training.parser.restore import restore
from sayso.training.parser.sentences import read_all, read_wrong
from sayso.training.parser.train import Sets, fit, labels_of, nested_in, network_of, shipped_pieces, split

TEMPERATURES = (0.8, 0.9, 1.0, 1.1, 1.2, 1.35, 1.5, 1.75, 2.0)
LONGEST = 40  # words of a sentence that the temperature is fitted on
EDGES = (0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 0.97, 1.0 + 1e-9)  # of the bins of P in the card


def train_parser(config_path: Path | None = None, threads: int = 2, start: str | None = None, more: int = 0) -> Path:
    """Train, measure and write the parser into models/, and print its scores. Returns its path.

    Args:
        config_path: the configuration; default: parser.yaml.
        threads: of the training.
        start: a sentence-transformers model to begin from; None: the shipped encoder, whose lowest layers the parser then shares.
        more: epochs to train the shipped parser further: for new marks, in less time.

    Raises:
        SaysoError: sentences are missing or malformed, or the shipped parser is another network than the configured one.
    """
    config, console = load_parser_config(config_path), Console(stderr=True)
    torch.set_num_threads(threads)
    sentences = read_all()
    sets = split(sentences, config)
    sets = replace(sets, trained=(*sets.trained, *read_wrong() * config.wrong))
    labels = StructureParser().labels if more else labels_of(sentences)  # a run goes on with its labels: chains in new marks are left out
    network = network_of(sentences, labels, config, start)
    if more:
        restore(network)
    checkpoint = work_dir() / "runs" / "parser" / ("more.pt" if more else "checkpoint.pt")
    fit(network, sets, config, checkpoint, lambda line: console.print(line, highlight=False), more)
    temperature = fitted_temperature(network, sets.measured)
    path = export_parser(network, temperature, nested_in(sentences))
    checkpoint.unlink()  # the next run begins anew, or from the parser that this one has made
    return written(config_path, network, sets, temperature, path, console)


def written(config_path: Path | None, network: ParserNetwork, sets: Sets, temperature: float, path: Path, console: Console) -> Path:
    """Measure the exported parser, as it runs, and write its card."""
    config = load_parser_config(config_path)
    people = {each.stem for each in FOLDER.glob("*.tsv")}
    parse = StructureParser()
    theirs = [each for each in sets.measured if each.source.partition(":")[0] in people]
    ours = [each for each in sets.measured if each.source.partition(":")[0] not in people]
    tables = [_table(parse, each) for each in (theirs, ours)]
    facts = {
        "trained": len(sets.trained),
        "people": sum(each.source.partition(":")[0] in people for each in sets.trained),
        "written": sum(each.source.partition(":")[0] not in people for each in sets.trained),
        "n_people": len(theirs),
        "n_own": len(ours),
        "size": path.stat().st_size,
        "temperature": temperature,
    }
    card = parser_card(config, network, facts, (tables[0], tables[1]), _bins(parse, sets.measured))
    (models_dir() / "parser.md").write_text(card, encoding="utf-8")
    for name, value in tables[0].items():
        console.print(f"{name}: people's {value:.3f}, ours {tables[1][name]:.3f}", highlight=False)
    return path


def fitted_temperature(network: ParserNetwork, sentences: Sequence[MarkedSentence]) -> float:
    """The τ for which the marked structures are likeliest (Guo et al. 2017)."""
    pieces, found = shipped_pieces(), dict.fromkeys(TEMPERATURES, 0.0)
    network.eval()
    for sentence in sentences:
        structure, words = sentence.structure, len(sentence.words)
        if words > LONGEST or not all(chain in network.labels.index for chain in structure.values()):
            continue
        with torch.no_grad():
            scores = network(pieces([sentence.words])).spans[0].numpy()
        for temperature in TEMPERATURES:
            grammar = Grammar.of(network.labels, network.within.detach().numpy() / temperature)
            scaled = scores / np.float32(temperature)
            found[temperature] += log_sum(scaled, words, grammar) - score_of(structure, scaled, words, grammar)
    return min(found, key=lambda temperature: found[temperature])


def _table(parse: StructureParser, sentences: Sequence[MarkedSentence]) -> dict[str, float]:
    return measured([_read(parse(" ".join(each.words), 1)) for each in sentences], [_wanted(each) for each in sentences])


def _wanted(sentence: MarkedSentence) -> Read:
    return Read(sentence.structure, {**sentence.values("hint"), **sentence.values("question"), **sentence.values("act")})


def _read(readings: Sequence[ParsedSentence]) -> Read:
    """The likeliest reading as spans."""
    chains: dict[Place, list[str]] = {}
    values: dict[Place, str] = {}

    def note(node: SpanNode) -> None:
        chains.setdefault((node.first, node.last), []).append(node.label)
        if node.value:
            values[node.first, node.last] = node.value
        for child in node.children:
            note(child)

    for node in readings[0].nodes if readings else ():
        note(node)
    return Read({place: "+".join(labels) for place, labels in chains.items()}, values)


def _bins(parse: StructureParser, sentences: Sequence[MarkedSentence]) -> str:
    """The rows of the table: how often the outline is right, by the share of the considered mass that has it."""
    pairs = []
    for sentence in sentences:
        readings = parse(" ".join(sentence.words))
        if readings:
            mass = math.fsum(each.p for each in readings)
            outlines = [outline(_read([each])) for each in readings]
            p = math.fsum(each.p for each, drawn in zip(readings, outlines, strict=True) if drawn == outlines[0]) / mass
            pairs.append((p, outlines[0] == outline(_wanted(sentence))))
    rows = []
    for low, high in itertools.pairwise(EDGES):
        own = [(p, right) for p, right in pairs if low <= p < high]
        if own:
            said, is_right = np.mean([p for p, _ in own]), np.mean([right for _, right in own])
            rows.append(f"| {low:.2f} – {min(high, 1.0):.2f} | {len(own)} | {said:.3f} | {is_right:.3f} |")
    return "\n".join(rows)
