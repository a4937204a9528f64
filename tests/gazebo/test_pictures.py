"""The camera sees the same in Gazebo's world, as drawn by Drake, and in the embedded simulation."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from sayso.errors import SaysoError
from sayso.gazebo import pictures, write_world
from sayso.gazebo.pictures import INSTALL, Shown, agreeing_share, in_mujoco, in_sdf, lacking, stations
from sayso.scene import load_scene
from sayso.sim.engine import unavailable

drawn = pytest.mark.skipif(bool(unavailable or lacking()), reason=f"{unavailable or lacking()}: {INSTALL}")
ENOUGH = 0.995


def shown(names: list[str], depth: float = 2.0) -> Shown:
    """One row of pixels, each four wide and eight high."""
    wide = np.repeat(np.repeat(np.array([names]), 4, axis=1), 8, axis=0)
    return Shown(wide, np.where(wide == "", np.inf, depth), np.zeros((*wide.shape, 3), np.uint8))


@pytest.mark.long("compares with another program")
@drawn
def test_the_camera_sees_the_same_in_both_worlds(tmp_path: Path) -> None:
    scene = load_scene()
    start, room = stations(scene)[0], stations(scene)[5]
    turned = (*room[:2], room[2] + math.radians(2))
    ours, theirs = list(in_mujoco(scene, (start, room, turned))), in_sdf(write_world(scene, tmp_path), (start, room))
    assert len({name for picture in ours for name in np.unique(picture.names)}) > 10
    assert agreeing_share(ours[0], theirs[0]) > ENOUGH
    assert agreeing_share(ours[1], theirs[1]) > ENOUGH
    assert agreeing_share(ours[2], theirs[1]) < ENOUGH


@pytest.mark.long("compares with another program")
@drawn
def test_a_world_that_drake_cannot_read_is_refused_with_its_reason(tmp_path: Path) -> None:
    world = write_world(load_scene(), tmp_path)
    world.write_text(world.read_text().replace("<child>hand</child>", "<child>hook</child>"))
    with pytest.raises(SaysoError, match=r"world\.sdf: Drake cannot draw it: .*hook"):
        in_sdf(world, [(0.0, 0.0, 0.0)])


def test_without_drake_it_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pictures, "lacking", lambda: "Drake is not installed")
    with pytest.raises(SaysoError, match=r"Drake is not installed: pip install .*drake"):
        in_sdf(tmp_path / "world.sdf", [(0.0, 0.0, 0.0)])


def test_a_pixel_beside_the_edge_agrees_and_three_do_not() -> None:
    one = shown(["wall", "cup", "wall"])
    beside, askew = (Shown(np.roll(one.names, pixels, axis=1), one.depth, one.rgb) for pixels in (1, 3))
    assert agreeing_share(one, one) == agreeing_share(beside, one) == agreeing_share(one, beside) == 1.0
    assert agreeing_share(one, askew) < 0.8


def test_a_missing_or_more_distant_model_does_not_agree() -> None:
    assert agreeing_share(shown(["wall", "cup", "wall"]), shown(["wall", "wall", "wall"])) == pytest.approx(2 / 3, abs=0.01)
    assert agreeing_share(shown(["wall"], 2.0), shown(["wall"], 2.03)) == 1.0
    assert agreeing_share(shown(["wall"], 2.0), shown(["wall"], 2.2)) == 0.0
    assert agreeing_share(shown(["", "wall"]), shown(["", "wall"])) == 1.0
