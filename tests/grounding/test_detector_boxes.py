"""Boxes: overlaps, suppression of doubles, and NanoDet's decoding."""

from __future__ import annotations

import numpy as np
import pytest

from sayso.grounding.boxes import distinct, overlap
from sayso.grounding.detector.boxes import propose

WHOLE, SHIFTED, PART, APART = (0.0, 0.0, 100.0, 100.0), (5.0, 0.0, 105.0, 100.0), (10.0, 10.0, 50.0, 50.0), (200.0, 0.0, 300.0, 100.0)


def test_overlap_is_intersection_over_union() -> None:
    assert overlap(np.array(WHOLE), np.array([WHOLE, SHIFTED, PART, APART])) == pytest.approx([1.0, 95 / 105, 0.16, 0.0])


def test_of_boxes_that_say_the_same_the_best_one_stays() -> None:
    corners = np.array([WHOLE, SHIFTED, PART, APART])
    assert distinct(corners, np.array([0.5, 0.9, 0.3, 0.7]), most=9) == [1, 3, 2]
    assert distinct(corners, np.array([0.5, 0.9, 0.3, 0.7]), most=2) == [1, 3]
    assert distinct(np.empty((0, 4)), np.empty(0), most=2) == []


class OneBox:
    """A network that sees the second of two kinds at row 1, column 2 of the level with stride 32, with 1, 1, 2, 2 strides to the sides."""

    def run(self, _: list[str], feed: dict[str, np.ndarray]) -> list[np.ndarray]:
        rows, cols = (int(n) for n in feed["picture"].shape[2:])
        outputs = []
        for stride in (8, 16, 32):
            places = (rows // stride) * (cols // stride)
            scores, sides = np.zeros((1, places, 2), np.float32), np.zeros((1, places, 4 * 8), np.float32)
            if stride == 32:
                at = cols // stride + 2
                scores[0, at, 1] = 0.8
                for side, distance in enumerate((1, 1, 2, 2)):
                    sides[0, at, side * 8 + distance] = 50.0
            outputs += [scores, sides]
        return outputs


def test_distances_to_the_sides_become_a_box_of_the_picture() -> None:
    found = propose(OneBox(), np.zeros((256, 320, 3), np.uint8), ((320, False),), 0.1)
    assert found.corners == pytest.approx(np.array([[48.0, 16.0, 144.0, 112.0]]))
    assert found.scores == pytest.approx(np.array([[0.0, 0.8]]))


def test_a_mirrored_look_gives_boxes_of_the_picture_as_it_is() -> None:
    found = propose(OneBox(), np.zeros((256, 320, 3), np.uint8), ((320, True),), 0.1)
    assert found.corners == pytest.approx(np.array([[320.0 - 144.0, 16.0, 320.0 - 48.0, 112.0]]))


def test_boxes_are_in_pixels_of_the_picture_and_end_at_its_edge() -> None:
    (corners,) = propose(OneBox(), np.zeros((128, 160, 3), np.uint8), ((320, False),), 0.1).corners
    assert corners == pytest.approx([24.0, 8.0, 72.0, 56.0])
    (corners,) = propose(OneBox(), np.zeros((64, 300, 3), np.uint8), ((320, False),), 0.1).corners
    assert corners[1] >= 0.0
    assert corners[3] <= 64.0
