"""Reader of the sets of photographs that `sayso data download` brings."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PIL import Image as Picture

from sayso.training.data.corpora import data_folder, unreadable_data
from sayso.types import Image

FILE, LIST = "photographs.zip", "photographs.json"


@dataclass(frozen=True, slots=True)
class MarkedThing:
    """What the publisher says is in a photograph."""

    kind: str
    box: tuple[float, float, float, float]  # left, top, right, bottom, pixels


@dataclass(frozen=True, slots=True)
class Photograph:
    """A picture and what is in it."""

    name: str
    image: Image
    things: tuple[MarkedThing, ...]  # in the publisher's order


def photographs(name: str, split: str, limit: int = 0) -> Iterator[Photograph]:
    """The pictures of one split of a set, in the order of their names.

    Args:
        name: of the data set: coco128, bottles_and_cups, kitchen_containers.
        split: as the publisher calls it.
        limit: at most so many; 0: all.

    Raises:
        SaysoError: the set is not downloaded, or damaged.
    """
    path = data_folder() / name / FILE
    try:
        with zipfile.ZipFile(path) as opened:
            listed = [each for each in json.loads(opened.read(LIST)) if each["split"] == split]
            for each in listed[: limit or None]:
                rgb = np.asarray(Picture.open(io.BytesIO(opened.read(each["file"]))).convert("RGB"))
                things = tuple(MarkedThing(kind, tuple(box)) for kind, *box in each["things"])
                yield Photograph(Path(each["file"]).name, Image(rgb, 0.0), things)
    except (OSError, ValueError, KeyError, TypeError, zipfile.BadZipFile) as unreadable:
        hint = f"run 'sayso data download {name}', or set SAYSO_DATA to the folder of the data sets"
        raise unreadable_data(f"{path} cannot be read ({unreadable}): {hint}", unreadable) from None
