"""`sayso plan`: a tree on the terminal, JSON for programs, a picture."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import typer
from PIL import Image
from typer.testing import CliRunner

from sayso.console.plan import plan
from sayso.errors import SaysoError


@pytest.fixture(scope="module")
def app() -> typer.Typer:
    app = typer.Typer()
    app.command()(plan)
    return app


def said(app: typer.Typer, *arguments: str) -> str:
    result = CliRunner().invoke(app, list(arguments), catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


def test_the_tree_tells_the_skills_in_order_with_values_and_probabilities(app: typer.Typer) -> None:
    lines = said(app, "bring me the red cup").splitlines()
    assert lines[0].startswith("execute")
    assert lines[1].startswith("bring(operator, red_cup)  V = ")
    assert "done with" in lines[1]
    assert "navigate_to(counter)" in lines[2]
    assert any("fails → navigate_to(kitchen_table)" in line for line in lines)
    assert any("or instead: navigate_to(kitchen_table)" in line for line in lines)


def test_each_clause_is_planned_from_where_the_one_before_it_ends(app: typer.Typer) -> None:
    data = json.loads(said(app, "go to the kitchen and bring me the red cup", "--json"))
    assert [each["action"].split("(")[0] for each in data["plans"]] == ["go_to", "bring"]
    assert data["plans"][0]["policy"]["skill"] == "navigate_to(goal=kitchen)"
    assert 0.0 < data["plans"][1]["done"] < 1.0
    assert data["plans"][1]["objects"]["red_cup"]["counter"] == pytest.approx(0.6)


def test_what_is_behind_a_door_is_fetched_with_the_door_opened_before_and_closed_after(app: typer.Typer) -> None:
    data = json.loads(said(app, "bring me the milk from the fridge", "--json"))
    assert [each["action"].split("(")[0] for each in data["plans"]] == ["open", "bring", "close"]


def test_what_the_battery_does_not_suffice_for_is_said_above_the_tree(app: typer.Typer) -> None:
    lines = said(app, "bring me the red cup", "--battery", "0.03").splitlines()
    assert lines[1].startswith("My battery is at 3%.")
    assert lines[2].startswith("bring(operator, red_cup)")
    assert json.loads(said(app, "bring me the red cup", "--battery", "0.5", "--json"))["declined"] == ""


def test_a_sentence_that_needs_an_answer_says_the_question_first(app: typer.Typer) -> None:
    assert said(app, "bring me the cup").startswith("ask: ")


def test_what_is_rejected_or_impossible_has_a_reason_and_no_tree(app: typer.Typer) -> None:
    assert json.loads(said(app, "the weather is nice today", "--json"))["plans"] == []
    assert json.loads(said(app, "", "--json"))["decision"] == "reject"


def test_the_picture_is_written_and_other_formats_are_refused(app: typer.Typer, tmp_path: Path) -> None:
    assert "wrote" in said(app, "bring me the red cup", "--map", str(tmp_path / "plan.png"))
    assert Image.open(tmp_path / "plan.png").width > 500
    with pytest.raises(SaysoError, match=r"a picture's name ends in \.png"):
        CliRunner().invoke(app, ["bring me the red cup", "--map", "plan.jpg"], catch_exceptions=False)
    with pytest.raises(SaysoError, match="--at: the domain has no 'moon'"):
        CliRunner().invoke(app, ["bring me the red cup", "--at", "moon"], catch_exceptions=False)
