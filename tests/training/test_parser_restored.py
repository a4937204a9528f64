"""The parser in models/ can be trained further in every copy of the project."""

import pytest

pytest.importorskip("torch")  # extra 'train', which has transformers, too

import torch

from sayso.errors import ModelError
from sayso.intent.parser.chart import Grammar, k_best
from sayso.intent.parser.parser import StructureParser
from sayso.intent.parser.tree import SpanNode, tree_of
from sayso.training.parser.config import load_parser_config
from sayso.training.parser.network import ParserNetwork
from sayso.training.parser.restore import restore
from sayso.training.parser.train import word_pieces
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
    parse, network, pieces = StructureParser(), untrained(load_parser_config().width), word_pieces()
    restore(network)
    grammar = Grammar.of(network.labels, network.within.detach().numpy())
    for text in SENTENCES:
        words = text.split()
        with torch.no_grad():
            scores = network(pieces([words])).spans[0].numpy()
        ((_, structure),) = k_best(scores, len(words), grammar, 1)
        assert spans(tree_of(structure, {})) == spans(parse(text, 1)[0].nodes)


def test_a_network_of_another_size_is_refused() -> None:
    with pytest.raises(ModelError, match="train anew"):
        restore(untrained(64))
