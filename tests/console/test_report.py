"""A run's report: everything in it comes from the bag, and the page needs nothing outside itself."""

import io
import re
import wave
from base64 import b64decode
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from recorded_run import CUP, PLAN, SENTENCE, record_run
from sayso.bags.messages import GroundTruth
from sayso.console.animation import LARGEST, choose_moments
from sayso.console.pictures import thinned
from sayso.console.report import Files, make_report, render
from sayso.domain import load_domain
from sayso.errors import SaysoError
from sayso.evaluation.judge import Check, Expected, judge
from sayso.evaluation.run import Act, Record, Run, read_run, settled
from sayso.scene.load import load_scene
from sayso.types import Action, ActionBelief, ActionCandidate, Outcome, Transcript, TranscriptAlternative

HOME = load_domain()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = record_run(tmp_path_factory.mktemp("run"))
    list(make_report(folder, HOME, load_scene()))
    return folder


@pytest.fixture(scope="module")
def run(folder: Path) -> Run:
    return read_run(folder)


@pytest.fixture(scope="module")
def page(folder: Path) -> str:
    return (folder / "report.html").read_text(encoding="utf-8")


def test_every_stage_of_an_utterance_is_read_from_the_bag(run: Run) -> None:
    first, second, third = run.utterances
    assert first.transcript.text == SENTENCE
    assert first.intents is not None
    assert first.intents.clauses[0].intent == "bring"
    assert first.actions is not None
    assert str(first.actions.chosen[0]) == "bring(recipient=operator, theme=red_cup)"
    assert [grounding.found for _, grounding in first.groundings] == [False, True]
    assert first.groundings[1][1].point == pytest.approx(CUP)
    assert first.outcome is not None
    assert first.outcome.succeeded
    assert second.actions is not None
    assert second.actions.decision == "ask"
    assert third.transcript.rejected
    assert run.said == ((60.1, "Here you are."), (70.4, second.actions.question))


def test_a_question_that_was_asked_again_is_shown_as_it_was_first_asked() -> None:
    cup, saucer = (ActionCandidate(0, Action("bring", (("theme", each),)), 1.0, 0.5, 0.5, 0.1) for each in ("cup", "saucer"))
    asked = ActionBelief("u1", 1.0, (cup, saucer), "ask", "two are as likely", "The cup or the saucer?")
    again = replace(asked, stamp=2.0, question="I'm not sure what you said. The cup or the saucer?")
    answered = ActionBelief("u1", 3.0, (saucer,), "execute", "confirmed")
    assert settled([asked, again]) == asked
    assert settled([asked, again, answered]) == answered


def test_skills_last_from_one_plan_to_the_next(run: Run) -> None:
    spans = run.utterances[0].spans
    assert [(span.call.name, span.succeeded) for span in spans] == [(name, True) for name, _ in PLAN]
    assert [round(span.seconds, 3) for span in spans] == [21.5, 6.0, 4.0, 22.0, 4.0]
    assert run.utterances[0].seconds_to_first_skill == pytest.approx(0.5)
    assert run.utterances[1].seconds_to_first_skill is None


def test_knows_where_things_were_taken_and_came_to(run: Run) -> None:
    assert [move[1:] for move in run.moves] == [("red_cup", "counter", "gripper"), ("red_cup", "gripper", "operator")]
    assert run.path.shape == (425, 4)


def test_the_sound_of_the_sentence_is_cut_from_the_audio_topic(run: Run) -> None:
    assert len(run.utterances[0].sound) == pytest.approx(16_000 * (1.5 + 0.3), abs=1600 * 3)
    assert run.utterances[1].sound.size == 0


def test_the_page_needs_nothing_outside_itself(page: str) -> None:
    links: list[str] = []

    class Links(HTMLParser):
        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            links.extend(value or "" for name, value in attrs if name in {"src", "href"})

    Links().feed(page)
    assert {link for link in links if not link.startswith("data:")} == {"bag/"}
    assert "url(" not in page
    assert "@import" not in page
    assert "<script" not in page


def test_the_page_shows_every_step_of_the_reasoning(page: str) -> None:
    assert SENTENCE in page
    assert "0.97" in page
    assert "bring(recipient=operator, theme=red_cup)" in page
    assert "Which cup do you mean: the red cup or the blue cup?" in page
    assert "too unlike a sentence of this home" in page
    assert re.search(r"<b>500 ms</b><small>first skill goal", page)
    assert "not as expected" in page
    assert "ab" * 32 in page


def test_the_animation_plays_only_when_asked(page: str) -> None:
    (shown,) = re.findall(r'<details class="animation">(.+?)</details>', page, re.DOTALL)
    summary, played = shown.split("</summary>")
    assert "data:image/jpeg" in summary
    assert "Play the animation" in summary
    assert "data:image/gif" in played
    assert page.count("data:image/gif") == 1


def test_each_picture_says_what_it_shows(page: str) -> None:
    texts = re.findall(r'<img src="data:[^"]+" alt="([^"]+)" loading', page)
    assert texts == [
        "Camera picture with the attention. “the red cup” not found, confidence 0.06",
        "Camera picture with the attention. “the red cup” found, confidence 0.94",
    ]


def test_every_heading_of_a_table_says_what_it_heads(page: str) -> None:
    headings = re.findall(r"<th\b[^>]*>", page)
    assert headings
    assert all('scope="col"' in heading or 'scope="row"' in heading for heading in headings)


def test_the_page_plays_the_sentence(page: str) -> None:
    (sound,) = re.findall(r'<audio[^>]+src="data:audio/wav;base64,([^"]+)"', page)
    with wave.open(io.BytesIO(b64decode(sound))) as file:
        assert (file.getframerate(), file.getnchannels()) == (16_000, 1)
        assert file.getnframes() > 16_000


def test_text_is_escaped(tmp_path: Path) -> None:
    folder = record_run(tmp_path)
    Record(acts=(Act("<script>alert(1)</script>", "u1", ()),)).write(folder)
    page = render(read_run(folder), Files(folder / "path.png", folder / "demo.gif", {}))
    assert "<script" not in page
    assert "alert(1)" in page


def test_draws_the_way_and_every_look(folder: Path) -> None:
    with Image.open(folder / "path.png") as picture:
        assert picture.width > 1000
        assert len(set(picture.convert("RGB").resize((200, 150)).get_flattened_data())) > 50
    assert sorted(file.name for file in (folder / "frames").iterdir()) == ["01-red_cup-not-found.jpg", "02-red_cup-found.jpg"]


def test_the_animation_moves_and_stays_small(folder: Path) -> None:
    file = folder / "demo.gif"
    assert file.stat().st_size <= LARGEST
    with Image.open(file) as picture:
        assert picture.n_frames > 50  # type: ignore[attr-defined]
        first = np.asarray(picture.convert("RGB"), dtype=int)
        picture.seek(picture.n_frames // 2)  # type: ignore[attr-defined]
        assert np.abs(np.asarray(picture.convert("RGB"), dtype=int) - first).max() > 100


def test_the_animation_holds_the_end_of_each_sentence(run: Run) -> None:
    moments = list(choose_moments(run, 100))
    assert sum(moment.milliseconds > 1000 for moment in moments) == 2 * len(run.utterances)
    assert [round(moment.time, 1) for moment in moments if 500 < moment.milliseconds < 1000] == [28.2]
    assert 90 < len(moments) < 120


def test_points_that_say_nothing_new_are_left_out() -> None:
    still = np.array([[t, 1.0, 2.0, 0.0] for t in range(50)])
    assert len(thinned(still)) == 2


def test_a_folder_without_a_bag_is_one_clear_error(tmp_path: Path) -> None:
    with pytest.raises(SaysoError, match="no such file or folder"):
        read_run(tmp_path)


# The judge: the simulator's truth counts, not what the robot says.

HEARD = Transcript("u", 1.0, (TranscriptAlternative(SENTENCE, 0.0),), 0.9)
BRING = Action("bring", (("recipient", "operator"), ("theme", "red_cup")))
EXECUTES = ActionBelief("u", 1.0, (ActionCandidate(0, BRING, 1.0, 1.0, 1.0, 1.0),), "execute", "")
ASKS = ActionBelief("u", 1.0, EXECUTES.candidates, "ask", "", "Which?")
DONE = Outcome("u", 1.0, True, str(BRING))
BEFORE = GroundTruth(0.0, 1.0, 1.0, 0.0, {"red_cup": "counter"}, {"red_cup": (1.0, 1.0, 1.0)})
BROUGHT = GroundTruth(9.0, 1.0, 1.0, 0.0, {"red_cup": "operator"}, {"red_cup": (5.0, 1.0, 1.0)})


def judged(
    expected: Expected, belief: ActionBelief | None, outcome: Outcome | None, after: GroundTruth, heard: Transcript | None = HEARD
) -> list[Check]:
    found = judge(expected, HOME, transcript=heard, belief=belief, outcome=outcome, before=BEFORE, after=after)
    return [check for check in found if not check.ok]


def test_a_command_is_done_when_the_cup_is_at_the_person() -> None:
    assert not judged("done", EXECUTES, DONE, BROUGHT)
    assert not judged("as decided", EXECUTES, DONE, BROUGHT)


def test_a_robot_that_says_it_is_done_is_not_believed() -> None:
    assert [check.what for check in judged("done", EXECUTES, DONE, BEFORE)] == ["red_cup is at"]
    assert [check.found for check in judged("done", EXECUTES, None, BROUGHT)] == ["none came"]


def test_a_question_moves_neither_robot_nor_things() -> None:
    assert not judged("asks", ASKS, None, BEFORE)
    assert [check.what for check in judged("asks", ASKS, None, BROUGHT)] == ["objects moved"]
    moved = GroundTruth(9.0, 1.03, 1.0, 0.0, BEFORE.locations, BEFORE.positions)
    assert [check.found for check in judged("asks", ASKS, None, moved)] == ["3.0 cm"]
    assert [check.what for check in judged("asks", EXECUTES, DONE, BEFORE)] == ["decision"]


def test_what_is_no_command_is_rejected() -> None:
    rejected = Transcript("u", 1.0, (), 0.1, rejected="noise")
    assert not judged("no command", None, None, BEFORE, rejected)
    assert [check.what for check in judged("no command", ASKS, None, BEFORE)] == ["decision"]
    assert not judged("no command", None, None, BEFORE, None)
    assert [check.what for check in judged("no command", None, None, BROUGHT, None)] == ["objects moved"]
    assert [check.what for check in judged("asks", None, None, BEFORE, None)] == ["heard"]


def test_goals_of_places_are_judged_by_the_place() -> None:
    put = Action("put", (("goal", "sink"), ("theme", "red_cup")))
    go = Action("go_to", (("goal", "kitchen"),))
    both = ActionBelief("u", 1.0, (ActionCandidate(0, put, 1, 1, 1, 1), ActionCandidate(1, go, 1, 1, 1, 1)), "execute", "")
    wrong = {check.what: check.wanted for check in judged("as decided", both, DONE, BEFORE)}
    assert wrong == {"red_cup is at": "sink", "robot is at kitchen": "within 0.5 m"}
    x, y, _ = HOME.places["kitchen"].pose
    assert not judged("as decided", both, DONE, GroundTruth(9.0, x, y + 0.2, 0.0, {"red_cup": "sink"}, {}))
