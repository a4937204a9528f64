"""The network that spots "stop": causal convolutions over log-mel frames, and their state made explicit so that it streams."""

from __future__ import annotations

import json
import warnings
from collections.abc import Mapping
from pathlib import Path

import onnx
import torch
from onnx import helper
from torch import Tensor, nn

from sayso.speech.features import BANDS
from sayso.speech.stop_spotter import METADATA, STRIDE

OPSET = 17
_FIRST = 2 * STRIDE  # frames that the first convolution sees


class StopNetwork(nn.Module):
    """(B, T, BANDS) frames → (B, 2, T / STRIDE) logits of "it has just been said"; T is a multiple of STRIDE.

    The first is the decision to stop. The second, of use in training alone, is of the word, whatever is said around it: it tells the
    network from the beginning what to listen for.

    Temporal convolutions as of Bai, Kolter and Koltun (2018), separable ones as of Chollet (2017): each block is
    x + W₂ relu(norm(W₁ relu(norm(depthwise, dilated x)))).
    """

    def __init__(self, channels: int, kernel: int, dilations: tuple[int, ...]) -> None:
        super().__init__()
        self.first = nn.Conv1d(BANDS, channels, _FIRST, stride=STRIDE)
        self.blocks = nn.ModuleList(_Block(channels, kernel, dilation) for dilation in dilations)
        self.last = nn.Conv1d(channels, 2, 1)

    def blank(self, batch: int = 1) -> tuple[Tensor, Tensor]:
        """What it has heard before the sound began: nothing. (B, BANDS, _FIRST − STRIDE) and (B, channels, all the blocks' memory)."""
        memory = sum(block.memory for block in self.blocks)
        return torch.zeros(batch, BANDS, _FIRST - STRIDE), torch.zeros(batch, self.first.out_channels, memory)

    def forward(self, frames: Tensor, before: Tensor | None = None, memory: Tensor | None = None) -> tuple[Tensor, Tensor, Tensor]:
        """Logits, and what to hand in with the frames that come next."""
        if before is None or memory is None:
            before, memory = self.blank(len(frames))
        x = torch.cat([before, frames.transpose(1, 2)], dim=2)
        before = x[:, :, -(_FIRST - STRIDE) :]
        x = self.first(x)
        kept, at = [], 0
        for block in self.blocks:
            x, remembered = block(x, memory[:, :, at : at + block.memory])
            kept.append(remembered)
            at += block.memory
        return self.last(torch.relu(x)), before, torch.cat(kept, dim=2)


class _Block(nn.Module):
    def __init__(self, channels: int, kernel: int, dilation: int) -> None:
        super().__init__()
        self.memory = (kernel - 1) * dilation
        self.over_time = nn.Conv1d(channels, channels, kernel, dilation=dilation, groups=channels, bias=False)
        self.rest = nn.Sequential(
            nn.BatchNorm1d(channels), nn.ReLU(), nn.Conv1d(channels, channels, 1, bias=False), nn.BatchNorm1d(channels), nn.ReLU(),
            nn.Conv1d(channels, channels, 1),
        )  # fmt: skip

    def forward(self, x: Tensor, memory: Tensor) -> tuple[Tensor, Tensor]:
        heard = torch.cat([memory, x], dim=2)
        return x + self.rest(self.over_time(heard)), heard[:, :, -self.memory :]


class _Deployed(nn.Module):
    def __init__(self, network: StopNetwork) -> None:
        super().__init__()
        self.network = network

    def forward(self, frames: Tensor, before: Tensor, memory: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        logits, before, memory = self.network(frames, before, memory)
        return torch.sigmoid(logits[:, 0]), before, memory


def export(network: StopNetwork, fitted: Mapping[str, float], path: Path) -> None:
    """Write the network and the numbers fitted after it to that file; the same weights give the same bytes."""
    before, memory = network.eval().blank()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of tracing, and that there is a newer exporter
        torch.onnx.export(
            _Deployed(network).eval(), (torch.zeros(1, 5 * STRIDE, BANDS), before, memory), str(path), dynamo=False, opset_version=OPSET,
            input_names=["frames", "before", "memory"], output_names=["p_stop", "before_next", "memory_next"],
            dynamic_axes={"frames": {1: "frames"}, "p_stop": {1: "decisions"}},
        )  # fmt: skip
    model = onnx.load(str(path))
    helper.set_model_props(model, {METADATA: json.dumps({**fitted, "stride": STRIDE})})
    onnx.checker.check_model(model)
    onnx.save(model, str(path))
