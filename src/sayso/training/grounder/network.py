"""The grounding network: a picture and phrases → where each phrase points, and whether its thing is there at all."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn.functional import interpolate, relu

from sayso.nn import CrossModalAttention, EncoderLayer, sinusoidal_positions, sinusoidal_positions_2d

PATCH = 4  # pixels; side of the square patches that the attention is over
STRIDE = 16  # pixels; a picture's sides must be multiples of it


@dataclass(frozen=True)
class NetworkSize:
    """The size of the network."""

    dim: int = 96  # of words and patches
    heads: int = 3  # of 32 dimensions each; with 16 they confuse colours
    hidden: int = 192  # of the feed-forward networks
    stem: tuple[int, int, int, int] = (16, 32, 64, 96)  # channels at strides 2, 4, 8, 16
    pyramid: int = 64  # channels on the way back up


class GroundingNetwork(nn.Module):
    """CrossModal(L, V) with L one vector a phrase and V one vector a patch of 4×4 pixels."""

    def __init__(self, words: int, size: NetworkSize | None = None) -> None:
        super().__init__()
        size = size or NetworkSize()
        self.dim = size.dim
        self.see = PatchFeatures(size)
        self.read = PhraseEncoder(words, size)
        self.cross = CrossModalAttention(size.dim, size.heads)
        # Compares the attended patches with the phrase: attention alone always finds a best match, even a poor one.
        self.verify = nn.Sequential(nn.Linear(3 * size.dim, size.hidden), nn.ReLU(), nn.Linear(size.hidden, 1))

    def forward(self, picture: Tensor, phrases: Tensor, places: Tensor | None = None) -> tuple[Tensor, Tensor]:
        """The attention of the phrases, and their logits of presence.

        Args:
            picture: (B, 3, H, W) in [0, 1]; H and W multiples of 16.
            phrases: (B, p, m) word numbers, 0 for none; every phrase has at least one.
            places: (B, H/4 · W/4, d) positions of the patches; default: those of a whole frame of this size.

        Returns:
            the attention of each head over the patches (B, h, p, H/4 · W/4), row by row, and the logit of presence (B, p).
        """
        features = self.see(picture)
        if places is None:
            places = self.positions(*features.shape[2:]).flatten(0, 1)
        return self.point(features.flatten(2).transpose(1, 2), phrases, places)

    def point(self, V: Tensor, phrases: Tensor, places: Tensor) -> tuple[Tensor, Tensor]:
        """`forward` from the features of the patches (B, n, d)."""
        L = self.read(phrases.flatten(0, 1)).unflatten(0, phrases.shape[:2])
        gathered, weights = self.cross(L, V, places)
        logits = self.verify(torch.cat((L, gathered, L * gathered), dim=-1)).squeeze(-1)
        return weights, logits

    def positions(self, rows: int, cols: int) -> Tensor:
        """(rows, cols, d) positions of a frame's patches (equation 2)."""
        return sinusoidal_positions_2d(torch.arange(rows, dtype=torch.float32), torch.arange(cols, dtype=torch.float32), self.dim)


class PhraseEncoder(nn.Module):
    """The words of a phrase → one vector."""

    def __init__(self, words: int, size: NetworkSize) -> None:
        super().__init__()
        self.embed = nn.Embedding(words, size.dim, padding_idx=0)
        self.layer = EncoderLayer(size.dim, size.heads, size.hidden)

    def forward(self, words: Tensor) -> Tensor:
        """(N, m) word numbers, 0 for none → (N, d), the mean over the words after self-attention."""
        keep = words != 0
        places = sinusoidal_positions(torch.arange(words.shape[1], dtype=torch.float32), self.embed.embedding_dim)
        x = self.layer(self.embed(words) + 0.1 * places, keep)
        mask = keep.unsqueeze(-1).to(x.dtype)
        return (x * mask).sum(dim=1) / mask.sum(dim=1)


class PatchFeatures(nn.Module):
    """A picture → one vector a patch: convolutions down to stride 16 for context, up again to stride 4 for sharpness (Lin et al. 2017)."""

    def __init__(self, size: NetworkSize) -> None:
        super().__init__()
        c2, c4, c8, c16 = size.stem
        self.to4 = nn.Sequential(_convolution(3, c2, stride=2), _convolution(c2, c4, stride=2), _convolution(c4, c4))
        self.to8 = nn.Sequential(_convolution(c4, c8, stride=2), _Residual(c8))
        self.to16 = nn.Sequential(_convolution(c8, c16, stride=2), _Residual(c16))
        self.from4, self.from8, self.from16 = (nn.Conv2d(channels, size.pyramid, 1) for channels in (c4, c8, c16))
        self.merge8 = _convolution(size.pyramid, size.pyramid)
        self.merge4 = _convolution(size.pyramid, size.pyramid, groups=size.pyramid)
        self.out = nn.Conv2d(size.pyramid, size.dim, 1)

    def forward(self, picture: Tensor) -> Tensor:
        """(B, 3, H, W) → (B, d, H/4, W/4)."""
        at4 = self.to4(2 * picture - 1)
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


def _convolution(channels: int, out: int, stride: int = 1, groups: int = 1) -> nn.Sequential:
    return nn.Sequential(nn.Conv2d(channels, out, 3, stride, 1, groups=groups, bias=False), nn.BatchNorm2d(out), nn.ReLU())
