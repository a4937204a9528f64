"""`sayso replay` as a gate: accepted results stay, sounds without a command give nothing, and the exit code tells."""

import json
import re
import shutil
from pathlib import Path

import pytest
import typer
from click.testing import Result
from typer.testing import CliRunner

from replay_bags import context, heard, save, sentence
from sayso.console.replay import replay
from sayso.errors import SaysoError
from sayso.paths import config_dir

RED = "bring me the red cup from the kitchen"


def run(*arguments: object) -> Result:
    app = typer.Typer()
    app.command()(replay)
    return CliRunner().invoke(app, [*map(str, arguments), "--no-media"])


@pytest.fixture
def bag(tmp_path: Path) -> Path:
    return save(tmp_path / "monday", [context(0), heard(2, RED), heard(12, "the weather is nice today"), heard(22, "stop")])


def test_what_was_accepted_is_what_must_come_again(bag: Path, tmp_path: Path) -> None:
    first = run(bag, "--accept", "--out", tmp_path / "first")
    assert first.exit_code == 0, first.output
    assert "nothing: true" in (tmp_path / "monday.expected.yaml").read_text()
    again = run(bag, "--out", tmp_path / "again")
    assert again.exit_code == 0, again.output
    assert "3 of 3 as expected" in again.output
    lines = [(tmp_path / name / "utterances.jsonl").read_bytes() for name in ("again",)]
    run(bag, "--out", tmp_path / "third")
    assert lines[0] == (tmp_path / "third" / "utterances.jsonl").read_bytes()


def test_a_bag_that_begins_after_the_speech_can_be_accepted_too(tmp_path: Path) -> None:
    late = save(tmp_path / "late", [heard(2, "stop")])
    assert run(late, "--accept", "--out", tmp_path / "first").exit_code == 0
    assert run(late, "--out", tmp_path / "again").exit_code == 0


def test_a_change_that_spoils_a_command_is_shown_and_ends_with_one(bag: Path, tmp_path: Path) -> None:
    assert run(bag, "--accept", "--out", tmp_path / "first").exit_code == 0
    home = tmp_path / "home"
    shutil.copytree(config_dir(), home, ignore=shutil.ignore_patterns("sentences"))
    file = home / "home.yaml"
    file.write_text("".join(line for line in file.read_text().splitlines(True) if not line.startswith("  red_cup:")))
    changed = run(bag, "--domain", file, "--out", tmp_path / "out")
    assert changed.exit_code == 1
    assert "not as expected" in changed.output
    assert "2.0 s" in changed.output or "1.5 s" in changed.output
    summary = json.loads((tmp_path / "out" / "summary.json").read_text())
    assert not summary["bags"][0]["ok"]
    assert "red cup" in (tmp_path / "out" / "report.html").read_text()
    assert run(bag, "--domain", file, "--out", tmp_path / "lax", "--min-exact", "0.5").exit_code == 0


def test_few_utterances_are_listed_with_their_outcomes(bag: Path, tmp_path: Path) -> None:
    shown = run(bag, "--out", tmp_path / "out").output
    assert f"2.0 s: “{RED}” → execute bring(" in shown
    assert "12.0 s: “the weather is nice today” → reject" in shown
    assert "22.0 s: “stop” → stops at once" in shown
    assert "3 utterances of 1 bag; no expectations yet (--accept writes them)" in shown


def test_the_report_leads_to_what_is_not_as_expected(bag: Path, tmp_path: Path) -> None:
    (tmp_path / "monday.expected.yaml").write_text("utterances:\n  - {t: 2, decision: ask}\n  - {t: 90, text: come here}\n")
    (tmp_path / "torn.mcap").write_bytes(b"torn")
    assert run(bag, tmp_path / "torn.mcap", "--out", tmp_path / "out").exit_code == 1
    page = (tmp_path / "out" / "report.html").read_text()
    overview = page[page.index("Not as expected") :]
    for says in ("decision: expected “ask”, got “execute”", "nothing was heard; expected text “come here”"):
        assert says in overview
    assert "torn.mcap: is not an MCAP file" in page
    assert all("scope=" in heading for heading in re.findall(r"<th\b[^>]*>", page))
    links = re.findall('href="#([^"]+)"', page)
    assert links
    assert set(links) <= set(re.findall('id="([^"]+)"', page))


def test_a_place_that_takes_no_results_is_said_before_anything_is_played(bag: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    result = run(bag, "--out", tmp_path / "file" / "out")
    assert isinstance(result.exception, SaysoError)
    assert "cannot be written" in str(result.exception)
    assert not result.output


def test_expectations_are_written_by_hand_field_by_field(bag: Path, tmp_path: Path) -> None:
    expected = tmp_path / "monday.expected.yaml"
    listed = ["{t: 2, intent: bring, decision: [execute, confirm]}", "{t: 12, nothing: true}", "{t: 22, action: stop()}"]
    expected.write_text("utterances:\n" + "".join(f"  - {one}\n" for one in listed))
    result = run(bag, "--out", tmp_path / "out")
    assert result.exit_code == 0, result.output
    assert "3 of 3 as expected" in result.output
    expected.write_text(f"utterances:\n  - {listed[0]}\n  - {{t: 12, intent: go_to}}\n  - {{t: 90, text: come here}}\n")
    wrong = run(bag, "--out", tmp_path / "wrong")
    assert wrong.exit_code == 1
    verdicts = [json.loads(line)["verdict"] for line in (tmp_path / "wrong" / "utterances.jsonl").read_text().splitlines()]
    assert "missing" in verdicts


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("utterances:\n  - {t: 2, wish: x}\n", "monday.expected.yaml:2"),
        ("utterances:\n  - {t: 2, nothing: true, text: stop}\n", "nothing: true excludes text"),
        ("utterances:\n  - {decision: execute}\n", "give t"),
        ("utterances: [", "not YAML"),
    ],
)
def test_impossible_expectations_are_refused_with_file_and_line(bag: Path, tmp_path: Path, text: str, says: str) -> None:
    (tmp_path / "monday.expected.yaml").write_text(text)
    result = run(bag, "--out", tmp_path / "out")
    assert isinstance(result.exception, SaysoError)
    assert says in str(result.exception)


def test_sound_files_are_judged_by_their_names_and_oov_must_be_silent(tmp_path: Path) -> None:
    import soundfile

    sounds = tmp_path / "sounds"
    sounds.mkdir()
    for name in ("go_to_the_kitchen", "stop"):
        soundfile.write(sounds / f"{name}.flac", sentence(name), 16_000)
    soundfile.write(sounds / "oov_hum.wav", sentence("stop")[:800] // 50, 16_000)
    good = run(sounds, "--out", tmp_path / "good")
    assert good.exit_code == 0, good.output
    assert "3 of 3 as expected" in good.output
    shutil.copyfile(sounds / "stop.flac", sounds / "oov_speech.flac")
    (sounds / "come_here.wav").write_text("no sound")
    bad = run(sounds, "--out", tmp_path / "bad")
    assert bad.exit_code == 1
    assert "oov_speech.flac" in bad.output
    assert "come_here.wav" in bad.output


def test_a_bag_that_cannot_be_read_does_not_stop_the_others(bag: Path, tmp_path: Path) -> None:
    (tmp_path / "torn.mcap").write_bytes(b"torn")
    result = run(tmp_path / "torn.mcap", bag, "--out", tmp_path / "out")
    assert result.exit_code == 1
    assert "torn.mcap" in result.output
    assert "1 bag failed" in result.output
    assert len((tmp_path / "out" / "utterances.jsonl").read_text().splitlines()) == 3


def test_options_that_cannot_be_used_say_why(bag: Path, tmp_path: Path) -> None:
    for arguments, says in (
        (("--remap", "audio"), "RECORDED:=OURS"),
        (("--models", tmp_path), "manifest.yaml"),
        (("--workers", "2"), "--engine ray"),
        (("--domain", tmp_path / "no.yaml"), "no.yaml"),
    ):
        result = run(bag, *arguments, "--out", tmp_path / "out")
        assert isinstance(result.exception, SaysoError), arguments
        assert says in str(result.exception)


def test_parameters_of_the_nodes_are_played_through(bag: Path, tmp_path: Path) -> None:
    file = tmp_path / "params.yaml"
    nodes = "/**/intent_classifier:\n  ros__parameters: {head: kernel}\n/**/action_selector:\n  ros__parameters: {answer_within: 3.0}\n"
    file.write_text(nodes)
    result = run(bag, "--params", file, "--out", tmp_path / "kernel")
    assert result.exit_code == 0, result.output
    usual = run(bag, "--out", tmp_path / "linear")
    assert usual.exit_code == 0
    within = [json.loads((tmp_path / name / "summary.json").read_text())["configuration"]["answer_within"] for name in ("kernel", "linear")]
    assert within == [3.0, 30.0]
    for wrong, says in (("{head: round}", "neither linear nor kernel"), ("{lm_weight: 99}", "from 0 to 20")):
        file.write_text(f"/**/intent_classifier:\n  ros__parameters: {wrong}\n")
        refused = run(bag, "--params", file, "--out", tmp_path / "out")
        assert says in str(refused.exception)
