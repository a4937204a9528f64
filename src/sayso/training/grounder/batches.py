"""Training batches from rendered pictures: windows, phrases for present and absent things, and targets of the attention."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn.functional import avg_pool2d

from sayso.grounding.phrase import LENGTH, NO_WORD, UNKNOWN
from sayso.training.grounder.config import GrounderConfig
from sayso.training.grounder.network import PATCH
from sayso.training.grounder.phrases import PhraseBook, PhraseSampler
from sayso.training.grounder.pictures import Pictures

WINDOW = (96, 128)  # pixels, rows and columns
SHOWN = 0.3  # share of a thing's pixels that must be in the window for it to count as present


@dataclass(frozen=True)
class Batch:
    """One step's examples: B pictures, p phrases each."""

    pictures: Tensor  # (B, 3, h, w) in [0, 1]
    words: Tensor  # (B, p, LENGTH)
    corners: list[tuple[int, int]]  # row and column, in patches, of each window in its frame
    targets: Tensor  # (B, p, n) where to look; sums to 1 for a present thing, else 0
    present: Tensor  # (B, p) 1.0 or 0.0
    kinds: Tensor  # (B, n) the object in the middle of each patch, counted from 1; 0 for none
    colors: Tensor  # (B, n) its colour as an index into PhraseBook.colors; −1 for none


class Batches:
    """Draws batches; the same generator state gives the same batch."""

    def __init__(self, pictures: Pictures, book: PhraseBook, config: GrounderConfig) -> None:
        self.pictures = pictures
        self.book = book
        self.config = config
        self.sampler = PhraseSampler(book)

    def draw(self, rng: np.random.Generator) -> Batch:
        """B random windows; a few steps see whole pictures instead, a sixth as many for the same cost."""
        whole = rng.random() < self.config.whole
        height, width = self.pictures.rgb.shape[1:3] if whole else WINDOW
        count = max(self.config.batch // 6, 1) if whole else self.config.batch
        rgb = np.empty((count, height, width, 3), np.uint8)
        owner = np.empty((count, height, width), np.uint8)
        corners = []
        wanted = np.zeros((count, self.config.phrases, len(self.book.object_ids) + 1), np.bool_)
        words = np.empty((count, self.config.phrases, LENGTH), np.int64)
        numbers = rng.integers(len(self.pictures), size=count)
        for index, number in enumerate(numbers):
            row, col = self._corner(int(number), height, width, rng)
            window = (slice(row * PATCH, row * PATCH + height), slice(col * PATCH, col * PATCH + width))
            rgb[index] = self.pictures.rgb[number][window]
            owner[index] = self.pictures.owner[number][window]
            corners.append((row, col))
            words[index], wanted[index] = self._phrases(owner[index], int(number), rng)
        targets, present = _targets(owner, wanted)
        kinds = owner[:, PATCH // 2 :: PATCH, PATCH // 2 :: PATCH].reshape(count, -1).astype(np.int64)
        of_owner = np.pad(self.pictures.colors[numbers].astype(np.int64), ((0, 0), (1, 0)), constant_values=-1)
        colors = np.take_along_axis(of_owner, kinds, axis=1)
        return Batch(
            _varied(rgb, rng), torch.from_numpy(words), corners, targets, present, torch.from_numpy(kinds), torch.from_numpy(colors)
        )

    def _corner(self, number: int, height: int, width: int, rng: np.random.Generator) -> tuple[int, int]:
        """The corner of a window that contains a random thing of the picture, mostly; else of a random window."""
        full_height, full_width = self.pictures.rgb.shape[1:3]
        last_row, last_col = (full_height - height) // PATCH, (full_width - width) // PATCH
        seen = np.flatnonzero(self.pictures.pixels[number])
        if not len(seen) or rng.random() < 0.15:
            return int(rng.integers(last_row + 1)), int(rng.integers(last_col + 1))
        v, u = self.pictures.middles[number, seen[rng.integers(len(seen))]]
        row = (v - rng.uniform(0.1, 0.9) * height) // PATCH
        col = (u - rng.uniform(0.1, 0.9) * width) // PATCH
        return int(np.clip(row, 0, last_row)), int(np.clip(col, 0, last_col))

    def _phrases(self, owner: NDArray[np.uint8], number: int, rng: np.random.Generator) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """(p, LENGTH) words, and (p, 1 + objects) the pixel owners that each phrase means."""
        looks = self.book.look_numbers(self.pictures.colors[number])
        pixels = np.bincount(owner.ravel(), minlength=len(looks) + 1)[1:]
        enough = np.maximum(self.config.visible, SHOWN * self.pictures.pixels[number])
        clear, seen = np.flatnonzero(pixels >= enough), np.flatnonzero(pixels)
        seen_looks = [looks[thing] for thing in seen]
        words = np.empty((self.config.phrases, LENGTH), np.int64)
        wanted = np.zeros((self.config.phrases, len(looks) + 1), np.bool_)
        for index in range(self.config.phrases):
            if len(clear) and index < self.config.phrases // 2:
                phrase = self.sampler.present(looks[clear[rng.integers(len(clear))]], rng)
                wanted[index, 1 + seen[self.book.fits[seen_looks, phrase]]] = True
            else:
                phrase = self.sampler.absent(seen_looks, rng)
            words[index] = _perhaps_with_unknown_word(self.book.codes[phrase], rng)
        return words, wanted


def _perhaps_with_unknown_word(words: NDArray[np.int64], rng: np.random.Generator) -> NDArray[np.int64]:
    """Put an unknown word before one phrase in twenty ("grandma's red cup"), which keeps its meaning."""
    if rng.random() < 0.95 or words[-1] != NO_WORD:
        return words
    return np.concatenate(([UNKNOWN], words[:-1]))


def _targets(owner: NDArray[np.uint8], wanted: NDArray[np.bool_]) -> tuple[Tensor, Tensor]:
    """The target attention: on the patches that the thing covers, most in its middle, where an error of a pixel does no harm."""
    count, phrases, _ = wanted.shape
    masks = np.stack([of_owner[:, pixels] for of_owner, pixels in zip(wanted, owner, strict=True)])
    coverage = avg_pool2d(torch.from_numpy(masks).float(), PATCH)
    inner = coverage * avg_pool2d(coverage, 3, stride=1, padding=1)
    targets = inner.reshape(count, phrases, -1)
    total = targets.sum(dim=-1, keepdim=True)
    return targets / total.clamp(min=1e-9), torch.from_numpy(wanted.any(axis=-1)).float()


def _varied(rgb: NDArray[np.uint8], rng: np.random.Generator) -> Tensor:
    """(B, h, w, 3) bytes → (B, 3, h, w) in [0, 1], with random light and camera noise; hues are kept."""
    count = len(rgb)
    pictures = torch.from_numpy(rgb).permute(0, 3, 1, 2).float() / 255.0
    shape = (count, 1, 1, 1)
    gain = torch.from_numpy(rng.uniform(0.75, 1.2, shape)).float()
    lift = torch.from_numpy(rng.uniform(-0.06, 0.06, shape)).float()
    tint = torch.from_numpy(rng.uniform(0.95, 1.05, (count, 3, 1, 1))).float()
    noise = torch.from_numpy(rng.uniform(0.0, 0.03, shape)).float() * torch.randn(pictures.shape)
    return (pictures * gain * tint + lift + noise).clamp(0.0, 1.0).contiguous(memory_format=torch.channels_last)
