"""A picture's resolution and inventory for the terminal, as data, and as a drawing."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sayso.domain.wording import listed, plural
from sayso.errors import GroundingError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from sayso.grounding.backend import Look
    from sayso.grounding.inventory import Inventoried
    from sayso.grounding.picture_file import PictureFile
    from sayso.grounding.resolution import Resolution
    from sayso.types import Candidate, Image


def thing_data(thing: Candidate, scale: float = 1.0) -> dict[str, Any]:
    """A candidate as JSON; pixels are those of the file."""
    data: dict[str, Any] = {
        "probability": round(thing.probability, 4),
        "pixel": [round(value * scale, 1) for value in thing.pixel],
        "box": [round(value * scale, 1) for value in thing.box],
        "kind": thing.kind,
        "color": thing.color,
    }
    if not math.isnan(thing.point[0]):
        data["point"] = [round(value, 4) for value in thing.point]
        data["covariance"] = None if thing.covariance is None else thing.covariance.tolist()
    return data


def resolution_data(found: Resolution, question: str, scale: float = 1.0) -> dict[str, Any]:
    """A resolution as JSON."""
    return {
        "phrase": found.phrase,
        "verdict": found.verdict,
        "found": round(found.p_found, 4),
        "ambiguous": round(found.p_ambiguous, 4),
        "question": question,
        "things": [thing_data(thing, scale) for thing in found.things],
        "readings": [{"things": [thing_data(thing, scale)["box"] for thing in things], "probability": p} for things, p in found.readings],
        "counts": [{"number": number, "probability": round(p, 4)} for number, p in found.counts],
        "doubt": round(found.doubt, 4),
        "looked_for": [{"phrase": look.phrase, "presence": round(look.presence, 4)} for look in found.looks],
        "unknown": list(found.unknown),
        "why": found.why,
    }


def verdict_words(found: Resolution, counting: bool) -> str:
    """The verdict in one line."""
    if counting:
        number, p = max(found.counts, key=lambda pair: pair[1], default=(0, 1.0))
        return f"{number}, with probability {p:.2f}"
    if found.verdict == "absent":
        return f"nothing like that is seen (probability that it is there: {found.p_found:.2f})"
    if found.verdict == "one":
        return f"one thing, meant with probability {found.things[0].probability:.2f}"
    if found.verdict == "several":
        return f"{len(found.things)} things, each meant with probability {listed([f'{thing.probability:.2f}' for thing in found.things])}"
    return f"{len(found.things)} things fit, and the words do not tell them apart ({found.p_ambiguous:.2f})"


def counted(names: Sequence[str]) -> str:
    """Things by name: "2 cups, a bread"."""
    numbers = {name: names.count(name) for name in dict.fromkeys(names)}
    return listed([f"{count} {plural(name)}" if count > 1 else f"one {name}" for name, count in numbers.items()])


def inventory_data(things: Sequence[Inventoried], scale: float, threshold: float) -> list[dict[str, Any]]:
    """What is there, as JSON."""
    return [
        {
            **thing_data(thing.candidate, scale),
            "kind": thing.names[0][0],
            "sure": thing.candidate.probability > threshold,
            "may_be": {name: round(p, 4) for name, p in thing.names},
        }
        for thing in things
    ]


def drawn(image: Image, things: Sequence[tuple[Candidate, str, bool]], looks: Sequence[Look], caption: tuple[str, str, bool]) -> Any:
    """The picture with boxes and attention; see `grounding.draw_candidates`."""
    from sayso.grounding.draw_candidates import Caption, draw_candidates
    from sayso.grounding.named_boxes import LabelledBox

    return draw_candidates(image, [LabelledBox(*thing) for thing in things], looks, Caption(*caption))


def write_picture(path: Path, pixels: NDArray[np.uint8]) -> None:
    """Write a picture; its ending tells the format.

    Raises:
        GroundingError: no such format, or the file cannot be written.
    """
    from PIL import Image as Picture

    try:
        Picture.fromarray(pixels).save(path)
    except (ValueError, OSError) as failed:
        raise GroundingError(f"--out {path} cannot be written: {failed}") from None


def notes_of(file: PictureFile, found: Sequence[str], soft: bool) -> tuple[str, ...]:
    """What a person should know about the picture and the phrase, one line each."""
    unknown = [f"the backend does not know the {'word' if len(found) == 1 else 'words'} {listed(list(found))}"] if found else []
    return (*file.notes, *(["the picture is blurred: what is found is less sure"] if soft else []), *unknown)
