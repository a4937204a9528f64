"""What people show the robot, and words that it can only guess at."""

from __future__ import annotations

import pytest

from loaded import default_pipeline
from sayso.selection.shown import UNTOLD


@pytest.mark.parametrize(
    "text", ["this is a bathroom with a double sink", "there are two sinks in the kitchen", "in this room there are six armchairs"]
)
def test_what_is_shown_is_declined_by_name(text: str) -> None:
    found = default_pipeline().understand(text)
    assert (found.decision, found.question) == ("reject", UNTOLD)


@pytest.mark.parametrize("text", ["there were two sinks in the kitchen we had", "that was the best kitchen we ever had"])
def test_stories_are_not_taken_for_showing(text: str) -> None:
    assert default_pipeline().understand(text).question != UNTOLD


def test_the_robot_names_words_that_it_could_only_guess_at() -> None:
    found = default_pipeline().understand("toss a pair of dice")
    assert found.decision != "execute"
    assert "dice" in found.question


def test_guests_are_no_people_of_the_home() -> None:
    assert "guests" in default_pipeline().understand("bring a bottle of water over to the guests").question


def test_words_asked_for_twice_are_said_once() -> None:
    assert len(default_pipeline().understand("come again what was that").actions) == 1
