"""`sayso see` and `sayso ask --image`: what is in a picture, what a description means in it, and unusable pictures."""

import json

import numpy as np
import pytest
import typer
from PIL import Image as Picture
from typer.testing import CliRunner

from sayso.console.ask import ask
from sayso.console.see import see
from sayso.errors import GroundingError
from sayso.grounding import backends
from seen_things import HandMadeBackend, textured, thing

CUPS = (thing(60, 120), thing(260, 118, p=0.9))


@pytest.fixture
def app(monkeypatch):
    found = HandMadeBackend(cup=CUPS, red_cup=CUPS[:1], bread=(thing(110, 121),), mug=(thing(61, 120, p=0.6),))
    monkeypatch.setitem(backends.BACKENDS, "ours", lambda: found)
    app = typer.Typer()
    app.command()(see)
    app.command()(ask)
    return app


@pytest.fixture
def kitchen(tmp_path):
    Picture.fromarray(textured().rgb).save(tmp_path / "kitchen.png")
    return str(tmp_path / "kitchen.png")


def out(app, *arguments):
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0, result.output + str(result.exception)
    return result.output


def test_what_is_there_is_listed_with_its_doubt(app, kitchen):
    shown = out(app, "see", kitchen, "--kind", "cup", "--kind", "mug", "--kind", "bread")
    assert "seen     2 cups and one bread" in shown
    assert "cup 0.95 (or mug 0.60) at 50, 110 to 70, 130" in shown


def test_json_of_see_has_boxes_and_what_each_may_be(app, kitchen):
    things = json.loads(out(app, "see", kitchen, "--kind", "cup", "--kind", "mug", "--json"))["things"]
    assert [(each["kind"], each["sure"]) for each in things] == [("cup", True), ("cup", True)]
    assert things[0]["may_be"] == {"cup": 0.95, "mug": 0.6}
    assert things[0]["box"] == [50, 110, 70, 130]


def test_the_home_tells_what_to_look_for(app, kitchen):
    assert "seen     " in out(app, "see", kitchen)


def test_the_picture_is_drawn_with_boxes(app, kitchen, tmp_path):
    out(app, "see", kitchen, "--kind", "cup", "--out", str(tmp_path / "seen.png"))
    assert Picture.open(tmp_path / "seen.png").size[0] >= 320


def test_a_description_means_one_thing(app, kitchen, tmp_path):
    shown = out(app, "ask", "--image", kitchen, "the cup left of the bread", "--out", str(tmp_path / "found.png"))
    assert "one thing, meant with probability" in shown
    assert "at 50, 110 to 70, 130" in shown
    assert (tmp_path / "found.png").stat().st_size > 1000


def test_several_things_make_a_question(app, kitchen):
    assert "question The left one or the right one?" in out(app, "ask", "--image", kitchen, "the cup")
    data = json.loads(out(app, "ask", "--image", kitchen, "the cup", "--json"))
    assert (data["verdict"], len(data["things"])) == ("ambiguous", 2)


def test_things_are_counted_and_unknown_words_are_told(app, kitchen):
    assert "meaning  2, with probability 0.8" in out(app, "ask", "--image", kitchen, "how many cups are there?")
    assert "the backend does not know the word zorb" in out(app, "ask", "--image", kitchen, "the zorb")


def refused(app, *arguments):
    result = CliRunner().invoke(app, arguments)
    assert isinstance(result.exception, GroundingError), result.output
    return str(result.exception)


def test_unusable_input_is_refused_with_the_reason(app, kitchen, tmp_path):
    black = tmp_path / "black.png"
    Picture.fromarray(np.zeros((60, 80, 3), np.uint8)).save(black)
    assert "the picture is black" in refused(app, "see", str(black))
    assert "no such file" in refused(app, "ask", "--image", str(tmp_path / "none.png"), "the cup")
    assert "there is no phrase" in refused(app, "ask", "--image", kitchen, "the")
    assert "--kind needs a word" in refused(app, "see", kitchen, "--kind", "")
    assert "cannot be written" in refused(app, "see", kitchen, "--kind", "cup", "--out", str(tmp_path / "seen.odd"))
    assert "no backend is called 'mine'" in refused(app, "see", kitchen, "--backend", "mine")


@pytest.mark.parametrize(
    ("arguments", "reason"), [(("the cup", "--out", "x.png"), "--out needs --image"), (("--image", "x.png"), "needs a description")]
)
def test_options_that_need_each_other_say_so(app, arguments, reason):
    result = CliRunner().invoke(app, ["ask", *arguments])
    assert result.exit_code == 2
    assert reason in result.output
