"""The parser in models/ can be trained further in every copy of the project."""

import shutil
from pathlib import Path

import pytest

pytest.importorskip("torch")  # extra 'train', which has transformers, too

import torch

from sayso.errors import ModelError
from sayso.intent.parser.chart import Grammar, k_best
from sayso.intent.parser.parser import StructureParser
from sayso.intent.parser.tree import SpanNode, tree_of
from sayso.models import model_path
from sayso.training.parser.config import load_parser_config
from sayso.training.parser.export import export_parser
from sayso.training.parser.network import ParserNetwork
from sayso.training.parser.restore import restore
from sayso.training.parser.train import shipped_pieces
from sayso.training.parser.trunk import Trunk

pytestmark = pytest.mark.long("trains or exports a network")

SENTENCES = (
    "please bring me the red cup from the kitchen",
    "if anna is in the study , tell her that lunch is ready and come back",
    "never go into the bedroom",
    "what is on the table",
)


def untrained(width: int) -> ParserNetwork:
    config, parse = load_parser_config(), StructureParser()
    network = ParserNetwork(Trunk(config.shared_layers), parse.labels, parse.intents, parse.kinds, width, config.dropout)
    return network.eval()


def spans(nodes: tuple[SpanNode, ...]) -> list[tuple[str, int, int]]:
    return [(each.label, each.first, each.last) for node in nodes for each in node.all(lambda _: True)]


def test_the_shipped_parser_goes_on_where_it_was() -> None:
    parse, network, pieces = StructureParser(), untrained(load_parser_config().width), shipped_pieces()
    restore(network)
    grammar = Grammar.of(network.labels, network.within.detach().numpy())
    for text in SENTENCES:
        words = text.split()
        with torch.no_grad():
            scores = network(pieces([words])).spans[0].numpy()
        ((_, structure),) = k_best(scores, len(words), grammar, 1)
        assert spans(tree_of(structure, {})) == spans(parse(text, 1)[0].nodes)


def test_an_exported_parser_reads_the_same_with_the_weights_of_the_encoder_beside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    parse, network = StructureParser(), untrained(load_parser_config().width)
    restore(network)
    exported = export_parser(network, 1.0, parse.nested, tmp_path / "parser.onnx")
    assert exported.stat().st_size < 10e6  # the encoder has 23
    shutil.copy(model_path("encoder.onnx"), tmp_path)
    monkeypatch.setattr("sayso.intent.parser.parser.model_path", lambda name: exported if name == "parser.onnx" else model_path(name))
    again = StructureParser()
    for text in SENTENCES:
        assert spans(again(text, 1)[0].nodes) == spans(parse(text, 1)[0].nodes)


def test_a_network_of_another_size_is_refused() -> None:
    with pytest.raises(ModelError, match="train anew"):
        restore(untrained(64))
