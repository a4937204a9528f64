"""Published sets of photographs become ZIP files that `photographs` reads: splits, kinds, boxes in pixels of the picture."""

from __future__ import annotations

import io
import tarfile
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest
from PIL import Image as Picture

from sayso.errors import SaysoError
from sayso.training.data import photograph_archives as archives
from sayso.training.data.photographs import photographs


def jpeg(width: int, height: int) -> bytes:
    content = io.BytesIO()
    Picture.new("RGB", (width, height), (200, 30, 30)).save(content, "JPEG")
    return content.getvalue()


def archive(path: Path, files: Mapping[str, bytes]) -> Path:
    with tarfile.open(path, "w:gz") as made:
        for name, content in files.items():
            member = tarfile.TarInfo(f"set-1a2b3c/{name}")
            member.size = len(content)
            made.addfile(member, io.BytesIO(content))
    return path


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SAYSO_DATA", str(tmp_path))
    for name in ("coco128", "bottles_and_cups", "kitchen_containers"):
        (tmp_path / name).mkdir()
    return tmp_path


def test_coco_has_two_splits_and_boxes_in_pixels(folder: Path) -> None:
    made = archive(
        folder / "a.tar.gz",
        {
            "images/train2017/000000000009.jpg": jpeg(640, 480),
            "images/val2017/000000000139.jpg": jpeg(400, 200),
            "images/val2017/000000000285.jpg": jpeg(64, 48),
            "object_detection/labels/train2017/000000000009.txt": b"41 0.5 0.5 0.25 0.5\n0 0.1 0.2 0.2 0.4\n",
            "object_detection/labels/val2017/000000000139.txt": b"39 0.5 0.5 1.0 1.0\n",
            "preview.jpg": jpeg(10, 10),
        },
    )
    assert archives.coco128(made, folder / "coco128" / "photographs.zip") == 3
    (first,) = photographs("coco128", "train2017")
    assert (first.name, first.image.rgb.shape) == ("000000000009.jpg", (480, 640, 3))
    assert [(thing.kind, thing.box) for thing in first.things] == [
        ("cup", pytest.approx((240.0, 120.0, 400.0, 360.0))),
        ("person", pytest.approx((0.0, 0.0, 128.0, 192.0))),
    ]
    second, third = photographs("coco128", "val2017")
    assert [thing.kind for thing in second.things] == ["bottle"]
    assert third.things == ()
    assert len(list(photographs("coco128", "val2017", limit=1))) == 1


def test_large_pictures_are_made_smaller_with_their_boxes(folder: Path) -> None:
    lines = b"200 400 1000 400 1000 1200 200 1200 bottle 0\n"
    made = archive(folder / "b.tar.gz", {"test/images/a.jpg": jpeg(1536, 2048), "test/labelTxt/a.txt": lines})
    assert archives.bottles_and_cups(made, folder / "bottles_and_cups" / "photographs.zip") == 1
    (only,) = photographs("bottles_and_cups", "test")
    assert only.image.rgb.shape == (1024, 768, 3)
    assert [(thing.kind, thing.box) for thing in only.things] == [("bottle", (100.0, 200.0, 500.0, 600.0))]


def test_telephone_pictures_that_lie_on_their_side_are_stood_up(folder: Path) -> None:
    content, wide = io.BytesIO(), np.zeros((300, 400, 3), np.uint8)
    wide[:, :100] = (255, 0, 0)  # its left side is the top
    Picture.fromarray(wide).save(content, "JPEG", quality=95)
    made = archive(folder / "b.tar.gz", {"train/images/a.jpg": content.getvalue(), "train/labels/a.txt": b""})
    archives.bottles_and_cups(made, folder / "bottles_and_cups" / "photographs.zip")
    (only,) = photographs("bottles_and_cups", "train")
    assert only.image.rgb.shape == (400, 300, 3)
    assert only.image.rgb[:80, ..., 0].min() > 200
    assert only.image.rgb[120:, ..., 0].max() < 60


def test_the_kitchen_names_its_own_kinds(folder: Path) -> None:
    files = {"my_images/a.jpg": jpeg(100, 100), "labels/a.txt": b"1 0.5 0.5 0.2 0.2\n", "classes.txt": b"Garlic\nPasta\n"}
    made = archive(folder / "c.tar.gz", files)
    assert archives.kitchen_containers(made, folder / "kitchen_containers" / "photographs.zip") == 1
    (only,) = photographs("kitchen_containers", "all")
    assert [thing.kind for thing in only.things] == ["pasta"]


@pytest.mark.parametrize(
    "label",
    [b"99 0.5 0.5 0.2 0.2", b"1 0.5 0.5", b"cup 0.5 0.5 0.2 0.2"],
    ids=["unknown class", "numbers missing", "no number"],
)
def test_labels_in_another_format_are_refused_and_nothing_stays(folder: Path, label: bytes) -> None:
    files = {"images/val2017/a.jpg": jpeg(64, 48), "object_detection/labels/val2017/a.txt": label}
    with pytest.raises(SaysoError, match="is not this set of photographs in its published format"):
        archives.coco128(archive(folder / "a.tar.gz", files), folder / "coco128" / "photographs.zip")
    assert not list((folder / "coco128").iterdir())


def test_files_that_are_not_archives_or_pictures_are_refused(folder: Path) -> None:
    (folder / "page").write_bytes(b"<html>")
    with pytest.raises(SaysoError, match="published format"):
        archives.coco128(folder / "page", folder / "coco128" / "photographs.zip")
    with pytest.raises(SaysoError, match="published format"):
        archives.coco128(archive(folder / "a", {"images/val2017/a.jpg": b"not a picture"}), folder / "coco128" / "photographs.zip")


def test_a_missing_or_damaged_set_says_how_to_get_it(folder: Path) -> None:
    with pytest.raises(SaysoError, match="run 'sayso data download coco128'"):
        list(photographs("coco128", "val2017"))
    (folder / "coco128" / "photographs.zip").write_bytes(b"PK damaged")
    with pytest.raises(SaysoError, match="run 'sayso data download coco128'"):
        list(photographs("coco128", "val2017"))
