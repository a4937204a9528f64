"""−ln P(structure | words) of sentences in a batch: the sums of sayso.intent.parser.chart, in torch, with gradients."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor
from torch.nn.functional import softplus

from sayso.intent.parser.chart import Structure, parent_group
from sayso.intent.parser.labels import LabelSet

_LEAST = 1e-30  # of a sum of exponentials


def surprise(scores: Tensor, within: Tensor, labels: LabelSet, words: Sequence[int], structures: Sequence[Structure]) -> Tensor:
    """(B,) ln Z − s(y) in nats.

    Args:
        scores: (B, S, L) of all spans of the longest sentence, in the order of `spans_of`.
        within: (G, singles) scores of single labels in each group.
        labels: the names of the L labels.
        words: of each sentence.
        structures: what is right.
    """
    sums = log_sums(scores, within, labels)
    total = torch.stack([sums[count][row, 0] for row, count in enumerate(words)])
    return total - _scores(scores, within, labels, max(words), structures)


def log_sums(scores: Tensor, within: Tensor, labels: LabelSet) -> list[Tensor]:
    """For each width from 0: (B, starts) ln of the sum over all structures of those words, outside of all spans."""
    transitions = within[:, torch.from_numpy(labels.outer)]  # (G, L)
    owned = [torch.from_numpy((labels.inner_group == group).nonzero()[0]) for group in range(len(labels.groups))]
    inner = [group for group, own in enumerate(owned) if len(own)]
    grouped = torch.stack([_mixed(scores[..., owned[group]], transitions[:, owned[group]]) for group in inner], -1).transpose(1, 2)
    count = int((2 * scores.shape[1]) ** 0.5)
    sequences, items = [scores.new_zeros(0)], [scores.new_zeros(0)]
    at = 0
    for width in range(1, count + 1):
        starts = count - width + 1
        own = grouped[:, :, at : at + starts]  # (B, G, starts, G')
        at += starts
        if width == 1:
            one = softplus(torch.logsumexp(own, -1))
            sequences.append(one)
            items.append(one)
            continue
        split = torch.stack(
            [sequences[left][:, :, :starts] + items[width - left][:, :, left : left + starts] for left in range(1, width)], -1
        )
        held = torch.logsumexp(split, -1)
        labelled = torch.logsumexp(own + held[:, inner].transpose(1, 2).unsqueeze(1), -1)
        items.append(labelled)
        sequences.append(torch.logaddexp(held, labelled))
    return [each[:, 0] if each.dim() == 3 else each for each in sequences]


def _mixed(scores: Tensor, transitions: Tensor) -> Tensor:
    """(B, S, G) ln Σ_l exp(scores_l + transitions_gl), as one matrix product."""
    high, most = scores.max(-1, keepdim=True).values.detach(), transitions.max().detach()
    product = torch.exp(scores - high) @ torch.exp(transitions - most).t()
    return high + most + torch.log(product.clamp(min=_LEAST))


def _scores(scores: Tensor, within: Tensor, labels: LabelSet, longest: int, structures: Sequence[Structure]) -> Tensor:
    """(B,) s(y)."""
    offset = [0]
    for width in range(1, longest + 1):
        offset.append(offset[-1] + longest - width + 1)
    rows, spans, names, groups = [], [], [], []
    for row, structure in enumerate(structures):
        for (first, last), chain in structure.items():
            rows.append(row)
            spans.append(offset[last - first] + first)
            names.append(labels.index[chain])
            groups.append(parent_group(structure, first, last, labels))
    if not rows:
        return scores.new_zeros(len(structures))
    outer = torch.from_numpy(labels.outer)[torch.tensor(names)]
    found = scores[torch.tensor(rows), torch.tensor(spans), torch.tensor(names)] + within[torch.tensor(groups), outer]
    return scores.new_zeros(len(structures)).index_add(0, torch.tensor(rows), found)
