"""The rendered pictures of a split, kept on disk between runs: colours, depth, and the object of each pixel."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Picture:
    """One rendered picture with its ground truth."""

    rgb: NDArray[np.uint8]  # (H, W, 3)
    owner: NDArray[np.uint8]  # (H, W) 0, or 1 + the index of the object in the domain
    colors: NDArray[np.uint8]  # (K,) the colour of each object as an index into PhraseBook.colors
    depth: NDArray[np.float32]  # (H, W) m
    intrinsics: NDArray[np.float64]  # (4,) fx, fy, cx, cy
    pose: NDArray[np.float64]  # (4, 4) map ← optical frame


class Pictures:
    """Memory-mapped arrays of N pictures in one folder, filled in order; an interrupted run continues."""

    def __init__(self, folder: Path, count: int, objects: int, *, height: int = 240, width: int = 320) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        shapes: dict[str, tuple[type, tuple[int, ...]]] = {
            "rgb": (np.uint8, (count, height, width, 3)),
            "owner": (np.uint8, (count, height, width)),
            "colors": (np.uint8, (count, objects)),
            "depth": (np.float16, (count, height, width)),
            "intrinsics": (np.float64, (count, 4)),
            "pose": (np.float64, (count, 4, 4)),
            "pixels": (np.int32, (count, objects)),
            "middles": (np.float32, (count, objects, 2)),
        }
        files = {name: folder / f"{name}.npy" for name in shapes}
        self._arrays: dict[str, NDArray[Any]] = {name: _mapped(files[name], *form) for name, form in shapes.items()}
        self._progress = folder / "progress.json"
        self.done = json.loads(self._progress.read_text())["done"] if self._progress.exists() else 0

    def __len__(self) -> int:
        return len(self.rgb)

    @property
    def rgb(self) -> NDArray[np.uint8]:
        """(N, H, W, 3)."""
        return self._arrays["rgb"]

    @property
    def owner(self) -> NDArray[np.uint8]:
        """(N, H, W)."""
        return self._arrays["owner"]

    @property
    def depth(self) -> NDArray[np.float16]:
        """(N, H, W) m."""
        return self._arrays["depth"]

    @cached_property
    def colors(self) -> NDArray[np.uint8]:
        """(N, K)."""
        return np.array(self._arrays["colors"])

    @cached_property
    def pixels(self) -> NDArray[np.int32]:
        """(N, K) the number of visible pixels of each object."""
        return np.array(self._arrays["pixels"])

    @cached_property
    def middles(self) -> NDArray[np.float32]:
        """(N, K, 2) row and column of the middle of each object's pixels."""
        return np.array(self._arrays["middles"])

    def camera(self, number: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Intrinsics (4,) and pose (4, 4)."""
        return self._arrays["intrinsics"][number], self._arrays["pose"][number]

    def append(self, picture: Picture) -> None:
        """Write the next picture."""
        number = self.done
        for name in ("rgb", "owner", "colors", "depth", "intrinsics", "pose"):
            self._arrays[name][number] = getattr(picture, name)
        objects = len(picture.colors)
        rows, cols = np.indices(picture.owner.shape)
        owner = picture.owner.ravel()
        pixels = np.bincount(owner, minlength=objects + 1)[1:]
        self._arrays["pixels"][number] = pixels
        for axis, places in enumerate((rows, cols)):
            sums = np.bincount(owner, weights=places.ravel(), minlength=objects + 1)[1:]
            self._arrays["middles"][number, :, axis] = sums / np.maximum(pixels, 1)
        self.done = number + 1

    def flush(self) -> None:
        """Write everything to disk, so that it is not rendered again."""
        for array in self._arrays.values():
            if isinstance(array, np.memmap):
                array.flush()
        self._progress.write_text(json.dumps({"done": self.done}))


def _mapped(path: Path, kind: type, shape: tuple[int, ...]) -> NDArray[Any]:
    """The array in that file; created if it is absent."""
    if not path.exists():
        # The .npy file has its full size from the start, so that a full disk is noticed at once.
        array: NDArray[Any] = np.lib.format.open_memmap(path, mode="w+", dtype=kind, shape=shape)  # type: ignore[no-untyped-call]
        return array
    held: NDArray[Any] = np.load(path, mmap_mode="r+")
    return held
