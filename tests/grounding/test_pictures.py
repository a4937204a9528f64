"""Pictures from files: converted, or refused with the reason."""

import numpy as np
import pytest
from PIL import Image as Picture

from sayso.errors import GroundingError
from sayso.grounding.picture_checks import blurred, unusable
from sayso.grounding.picture_file import LARGEST, load_picture
from sayso.types import Image


@pytest.fixture
def rgb():
    return np.random.default_rng(1).integers(0, 255, (60, 80, 3), dtype=np.uint8)


@pytest.mark.parametrize("mode", ["L", "RGBA", "P", "CMYK", "1", "LA"])
def test_other_modes_are_converted_and_it_is_said(tmp_path, rgb, mode):
    file = tmp_path / ("picture.tif" if mode == "CMYK" else "picture.png")
    Picture.fromarray(rgb).convert(mode).save(file)
    loaded = load_picture(file)
    assert loaded.image.rgb.shape == (60, 80, 3)
    assert loaded.image.rgb.dtype == np.uint8
    assert loaded.notes == (f"converted from {mode}",)
    assert not unusable(loaded.image)


def test_sixteen_bits_are_stretched_to_eight(tmp_path):
    grey = np.linspace(0, 4000, 60 * 80).reshape(60, 80).astype(np.uint16)
    Picture.fromarray(grey).save(tmp_path / "deep.png")
    loaded = load_picture(tmp_path / "deep.png").image.rgb
    assert (loaded.min(), loaded.max()) == (0, 255)


def test_a_picture_that_its_camera_turned_is_upright(tmp_path, rgb):
    turned = Picture.fromarray(rgb)
    exif = turned.getexif()
    exif[0x0112] = 6  # turn by 90° to the right
    turned.save(tmp_path / "turned.jpg", exif=exif)
    loaded = load_picture(tmp_path / "turned.jpg")
    assert loaded.image.rgb.shape == (80, 60, 3)
    assert "turned upright, as its camera says" in loaded.notes


def test_a_huge_picture_is_shrunk_and_its_scale_is_kept(tmp_path):
    Picture.new("RGB", (8000, 6000), (200, 10, 10)).save(tmp_path / "huge.jpg")
    loaded = load_picture(tmp_path / "huge.jpg")
    assert loaded.image.rgb.shape == (1536, LARGEST, 3)
    assert loaded.scale == pytest.approx(8000 / LARGEST)


def test_more_than_fifty_million_pixels_are_refused(tmp_path):
    Picture.new("1", (9000, 6000)).save(tmp_path / "vast.png")
    with pytest.raises(GroundingError, match="9000 × 6000 pixels; 50 million are the most"):
        load_picture(tmp_path / "vast.png")


def test_a_jpeg_cut_short_is_refused_with_the_reason(tmp_path, rgb):
    Picture.fromarray(rgb).save(tmp_path / "whole.jpg")
    data = (tmp_path / "whole.jpg").read_bytes()
    (tmp_path / "cut.jpg").write_bytes(data[: len(data) // 2])
    with pytest.raises(GroundingError, match=r"cut\.jpg is no picture that can be read: .*truncated"):
        load_picture(tmp_path / "cut.jpg")


@pytest.mark.parametrize(("content", "reason"), [(b"", "cannot identify"), (b"no picture", "cannot identify"), (None, "no such file")])
def test_what_is_no_picture_is_refused_with_the_reason(tmp_path, content, reason):
    file = tmp_path / "picture.png"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(GroundingError, match=reason):
        load_picture(file)


def test_a_folder_is_no_picture(tmp_path):
    with pytest.raises(GroundingError, match="it is a folder"):
        load_picture(tmp_path)


@pytest.mark.parametrize(
    ("pixels", "reason"),
    [
        (np.zeros((60, 80, 3)), "black"),
        (np.full((60, 80, 3), 255), "overexposed"),
        (np.full((60, 80, 3), 120), "one even colour"),
        (np.zeros((0, 0, 3)), "empty"),
        (np.full((3, 500, 3), 90), "too small: 500 × 3"),
        (np.zeros((60, 80)), "empty"),
    ],
)
def test_a_picture_in_which_nothing_can_be_seen_says_why(pixels, reason):
    assert reason in unusable(Image(pixels.astype(np.uint8), 0.0))


def test_a_dark_picture_with_a_light_in_it_is_usable():
    rgb = np.zeros((60, 80, 3), np.uint8)
    rgb[20:30, 20:30] = 180
    assert not unusable(Image(rgb, 0.0))


def test_a_blurred_picture_is_told():
    smooth = np.repeat(np.linspace(40, 200, 320)[None, :, None], 240, axis=0).repeat(3, axis=2).astype(np.uint8)
    sharp = smooth.copy()
    sharp[100:140, 100:200] = 10
    assert blurred(Image(smooth, 0.0))
    assert not blurred(Image(sharp, 0.0))
