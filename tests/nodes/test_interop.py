"""The mapping from Sayso's messages to the community's, checked against their definitions, without their packages."""

from __future__ import annotations

import json
import math
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rosbags.typesys import Stores, get_types_from_msg, get_typestore

pytest.importorskip("sayso_msgs", reason="the ROS interfaces are not built")

from sayso.domain import load_domain
from sayso.types import Action, ActionBelief, ActionCandidate, Grounding, Transcript, TranscriptAlternative
from sayso_nodes.conversions import community

pytestmark = pytest.mark.ros
DEFINITIONS = Path(__file__).parents[1] / "data" / "interfaces"


def typestore():
    store = get_typestore(Stores.ROS2_JAZZY)
    for path in sorted(DEFINITIONS.rglob("*.msg")):
        store.register(get_types_from_msg(path.read_text(), f"{path.parts[-3]}/msg/{path.stem}"))
    return store


STORE = typestore()
CONSTANTS = dict(line[7:].split("=") for line in (DEFINITIONS / "hri_actions_msgs/msg/Intent.msg").read_text().splitlines() if "=" in line)


def assert_fields(fields: dict, kind: str) -> None:
    """Every field is one of the message's, and each value of a kind that it takes."""
    described = dict(STORE.get_msgdef(kind).fields)
    for name, value in fields.items():
        assert name in described, f"{kind} has no field {name}"
        node, inner = described[name]
        if isinstance(value, dict):
            assert_fields(value, inner)
        elif isinstance(value, list) and value and isinstance(value[0], dict):
            for each in value:
                assert_fields(each, inner[0][1])
        else:
            expected = {"string": str, "float64": float, "float32": float, "uint8": int, "int32": int, "uint32": int}
            if node == 1:  # a basic type
                assert isinstance(value, expected[inner[0]]), (kind, name, value)


def spoken(text: str, **more) -> Transcript:
    return Transcript("u1", 12.5, (TranscriptAlternative(text, 0.0),) if text else (), 0.75, **more)


def decided(*actions: Action, decision: str = "execute", probability: float = 0.9) -> ActionBelief:
    candidates = tuple(ActionCandidate(clause, action, 1.0, 1.0, probability, 0.0) for clause, action in enumerate(actions))
    return ActionBelief("u1", 12.5, candidates, decision, "")


def looked(point=(1.0, 2.0, 0.8), found=True, attention=None) -> Grounding:
    attention = np.full((4, 4), 1 / 16) if attention is None else attention
    return Grounding("u1", 12.5, "red_cup", "the red cup", attention, 0.0, 0.83, found, (0.0, 0.0), point)


def test_live_speech_carries_the_words_and_how_sure_they_are() -> None:
    fields = community.live_speech(spoken("go to the kitchen"))
    assert_fields(fields, "hri_msgs/msg/LiveSpeech")
    assert (fields["final"], fields["confidence"], fields["header"]["stamp"]) == (
        "go to the kitchen",
        0.75,
        {"sec": 12, "nanosec": 500_000_000},
    )


@pytest.mark.parametrize("transcript", [spoken(""), spoken("mumble", rejected="not a sentence of this home")])
def test_rejected_utterances_are_not_passed_on(transcript: Transcript) -> None:
    assert community.live_speech(transcript) is None


def heard(final: str, confidence: float = 0.9, sec: int = 5):
    return SimpleNamespace(
        final=final, incremental="", confidence=confidence, header=SimpleNamespace(stamp=SimpleNamespace(sec=sec, nanosec=0))
    )


def test_another_recognisers_words_become_a_transcript() -> None:
    transcript = community.transcript(heard("  go to\nthe kitchen "), "u7", 99.0, 0.8)
    assert (transcript.text, transcript.confidence, transcript.stamp, transcript.utterance_id) == ("go to the kitchen", 0.9, 5.0, "u7")


def test_words_that_are_not_yet_final_are_waited_for() -> None:
    assert community.transcript(heard("   "), "u7", 99.0, 0.8) is None


@given(st.floats(), st.integers(0, 10))
def test_whatever_confidence_is_stated_ours_is_a_probability(confidence: float, sec: int) -> None:
    transcript = community.transcript(heard("stop", confidence, sec), "u7", 99.0, 0.8)
    assert 0.0 < transcript.confidence <= 1.0
    assert transcript.stamp == (sec or 99.0)
    if confidence == 0 or math.isnan(confidence):
        assert transcript.confidence == 0.8


@pytest.mark.parametrize(
    ("action", "intent", "data"),
    [
        (Action("go_to", (("goal", "kitchen"),)), "MOVE_TO", {"goal": "kitchen"}),
        (Action("dock"), "MOVE_TO", {"goal": "dock"}),
        (
            Action("bring", (("recipient", "operator"), ("theme", "red_cup"))),
            "BRING_OBJECT",
            {"object": "red_cup", "recipient": "operator"},
        ),
        (Action("pick_up", (("theme", "red_cup"),)), "GRAB_OBJECT", {"object": "red_cup"}),
        (Action("put", (("goal", "desk"), ("theme", "book"))), "PLACE_OBJECT", {"object": "book", "recipient": "desk"}),
        (Action("come_here", (("recipient", "anna"),)), "ENGAGE_WITH", {"recipient": "anna"}),
        (Action("greet", (("message", "hello"),)), "GREET", {"other_data": "hello"}),
    ],
)
def test_an_action_is_an_intent_with_thematic_roles(action: Action, intent: str, data: dict[str, str]) -> None:
    (fields,) = community.intents(decided(action))
    assert_fields(fields, "hri_actions_msgs/msg/Intent")
    assert (fields["intent"], json.loads(fields["data"])) == (CONSTANTS[intent], data)
    assert fields["modality"] == CONSTANTS["MODALITY_SPEECH"]
    assert fields["source"] == CONSTANTS["UNKNOWN_AGENT"]
    assert (fields["priority"], fields["confidence"]) == (128, 0.9)


def test_stop_has_the_highest_priority_and_an_action_of_our_own_keeps_its_name() -> None:
    stop, move = community.intents(decided(Action("stop"), Action("move", (("direction", "back"), ("extent", "0.5")))))
    assert (stop["intent"], stop["priority"], stop["data"]) == (CONSTANTS["STOP_ACTIVITY"], 255, "{}")
    assert (move["intent"], json.loads(move["data"])) == ("move", {"direction": "back", "extent": "0.5"})


@pytest.mark.parametrize("decision", ["confirm", "ask", "reject"])
def test_nothing_is_intended_before_it_is_decided(decision: str) -> None:
    assert community.intents(decided(Action("stop"), decision=decision)) == []


def test_the_vocabulary_names_our_actions_and_their_constants() -> None:
    actions = load_domain().actions
    for name, entry in community.vocabulary().items():
        assert name in actions
        assert community.constant(entry["intent"]) == CONSTANTS[entry["intent"]]


def test_a_grounding_is_a_detection_around_what_was_attended_to() -> None:
    attention = np.zeros((4, 8))
    attention[1, 2], attention[1, 3], attention[3, 7] = 0.5, 0.3, 0.2
    fields = community.detections(looked(attention=attention), 640, 480)
    assert_fields(fields, "vision_msgs/msg/Detection2DArray")
    (found,) = fields["detections"]
    assert found["bbox"] == {"center": {"position": {"x": 240.0, "y": 180.0}}, "size_x": 160.0, "size_y": 120.0}
    (result,) = found["results"]
    assert result["hypothesis"] == {"class_id": "red_cup", "score": 0.83}
    assert result["pose"]["pose"]["position"] == {"x": 1.0, "y": 2.0, "z": 0.8}
    assert (found["id"], fields["header"]["frame_id"]) == ("red_cup", "map")


def test_nothing_found_is_an_empty_list_and_an_unknown_point_is_marked() -> None:
    assert community.detections(looked(found=False), 640, 480)["detections"] == []
    (found,) = community.detections(looked(point=(math.nan,) * 3), 640, 480)["detections"]
    assert found["results"][0]["pose"]["covariance"][0] == -1.0


@given(st.integers(1, 12), st.integers(1, 12), st.integers(0, 2**32 - 1))
def test_the_box_is_in_the_picture_and_holds_the_peak(rows: int, columns: int, seed: int) -> None:
    attention = np.random.default_rng(seed).dirichlet(np.ones(rows * columns)).reshape(rows, columns)
    left, top, right, bottom = community.attended(attention)
    row, column = np.unravel_index(int(attention.argmax()), attention.shape)
    assert 0 <= left <= column / columns < (column + 1) / columns <= right <= 1
    assert 0 <= top <= row / rows < (row + 1) / rows <= bottom <= 1
