"""TensorFlow.js graph models → ONNX, for the operations that small convolutional detectors use."""

from __future__ import annotations

import base64
import json
import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

from sayso.errors import ModelError

OPSET = 17
IR_VERSION = 8  # read by every onnxruntime that is supported
TO_CHANNELS_FIRST, TO_CHANNELS_LAST = (0, 3, 1, 2), (0, 2, 3, 1)
Array = NDArray[Any]


def to_onnx(topology: bytes, weights: bytes, outputs: Mapping[str, str], picture: str) -> onnx.ModelProto:
    """Convert a graph model with one input.

    Args:
        topology: content of the .json file.
        weights: content of the .bin file.
        outputs: name in the TF.js graph → name in the ONNX graph.
        picture: name of the input in the ONNX graph.

    Raises:
        ModelError: it is not such a model, or has an operation that is not known here.
    """
    try:
        described = json.loads(topology)
        nodes = {node["name"]: node for node in described["modelTopology"]["node"]}
        conversion = _Conversion(nodes, _constants(described["weightsManifest"], weights))
        (source,) = described["signature"]["inputs"].values()
        conversion.nodes.append(helper.make_node("Identity", [picture], [source["name"].removesuffix(":0")]))
        for name, new in outputs.items():
            conversion.nodes.append(helper.make_node("Identity", [conversion.value(name)], [new]))
        shapes = {name.removesuffix(":0"): _shape(info) for name, info in described["signature"]["outputs"].items()}
        graph = helper.make_graph(
            conversion.nodes,
            "detector",
            [helper.make_tensor_value_info(picture, TensorProto.FLOAT, _shape(source))],
            [helper.make_tensor_value_info(new, TensorProto.FLOAT, shapes[name]) for name, new in outputs.items()],
            [numpy_helper.from_array(array, name) for name, array in conversion.stored.items()],
        )
    except (ValueError, KeyError, TypeError, IndexError) as strange:
        raise ModelError(f"this is not a TensorFlow.js graph model with one input ({strange!r})") from None
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=IR_VERSION, producer_name="sayso")
    onnx.checker.check_model(model)
    return model


def simplified(model: onnx.ModelProto) -> onnx.ModelProto:
    """The same graph without its redundant transpositions and paddings, by onnxruntime."""
    import tempfile

    import onnxruntime

    with tempfile.TemporaryDirectory() as folder:
        options = onnxruntime.SessionOptions()
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
        options.optimized_model_filepath = str(Path(folder) / "simplified.onnx")
        onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
        return onnx.load(options.optimized_model_filepath)


def _shape(info: Mapping[str, Any]) -> list[int]:
    return [int(dim["size"]) for dim in info["tensorShape"]["dim"]]


def _constants(groups: list[dict[str, Any]], weights: bytes) -> dict[str, Array]:
    found, at = dict[str, Array](), 0
    for listed in (each for group in groups for each in group["weights"]):
        kind = np.dtype(listed.get("quantization", {}).get("dtype", listed["dtype"]))
        count = math.prod(listed["shape"])
        values = np.frombuffer(weights, kind, count, at).reshape(listed["shape"])
        at += count * kind.itemsize
        found[listed["name"]] = values.astype(listed["dtype"])
    if at != len(weights):
        raise ValueError(f"{len(weights)} bytes of weights, {at} described")
    return found


class _Conversion:
    """Converts what the outputs need, each node once, inputs first."""

    def __init__(self, nodes: Mapping[str, dict[str, Any]], constants: Mapping[str, Array]) -> None:
        self.source, self.constants = nodes, constants
        self.nodes: list[onnx.NodeProto] = []
        self.stored: dict[str, Array] = {}
        self.done: set[str] = set()
        self.rules: dict[str, Callable[[str, list[str], Mapping[str, Any]], None]] = {
            "Add": self._plain("Add"),
            "AddV2": self._plain("Add"),
            "Identity": self._plain("Identity"),
            "Sigmoid": self._plain("Sigmoid"),
            "Mul": self._plain("Mul"),
            "Relu": self._plain("Relu"),
            "Relu6": self._clipped,
            "Mean": self._mean,
            "Conv2D": self._convolution,
            "_FusedConv2D": self._convolution,
            "DepthwiseConv2dNative": self._depthwise,
            "FusedDepthwiseConv2dNative": self._depthwise,
            "ConcatV2": self._concatenation,
            "LeakyRelu": self._leaky,
            "MaxPool": self._pooling,
            "Pad": self._padding,
            "PadV2": self._padding,
            "Reshape": self._reshaping,
            "ResizeBilinear": self._resizing,
            "SplitV": self._splitting,
            "Transpose": self._transposition,
        }

    def value(self, name: str) -> str:
        """The ONNX name of a tensor of the graph, after converting all that it needs."""
        base, _, port = name.partition(":")
        if base in self.constants:
            self.stored.setdefault(base, self.constants[base])
        elif base not in self.done:
            self.done.add(base)
            node = self.source[base]
            if node["op"] != "Placeholder":
                if node["op"] not in self.rules:
                    raise ModelError(f"the operation {node['op']} is not known here")
                self.rules[node["op"]](base, node.get("input", []), node.get("attr", {}))
        return f"{base}.{port}" if port not in ("", "0") else base

    def _constant(self, name: str) -> Array:
        """A value that is known before the network runs."""
        if name in self.constants:
            return self.constants[name]
        node = self.source[name]
        inputs = [self._constant(each) for each in node.get("input", [])]
        if node["op"] == "AddV2":
            return np.asarray(inputs[0] + inputs[1])
        if (
            node["op"] == "SparseToDense" and not inputs[0].size
        ):  # as ONNX → TensorFlow converters write a constant: no entries, only the default
            return np.full(inputs[1], inputs[3])
        raise ModelError(f"the value of {name} is not known before the network runs")

    def _add(self, op: str, inputs: list[str], outputs: list[str], **attributes: Any) -> None:
        self.nodes.append(helper.make_node(op, inputs, outputs, **attributes))

    def _store(self, name: str, array: Array) -> str:
        self.stored[name] = np.ascontiguousarray(array)
        return name

    def _plain(self, op: str) -> Callable[[str, list[str], Mapping[str, Any]], None]:
        return lambda name, inputs, _: self._add(op, [self.value(each) for each in inputs], [name])

    def _channels_first(self, op: str, name: str, inputs: list[str], **attributes: Any) -> None:
        """An operation on channels last, by the one of ONNX, where channels come first."""
        self._add("Transpose", inputs[:1], [f"{name}/in"], perm=TO_CHANNELS_FIRST)
        self._add(op, [f"{name}/in", *inputs[1:]], [f"{name}/out"], **attributes)
        self._add("Transpose", [f"{name}/out"], [name], perm=TO_CHANNELS_LAST)

    def _convolution(self, name: str, inputs: list[str], attributes: Mapping[str, Any]) -> None:
        self._convolved(name, inputs, attributes, self._constant(inputs[1]).transpose(3, 2, 0, 1))

    def _depthwise(self, name: str, inputs: list[str], attributes: Mapping[str, Any]) -> None:
        """Each channel has a kernel of its own: (rows, cols, channels, 1)."""
        kernel = self._constant(inputs[1])
        if kernel.shape[3] != 1:
            raise ModelError(f"{name} makes several channels of one, which is not known here")
        self._convolved(name, inputs, attributes, kernel.transpose(2, 3, 0, 1), group=kernel.shape[2])

    def _convolved(self, name: str, inputs: list[str], attributes: Mapping[str, Any], kernel: Array, group: int = 1) -> None:
        """A convolution, and what is fused with it: a bias, and a limit at 0."""
        stored = [self._store(f"{name}/kernel", kernel.astype(np.float32))]
        fused = [base64.b64decode(each) for each in attributes.get("fused_ops", {}).get("list", {}).get("s", [])]
        if fused[:1] == [b"BiasAdd"]:
            stored.append(self._store(f"{name}/bias", self._constant(inputs[2]).astype(np.float32)))
        if fused not in ([], [b"BiasAdd"], [b"BiasAdd", b"Relu"]):
            raise ModelError(f"{name} has {fused}, which is not known here")
        limited = len(fused) == 2
        sizes = {"strides": _pair(attributes["strides"]), "auto_pad": _padded(attributes), "group": group}
        self._channels_first("Conv", f"{name}/sum" if limited else name, [self.value(inputs[0]), *stored], **sizes)
        if limited:
            self._add("Relu", [f"{name}/sum"], [name])

    def _clipped(self, name: str, inputs: list[str], _: Mapping[str, Any]) -> None:
        limits = [self._store(f"{name}/{limit:g}", np.array(limit, np.float32)) for limit in (0.0, 6.0)]
        self._add("Clip", [self.value(inputs[0]), *limits], [name])

    def _mean(self, name: str, inputs: list[str], attributes: Mapping[str, Any]) -> None:
        axes = [int(axis) for axis in np.atleast_1d(self._constant(inputs[1]))]
        self._add("ReduceMean", [self.value(inputs[0])], [name], axes=axes, keepdims=int(attributes["keep_dims"]["b"]))

    def _pooling(self, name: str, inputs: list[str], attributes: Mapping[str, Any]) -> None:
        sizes = {"kernel_shape": _pair(attributes["ksize"]), "strides": _pair(attributes["strides"]), "auto_pad": _padded(attributes)}
        self._channels_first("MaxPool", name, [self.value(inputs[0])], **sizes)

    def _resizing(self, name: str, inputs: list[str], attributes: Mapping[str, Any]) -> None:
        if attributes.get("align_corners", {}).get("b"):
            raise ModelError(f"{name} resizes in a way that is not known here")
        centers = "half_pixel" if attributes["half_pixel_centers"]["b"] else "asymmetric"
        height, width = (int(n) for n in self._constant(inputs[1]))
        # Channels are resized by sizes of all four axes; those of batch and channels come from the input itself.
        size = self._store(f"{name}/size", np.array([height, width], np.int64))
        self._add("Transpose", [self.value(inputs[0])], [f"{name}/in"], perm=TO_CHANNELS_FIRST)
        self._add("Shape", [f"{name}/in"], [f"{name}/kept"], start=0, end=2)
        self._add("Concat", [f"{name}/kept", size], [f"{name}/sizes"], axis=0)
        self._add("Resize", [f"{name}/in", "", "", f"{name}/sizes"], [f"{name}/out"], mode="linear", coordinate_transformation_mode=centers)
        self._add("Transpose", [f"{name}/out"], [name], perm=TO_CHANNELS_LAST)

    def _concatenation(self, name: str, inputs: list[str], _: Mapping[str, Any]) -> None:
        self._add("Concat", [self.value(each) for each in inputs[:-1]], [name], axis=int(self._constant(inputs[-1])))

    def _leaky(self, name: str, inputs: list[str], attributes: Mapping[str, Any]) -> None:
        self._add("LeakyRelu", [self.value(inputs[0])], [name], alpha=float(attributes["alpha"]["f"]))

    def _padding(self, name: str, inputs: list[str], _: Mapping[str, Any]) -> None:
        pads = self._store(f"{name}/pads", self._constant(inputs[1]).T.reshape(-1).astype(np.int64))
        values = [self.value(inputs[2])] if len(inputs) > 2 else []
        self._add("Pad", [self.value(inputs[0]), pads, *values], [name])

    def _reshaping(self, name: str, inputs: list[str], _: Mapping[str, Any]) -> None:
        shape = self._store(f"{name}/shape", self._constant(inputs[1]).astype(np.int64))
        self._add("Reshape", [self.value(inputs[0]), shape], [name])

    def _splitting(self, name: str, inputs: list[str], _: Mapping[str, Any]) -> None:
        sizes = self._constant(inputs[1]).astype(np.int64)
        parts = [f"{name}.{port}" if port else name for port in range(len(sizes))]
        self._add("Split", [self.value(inputs[0]), self._store(f"{name}/sizes", sizes)], parts, axis=int(self._constant(inputs[2])))

    def _transposition(self, name: str, inputs: list[str], _: Mapping[str, Any]) -> None:
        self._add("Transpose", [self.value(inputs[0])], [name], perm=[int(axis) for axis in self._constant(inputs[1])])


def _pair(attribute: Mapping[str, Any]) -> list[int]:
    """(1, rows, cols, 1) → (rows, cols)."""
    return [int(n) for n in attribute["list"]["i"][1:3]]


def _padded(attributes: Mapping[str, Any]) -> str:
    """ONNX's name of the padding of a convolution or pooling."""
    if base64.b64decode(attributes["data_format"]["s"]) != b"NHWC":
        raise ModelError("convolutions and pooling are known here with channels last only")
    if any(n != "1" for n in attributes.get("dilations", {}).get("list", {}).get("i", [])):
        raise ModelError("dilated convolutions are not known here")
    return {b"VALID": "VALID", b"SAME": "SAME_UPPER"}[base64.b64decode(attributes["padding"]["s"])]
