"""The candidates and words of a grounding, from messages of rclpy or of a bag."""

from __future__ import annotations

from typing import Any

import numpy as np

from sayso.types import Candidate, Choice, WordAttention


def point(message: Any) -> tuple[float, float, float]:
    """geometry_msgs/Point → (x, y, z)."""
    return float(message.x), float(message.y), float(message.z)


def candidate(message: Any) -> Candidate:
    """sayso_msgs/GroundingCandidate."""
    covariance = np.array(message.covariance, dtype=np.float64).reshape(3, 3)
    left, top, right, bottom = (float(edge) for edge in message.box)
    return Candidate(
        probability=float(message.probability),
        pixel=(float(message.pixel_u), float(message.pixel_v)),
        box=(left, top, right, bottom),
        point=point(message.point),
        covariance=covariance if np.isfinite(covariance).all() else None,
        kind=message.kind,
        color=message.color,
    )


def word(message: Any, rows: int, cols: int) -> WordAttention:
    """sayso_msgs/WordAttention, of a grounding with so many rows and columns."""
    return WordAttention(message.word, np.array(message.attention, dtype=np.float64).reshape(rows, cols))


def choice(message: Any) -> Choice:
    """sayso_msgs/Choice."""
    covariance = tuple(float(value) for value in message.covariance)
    return Choice(message.words, point(message.point), covariance, message.color, float(message.probability))
