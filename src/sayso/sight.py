"""Pictures and what is found in them: the part of `sayso.types` that cameras and grounding pass on. Import it from there."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Image:
    """A colour image with depth and the camera's pose."""

    rgb: NDArray[np.uint8]  # (H, W, 3)
    stamp: float
    depth: NDArray[np.float32] | None = None  # (H, W), m along the optical axis, NaN or inf if unknown
    intrinsics: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 0.0)  # fx, fy, cx, cy in pixels
    pose: NDArray[np.float64] = field(default_factory=lambda: np.eye(4))  # (4, 4) map ← optical frame (REP 103: z forward, x right)


@dataclass(frozen=True, slots=True)
class Candidate:
    """One thing in a picture that a phrase may mean."""

    probability: float  # P(the phrase describes it)
    pixel: tuple[float, float]  # (u right, v down), on the thing
    box: tuple[float, float, float, float]  # left, top, right, bottom, pixels
    point: tuple[float, float, float] = (float("nan"),) * 3  # m, map frame; NaN without depth
    covariance: NDArray[np.float64] | None = None  # (3, 3) of the point, m²; None without depth
    kind: str = ""  # what it is taken for, a noun; empty if the backend does not say
    color: str = ""


@dataclass(frozen=True, slots=True)
class Choice:
    """One of several things that a phrase fits alike, among which a person is to choose."""

    words: str  # what the robot calls it: "the left one"
    point: tuple[float, float, float]  # m, map frame
    covariance: tuple[float, ...] = (float("nan"),) * 9  # row by row, of the point, m²; NaN if unknown
    color: str = ""  # if each of the things has another one; empty: colours do not tell them apart
    probability: float = 0.0  # P(the phrase means it)


@dataclass(frozen=True, slots=True)
class WordAttention:
    """Where one part of a phrase attends to: a colour, or the noun."""

    word: str
    attention: NDArray[np.float64]  # (rows, cols) over the image's patches, sums to 1


@dataclass(frozen=True, slots=True)
class Grounding:
    """Image + phrase → attention over the image, and the point in space that the phrase means."""

    utterance_id: str
    stamp: float  # of the image
    object_id: str  # the object searched for; empty if only a phrase was given
    phrase: str
    attention: NDArray[np.float64]  # (rows, cols) over the image's patches, mean of the heads, sums to 1
    entropy: float  # −Σ α log α of `attention`, nats
    confidence: float  # P(the object is in the image, at this point)
    found: bool  # confidence above the threshold
    pixel: tuple[float, float] = (0.0, 0.0)  # (u right, v down) in the image
    point: tuple[float, float, float] = (float("nan"),) * 3  # m, map frame; NaN without depth
    candidates: tuple[Candidate, ...] = ()  # everything in the image that the phrase may mean, the most probable first
    options: tuple[str, ...] = ()  # if the phrase fits several things alike, what to call each of the first candidates: "the left one"
    words: tuple[WordAttention, ...] = ()  # the attention of each part, if there are several and the backend tells

    @property
    def ambiguous(self) -> bool:
        """Whether the phrase fits several things that it does not tell apart."""
        return len(self.options) > 1
