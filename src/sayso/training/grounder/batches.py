"""Training batches from rendered pictures: windows, what each patch shows, and pairs of a region and a unit of a phrase."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn.functional import interpolate

from sayso.grounding.colors import named_lab
from sayso.training.grounder.config import GrounderConfig
from sayso.training.grounder.network import PATCH
from sayso.training.grounder.phrases import PhraseBook
from sayso.training.grounder.pictures import Pictures

LUMA = np.array([0.299, 0.587, 0.114])  # of red, green and blue (ITU-R BT.601)
WINDOW = (96, 128)  # pixels, rows and columns
SCALES = (0.75, 1.0, 1.0, 1.0, 1.25)  # windows of other sizes are resized to WINDOW
THINGS = 12  # things of a window that are told apart; the smallest of more are left out
SHOWN = 0.3  # share of a patch that a thing covers in a region, and of its pixels in the window to be asked about
BLIND = 0.25  # share of the windows without depth
FITTING = 0.4  # share of the pairs that fit
GRAY = 0.3  # share of the windows without colours, in which kinds are told by their shapes
CHROMATIC = 12.0  # CIELAB units from the grey axis; a gray window does not change what is nearer


@dataclass(frozen=True)
class Batch:
    """One step's examples: B windows of n patches, with up to K things and P pairs each."""

    pictures: Tensor  # (B, 3, h, w) in [0, 1]
    depth: Tensor  # (B, h, w) m, 0 where unknown
    focal: Tensor  # (B,) pixels
    coverage: Tensor  # (B, K, n) share of each patch that each thing covers
    looks: Tensor  # (B, K) index into PhraseBook.looks; −1: no thing
    middles: Tensor  # (B, n, 2) patches down and right to the middle of the thing that covers most of the patch
    regions: Tensor  # (B, P, n) 1 or 0
    units: Tensor  # (B, P) index into PhraseBook.units
    fits: Tensor  # (B, P) 1 or 0; NaN: nobody knows
    gray: Tensor  # (B,) whether the window has no colours


class Batches:
    """Draws batches; the same generator state gives the same batch."""

    def __init__(self, pictures: Pictures, book: PhraseBook, config: GrounderConfig) -> None:
        self.pictures = pictures
        self.book = book
        self.config = config
        self.fits = book.unit_fits
        self.colors = np.array([unit.color for unit in book.units])
        # A black vase is held out: a vase in a gray window might look like one.
        kinds = {kind for color, kind in book.held_out.combinations if np.hypot(*named_lab()[color][1:]) < CHROMATIC}
        self.may_be_gray = np.array([book.domain.objects[look.object_id].category not in kinds for look in book.looks])

    def draw(self, rng: np.random.Generator, whole_pictures: float) -> Batch:
        """B random windows; that share of the steps sees whole pictures instead, a sixth as many for the same cost."""
        whole = rng.random() < whole_pictures
        height, width = self.pictures.rgb.shape[1:3] if whole else WINDOW
        count = max(self.config.batch // 6, 1) if whole else self.config.batch
        scale = 1.0 if whole else float(rng.choice(SCALES))
        taken = (round(height * scale) // 4 * 4, round(width * scale) // 4 * 4)
        numbers = rng.integers(len(self.pictures), size=count)
        windows = [self._window(int(number), taken, rng) for number in numbers]
        rgb, depth, owner = (
            _resized(np.stack([getattr(self.pictures, name)[number][window] for number, window in zip(numbers, windows, strict=True)]), to)
            for name, to in (("rgb", (height, width)), ("depth", (height, width)), ("owner", (height, width)))
        )
        focal = np.array([self.pictures.camera(int(number))[0][0] for number in numbers], np.float32) * (width / taken[1])
        n = height * width // PATCH**2
        coverage, looks = np.zeros((count, THINGS, n), np.float32), np.full((count, THINGS), -1, np.int64)
        middles = np.zeros((count, n, 2), np.float32)
        regions, units, fits = self._no_pairs(count, n)
        gray = np.zeros(count, np.bool_)
        for b, number in enumerate(numbers):
            things = self._things(int(number), owner[b], coverage[b], looks[b])
            middles[b] = _middles(coverage[b], (height // PATCH, width // PATCH))
            self._pairs(things, coverage[b], looks[b], (regions[b], units[b], fits[b]), rng)
            gray[b] = rng.random() < GRAY and self.may_be_gray[looks[b][looks[b] >= 0]].all()
        fits[gray[:, None] & self.colors[units]] = np.nan
        rgb[gray] = (rgb[gray] @ LUMA)[..., None].round().astype(np.uint8)
        return Batch(
            _varied(rgb, rng), _measured(depth, rng), torch.from_numpy(focal), torch.from_numpy(coverage), torch.from_numpy(looks),
            torch.from_numpy(middles), torch.from_numpy(regions), torch.from_numpy(units), torch.from_numpy(fits), torch.from_numpy(gray),
        )  # fmt: skip

    def _no_pairs(self, count: int, n: int) -> tuple[NDArray[np.float32], NDArray[np.int64], NDArray[np.float32]]:
        pairs = self.config.pairs
        return np.zeros((count, pairs, n), np.float32), np.zeros((count, pairs), np.int64), np.zeros((count, pairs), np.float32)

    def _window(self, number: int, taken: tuple[int, int], rng: np.random.Generator) -> tuple[slice, slice]:
        """A window that contains a random thing of the picture, mostly; else a random one."""
        full = self.pictures.rgb.shape[1:3]
        last = [whole - part for whole, part in zip(full, taken, strict=True)]
        seen = np.flatnonzero(self.pictures.pixels[number])
        if not len(seen) or rng.random() < 0.15:
            corner = [int(rng.integers(most + 1)) for most in last]
        else:
            middle = self.pictures.middles[number, seen[rng.integers(len(seen))]]
            corner = [int(np.clip(at - rng.uniform(0.1, 0.9) * part, 0, most)) for at, part, most in zip(middle, taken, last, strict=True)]
        return slice(corner[0], corner[0] + taken[0]), slice(corner[1], corner[1] + taken[1])

    def _things(self, number: int, owner: NDArray[np.uint8], coverage: NDArray[np.float32], looks: NDArray[np.int64]) -> int:
        """Fill in the coverage and the looks of the window's things, the largest first; returns how many are clear enough to ask about."""
        of_picture = self.book.look_numbers(self.pictures.colors[number])
        pixels = np.bincount(owner.ravel(), minlength=len(of_picture) + 1)[1:]
        order = np.argsort(-pixels, kind="stable")[:THINGS]
        rows, cols = owner.shape[0] // PATCH, owner.shape[1] // PATCH
        for slot, thing in enumerate(order[pixels[order] > 0]):
            covered = (owner == 1 + thing).reshape(rows, PATCH, cols, PATCH).sum(axis=(1, 3), dtype=np.int32)
            coverage[slot] = covered.ravel() / PATCH**2
            looks[slot] = of_picture[thing]
        clear = pixels[order] >= np.maximum(self.config.visible, SHOWN * self.pictures.pixels[number][order])
        return int(np.cumprod(clear).sum())

    def _pairs(
        self, clear: int, coverage: NDArray[np.float32], looks: NDArray[np.int64], into: tuple[NDArray[np.generic], ...],
        rng: np.random.Generator,
    ) -> None:  # fmt: skip
        """Fill in pairs: things as regions, pieces of the background, and the whole window with units that are or are not in it."""
        regions, units, fits = into
        seen = looks[looks >= 0]
        anywhere = _anywhere(self.fits[seen]) if len(seen) else np.zeros(self.fits.shape[1], np.float32)
        covered = coverage.sum(axis=0)
        for pair in range(len(units)):
            chance = rng.random()
            if clear and chance < 0.6:
                slot = int(rng.integers(clear))
                regions[pair] = _rough(coverage[slot], rng)
                known = self.fits[looks[slot]]
            elif chance < 0.75:
                regions[pair] = _piece(covered, rng)
                known = np.zeros_like(anywhere)
            else:
                regions[pair] = 1.0
                known = anywhere
            units[pair] = _unit(known, rng)
            fits[pair] = known[units[pair]]


def _anywhere(fits: NDArray[np.float32]) -> NDArray[np.float32]:
    """(K, U) → (U,) 1 where a unit fits one of the looks, 0 where it fits none, NaN where nobody knows."""
    some = (fits == 1.0).any(axis=0)
    return np.where(some, 1.0, np.where(np.isnan(fits).any(axis=0), np.nan, 0.0)).astype(np.float32)


def _unit(known: NDArray[np.float32], rng: np.random.Generator) -> int:
    """A unit that fits, or any."""
    fitting = np.flatnonzero(known == 1.0)
    if len(fitting) and rng.random() < FITTING:
        return int(fitting[rng.integers(len(fitting))])
    return int(rng.integers(len(known)))


def _rough(coverage: NDArray[np.float32], rng: np.random.Generator) -> NDArray[np.float32]:
    """The patches of a thing as the network may find them: its edge in or out, some patches missing."""
    region = coverage > rng.choice((0.05, SHOWN, 0.6))
    region &= rng.random(len(region)) > rng.choice((0.0, 0.0, 0.3))
    if not region.any():
        region[int(coverage.argmax())] = True
    rough: NDArray[np.float32] = region.astype(np.float32)
    return rough


def _piece(covered: NDArray[np.float32], rng: np.random.Generator) -> NDArray[np.float32]:
    """A few patches of the background in a row."""
    free = np.flatnonzero(covered < 0.05)
    region = np.zeros_like(covered)
    start = int(rng.integers(len(free))) if len(free) else 0
    region[free[start : start + int(rng.integers(1, 6))] if len(free) else 0] = 1.0
    return region


def _middles(coverage: NDArray[np.float32], shape: tuple[int, int]) -> NDArray[np.float32]:
    """(K, n) → (n, 2): rows and columns to the middle of the thing that covers most of each patch; 0 on the background."""
    rows, cols = np.indices(shape).reshape(2, -1).astype(np.float32)
    mass = np.maximum(coverage.sum(axis=1), 1e-6)
    owner = coverage.argmax(axis=0)
    down, right = ((coverage @ axis / mass)[owner] - axis for axis in (rows, cols))
    on_it = (coverage.max(axis=0) > 0)[:, None]
    middles: NDArray[np.float32] = np.where(on_it, np.stack((down, right), axis=-1), 0.0).astype(np.float32)
    return middles


def _resized(pixels: NDArray[np.generic], to: tuple[int, int]) -> NDArray[np.generic]:
    """(B, h, w, …) → (B, *to, …): colours are interpolated; depth and owners are taken from the nearest pixel."""
    if pixels.shape[1:3] == to:
        return pixels
    if pixels.ndim == 4:
        smooth = interpolate(torch.from_numpy(pixels).permute(0, 3, 1, 2).float(), to, mode="bilinear", antialias=True)
        colors: NDArray[np.generic] = smooth.round().clamp(0, 255).byte().permute(0, 2, 3, 1).numpy()
        return colors
    rows, cols = (np.arange(most) * have // most for most, have in zip(to, pixels.shape[1:3], strict=True))
    nearest: NDArray[np.generic] = pixels[:, rows][:, :, cols]
    return nearest


def _varied(rgb: NDArray[np.generic], rng: np.random.Generator) -> Tensor:
    """(B, h, w, 3) bytes → (B, 3, h, w) in [0, 1], with random light, sharpness and camera noise; hues are kept."""
    count = len(rgb)
    pictures = torch.from_numpy(rgb).permute(0, 3, 1, 2).float() / 255.0
    shape = (count, 1, 1, 1)
    gain, lift, gamma = (torch.from_numpy(rng.uniform(*bounds, shape)).float() for bounds in ((0.7, 1.3), (-0.06, 0.06), (0.8, 1.25)))
    tint = torch.from_numpy(rng.uniform(0.95, 1.05, (count, 3, 1, 1))).float()
    noise = torch.from_numpy(rng.uniform(0.0, 0.03, shape)).float() * torch.randn(pictures.shape)
    if rng.random() < 0.2:
        soft = torch.nn.functional.avg_pool2d(pictures, 3, stride=1, padding=1, count_include_pad=False)
        pictures = torch.lerp(pictures, soft, float(rng.uniform(0.3, 1.0)))
    lit = (pictures.clamp(min=1e-4) ** gamma * gain * tint + lift + noise).clamp(0.0, 1.0)
    return lit.contiguous(memory_format=torch.channels_last)


def _measured(depth: NDArray[np.generic], rng: np.random.Generator) -> Tensor:
    """(B, h, w) true depth → as cameras measure it: noise that grows with the square of the distance, holes, and often nothing at all."""
    true = torch.from_numpy(depth.astype(np.float32))
    count = len(true)
    noise = torch.from_numpy(rng.uniform(0.0, 0.004, (count, 1, 1))).float() * true**2 * torch.randn(true.shape)
    holes = interpolate(torch.rand(count, 1, 12, 16), true.shape[1:], mode="bilinear").squeeze(1)
    kept = holes > torch.from_numpy(rng.choice((0.0, 0.0, 0.25), (count, 1, 1))).float()
    seen = torch.from_numpy(rng.random((count, 1, 1)) >= BLIND) & kept & torch.isfinite(true)
    return torch.where(seen, (true + noise).clamp(min=0.0), 0.0)
