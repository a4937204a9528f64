"""Export of the trained network to two ONNX files: the pictures' part, and the phrases' part with the calibration."""

from __future__ import annotations

import warnings
from pathlib import Path

import torch
from torch import Tensor, nn

from sayso.grounding.calibration import CandidateCalibration
from sayso.grounding.grounder import METADATA, MODEL, UNITS
from sayso.grounding.words import COLOR, WORDS
from sayso.training.grounder.network import WORD, GroundingNetwork
from sayso.training.onnx_storage import Axes, finish, in_16_bits

OPSET = 17


class _Patches(nn.Module):
    """A picture in bytes, its depth and focal length → keys and values of its patches, side by side, and where middles of things are."""

    def __init__(self, network: GroundingNetwork) -> None:
        super().__init__()
        self.network = network

    def forward(self, picture: Tensor, depth: Tensor, focal: Tensor) -> tuple[Tensor, Tensor]:
        features, middles = self.network.seen(picture.permute(0, 3, 1, 2).float() / 255.0, depth, focal)
        return torch.cat((self.network.W_K(features), self.network.W_V(features)), dim=-1), middles


class _Units(nn.Module):
    """Keys and values of patches, units, and pairs of a region and a unit → the heads' scores, and the verdicts on the pairs."""

    def __init__(self, network: GroundingNetwork) -> None:
        super().__init__()
        self.network = network

    def forward(self, features: Tensor, words: Tensor, keep: Tensor, regions: Tensor, of: Tensor) -> tuple[Tensor, Tensor]:
        keys, values = features.unsqueeze(0).chunk(2, dim=-1)
        L = self.network.units(words, keep)
        scores = self.network.scores_of_keys(L, keys)  # (1, h, U, n)
        verdicts = self.network.judge_values(L[of].unsqueeze(0), values, scores[:, :, of], regions.unsqueeze(0))
        return scores[0], verdicts[0]


def export(network: GroundingNetwork, calibration: CandidateCalibration, folder: Path) -> None:
    """Write the network's files to that folder, weights in half precision; the same weights give the same bytes."""
    n, d = 60 * 80, network.size.dim
    picture = (torch.zeros(1, 240, 320, 3, dtype=torch.uint8), torch.ones(1, 240, 320), torch.full((1,), 277.0))
    units = (torch.zeros(n, 2 * d), torch.ones(2, WORDS, WORD + COLOR), torch.ones(2, WORDS), torch.ones(3, n), torch.tensor([0, 1, 0]))
    sides, patch = {1: "height", 2: "width"}, {1: "patches"}
    axes = {"picture": sides, "depth": sides, "features": patch, "middles": patch}
    _write(_Patches(network), picture, (["picture", "depth", "focal"], ["features", "middles"]), axes, folder / MODEL, "{}")
    axes = {
        "features": {0: "patches"}, "words": {0: "units"}, "keep": {0: "units"}, "regions": {0: "pairs", 1: "patches"}, "of": {0: "pairs"},
        "scores": {1: "units", 2: "patches"}, "verdicts": {0: "pairs"},
    }  # fmt: skip
    names = ["features", "words", "keep", "regions", "of"], ["scores", "verdicts"]
    _write(_Units(network), units, names, axes, folder / UNITS, calibration.to_json())


def _write(part: nn.Module, example: tuple[Tensor, ...], names: tuple[list[str], list[str]], axes: Axes, path: Path, fitted: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of tracing, and that there is a newer exporter
        torch.onnx.export(
            part.eval(), example, str(path), dynamo=False, opset_version=OPSET,
            input_names=names[0], output_names=names[1], dynamic_axes=axes,
        )  # fmt: skip
    finish(path, in_16_bits, METADATA, fitted)
