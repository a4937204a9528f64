"""models/parser.onnx: the parser as a graph, whose lowest layers are those of encoder.onnx.

Their 8-bit weights stay where they are: the graph names the places in encoder.onnx as external data, so that all processes map the same
pages of that file, and read no more of the vocabulary than the words that they hear.
"""

from __future__ import annotations

import json
import tempfile
import warnings
from collections.abc import Collection, Iterator
from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import compose
from torch import Tensor, nn

from sayso.encoder.layers import ENCODER_KEY
from sayso.errors import ModelError
from sayso.intent.parser.chart import spans_of
from sayso.models import model_path, record_model, sha256
from sayso.paths import models_dir
from sayso.training.onnx_storage import OPSET, quantise
from sayso.training.parser.network import ParserNetwork

ENCODER = "encoder.onnx"
PREFIX = "parser/"
BYTES = (onnx.TensorProto.INT8, onnx.TensorProto.UINT8)
WORTH_MAPPING = 4096  # bytes: a page
OUTPUTS = ["spans", "intents", "kinds"]


class _Deployed(nn.Module):
    """What lies above the shared layers, for one sentence."""

    def __init__(self, network: ParserNetwork) -> None:
        super().__init__()
        self.network = network

    def forward(self, hidden: Tensor, pool: Tensor, first: Tensor, last: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """(1, T, D), (N + 2, T), (S,), (S,) → (S, L), (S, K), (S, Q)."""
        upper = self.network.trunk.upper(hidden, torch.ones(hidden.shape[:2]))
        found = self.network.of_spans((pool @ upper[0])[None], first, last)
        return found.spans[0], found.intents[0], found.kinds[0]


def export_parser(network: ParserNetwork, temperature: float, nested: Collection[tuple[str, str]], path: Path | None = None) -> Path:
    """Write the graph, by default into models/, which lists it. Returns its path.

    Args:
        network: the trained parser.
        temperature: τ of its probabilities.
        nested: the pairs of labels, outer and inner, that people mark.
        path: of the file.

    Raises:
        ModelError: encoder.onnx has no layer to begin from.
    """
    target = path or models_dir() / "parser.onnx"
    below = model_path(ENCODER)
    encoder = onnx.load(str(below))
    norms = [node.output[0] for node in encoder.graph.node if node.op_type == "LayerNormalization"]
    if len(norms) <= 2 * network.trunk.shared:
        raise ModelError("encoder.onnx does not have the layers that the parser shares")
    hidden = norms[2 * network.trunk.shared]
    own = onnx.load_from_string(_exported(network))
    own = compose.add_prefix(own, PREFIX, rename_inputs=False, rename_outputs=False)
    for node in own.graph.node:
        node.input[:] = [hidden if name == "hidden" else name for name in node.input]
    shared = _needed(encoder.graph, hidden)
    graph = onnx.helper.make_graph(
        [*shared, *own.graph.node],
        "parser",
        [*encoder.graph.input, *(each for each in own.graph.input if each.name != "hidden")],
        own.graph.output,
        [*_weights(encoder.graph, shared, below.read_bytes()), *own.graph.initializer],
    )
    domains = {each.domain: each for each in (*encoder.opset_import, *own.opset_import)}
    whole = onnx.helper.make_model(graph, opset_imports=list(domains.values()), ir_version=encoder.ir_version)
    facts = {
        ENCODER_KEY: sha256(below),
        "labels": network.labels.names,
        "within": np.round(network.within.detach().numpy(), 4).tolist(),
        "intents": network.intents,
        "kinds": network.kinds,
        "temperature": temperature,
        "nested": sorted(nested),
    }
    onnx.helper.set_model_props(whole, {name: json.dumps(value) for name, value in facts.items()})
    target.write_bytes(whole.SerializeToString())
    if path is None:
        record_model(
            target.name,
            licence="Apache-2.0",
            source="people's and our own sentences with their structure marked",
            command="sayso train parser",
        )
    return target


def _needed(graph: onnx.GraphProto, output: str) -> list[onnx.NodeProto]:
    """The nodes that compute a value, in their order."""
    wanted, found = {output}, []
    for node in reversed(graph.node):
        if not wanted.isdisjoint(node.output):
            found.append(node)
            wanted.update(node.input)
    return found[::-1]


def _weights(graph: onnx.GraphProto, nodes: Collection[onnx.NodeProto], file: bytes) -> Iterator[onnx.TensorProto]:
    """The weights of these nodes, the large ones of 8 bits as places in the graph's file: bytes need no alignment there."""
    used = {name for node in nodes for name in node.input}
    for tensor in graph.initializer:
        if tensor.name not in used:
            continue
        if tensor.data_type not in BYTES or len(tensor.raw_data) < WORTH_MAPPING:
            yield tensor
            continue
        mapped = onnx.TensorProto(name=tensor.name, data_type=tensor.data_type, dims=tensor.dims, data_location=onnx.TensorProto.EXTERNAL)
        place = {"location": ENCODER, "offset": file.index(tensor.raw_data), "length": len(tensor.raw_data)}
        mapped.external_data.extend(onnx.StringStringEntryProto(key=key, value=str(value)) for key, value in place.items())
        yield mapped


def _exported(network: ParserNetwork) -> bytes:
    """The quantised graph, by itself."""
    first, last = (torch.from_numpy(each) for each in spans_of(5))
    example = (torch.randn(1, 7, network.trunk.width), torch.rand(7, 7), first, last)
    axes = {
        "hidden": {1: "pieces"},
        "pool": {0: "places", 1: "pieces"},
        "first": {0: "spans"},
        "last": {0: "spans"},
        **{name: {0: "spans"} for name in OUTPUTS},
    }
    with tempfile.TemporaryDirectory() as scratch, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of tracing, and that there is a newer exporter
        exact, small = Path(scratch) / "exact.onnx", Path(scratch) / "small.onnx"
        network.trunk.bert.config._attn_implementation = "eager"
        torch.onnx.export(
            _Deployed(network).eval(), example, str(exact), dynamo=False, opset_version=OPSET,
            input_names=["hidden", "pool", "first", "last"], output_names=OUTPUTS, dynamic_axes=axes,
        )  # fmt: skip
        quantise(exact, small)
        return small.read_bytes()
