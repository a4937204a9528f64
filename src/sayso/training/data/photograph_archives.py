"""Published sets of photographs with boxes → one ZIP of pictures and a list of what is in them, which `photographs` reads."""

from __future__ import annotations

import io
import json
import tarfile
import zipfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path, PurePosixPath
from typing import Any

from PIL import Image as Picture

from sayso.errors import SaysoError
from sayso.grounding.detector.nouns import classes
from sayso.training.data.photographs import LIST

LARGEST = 1024  # pixels of the longer side; larger pictures are made smaller: robots' cameras see no more
QUALITY = 92  # of JPEG
Thing = tuple[str, float, float, float, float]  # kind, left, top, right, bottom
# Path of a picture in the archive, all text files, its size → its split and the things in it. None: not a picture of the set.
Labels = Callable[[PurePosixPath, dict[str, str], tuple[int, int]], "tuple[str, list[Thing]] | None"]

Upright = Callable[[Picture.Image], Picture.Image]


def coco128(archive: Path, result: Path) -> int:
    """lightly-ai/coco128_yolo: 128 pictures each of COCO's train2017 and val2017."""
    names = classes()

    def labels(path: PurePosixPath, texts: dict[str, str], size: tuple[int, int]) -> tuple[str, list[Thing]] | None:
        split = path.parent.name
        if path.parts[-3:-1] != ("images", split):
            return None
        lines = texts.get(f"object_detection/labels/{split}/{path.stem}.txt", "")
        return split, [_yolo(line, names, size) for line in lines.splitlines()]

    return _rewritten(archive, result, labels)


def bottles_and_cups(archive: Path, result: Path) -> int:
    """OlYVER1337/Object-detection-: telephone pictures of DataCluster Labs' bottles and cups, boxes by their corners."""

    def labels(path: PurePosixPath, texts: dict[str, str], _: tuple[int, int]) -> tuple[str, list[Thing]] | None:
        if path.parent.name != "images":
            return None
        split = path.parts[-3]
        lines = next((texts[name] for folder in ("labels", "labelTxt") if (name := f"{split}/{folder}/{path.stem}.txt") in texts), "")
        return split, [_corners(line) for line in lines.splitlines() if line.strip()]

    return _rewritten(archive, result, labels, upright=_stood_up)


def kitchen_containers(archive: Path, result: Path) -> int:
    """HMI2-Research-Group/Kitchen-YOLO-Dataset: food in jars and tins on a counter."""

    def labels(path: PurePosixPath, texts: dict[str, str], size: tuple[int, int]) -> tuple[str, list[Thing]] | None:
        if path.parent.name != "my_images":
            return None
        names = [line.strip().lower() for line in texts["classes.txt"].splitlines()]
        return "all", [_yolo(line, names, size) for line in texts.get(f"labels/{path.stem}.txt", "").splitlines()]

    return _rewritten(archive, result, labels)


def _stood_up(picture: Picture.Image) -> Picture.Image:
    """The boxes are of pictures taken upright; most files lie on their left side and have lost the note that says so."""
    return picture.transpose(Picture.Transpose.ROTATE_270) if picture.width > picture.height else picture


def _rewritten(archive: Path, result: Path, labels: Labels, upright: Upright = lambda picture: picture) -> int:
    """Write the ZIP and return the number of its pictures.

    Raises:
        SaysoError: it is not an archive, or not of this set.
    """
    try:
        with tarfile.open(archive) as members, zipfile.ZipFile(result, "w") as made:
            listed = list(_pictures(members, made, labels, upright))
            made.writestr(LIST, json.dumps(listed))
    except (tarfile.TarError, OSError, ValueError, KeyError, IndexError, Picture.DecompressionBombError) as strange:
        result.unlink(missing_ok=True)
        raise SaysoError(f"{archive} is not this set of photographs in its published format ({strange!r})") from None
    return len(listed)


def _pictures(members: tarfile.TarFile, made: zipfile.ZipFile, labels: Labels, upright: Upright) -> Iterator[dict[str, Any]]:
    files = sorted((member for member in members if member.isfile()), key=lambda member: member.name)
    texts = {_inside(member.name): _read(members, member).decode("utf-8", "replace") for member in _ending(files, ".txt")}
    for member in _ending(files, ".jpg", ".png"):
        path = PurePosixPath(_inside(member.name))
        if labels(path, texts, (1, 1)) is None:
            continue
        with Picture.open(io.BytesIO(_read(members, member))) as opened:
            picture = upright(opened.convert("RGB"))
        found = labels(path, texts, picture.size)
        scale = min(LARGEST / max(picture.size), 1.0)
        small = picture.resize((round(picture.width * scale), round(picture.height * scale)), Picture.Resampling.LANCZOS)
        content = io.BytesIO()
        (small if scale < 1.0 else picture).save(content, "JPEG", quality=QUALITY)
        split, things = found or ("", [])
        name = f"{split}/{path.stem}.jpg"
        made.writestr(name, content.getvalue())
        yield {"file": name, "split": split, "things": [[kind, *(round(n * scale, 2) for n in box)] for kind, *box in things]}


def _inside(name: str) -> str:
    """Without the folder that holds all of the archive."""
    return name.partition("/")[2]


def _ending(files: Iterable[tarfile.TarInfo], *endings: str) -> Iterator[tarfile.TarInfo]:
    return (member for member in files if member.name.lower().endswith(endings))


def _read(members: tarfile.TarFile, member: tarfile.TarInfo) -> bytes:
    file = members.extractfile(member)
    return file.read() if file else b""


def _yolo(line: str, names: tuple[str, ...] | list[str], size: tuple[int, int]) -> Thing:
    """A line "class x y width height": the centre and sides as shares of the picture."""
    number, x, y, width, height = line.split()
    (u, v), (du, dv) = (float(x) * size[0], float(y) * size[1]), (float(width) * size[0] / 2, float(height) * size[1] / 2)
    return names[int(number)], u - du, v - dv, u + du, v + dv


def _corners(line: str) -> Thing:
    """A line "x y x y x y x y class difficulty": four corners in pixels."""
    *numbers, kind, _ = line.split()
    u, v = [float(n) for n in numbers[0::2]], [float(n) for n in numbers[1::2]]
    return kind, min(u), min(v), max(u), max(v)
