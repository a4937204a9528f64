"""`sayso ask`: on the terminal, as JSON, from a file."""

import json
import re
import subprocess
import sys
from io import StringIO

import pytest
import typer
from typer.testing import CliRunner

from hand_made import CUPS, belief, clause, role
from patience import PATIENCE
from sayso.console.ask import ask, show
from sayso.console.stages import plain_console
from sayso.domain import load_domain
from sayso.errors import SaysoError
from sayso.explanation import as_data
from sayso.intent import IntentClassifier
from sayso.pipeline import Pipeline, Understanding

DOMAIN = load_domain()
FIELDS = {"text", "hearings", "clauses", "out_of_scope", "candidates", "decision", "reason", "question", "then", "utilities", "notes"}
FIELDS |= {"plan"}
CLAUSE_FIELDS = {"text", "span", "intent", "probabilities", "roles", "out_of_scope", "candidates", "negated", "modifiers", "left_over"}


@pytest.fixture(scope="module")
def app() -> typer.Typer:
    app = typer.Typer()
    app.command()(ask)
    return app


def understood(*clauses, rejected: str = "") -> Understanding:
    return Pipeline(DOMAIN, lambda _: belief(DOMAIN, *clauses, rejected=rejected)).understand("words")


def test_json_holds_every_stage():
    found = as_data(understood(clause(DOMAIN, "bring", role("theme", "the red cup", "red_cup"))))
    assert set(found) == FIELDS
    said = found["clauses"][0]
    assert set(said) == CLAUSE_FIELDS
    assert set(said["probabilities"]) == set(DOMAIN.intents)
    assert sum(said["probabilities"].values()) == pytest.approx(1.0)
    assert said["roles"] == [{"role": "theme", "text": "the red cup", "span": [0, 11], "entity": "red_cup", "score": 1.0}]
    assert sum(candidate["posterior"] for candidate in said["candidates"]) == pytest.approx(1.0, abs=0.03)
    assert found["plan"][0] == {"skill": "navigate_to", "arguments": {"goal": "counter"}}


def test_the_utterance_is_as_strange_as_its_strangest_clause():
    found = as_data(understood(clause(DOMAIN, "stop", out_of_scope=-3.0), clause(DOMAIN, "stop", out_of_scope=2.5)))
    assert found["out_of_scope"] == 2.5


def test_a_rejection_is_plain_json_too():
    found = as_data(understood(rejected="the sentence is empty"))
    assert json.loads(json.dumps(found, allow_nan=False))["out_of_scope"] is None
    assert (found["decision"], found["reason"], found["plan"]) == ("reject", "the sentence is empty", [])


def test_the_terminal_shows_question_and_options():
    out = StringIO()
    show(plain_console(out), understood(clause(DOMAIN, "bring", role("theme", "the cup", *CUPS))), IntentClassifier(DOMAIN))
    text = " ".join(out.getvalue().split())
    assert "Do you want me to bring the red cup, the blue cup or the white cup to you?" in text
    assert "P(a|ctx)" in text


def test_explain_shows_the_path_through_the_layers_and_the_agreement_of_the_ranking(app):
    shown = CliRunner().invoke(app, ["go to the kitchen and bring me the red cup", "--explain"]).stdout
    assert re.search(r"^ +encoder +cos of steps through layers +NDCG *$", shown, re.MULTILINE)
    for text in ("go to the kitchen", "bring me the red cup"):
        assert re.search(rf"^ +{text}( +[+-][01]\.\d\d){{5}} +[01]\.\d{{3}} *$", shown, re.MULTILINE)
    found = json.loads(CliRunner().invoke(app, ["stop", "--explain", "--json"]).stdout)
    assert len(found["geometry"]) == 1
    assert len(found["geometry"][0]["turns"]) == 5
    assert 0.0 < found["geometry"][0]["ndcg"] <= 1.0
    assert "geometry" not in json.loads(CliRunner().invoke(app, ["stop", "--json"]).stdout)


def test_explain_says_how_to_get_the_path_through_the_layers(app, tmp_path, monkeypatch):
    monkeypatch.setattr("sayso.encoder.layers.LAYERS_FILE", "absent.onnx")
    shown = " ".join(CliRunner().invoke(app, ["stop", "--explain"]).stdout.split())
    assert "absent.onnx: make it with 'sayso train encoder --layers'" in shown


def test_a_folder_without_an_encoder_is_one_clear_error(app, tmp_path):
    result = CliRunner().invoke(app, ["stop", "--encoder", str(tmp_path)])
    assert isinstance(result.exception, SaysoError)
    assert "sayso train encoder --output FOLDER" in str(result.exception)


def test_the_fridge_and_the_lamp_are_planned_and_the_banana_is_declined(app, tmp_path):
    file = tmp_path / "sentences.txt"
    file.write_text("open the fridge\nswitch on the lamp\nopen the banana\n", encoding="utf-8")
    lines = CliRunner().invoke(app, ["--file", str(file), "--json"]).stdout.splitlines()
    fridge, lamp, banana = (json.loads(line) for line in lines)
    assert [step["skill"] for step in fridge["plan"]] == ["navigate_to", "open"]
    assert [step["arguments"] for step in lamp["plan"]] == [{"goal": "lamp"}, {"theme": "lamp"}]
    assert (banana["decision"], banana["reason"], banana["plan"]) == ("reject", "I can't open the banana.", [])


def test_a_file_gives_one_object_a_line(app, tmp_path):
    sentences = ["go to the kitchen", "", "bring me the cup", "zürich ☃"]
    file = tmp_path / "sentences.txt"
    file.write_text("\n".join(sentences) + "\n", encoding="utf-8")
    result = CliRunner().invoke(app, ["--file", str(file), "--json"])
    assert result.exit_code == 0
    found = [json.loads(line) for line in result.stdout.splitlines()]
    assert [one["text"] for one in found] == sentences
    assert [one["decision"] for one in found][:3] == ["execute", "reject", "ask"]


def test_the_place_of_the_robot_can_be_given(app):
    result = CliRunner().invoke(app, ["go to the kitchen", "--at", "counter", "--json"])
    assert json.loads(result.stdout)["plan"] == []


def test_the_charge_of_the_battery_can_be_given(app):
    shown = " ".join(CliRunner().invoke(app, ["go to the kitchen", "--battery", "0.03"]).stdout.split())
    assert "My battery is at 3%." in shown


def test_a_missing_file_gives_one_clear_error(app):
    result = CliRunner().invoke(app, ["--file", "/nowhere/at-all.txt"])
    assert isinstance(result.exception, SaysoError)
    assert str(result.exception) == "--file /nowhere/at-all.txt: No such file or directory"


def test_an_unknown_place_is_one_clear_error(app):
    result = CliRunner().invoke(app, ["stop", "--at", "garage"])
    assert isinstance(result.exception, SaysoError)
    assert "--at: the domain has no 'garage'" in str(result.exception)


@pytest.mark.parametrize("arguments", [[], ["stop", "--file", "-"]])
def test_either_a_sentence_or_a_file(app, arguments):
    assert CliRunner().invoke(app, arguments).exit_code == 2


def test_answers_each_line_before_the_next_is_written():
    program = "import typer; from sayso.console.ask import ask; app = typer.Typer(); app.command()(ask); app()"
    command = [sys.executable, "-c", program, "--file", "-", "--json"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as running:
        assert running.stdin is not None
        assert running.stdout is not None
        for sentence in ("stop", "come here"):
            running.stdin.write(sentence + "\n")
            running.stdin.flush()
            assert json.loads(running.stdout.readline())["text"] == sentence
        running.stdin.close()
        assert running.wait(timeout=PATIENCE) == 0
