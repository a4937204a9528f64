"""Pictures for people: the attention over the camera's picture, and the posterior as bars."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

import numpy as np
from PIL import Image as Picture

from sayso.bags.images import colours
from sayso.grounding.draw import draw_grounding
from sayso.selection.draw import draw_posterior
from sayso.types import ActionBelief, Grounding, Image
from sayso_nodes.camera import image_message
from sayso_nodes.conversions import from_time, header

KEPT = 12  # pictures that a grounding may refer to
WIDTH = 640  # pixels; drawn larger and then reduced, which smooths the image


class LookedAt:
    """Matches groundings and their pictures, whichever comes first. Pictures are kept serialised."""

    def __init__(self) -> None:
        self._pictures: OrderedDict[int, bytes] = OrderedDict()  # by stamp, ns
        self._awaited: OrderedDict[int, list[Grounding]] = OrderedDict()

    def picture(self, stamp: int, data: bytes) -> list[Grounding]:
        """Take a picture; returns the groundings made from it."""
        self._pictures[stamp] = data
        _shorten(self._pictures)
        return self._awaited.pop(stamp, [])

    def grounding(self, stamp: int, grounding: Grounding) -> bytes | None:
        """Take a grounding; returns its picture, or None if that is still to come."""
        if stamp in self._pictures:
            return self._pictures[stamp]
        self._awaited.setdefault(stamp, []).append(grounding)
        _shorten(self._awaited)
        return None


def attention_picture(camera: Any, grounding: Grounding) -> Any:
    """The camera's picture (sensor_msgs/Image) with the attention over it, 640 wide, of the same stamp.

    Raises:
        SaysoError: the encoding cannot be converted.
    """
    drawn = draw_grounding(Image(colours(camera), from_time(camera.header.stamp)), grounding)
    page = Picture.fromarray(drawn)
    page = page.resize((WIDTH, round(page.height * WIDTH / page.width)), Picture.Resampling.LANCZOS)
    return image_message(camera.header, "rgb8", np.asarray(page))


def posterior_picture(belief: ActionBelief) -> Any:
    """The posterior as bars (sensor_msgs/Image), of the utterance's stamp."""
    return image_message(header(belief.stamp), "rgb8", np.ascontiguousarray(draw_posterior(belief)))


def _shorten(kept: OrderedDict[int, Any]) -> None:
    while len(kept) > KEPT:
        kept.popitem(last=False)
