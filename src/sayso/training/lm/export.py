"""Export of the command language model to one ONNX file: network, vocabulary and fitted numbers."""

from __future__ import annotations

import json
import warnings
from pathlib import Path

import torch
from torch import Tensor, nn

from sayso.intent.command_lm import END, METADATA, START, Tree
from sayso.training.lm.network import CommandNetwork
from sayso.training.onnx_storage import finish, in_16_bits

OPSET = 17


class _DeployedLanguageModel(nn.Module):
    """A tree of texts in the form of `command_lm.Tree` → (P,) ln P of each step, and (V,) ln P of every piece after the last node."""

    def __init__(self, network: CommandNetwork) -> None:
        super().__init__()
        self.network = network

    def forward(self, ids: Tensor, depths: Tensor, see: Tensor, parents: Tensor, targets: Tensor) -> tuple[Tensor, Tensor]:
        logits = self.network.logits(self.network.hidden(ids[None], depths[None], see[None]))[0]
        # ln Σ exp written out, which avoids storing the softmax over all V pieces.
        largest = logits.max(dim=-1, keepdim=True).values
        log_sum = (logits - largest).exp().sum(dim=-1, keepdim=True).log() + largest
        return logits[parents, targets] - log_sum[parents, 0], logits[-1] - log_sum[-1]


def export(network: CommandNetwork, vocabulary: tuple[str, ...], weight: float, per_word: float, path: Path) -> None:
    """Write the network to that file, its weights in half precision; the same weights give the same bytes."""
    example = Tree([[START, END, START], [START, END, END]])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of tracing, and that there is a newer exporter
        torch.onnx.export(
            _DeployedLanguageModel(network).eval(), tuple(map(torch.from_numpy, example.inputs.values())), str(path),
            dynamo=False, opset_version=OPSET,
            do_constant_folding=False,  # folding would store the embeddings twice, plain and transposed
            input_names=list(example.inputs), output_names=["log_p", "last"],
            dynamic_axes={"ids": {0: "nodes"}, "depths": {0: "nodes"}, "see": {0: "nodes", 1: "nodes"},
                          "parents": {0: "steps"}, "targets": {0: "steps"}, "log_p": {0: "steps"}},
        )  # fmt: skip
    finish(path, in_16_bits, METADATA, json.dumps({"vocabulary": list(vocabulary), "weight": weight, "per_word": per_word}))
