"""The network that verifies the spotter's detections: a published recogniser's encoder and a head.

The encoder is that of Moonshine tiny (Jeffries et al. 2024, https://arxiv.org/abs/2410.15608; MIT licence), trained on 200,000 hours of
speech. Its weights come from the package moonshine-voice; the computation is written out here.
"""

from __future__ import annotations

import json
import re
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from sayso.speech.moonshine import packaged
from sayso.speech.stopping.verifier import METADATA, SEEN
from sayso.training.onnx_storage import finish, in_8_bits

OPSET = 17
MOMENTS = 82  # of SEEN samples, one each 24 ms
_WIDTH, _HEADS, _INNER, _TURNED = 288, 8, 1152, 32  # rotary positions apply to _TURNED of each head's 36 numbers
_READ, _GLANCES = 96, 4


class StopVerifierNetwork(nn.Module):
    """(B, SEEN) sound → (B,) logits of "it ends with a call to stop"."""

    def __init__(self, layers: int, dropped: float = 0.0) -> None:
        """`layers`: the number of the encoder's six layers, from below; `dropped`: dropout in the head."""
        super().__init__()
        self.encoder = SpeechEncoder(layers)
        self.head = _Head(dropped)

    def forward(self, sound: Tensor) -> Tensor:
        """`sound` as `verifier.prepared` gives it."""
        logits: Tensor = self.head(self.encoder(sound))
        return logits


class SpeechEncoder(nn.Module):
    """(B, N) sound → (B, T, 288): Moonshine's convolutions and its lower layers, which attend to all of the sound."""

    def __init__(self, layers: int) -> None:
        super().__init__()
        self.conv1 = nn.Conv1d(1, _WIDTH, 127, 64, bias=False)
        self.groupnorm = nn.GroupNorm(1, _WIDTH)
        self.conv2 = nn.Conv1d(_WIDTH, 2 * _WIDTH, 7, 3)
        self.conv3 = nn.Conv1d(2 * _WIDTH, _WIDTH, 3, 2)
        self.layers = nn.ModuleList(_Layer() for _ in range(layers))
        self.layer_norm = nn.LayerNorm(_WIDTH, bias=False)
        self.register_buffer("frequencies", torch.zeros(_TURNED // 2))

    def forward(self, sound: Tensor) -> Tensor:
        """One vector for each 24 ms."""
        x = self.groupnorm(torch.tanh(self.conv1(sound[:, None])))
        x = functional.gelu(self.conv3(functional.gelu(self.conv2(x)))).transpose(1, 2)
        angles = torch.arange(int(x.shape[1]))[:, None] * self.frequencies
        for layer in self.layers:
            x = layer(x, angles.cos(), angles.sin())
        normed: Tensor = self.layer_norm(x)
        return normed


class _Layer(nn.Module):
    """Self-attention with rotary positions (Su et al. 2021), then two linear maps, each with a residual."""

    def __init__(self) -> None:
        super().__init__()
        self.input_layernorm = nn.LayerNorm(_WIDTH, bias=False)
        self.post_attention_layernorm = nn.LayerNorm(_WIDTH, bias=False)
        self.q, self.k, self.v, self.o = (nn.Linear(_WIDTH, _WIDTH, bias=False) for _ in range(4))
        self.fc1, self.fc2 = nn.Linear(_WIDTH, _INNER), nn.Linear(_INNER, _WIDTH)

    def forward(self, x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        normed = self.input_layernorm(x)
        query, key, value = (each(normed).unflatten(-1, (_HEADS, -1)).transpose(1, 2) for each in (self.q, self.k, self.v))
        seen = functional.scaled_dot_product_attention(_turned(query, cos, sin), _turned(key, cos, sin), value)
        x = x + self.o(seen.transpose(1, 2).flatten(2))
        y: Tensor = x + self.fc2(functional.gelu(self.fc1(self.post_attention_layernorm(x))))
        return y


def _turned(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    even, odd = x[..., :_TURNED:2], x[..., 1:_TURNED:2]
    return torch.cat([torch.stack([even * cos - odd * sin, odd * cos + even * sin], -1).flatten(-2), x[..., _TURNED:]], -1)


class _Head(nn.Module):
    """Convolutions over the moments, then attention pooling with several queries, then one number."""

    def __init__(self, dropped: float) -> None:
        super().__init__()
        self.read = nn.Linear(_WIDTH, _READ)
        self.positions = nn.Parameter(torch.zeros(MOMENTS, _READ))
        self.mixed = nn.ModuleList(nn.Conv1d(_READ, _READ, 5, padding=2 * step, dilation=step) for step in (1, 2, 4))
        self.glances = nn.Linear(_READ, _GLANCES)
        self.left_out = nn.Dropout(dropped)
        self.judged = nn.Sequential(
            nn.LayerNorm(_READ * _GLANCES), nn.Linear(_READ * _GLANCES, _READ), nn.GELU(), nn.Dropout(dropped), nn.Linear(_READ, 1)
        )  # fmt: skip

    def forward(self, moments: Tensor) -> Tensor:
        x = (self.left_out(self.read(moments)) + self.positions).transpose(1, 2)
        for convolution in self.mixed:
            x = x + functional.gelu(convolution(x))
        x = x.transpose(1, 2)
        looks = torch.softmax(self.glances(x), dim=1).transpose(1, 2) @ x
        logits: Tensor = self.judged(self.left_out(looks.flatten(1)))[:, 0]
        return logits


def published(layers: int, dropped: float = 0.0) -> StopVerifierNetwork:
    """A network with the published encoder weights and an untrained head.

    Raises:
        ModelError: the package is not installed, or has other weights.
    """
    network = StopVerifierNetwork(layers, dropped)
    kept = network.encoder.state_dict()
    network.encoder.load_state_dict({name: torch.from_numpy(each) for name, each in _weights(packaged("encoder")).items() if name in kept})
    return network


def _weights(path: Path) -> dict[str, NDArray[np.float32]]:
    """The weights by their names in `SpeechEncoder`. The file has onnxruntime's own format, with matrices in 8 bits."""
    from onnxruntime.tools.ort_format_model.ort_flatbuffers_py.fbs import InferenceSession

    graph = InferenceSession.InferenceSession.GetRootAsInferenceSession(path.read_bytes(), 0).Model().Graph()
    kinds = {1: np.float32, 2: np.uint8, 3: np.int8, 7: np.int64}
    held = {}
    for each in map(graph.Initializers, range(graph.InitializersLength())):
        values = np.frombuffer(each.RawDataAsNumpy().tobytes(), kinds[each.DataType()])
        held[each.Name().decode()] = values.reshape([each.Dims(axis) for axis in range(each.DimsLength())])
    found: dict[str, NDArray[np.generic]] = {
        "groupnorm.weight": held["onnx::Mul_2080"].ravel(),
        "groupnorm.bias": held["onnx::Add_2081"].ravel(),
        "frequencies": held["onnx::Expand_202"].ravel(),
    }
    for name, values in held.items():
        if re.fullmatch(r"(conv\d|layers\.\d|layer_norm)\..*(weight|weight_add_tensor|bias)", name):
            found[name.removesuffix("_add_tensor").replace(".mlp.", ".")] = values
    for node in map(graph.Nodes, range(graph.NodesLength())):
        place = re.fullmatch(r"/layers\.(\d)/(?:self_attn|mlp)/(q|k|v|o|fc1|fc2)(?:_proj)?/MatMul_quant", node.Name().decode())
        if place:
            name = node.Inputs(1).decode().removesuffix("_quantized")
            whole = held[f"{name}_quantized"].astype(np.float32) - np.float32(held[f"{name}_zero_point"])
            found[f"layers.{place[1]}.{place[2]}.weight"] = (whole * held[f"{name}_scale"]).T
    return {name: np.array(values, np.float32) for name, values in found.items()}


def export(network: StopVerifierNetwork, fitted: Mapping[str, float | Sequence[float]], path: Path) -> None:
    """Write the network with 8-bit weights and the fitted numbers to that file; the same weights give the same bytes."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of tracing: the length is fixed on purpose; and that there is a newer exporter
        torch.onnx.export(
            network.eval(), (torch.zeros(1, SEEN),), str(path), dynamo=False, opset_version=OPSET,
            input_names=["sound"], output_names=["logit"],
        )  # fmt: skip
    finish(path, in_8_bits, METADATA, json.dumps(dict(fitted)))
