"""Export of the trained network to one ONNX file with weights, words and calibration."""

from __future__ import annotations

import warnings
from pathlib import Path

import torch
from torch import Tensor, nn

from sayso.grounding.grounder import METADATA, PresenceCalibration
from sayso.grounding.phrase import LENGTH
from sayso.training.grounder.network import PATCH, GroundingNetwork
from sayso.training.onnx_storage import finish, in_16_bits

HEIGHT, WIDTH = 240, 320
OPSET = 17


class _DeployedGrounder(nn.Module):
    """A picture in bytes and one phrase → the heads' mean attention, each head's attention, and the logit of presence."""

    def __init__(self, network: GroundingNetwork) -> None:
        super().__init__()
        self.network = network

    def forward(self, picture: Tensor, words: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        weights, logits = self.network(picture.permute(0, 3, 1, 2).float() / 255.0, words.unsqueeze(1))
        heads = weights[:, :, 0].unflatten(-1, (HEIGHT // PATCH, WIDTH // PATCH))
        return heads.mean(dim=1), heads, logits[:, 0]


def export(network: GroundingNetwork, calibration: PresenceCalibration, path: Path) -> None:
    """Write the network to that file, its weights in half precision; the same weights give the same bytes."""
    example = (torch.zeros(1, HEIGHT, WIDTH, 3, dtype=torch.uint8), torch.ones(1, LENGTH, dtype=torch.int64))
    deployed = _DeployedGrounder(network).eval()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of tracing: every shape is fixed on purpose; and that there is a newer exporter
        torch.onnx.export(
            deployed, example, str(path), dynamo=False, opset_version=OPSET,
            input_names=["picture", "words"], output_names=["attention", "heads", "logit"],
        )  # fmt: skip
    finish(path, in_16_bits, METADATA, calibration.to_json())
