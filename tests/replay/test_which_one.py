"""In the course of an errand the robot saw several things and asked which one was meant: the replay asks and hears the answer too."""

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from recorded_run import at, encoded
from replay_bags import BEGAN, CONFIG, Message, context, heard, save, sound
from sayso.console.replay_report import write_replay_report
from sayso.replay import joined, replay_bag, slices
from sayso.replay.results import summary_of
from sayso.replay.session import Job, session
from sayso.replay.stages import fingerprint

CUPS = ("the left one", "the right one")
QUESTION = "I see 2 things that may be the red cup. Do you mean the left one or the right one?"
BRING = "bring(recipient=operator, theme=red_cup)"
COMMAND, ANSWER = heard(2, "bring me the red cup", "u1"), heard(70, "the right one", "u2")


def choices(*words: str) -> list[dict[str, Any]]:
    return [{"words": each, "point": dict.fromkeys("xyz", 0.5), "covariance": np.full(9, math.nan), "probability": 0.5} for each in words]


def asking(time: float, name: str = "u1", words: tuple[str, ...] = CUPS) -> Message:
    kind = "sayso_msgs/msg/PlanState"
    ahead = [{"name": "look_for", "argument_names": ["theme", "place"], "argument_values": ["red_cup", "counter"]}]
    fields = {"utterance_id": name, "action": BRING, "status": "asking", "ahead": ahead, "choices": choices(*words)}
    return time, "/plan_state", kind, encoded(kind, {"header": {"stamp": at(BEGAN + time)}, **fields})


def decided(time: float, decision: str, words: tuple[str, ...] = (), question: str = "") -> Message:
    kind = "sayso_msgs/msg/ActionBelief"
    arguments = {"argument_names": ["recipient", "theme"], "argument_values": ["operator", "red_cup"]}
    candidate = {"action": "bring", **arguments, "probability": 0.9}
    fields = {"utterance_id": "u1", "decision": decision, "candidates": [candidate], "question": question, "choices": choices(*words)}
    return time, "/action_belief", kind, encoded(kind, {"header": {"stamp": at(BEGAN + time)}, **fields})


RECORDED = [decided(2.5, "execute"), decided(60.1, "ask", CUPS, QUESTION), decided(70.5, "execute", CUPS[::-1])]
ERRAND = [context(0.5, x=3.2, y=2.6), COMMAND, asking(60), ANSWER, *RECORDED]


@pytest.fixture(scope="module")
def errand(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save(tmp_path_factory.mktemp("errand") / "errand", sorted(ERRAND, key=lambda message: message[0]))


def test_the_question_and_what_the_answer_chose_are_replayed(errand: Path) -> None:
    result = replay_bag(errand, CONFIG)
    assert not result.problems
    command, answer = result.records
    assert (command.decision, command.asked, command.chosen) == ("execute", QUESTION, "the right one")
    assert (command.recorded_asked, command.recorded_chosen) == (QUESTION, "the right one")
    assert (answer.decision, answer.answers, answer.action, answer.plan) == ("execute", "u1", command.action, "")
    assert "asked" not in command.changed
    assert "chosen" not in command.changed


def test_another_choice_than_the_recorded_one_is_a_change(tmp_path: Path) -> None:
    bag = save(tmp_path / "bag", [COMMAND, asking(60), heard(70, "the left one", "u2"), RECORDED[2]])
    command = replay_bag(bag, CONFIG).records[0]
    assert command.chosen == "the left one"
    assert command.changed.split(", ")[-1] == "chosen"


def test_who_declines_chooses_nothing(tmp_path: Path) -> None:
    command, answer = replay_bag(save(tmp_path / "bag", [COMMAND, asking(60), heard(70, "never mind", "u2")]), CONFIG).records
    assert (command.asked, command.chosen) == (QUESTION, "")
    assert (answer.decision, answer.answers) == ("reject", "u1")


def test_a_question_about_another_errand_is_left_out(tmp_path: Path) -> None:
    command, later = replay_bag(save(tmp_path / "bag", [COMMAND, asking(60, "u0"), ANSWER]), CONFIG).records
    assert command.asked == ""
    assert later.answers == ""


def test_one_thing_is_no_question(tmp_path: Path) -> None:
    assert replay_bag(save(tmp_path / "bag", [COMMAND, asking(60, words=CUPS[:1])]), CONFIG).records[0].asked == ""


def test_slices_of_a_bag_keep_the_errand_and_its_question_together(tmp_path: Path) -> None:
    later = [heard(300 + 100 * number, "go to the kitchen", f"k{number}") for number in range(3)]
    bag = save(tmp_path / "bag", [COMMAND, asking(120), heard(130, "the right one", "u2"), *later])
    parts = slices(bag, CONFIG, 8)
    assert len(parts) > 1
    assert joined([replay_bag(bag, CONFIG, part) for part in parts]).records == replay_bag(bag, CONFIG).records


def test_the_recorded_decisions_alone_hold_the_question_too(errand: Path) -> None:
    (command,) = replay_bag(errand, replace(CONFIG, start="action")).records
    assert (command.asked, command.chosen) == (QUESTION, "the right one")
    assert command.plan


def test_a_command_that_is_heard_again_asks_too(tmp_path: Path) -> None:
    spoken = heard(4, "bring me the red cup from the kitchen", "u1", lasts=3.0)
    bag = save(tmp_path / "bag", [*sound(1.0, "bring_me_the_red_cup_from_the_kitchen"), spoken, asking(60)])
    command, *_ = replay_bag(bag, replace(CONFIG, start="audio")).records
    assert command.asked == QUESTION


def test_an_expectation_can_name_what_was_chosen(tmp_path: Path) -> None:
    bag = save(tmp_path / "bag", [COMMAND, asking(60), ANSWER])
    (tmp_path / "bag.expected.yaml").write_text("others: anything\nutterances: [{t: 0, chosen: the left one}]\n")
    (played,) = session([Job(bag, "bag")], CONFIG)
    assert played.result.records[0].wrong == "chosen: expected “the left one”, got “the right one”"


def test_the_report_tells_the_question_and_the_choice(errand: Path, tmp_path: Path) -> None:
    played = list(session([Job(errand, "errand")], CONFIG))
    page = write_replay_report(played, tmp_path, summary_of(played, CONFIG, fingerprint(CONFIG))).read_text()
    assert "Asked on the way" in page
    assert QUESTION in page
    assert "chosen: the right one" in page
