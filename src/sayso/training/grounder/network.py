"""The grounding network: the units of phrases attend to the patches of a picture, and judge regions of it.

A unit is a colour or a noun ("red", "water bottle"), read by itself, so that a colour and a noun that were never seen together still fit
together: a thing is a red cup as far as it is red and a cup.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn.functional import avg_pool2d, interpolate, relu

from sayso.grounding.words import COLOR

PATCH = 4  # pixels; side of the square patches that the attention is over
STRIDE = 16  # pixels; a picture's sides must be multiples of it
WORD = 384  # dimensions of the sentence encoder's word vectors; COLOR numbers follow them
NEAR, RELIEF = 0.004, 0.05  # m a pixel, and m of relief, that count as 1 in the channels of the depth
AROUND = 15  # pixels; side of the window that relief is measured against


@dataclass(frozen=True)
class NetworkSize:
    """The size of the network."""

    dim: int = 96  # of units and patches
    heads: int = 3  # of 32 dimensions each
    hidden: int = 192  # of the verification
    stem: tuple[int, int, int, int] = (24, 48, 96, 144)  # channels at strides 2, 4, 8, 16
    pyramid: int = 80  # channels on the way back up


class GroundingNetwork(nn.Module):
    """Equation 5, CrossModal(L, V), with L the units of phrases and V the patches of 4×4 pixels, and a null slot for "not here"."""

    def __init__(self, size: NetworkSize | None = None) -> None:
        super().__init__()
        self.size = size = size or NetworkSize()
        self.see = PatchFeatures(size)
        self.read = nn.Sequential(nn.LayerNorm(WORD), nn.Linear(WORD, size.dim), nn.GELU(), nn.Linear(size.dim, size.dim))
        self.paint = nn.Sequential(nn.Linear(COLOR, size.dim), nn.GELU(), nn.Linear(size.dim, size.dim))
        self.W_Q, self.W_K, self.W_V, self.W_O = (nn.Linear(size.dim, size.dim) for _ in range(4))
        self.null = nn.Parameter(torch.zeros(size.heads, size.dim // size.heads))  # the key of "not here"
        self.middle = nn.Linear(size.dim, 2)  # patches from each patch to the middle of its thing, which tells neighbours apart
        self.verify = nn.Sequential(nn.Linear(3 * size.dim, size.hidden), nn.ReLU(), nn.Linear(size.hidden, 1))

    def patches(self, picture: Tensor, depth: Tensor, focal: Tensor) -> Tensor:
        """The features V of the patches (B, n, d), row by row.

        Args:
            picture: (B, 3, H, W) in [0, 1]; H and W multiples of 16.
            depth: (B, H, W) m; 0 where unknown.
            focal: (B,) focal length, pixels.
        """
        V: Tensor = self.see(torch.cat((2 * picture - 1, depth_channels(depth, focal)), dim=1))
        return V.flatten(2).transpose(1, 2)

    def seen(self, picture: Tensor, depth: Tensor, focal: Tensor) -> tuple[Tensor, Tensor]:
        """V and the middles of one picture, the mean of what is seen in it and in its mirror image: (1, …) → (1, n, d), (1, n, 2)."""
        rows, cols = (side // PATCH for side in depth.shape[1:])
        both, deep = (torch.cat((part, part.flip(-1))) for part in (picture, depth))
        V = self.patches(both, deep, focal.expand(2))
        straight, mirrored = V.unflatten(1, (rows, cols)), self.middle(V).unflatten(1, (rows, cols))
        right = torch.tensor([1.0, -1.0])  # what is on the right is on the left in the mirror
        middles = mirrored[:1] + right * mirrored[1:].flip(2)
        return 0.5 * (straight[:1] + straight[1:].flip(2)).flatten(1, 2), 0.5 * middles.flatten(1, 2)

    def units(self, words: Tensor, keep: Tensor) -> Tensor:
        """(U, T, 388) word vectors and colours, (U, T) 1 or 0 → L (U, d), the mean over the words of each unit."""
        mask, colors = keep.unsqueeze(-1), words[..., WORD:]
        each = torch.where(colors[..., :1] > 0.5, self.paint(colors), self.read(words[..., :WORD]))
        read: Tensor = (each * mask).sum(dim=1) / mask.sum(dim=1)
        return read

    def scores(self, L: Tensor, V: Tensor) -> Tensor:
        """Q Kᵀ / √d_k of each head, less the score of the null slot: (…, U, d) and (B, n, d) → (B, h, U, n)."""
        return self.scores_of_keys(L, self.W_K(V))

    def scores_of_keys(self, L: Tensor, keys: Tensor) -> Tensor:
        """The same, given the keys V W_K of the patches."""
        Q, K = self._split(self.W_Q(L)), self._split(keys)  # (…, h, U, k), (B, h, n, k)
        scale = K.shape[-1] ** -0.5
        here: Tensor = Q @ K.transpose(-2, -1) * scale
        nowhere = (Q * self.null.unsqueeze(-2)).sum(dim=-1, keepdim=True) * scale
        return here - nowhere

    def judge(self, L: Tensor, V: Tensor, scores: Tensor, regions: Tensor) -> Tensor:
        """The logit that each region shows what its unit means: (B, P, d), (B, n, d), (B, h, P, n), (B, P, n) 1 or 0 → (B, P).

        Attention within the region gathers its patches; the verification compares them with the unit.
        """
        return self.judge_values(L, self.W_V(V), scores, regions)

    def judge_values(self, L: Tensor, values: Tensor, scores: Tensor, regions: Tensor) -> Tensor:
        """The same, given the values V W_V of the patches."""
        outside = (regions < 0.5).unsqueeze(1)
        weights = scores.masked_fill(outside, float("-inf")).softmax(dim=-1)
        gathered = (weights @ self._split(values)).transpose(1, 2).flatten(2)
        g = self.W_O(gathered)
        logits: Tensor = self.verify(torch.cat((L, g, L * g), dim=-1)).squeeze(-1)
        return logits

    def _split(self, x: Tensor) -> Tensor:
        """(…, n, d) → (…, h, n, d/h)."""
        return x.unflatten(-1, (self.size.heads, -1)).transpose(-3, -2)


def attention_and_null(scores: Tensor) -> tuple[Tensor, Tensor]:
    """Softmax over the patches and the null slot, whose score is 0: (…, n) → (…, n) and the weight of the null slot (…)."""
    with_null = torch.cat((scores, torch.zeros_like(scores[..., :1])), dim=-1).softmax(dim=-1)
    return with_null[..., :-1], with_null[..., -1]


def depth_channels(depth: Tensor, focal: Tensor) -> Tensor:
    """(B, H, W) m, 0 where unknown, and (B,) pixels → (B, 3, H, W): known or not, size of a pixel there, height above the surroundings."""
    known = (depth > 0).to(depth.dtype)
    scale = torch.log(depth.clamp(min=0.05) / focal[:, None, None] / NEAR) * known
    around, share = _around(depth * known), _around(known)
    relief = (around / share.clamp(min=1e-3) - depth) / RELIEF
    return torch.stack((known, scale, relief.clamp(-2.0, 2.0) * known), dim=1)


def _around(x: Tensor) -> Tensor:
    """(B, H, W) → the mean over the window around each pixel, one axis after the other, which is a fifth of the work."""
    window = AROUND // 2
    along = avg_pool2d(x.unsqueeze(1), (1, AROUND), stride=1, padding=(0, window), count_include_pad=False)
    return avg_pool2d(along, (AROUND, 1), stride=1, padding=(window, 0), count_include_pad=False).squeeze(1)


class PatchFeatures(nn.Module):
    """A picture → one vector a patch: convolutions down to stride 16 for context, up again to stride 4 for sharpness (Lin et al. 2017)."""

    def __init__(self, size: NetworkSize) -> None:
        super().__init__()
        c2, c4, c8, c16 = size.stem
        self.to4 = nn.Sequential(_convolution(6, c2, stride=2), _convolution(c2, c4, stride=2), _convolution(c4, c4))
        self.to8 = nn.Sequential(_convolution(c4, c8, stride=2), _Residual(c8))
        self.to16 = nn.Sequential(_convolution(c8, c16, stride=2), _Residual(c16), _Residual(c16))
        self.from4, self.from8, self.from16 = (nn.Conv2d(channels, size.pyramid, 1) for channels in (c4, c8, c16))
        self.merge8 = _convolution(size.pyramid, size.pyramid)
        self.merge4 = _convolution(size.pyramid, size.pyramid)
        self.out = nn.Conv2d(size.pyramid, size.dim, 1)

    def forward(self, picture: Tensor) -> Tensor:
        """(B, 6, H, W) → (B, d, H/4, W/4)."""
        at4 = self.to4(picture)
        at8 = self.to8(at4)
        at16 = self.to16(at8)
        at8 = self.merge8(self.from8(at8) + interpolate(self.from16(at16), scale_factor=2.0, mode="nearest"))
        at4 = self.merge4(self.from4(at4) + interpolate(at8, scale_factor=2.0, mode="nearest"))
        features: Tensor = self.out(at4)
        return features


class _Residual(nn.Module):
    """Equation 21: x + F(x)."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.first = _convolution(channels, channels)
        self.second = nn.Sequential(nn.Conv2d(channels, channels, 3, padding=1, bias=False), nn.BatchNorm2d(channels))

    def forward(self, x: Tensor) -> Tensor:
        return relu(x + self.second(self.first(x)))


def _convolution(channels: int, out: int, stride: int = 1) -> nn.Sequential:
    return nn.Sequential(nn.Conv2d(channels, out, 3, stride, 1, bias=False), nn.BatchNorm2d(out), nn.ReLU())
