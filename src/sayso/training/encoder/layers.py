"""encoder_layers.onnx: the nodes that add an output, the sentence vector after each layer, to an encoder.onnx that is already there.

The file has no weights. A protocol buffer that is appended to another is merged with it
(https://protobuf.dev/programming-guides/encoding/#last-one-wins), so encoder.onnx followed by encoder_layers.onnx is the larger graph.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

from sayso.encoder import SentenceEncoder
from sayso.encoder.layers import ENCODER_KEY, LAYERS, LAYERS_FILE
from sayso.errors import ModelError
from sayso.models import record_model, sha256
from sayso.paths import models_dir

NO_LAYERS = f"{LAYERS_FILE} cannot be made for this encoder"
SAMPLE = "bring me the red cup"
CLOSE = 0.999  # least cosine between an embedding and the pooled tokens that it was made from


def export_layers(output: Path | None = None) -> Path:
    """Write encoder_layers.onnx for the encoder in a folder, by default models/, which lists it. Returns the file.

    Raises:
        ModelError: the folder has no encoder, or see `add_layers`.
    """
    path = add_layers(output or models_dir())
    if path.parent == models_dir():
        what = "the graph of encoder.onnx; it has no weights"
        record_model(path.name, licence="Apache-2.0", source=what, command="sayso train encoder --layers")
    return path


def add_layers(folder: Path) -> Path:
    """Write encoder_layers.onnx beside encoder.onnx. Returns the file.

    Raises:
        ModelError: the encoder has no layer norm after each layer, or pools neither by the mean nor by the first token.
    """
    encoder = SentenceEncoder(folder)
    vectors, embedding = encoder.tokens(SAMPLE), encoder([SAMPLE])[0]
    graph = onnx.load(str(folder / "encoder.onnx")).graph
    hidden = [node.output[0] for node in graph.node if node.op_type == "LayerNormalization"]
    if len(hidden) < 3 or len(hidden) % 2 == 0 or hidden[-1] != "tokens":
        raise ModelError(f"{NO_LAYERS}: its layers do not end in layer norms, so their vectors cannot be found in the graph")
    states = hidden[::2]  # after the embeddings, and after the feed-forward part of each layer
    if len(embedding) != vectors.shape[1]:
        raise ModelError(f"{NO_LAYERS}: its embedding has other dimensions than its layers")
    if _cosine(vectors.mean(0), embedding) >= CLOSE:
        pooled = [helper.make_node("ReduceMean", [name], [f"{LAYERS}.{at}"], axes=[1], keepdims=1) for at, name in enumerate(states)]
        constants = []
    elif _cosine(vectors[0], embedding) >= CLOSE:
        pooled = [helper.make_node("Gather", [name, f"{LAYERS}.first"], [f"{LAYERS}.{at}"], axis=1) for at, name in enumerate(states)]
        constants = [numpy_helper.from_array(np.array([0]), f"{LAYERS}.first")]
    else:
        raise ModelError(f"{NO_LAYERS}: its embedding is neither the mean over the tokens nor the first token")
    joined = helper.make_node("Concat", [node.output[0] for node in pooled], [LAYERS], axis=1)
    shape = ["batch", len(states), len(embedding)]
    added = onnx.ModelProto()
    added.graph.node.extend([*pooled, joined])
    added.graph.initializer.extend(constants)
    added.graph.output.append(helper.make_tensor_value_info(LAYERS, TensorProto.FLOAT, shape))
    helper.set_model_props(added, {ENCODER_KEY: sha256(folder / "encoder.onnx")})
    path = folder / LAYERS_FILE
    path.write_bytes(added.SerializeToString())
    return path


def _cosine(a: NDArray[np.float32], b: NDArray[np.float32]) -> float:
    return float(a @ b / np.linalg.norm(a) / np.linalg.norm(b))
