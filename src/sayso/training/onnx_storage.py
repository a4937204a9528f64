"""Compact storage of weights in ONNX files. onnxruntime restores single precision on loading, so computation is in single precision."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import NodeProto, TensorProto, helper, numpy_helper

OPSET = 17  # of the graphs of heads
SMALL = 1024  # numbers; smaller weights stay in single precision
Axes = dict[str, dict[int, str]]
_Stored = tuple[dict[str, NDArray[np.generic]], list[NodeProto]]  # arrays by name, and the nodes that restore the weight from them


def in_16_bits(model: onnx.ModelProto) -> None:
    """Store large weights in half precision."""

    def halved(name: str, values: NDArray[np.float32]) -> _Stored:
        return {f"{name}.half": values.astype(np.float16)}, [helper.make_node("Cast", [f"{name}.half"], [name], to=TensorProto.FLOAT)]

    _store(model, halved)


def in_8_bits(model: onnx.ModelProto) -> None:
    """Store large weights in 8 bits, with a scale for each output channel."""
    multiplied = {node.input[1] for node in model.graph.node if node.op_type == "MatMul"}  # (in, out); elsewhere the channels come first

    def rounded(name: str, values: NDArray[np.float32]) -> _Stored:
        rest = tuple(range(values.ndim - 1)) if name in multiplied else tuple(range(1, values.ndim))
        scale = np.maximum(np.abs(values).max(axis=rest, keepdims=True) / 127.0, 1e-12).astype(np.float32)
        arrays = {f"{name}.bytes": np.round(values / scale).astype(np.int8), f"{name}.scale": scale}
        widened = helper.make_node("Cast", [f"{name}.bytes"], [f"{name}.wide"], to=TensorProto.FLOAT)
        return arrays, [widened, helper.make_node("Mul", [f"{name}.wide", f"{name}.scale"], [name])]

    _store(model, rounded)


def finish(path: Path, keep: Callable[[onnx.ModelProto], None], name: str, fitted: str) -> None:
    """Finish an exported graph: compact its weights with `keep`, and store the fitted numbers as metadata under `name`."""
    model = onnx.load(str(path))
    keep(model)
    helper.set_model_props(model, {name: fitted})
    onnx.checker.check_model(model)
    onnx.save(model, str(path))


def quantise(exact: Path, quantised: Path) -> None:
    """Weights to 8 bits, one scale per output channel; activations are quantised as they come.

    Seven bits are used of the eight: without VNNI instructions, products of full range saturate and results would depend on the CPU.
    A scale for each word of the embedding table was tried and changed nothing: the loss comes from rounding the activations.
    """
    import logging

    from onnxruntime.quantization import QuantType, quantize_dynamic

    logging.disable(logging.WARNING)  # it advises a preprocessing that is of no use to a graph without convolutions
    try:
        quantize_dynamic(exact, quantised, per_channel=True, reduce_range=True, weight_type=QuantType.QInt8)
    finally:
        logging.disable(logging.NOTSET)


def _store(model: onnx.ModelProto, stored: Callable[[str, NDArray[np.float32]], _Stored]) -> None:
    kept: list[TensorProto] = []
    made: list[NodeProto] = []
    for weight in model.graph.initializer:
        if weight.data_type != TensorProto.FLOAT or np.prod(weight.dims) < SMALL:
            kept.append(weight)
            continue
        arrays, nodes = stored(weight.name, numpy_helper.to_array(weight))
        kept += [numpy_helper.from_array(values, name) for name, values in arrays.items()]
        made += nodes
    for field, content in ((model.graph.initializer, kept), (model.graph.node, [*made, *model.graph.node])):
        copied = [type(each).FromString(each.SerializeToString()) for each in content]  # copies, because the field is emptied next
        del field[:]
        field.extend(copied)
