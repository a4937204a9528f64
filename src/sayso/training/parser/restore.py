"""The shipped parser as a trainable network again, so that every copy of the project can train it further."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import numpy_helper

from sayso.errors import ModelError
from sayso.models import model_path
from sayso.training.parser.export import PREFIX
from sayso.training.parser.network import ParserNetwork
from sayso.training.parser.trunk import MULTIPLIED, Arrays, multiplied, widened

_HEADS = ("inward", "label", "chain", "intent", "kind")  # in the order of the graph


def restore(network: ParserNetwork, path: Path | None = None) -> None:
    """Give a network the widened 8-bit weights of an exported parser; the shared layers are the encoder's, which it has already.

    Args:
        network: with the labels, intents, kinds and sizes of that parser.
        path: the parser; default: the one in models/.

    Raises:
        ModelError: the file holds another network.
    """
    path = path or model_path("parser.onnx")
    model = onnx.load(str(path), load_external_data=False)  # which the shared layers' are
    own = f"{PREFIX}network."
    weights = (each for each in model.graph.initializer if each.name.startswith(PREFIX))
    held: Arrays = {each.name.removeprefix(own): numpy_helper.to_array(each) for each in weights}
    layers = range(network.trunk.shared, len(network.trunk.bert.encoder.layer))
    names = [f"trunk.bert.encoder.layer.{layer}.{part}.weight" for layer in layers for part in MULTIPLIED]
    state = multiplied(held, names + [f"{head}.weight" for head in _HEADS], path)
    state |= {name: torch.from_numpy(np.array(held[name])) for name in network.state_dict() if name in held}
    state["wide.weight"] = torch.from_numpy(widened(held, "wide.weight"))
    facts = {each.key: each.value for each in model.metadata_props}
    state["within"] = torch.tensor(json.loads(facts["within"]))
    trained = [name for name, each in network.named_parameters() if each.requires_grad]
    wrong = [name for name in trained if name not in state or state[name].shape != network.get_parameter(name).shape]
    if wrong:
        raise ModelError(f"{path} has no {', '.join(wrong[:4])} of this network: train anew with 'sayso train parser'")
    network.load_state_dict(state, strict=False)
