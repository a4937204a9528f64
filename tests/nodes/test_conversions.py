"""Every dataclass survives its message: there and back, through the bytes that go over the wire."""

from __future__ import annotations

import dataclasses
import math
import string
from types import SimpleNamespace

import numpy as np
import pytest

pytest.importorskip("rclpy", reason="ROS 2 is not installed")
pytest.importorskip("sayso_msgs", reason="the ROS interfaces are not built")

from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from rclpy.serialization import deserialize_message, serialize_message

from budget import examples
from sayso import types
from sayso.agenda import AgendaEntry
from sayso.bags import messages
from sayso.bags.definitions import known_types
from sayso.looks import PersonLook
from sayso.representation import Condition, Description, Modifiers, Relation, Timing
from sayso_nodes import camera
from sayso_nodes.conversions import basic, from_message, from_time, to_message, to_time

pytestmark = pytest.mark.ros

WORDS = st.text(string.ascii_lowercase + " äß'日", max_size=12)
PROBABILITY = st.floats(0, 1)
STAMP = st.floats(0, 2e9)
NUMBER = st.floats(-1e6, 1e6)
SPAN = st.integers(0, 2**32 - 1)
FLOATS = hnp.arrays(np.float64, st.integers(0, 5), elements=PROBABILITY)
ARGUMENTS = st.lists(st.tuples(WORDS, WORDS), max_size=3).map(tuple)


def tuples(strategy: st.SearchStrategy, size: int = 3) -> st.SearchStrategy:
    return st.lists(strategy, max_size=size).map(tuple)


AUDIO = st.builds(types.AudioChunk, hnp.arrays(np.int16, st.integers(0, 40)), STAMP, st.sampled_from([8000, 16000, 48000]))
ALTERNATIVE = st.builds(types.TranscriptAlternative, WORDS, st.floats(-1e3, 0))
TRANSCRIPT = st.builds(types.Transcript, WORDS, STAMP, tuples(ALTERNATIVE), PROBABILITY, STAMP, WORDS)
CANDIDATES = tuples(st.tuples(WORDS, PROBABILITY))
SMALL = st.integers(0, 2**31 - 1)


def descriptions(below: st.SearchStrategy) -> st.SearchStrategy:
    relation = st.builds(Relation, st.sampled_from(["on", "next_to"]), st.lists(below, min_size=1, max_size=2).map(tuple), st.booleans())
    return st.builds(
        Description,
        WORDS,
        SPAN,
        SPAN,
        WORDS,
        tuples(WORDS),
        tuples(relation, 2),
        WORDS,
        st.sampled_from(["the", "all", "exactly"]),
        SMALL,
        WORDS,
        tuples(below, 2),
        tuples(below, 2),
        st.sampled_from(["", "and", "or"]),
        WORDS,
        CANDIDATES,
        tuples(WORDS),
    )


LEAF = st.builds(Description, WORDS, SPAN, SPAN, WORDS)
DESCRIPTION = LEAF | descriptions(LEAF | descriptions(LEAF))
RELATION = st.builds(Relation, st.just("in"), tuples(LEAF, 2), st.booleans())
CONDITION = st.builds(
    Condition, st.just("if"), WORDS, SPAN, SPAN, st.none() | DESCRIPTION, st.none() | RELATION, WORDS, WORDS, st.booleans()
)
TIMING = st.builds(Timing, st.just("in"), WORDS, SPAN, SPAN, NUMBER | st.just(math.nan), SMALL, WORDS)
MODIFIERS = st.builds(Modifiers, st.just("rule"), st.just("where"), tuples(CONDITION, 2), tuples(TIMING, 2), SMALL, WORDS)
ROLE = st.builds(
    types.Role,
    WORDS,
    WORDS,
    SPAN,
    SPAN,
    WORDS,
    WORDS,
    PROBABILITY,
    CANDIDATES,
    NUMBER | st.just(math.nan),
    WORDS,
    st.none() | DESCRIPTION,
)
CLAUSE = st.builds(types.Clause, WORDS, SPAN, SPAN, WORDS, FLOATS, tuples(ROLE, 2), NUMBER, st.booleans(), MODIFIERS, tuples(WORDS))
HEARING = st.builds(types.Hearing, WORDS, PROBABILITY, tuples(CLAUSE, 2))
INTENT_BELIEF = st.builds(types.IntentBelief, WORDS, STAMP, WORDS, tuples(WORDS), tuples(CLAUSE, 2), WORDS, FLOATS, tuples(HEARING, 2))
ACTION = st.builds(types.Action, WORDS, ARGUMENTS)
FACTORS = tuples(st.tuples(WORDS, NUMBER))
CANDIDATE = st.builds(types.ActionCandidate, SPAN, ACTION, PROBABILITY, PROBABILITY, PROBABILITY, NUMBER, FACTORS, SPAN)
DECISION = st.sampled_from(["execute", "confirm", "ask", "defer", "answer", "reject"])
POINT = st.tuples(NUMBER, NUMBER, NUMBER) | st.just((math.nan,) * 3)
CHOICE = st.builds(types.Choice, WORDS, POINT, st.tuples(*[NUMBER] * 9), WORDS, PROBABILITY)
ACTION_BELIEF = st.builds(
    types.ActionBelief,
    WORDS,
    STAMP,
    tuples(CANDIDATE),
    DECISION,
    WORDS,
    WORDS,
    tuples(ACTION),
    tuples(st.tuples(WORDS, WORDS)),
    tuples(st.tuples(DECISION, NUMBER)),
    tuples(WORDS),
    WORDS,
    tuples(WORDS),
    tuples(CHOICE),
)
LOOKS = tuples(st.builds(PersonLook, WORDS, WORDS, PROBABILITY))
CONTEXT = st.builds(
    types.Context, STAMP, NUMBER, NUMBER, NUMBER, WORDS, WORDS, PROBABILITY, tuples(WORDS), WORDS, WORDS, tuples(WORDS), LOOKS
)
ATTENTION = hnp.arrays(np.float32, st.tuples(st.integers(1, 5), st.integers(1, 5)), elements=st.floats(0, 1, width=32))
PIXEL = st.tuples(NUMBER, NUMBER)
COVARIANCE = st.none() | hnp.arrays(np.float64, (3, 3), elements=NUMBER)
SIGHT = st.builds(types.Candidate, PROBABILITY, PIXEL, st.tuples(NUMBER, NUMBER, NUMBER, NUMBER), POINT, COVARIANCE, WORDS, WORDS)


def with_words(grounding: types.Grounding) -> types.Grounding:
    """The grounding with the attention of two words, which has the rows and columns of its own."""
    return dataclasses.replace(grounding, words=tuple(types.WordAttention(word, grounding.attention) for word in ("red", "")))


GROUNDING = st.builds(
    types.Grounding,
    WORDS,
    STAMP,
    WORDS,
    WORDS,
    ATTENTION.map(lambda alpha: alpha.astype(np.float64)),
    NUMBER,
    PROBABILITY,
    st.booleans(),
    PIXEL,
    POINT,
    tuples(SIGHT),
    tuples(WORDS),
).map(with_words)
OBJECT_BELIEF = st.builds(types.ObjectBelief, WORDS, tuples(WORDS), FLOATS, STAMP)
PEOPLE = st.builds(types.People, STAMP, st.dictionaries(WORDS, POINT, max_size=3), LOOKS)
CALL = st.builds(types.SkillCall, WORDS, ARGUMENTS)
STATUS = st.sampled_from(["running", "asking", "succeeded", "failed", "cancelled"])
PLAN_STATE = st.builds(
    types.PlanState,
    WORDS,
    STAMP,
    WORDS,
    STATUS,
    tuples(CALL),
    tuples(CALL),
    NUMBER,
    NUMBER | st.just(math.inf),
    NUMBER | st.just(math.nan),
    st.just(()),
    tuples(CHOICE),
)
OUTCOME = st.builds(types.Outcome, WORDS, STAMP, st.booleans(), WORDS, WORDS, NUMBER)
NAME = st.sampled_from(["task", "rule"])
AGENDA_ENTRY = st.builds(AgendaEntry, WORDS, NAME, WORDS, WORDS, WORDS, STAMP, STAMP | st.just(math.nan) | st.just(math.inf), WORDS, WORDS)
STAGES = {
    "AudioChunk": AUDIO,
    "Transcript": TRANSCRIPT,
    "Role": ROLE,
    "Clause": CLAUSE,
    "Hearing": HEARING,
    "IntentBelief": INTENT_BELIEF,
    "ActionCandidate": CANDIDATE,
    "ActionBelief": ACTION_BELIEF,
    "Context": CONTEXT,
    "Choice": CHOICE,
    "Grounding": GROUNDING,
    "ObjectBelief": OBJECT_BELIEF,
    "People": PEOPLE,
    "SkillCall": CALL,
    "PlanState": PLAN_STATE,
    "Outcome": OUTCOME,
}
MESSAGES = {**STAGES, "AgendaEntry": AGENDA_ENTRY}


def assert_same(one: object, other: object) -> None:
    """Equal field by field; times to a microsecond, since float64 resolves seconds since 1970 no better."""
    if dataclasses.is_dataclass(one):
        assert type(one) is type(other)
        for field in dataclasses.fields(one):
            left, right = getattr(one, field.name), getattr(other, field.name)
            if field.name in ("stamp", "started"):
                assert left == pytest.approx(right, abs=1e-6)
            else:
                assert_same(left, right)
    elif isinstance(one, tuple):
        assert len(one) == len(other)
        for left, right in zip(one, other, strict=True):
            assert_same(left, right)
    elif isinstance(one, dict):
        assert_same(tuple(one.items()), tuple(other.items()))
    elif isinstance(one, np.ndarray):
        assert one.dtype == other.dtype
        np.testing.assert_array_equal(one, other)
    else:
        assert one == other or (one != one and other != other)


@pytest.mark.parametrize("name", MESSAGES)
def test_a_stage_survives_the_wire(name: str) -> None:
    @given(MESSAGES[name])
    @examples(25)
    def survives(stage: object) -> None:
        message = to_message(stage)
        assert type(message).__name__ == name
        assert_same(stage, from_message(deserialize_message(serialize_message(message), type(message))))

    survives()


@pytest.mark.parametrize("name", MESSAGES)
def test_a_message_of_a_bag_gives_the_same_stage_as_one_of_ros(name: str) -> None:
    converter = {of_ros.__name__: converter for of_ros, converter in basic._CONVERTERS.items()}[name]
    definition = known_types().get_msgdef(f"sayso_msgs/msg/{name}")

    @given(MESSAGES[name])
    @examples(10)
    def gives_the_same(stage: object) -> None:
        data = serialize_message(to_message(stage))
        of_ros = deserialize_message(data, type(to_message(stage)))
        # Not deserialize_cdr: it refuses the padding that serialize_message, unlike a publisher, leaves after an empty list of float64.
        of_bag, _ = definition.deserialize_cdr_le(data[4:], 0, definition.cls, known_types())
        assert_same(converter(of_ros), converter(of_bag))
        assert_same(stage, converter(of_bag))

    gives_the_same()


def test_what_older_recordings_lack_is_empty() -> None:
    belief = SimpleNamespace(
        header=to_message(types.Context()).header, utterance_id="u", text="", intents=["go_to"], clauses=[], rejected=""
    )
    assert len(messages.intent_belief(belief).p_train) == 0
    candidate = SimpleNamespace(
        clause=0, action="stop", argument_names=[], argument_values=[], likelihood=1, prior=1, probability=1, utility=0
    )
    assert messages.action_candidate(candidate).factors == ()
    clause = SimpleNamespace(text="", start=0, end=0, intent="", probabilities=[], roles=[], out_of_scope=0, negated=False)
    assert messages.clause(clause).modifiers == Modifiers()


def test_every_stage_has_converters() -> None:
    """A dataclass added to sayso.types needs a message, unless it never leaves a process or travels inside another."""
    inside = {"PersonLook", "TranscriptAlternative", "Action", "SkillOutcome", "Description", "Modifiers", "Candidate", "WordAttention"} | {
        "Support"
    }
    not_alone = inside | {"Image"}
    stages = {name for name, value in vars(types).items() if dataclasses.is_dataclass(value)}
    assert stages - not_alone == set(STAGES)


@given(st.floats(0, 2e9))
@settings(deadline=None)
def test_time_survives(seconds: float) -> None:
    assert from_time(to_time(seconds)) == pytest.approx(seconds, abs=1e-6)


def test_an_unknown_kind_is_refused() -> None:
    with pytest.raises(TypeError, match="no message for int"):
        to_message(3)


ROTATION = hnp.arrays(np.float64, 4, elements=st.floats(-1, 1)).filter(lambda q: np.linalg.norm(q) > 0.1)


@given(ROTATION)
@settings(deadline=None)
def test_a_pose_survives_whatever_its_rotation(quaternion: np.ndarray) -> None:
    x, y, z, w = quaternion / np.linalg.norm(quaternion)
    message = camera.Pose(orientation=camera.Quaternion(x=float(x), y=float(y), z=float(z), w=float(w)))
    transform = camera.matrix(message)
    np.testing.assert_allclose(camera.matrix(camera.pose(transform)), transform, atol=1e-9)


def picture() -> types.Image:
    random = np.random.default_rng(0)
    pose = np.eye(4)
    pose[:3, :3] = [[0, 0, 1], [-1, 0, 0], [0, -1, 0]]  # looking along x of the map
    pose[:3, 3] = 1, 2, 0.5
    depth = random.uniform(0.3, 5, (6, 8)).astype(np.float32)
    depth[0, 0] = np.nan
    return types.Image(random.integers(0, 256, (6, 8, 3), dtype=np.uint8), 12.5, depth, (300.0, 301.0, 4.0, 3.0), pose)


def test_a_picture_survives_the_wire() -> None:
    image = picture()
    messages = [deserialize_message(serialize_message(each), type(each)) for each in camera.to_messages(image)]
    back = camera.from_messages(camera.ImageMessages(*messages))
    assert_same(dataclasses.replace(image, pose=np.round(image.pose, 9)), dataclasses.replace(back, pose=np.round(back.pose, 9)))


def test_a_camera_driver_may_pad_rows_swap_colours_and_count_millimetres() -> None:
    messages = camera.to_messages(picture())
    colour, depth = messages.image, messages.depth
    bgr = np.frombuffer(colour.data, np.uint8).reshape(6, 24).reshape(6, 8, 3)[:, :, ::-1].reshape(6, 24)
    colour.encoding, colour.step = "bgr8", 32
    colour.data = np.pad(bgr, ((0, 0), (0, 8))).tobytes()
    depth.encoding, depth.step = "16UC1", 16
    depth.data = np.full((6, 8), 1500, np.uint16).tobytes()
    back = camera.from_messages(messages)
    np.testing.assert_array_equal(back.rgb, picture().rgb)
    np.testing.assert_allclose(back.depth, 1.5)
