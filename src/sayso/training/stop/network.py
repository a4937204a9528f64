"""The network of the stop spotter: causal convolutions over log-mel frames, with explicit state for streaming."""

from __future__ import annotations

import json
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path

import torch
from torch import Tensor, nn

from sayso.speech.stopping.features import BANDS
from sayso.speech.stopping.spotter import METADATA, STRIDE
from sayso.training.onnx_storage import finish, in_8_bits

OPSET = 17
_KERNELS = 5, 3  # of the convolutions over frames and bands; both have stride 2, which gives STRIDE frames a decision
_SEEN = _KERNELS[0] + 2 * (_KERNELS[1] - 1)  # frames in the input of one decision


class StopNetwork(nn.Module):
    """(B, T, BANDS) frames → (B, 2, T / STRIDE) logits of "it has just been said"; T is a multiple of STRIDE.

    The first is the decision to stop. The second, used in training only, detects the word in any context: it guides the network from the
    beginning.

    Convolutions over frames and bands come first, because the difference between "stop" and "top" lasts some 10 ms at a pitch that depends
    on the voice. Temporal ones follow (Bai, Kolter and Koltun 2018), separable (Chollet 2017): each block is x + W₂ relu(norm(W₁
    relu(norm(depthwise, dilated x)))). Time comes before the channels: on a CPU that trains a third faster.
    """

    def __init__(self, front: tuple[int, int], channels: int, kernel: int, dilations: tuple[int, ...], dropped: float = 0.0) -> None:
        """`front`: channels of the two convolutions over frames and bands; `dropped`: dropout in each block."""
        super().__init__()
        self.front = nn.Sequential(
            nn.Conv2d(1, front[0], _KERNELS[0], stride=2), nn.BatchNorm2d(front[0]), nn.ReLU(),
            nn.Conv2d(*front, _KERNELS[1], stride=2), nn.BatchNorm2d(front[1]), nn.ReLU(),
        )  # fmt: skip
        bands = ((BANDS - _KERNELS[0]) // 2 + 1 - _KERNELS[1]) // 2 + 1
        self.first = nn.Linear(front[1] * bands, channels)
        self.blocks = nn.ModuleList(_Block(channels, kernel, dilation, dropped) for dilation in dilations)
        self.last = nn.Linear(channels, 2)

    def blank(self, batch: int = 1) -> tuple[Tensor, Tensor]:
        """The state before any sound: (B, _SEEN − STRIDE, BANDS) and (B, all the blocks' memory, channels)."""
        memory = sum(block.memory for block in self.blocks)
        return torch.zeros(batch, _SEEN - STRIDE, BANDS), torch.zeros(batch, memory, self.first.out_features)

    def forward(self, frames: Tensor, before: Tensor | None = None, memory: Tensor | None = None) -> tuple[Tensor, Tensor, Tensor]:
        """Logits, and the state to pass in with the next frames."""
        if before is None or memory is None:
            before, memory = self.blank(len(frames))
        heard = torch.cat([before, frames], dim=1)
        before = heard[:, -(_SEEN - STRIDE) :]
        x = self.first(self.front(heard[:, None]).transpose(1, 2).flatten(2))
        kept, at = [], 0
        for block in self.blocks:
            x, remembered = block(x, memory[:, at : at + block.memory])
            kept.append(remembered)
            at += block.memory
        return self.last(torch.relu(x)).transpose(1, 2), before, torch.cat(kept, dim=1)


class _Block(nn.Module):
    def __init__(self, channels: int, kernel: int, dilation: int, dropped: float) -> None:
        super().__init__()
        self.memory = (kernel - 1) * dilation
        self.dilation = dilation
        self.over_time = nn.Parameter(torch.empty(kernel, channels).uniform_(-(kernel**-0.5), kernel**-0.5))
        self.left_out = nn.Dropout1d(dropped)
        self.within = nn.Sequential(
            nn.BatchNorm1d(channels), nn.ReLU(), nn.Linear(channels, channels, bias=False), nn.BatchNorm1d(channels), nn.ReLU()
        )  # fmt: skip
        self.back = nn.Linear(channels, channels)

    def forward(self, x: Tensor, memory: Tensor) -> tuple[Tensor, Tensor]:
        heard = torch.cat([memory, x], dim=1)
        length = heard.shape[1] - self.memory
        mixed = self.over_time[0] * heard[:, :length]
        for at, tap in enumerate(self.over_time[1:], 1):
            mixed = torch.addcmul(mixed, tap, heard[:, at * self.dilation :][:, :length])
        inner = self.within(mixed.flatten(0, 1)).view_as(x)
        if self.training:  # the same mask at every moment of a clip (Gal and Ghahramani 2016)
            inner = inner * self.left_out(torch.ones_like(inner[:, 0])[..., None])[:, None, :, 0]
        return x + self.back(inner), heard[:, -self.memory :]


class _DeployedSpotter(nn.Module):
    """The mean of networks with different initial weights; averaging them reduces errors (Lakshminarayanan et al. 2017)."""

    def __init__(self, networks: Sequence[StopNetwork]) -> None:
        super().__init__()
        self.networks = nn.ModuleList(networks)

    def blank(self) -> tuple[Tensor, Tensor]:
        """The state of one network, with the memories of all concatenated."""
        before, memory = self.networks[0].blank()
        return before, memory.repeat(1, len(self.networks), 1)

    def forward(self, frames: Tensor, before: Tensor, memory: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        own = memory.chunk(len(self.networks), dim=1)
        said = [network(frames, before, remembered) for network, remembered in zip(self.networks, own, strict=True)]
        p_stop = torch.stack([torch.sigmoid(logits[:, 0]) for logits, _, _ in said]).mean(0)
        return p_stop, said[0][1], torch.cat([remembered for *_, remembered in said], dim=1)


def export(networks: Sequence[StopNetwork], fitted: Mapping[str, float], path: Path) -> None:
    """Write the averaged networks and the fitted numbers to that file; the same weights give the same bytes.

    The weights are stored in 8 bits, which changes P(stop) by at most .007.
    """
    deployed = _DeployedSpotter(networks).eval()
    before, memory = deployed.blank()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of tracing, and that there is a newer exporter
        torch.onnx.export(
            deployed, (torch.zeros(1, 5 * STRIDE, BANDS), before, memory), str(path), dynamo=False, opset_version=OPSET,
            input_names=["frames", "before", "memory"], output_names=["p_stop", "before_next", "memory_next"],
            dynamic_axes={"frames": {1: "frames"}, "p_stop": {1: "decisions"}},
        )  # fmt: skip
    finish(path, in_8_bits, METADATA, json.dumps({**fitted, "stride": STRIDE}))
