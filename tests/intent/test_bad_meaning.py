"""Impossible, contradictory and endless input: bounded time, one clear sentence back, and nothing is done that was not meant."""

from __future__ import annotations

import time

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from budget import examples
from loaded import default_pipeline
from sayso.domain import load_domain
from sayso.pipeline import Pipeline, Understanding

HOME = load_domain()
SOON = 5.0  # s, generous for slow machines; typical are some 0.1 s
LONGEST_REPLY = 400  # characters


@pytest.fixture(scope="module")
def pipeline() -> Pipeline:
    return default_pipeline()


def understood(pipeline: Pipeline, text: str) -> Understanding:
    began = time.process_time()
    found = pipeline.understand(text)
    assert time.process_time() - began < SOON
    return found


def refuses(found: Understanding) -> bool:
    """Whether nothing moves, and the robot says why in one line of bounded length."""
    said = found.question or found.action_belief.reason
    return found.decision not in ("execute", "defer") and bool(said) and "\n" not in said and len(said) <= LONGEST_REPLY


CONTRADICTIONS = [
    "put the plate on the desk and not on the desk",
    "go to the kitchen and don't go to the kitchen",
    "take the milk to the counter and don't take it to the counter",
    "don't bring me the apple, bring me the apple",
    "bring anna the keys but never bring anna the keys",
]
IMPOSSIBLE = [
    "bring me minus two cups",
    "turn left minus three times",
    "go to the kitchen a thousand times",
    "go to the kitchen yesterday",
    "bring me the red cup an hour ago",
    "go to the kitchen yesterday at five",
    "go to the kitchen at twenty five o'clock",
    "in minus five minutes go to the kitchen",
]
TOO_MUCH = {
    "300 words": "bring me the red cup and then " * 43,
    "40 clauses": " and then ".join(["go to the kitchen", "go to the study"] * 20),
    "one name of 200 characters": f"bring me the {'x' * 200}",
    "names of 200 characters": f"bring {'j' * 200} the {'q' * 200}",
    "nested conditions": "if anna is here unless ben is there until carla comes when you charge go to the kitchen",
    "ten conditions": "if anna is in the study " * 10 + "go to the kitchen",
    "ten untils": "wait " + "until ben comes " * 10,
    "only joins": "if and then unless or until and but when before after " * 5,
}
OTHER_SCRIPTS = ["принеси мне чашку", "把杯子拿给我", "أحضر لي الكوب", "go to 厨房 and bring 我 杯子 请 现在 好 吗", "מה קורה"]


@pytest.mark.parametrize("text", CONTRADICTIONS)
def test_a_contradiction_is_refused_or_asked_about(pipeline: Pipeline, text: str) -> None:
    assert refuses(understood(pipeline, text))


def test_the_refusal_of_a_contradiction_names_it(pipeline: Pipeline) -> None:
    said = understood(pipeline, "go to the kitchen and don't go to the kitchen").question
    assert said == "You want me to go to the kitchen, and not to go to the kitchen. So I leave it."


@pytest.mark.parametrize("text", IMPOSSIBLE)
def test_impossible_numbers_and_times_are_refused(pipeline: Pipeline, text: str) -> None:
    assert refuses(understood(pipeline, text))


@pytest.mark.parametrize("text", TOO_MUCH.values(), ids=TOO_MUCH)
def test_too_much_is_refused_in_bounded_time(pipeline: Pipeline, text: str) -> None:
    found = understood(pipeline, text)
    if text == TOO_MUCH["ten untils"]:  # waiting alone
        assert [action.name for action in found.actions] in ([], ["wait"])
    else:
        assert refuses(found)


@pytest.mark.parametrize("text", OTHER_SCRIPTS)
def test_other_scripts_do_nothing(pipeline: Pipeline, text: str) -> None:
    assert refuses(understood(pipeline, text))


@pytest.mark.parametrize("text", ["ben, did you buy the milk", "anna, darling, could you pass me the salt", "grandma, are you all right"])
def test_speech_to_another_person_is_left_alone(pipeline: Pipeline, text: str) -> None:
    found = understood(pipeline, text)
    assert found.decision == "reject"
    assert found.question.startswith("I think that was for ")


@pytest.mark.parametrize("text", ["i'll get the apple myself", "i'll put the cup away", "we'll go to the kitchen"])
def test_what_the_speaker_will_do_is_left_to_the_speaker(pipeline: Pipeline, text: str) -> None:
    assert understood(pipeline, text).decision == "reject"


FORBIDDING = ["don't {}", "never {}", "please do not {}", "you must not {}"]
ACTS = ["go to the kitchen", "bring me the red cup", "put the plate on the desk", "turn left"]


@examples(24, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.sampled_from(FORBIDDING), st.sampled_from(ACTS))
def test_nothing_forbidden_is_ever_done(pipeline: Pipeline, forbidding: str, act: str) -> None:
    found = pipeline.understand(forbidding.format(act))
    assert found.decision in ("reject", "defer", "answer")
    assert found.plan is None


PIECES = ("if", "unless", "when", "until", "don't", "never", "twice", "at six", "yesterday", "every day", "in five minutes", "minus two",
          "go to the kitchen", "bring me the cup", "and", "then", "otherwise", "never mind", "anna is here", "the phone", ",", "?", "back",
          "again", "wait", "keep turning left", "i'm thirsty", "no more beer for ben", "where is", "i'll have")  # fmt: skip


@examples(120, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.sampled_from(PIECES), min_size=1, max_size=14).map(" ".join))
def test_any_mixture_gives_a_decision_in_bounded_time(pipeline: Pipeline, text: str) -> None:
    found = understood(pipeline, text)
    assert found.decision == "execute" or found.question or found.action_belief.reason
