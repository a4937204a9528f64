"""The choice of the picture for the grounder node. Here its stage only reports the picture's brightness; the stage has its own tests."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import inf
from typing import Any

import numpy as np
import pytest
from rclpy.parameter import Parameter
from sayso_msgs.srv import Ground

from ros_nodes import Peer, peer
from sayso.errors import GroundingError, SaysoError
from sayso.types import Candidate, Context, Grounding, Image
from sayso_nodes.camera import TOPICS, from_messages, image_message, to_messages
from sayso_nodes.conversions import from_message, to_message, to_time
from sayso_nodes.graph import find_topic, interface
from sayso_nodes.nodes.visual_grounder import VisualGrounderNode

pytestmark = pytest.mark.ros
DOMAIN = 95


def look(image: Image, phrase: str, object_id: str = "", utterance_id: str = "") -> Grounding:
    """A stage whose confidence is the brightness of the picture, so that a test can tell which one it got."""
    if phrase == "trouble":
        raise ZeroDivisionError("a stage that divides by nothing")
    if phrase == "darkness":
        raise GroundingError("the picture is black")
    brightness = float(image.rgb[0, 0, 0]) / 255
    grounding = Grounding(utterance_id, image.stamp, object_id, phrase, np.full((2, 2), 0.25), 1.386, brightness, found=True)
    if phrase != "the cup":
        return grounding
    both = tuple(Candidate(0.5, (u, 2.0), (u - 1, 1.0, u + 1, 3.0), (1.0, u, 0.8), 1e-4 * np.eye(3), "cup", "red") for u in (1.0, 4.0))
    return replace(grounding, candidates=both, options=("the left one", "the right one"))


class Eye(VisualGrounderNode):
    """The node with that stage in it."""

    def open(self) -> None:
        super().open()
        self.stage = look
        self.looks_until = inf  # as long after a question
        self.watch()


@pytest.fixture
def user(monkeypatch: pytest.MonkeyPatch) -> Iterator[Peer]:
    monkeypatch.setattr("sayso.grounding.VisualGrounder", lambda: look)
    with peer(DOMAIN) as made:
        node = Eye(context=made.context, parameter_overrides=[Parameter("patience", value=0.5)])
        made.run(node)
        node.start()
        made.cameras = [made.speaker(topic) for topic in TOPICS]  # type: ignore[attr-defined]
        yield made
        node.close()


def show(user: Peer, stamp: float, brightness: int, parts: tuple[int, ...] = (0, 1, 2, 3)) -> None:
    image = Image(np.full((4, 6, 3), brightness, np.uint8), stamp, np.ones((4, 6), np.float32), (5.0, 5.0, 3.0, 2.0))
    messages = to_messages(image)
    for part in parts:
        user.cameras[part].publish(messages[part])  # type: ignore[attr-defined]


def ask(user: Peer, not_before: float, phrase: str = "the red cup") -> Any:
    client = user.node.create_client(Ground, "ground")
    user.until(client.service_is_ready)
    return client.call_async(Ground.Request(utterance_id="u", object_id="red_cup", phrase=phrase, not_before=to_time(not_before)))


def test_looks_at_the_first_picture_that_is_new_enough(user: Peer) -> None:
    groundings = user.hear("grounding")
    show(user, 1.0, 10)
    user.spin(0.2)
    answer = ask(user, not_before=2.0)
    user.spin(0.2)
    assert not answer.done()
    show(user, 2.5, 51)
    user.until(answer.done)
    assert answer.result().success
    grounding = from_message(answer.result().grounding)
    assert (grounding.stamp, grounding.confidence, grounding.utterance_id) == (2.5, pytest.approx(0.2), "u")
    user.until(lambda: groundings)
    assert groundings[0].phrase == "the red cup"


def test_a_picture_counts_when_all_its_parts_are_there_in_whatever_order(user: Peer) -> None:
    answer = ask(user, not_before=1.0)
    user.spin(0.1)
    show(user, 1.5, 10, parts=(3, 1))
    show(user, 1.6, 51, parts=(2, 0))
    user.spin(0.1)
    assert not answer.done()
    show(user, 1.6, 51, parts=(1, 3))
    user.until(answer.done)
    assert answer.result().grounding.confidence == pytest.approx(0.2)


def test_says_so_when_no_picture_comes(user: Peer) -> None:
    answer = ask(user, not_before=5.0)
    user.until(answer.done)
    assert not answer.result().success
    assert answer.result().message == "no picture within 0.5 s: is the camera running?"


def test_a_stage_that_fails_is_the_reason_and_the_node_looks_again(user: Peer) -> None:
    show(user, 1.0, 51)
    user.spin(0.2)
    answer = ask(user, not_before=0.5, phrase="trouble")
    user.until(answer.done)
    assert answer.result().message == "visual_grounder failed: a stage that divides by nothing"
    answer = ask(user, not_before=0.5)
    user.until(answer.done)
    assert answer.result().success


def test_the_answer_has_every_candidate_and_what_to_call_it(user: Peer) -> None:
    show(user, 1.0, 51)
    user.spin(0.2)
    answer = ask(user, not_before=0.5, phrase="the cup")
    user.until(answer.done)
    message = answer.result().grounding
    assert message.ambiguous
    assert list(message.options) == ["the left one", "the right one"]
    first = message.candidates[0]
    assert (first.kind, first.color, first.probability, list(first.box)) == ("cup", "red", 0.5, [0.0, 1.0, 2.0, 3.0])
    assert list(first.covariance) == [1e-4, 0, 0, 0, 1e-4, 0, 0, 0, 1e-4]
    assert from_message(message).candidates[1].point == (1.0, 4.0, 0.8)


def test_a_refused_picture_is_the_reason(user: Peer) -> None:
    show(user, 1.0, 51)
    user.spin(0.2)
    answer = ask(user, not_before=0.5, phrase="darkness")
    user.until(answer.done)
    assert not answer.result().success
    assert answer.result().message == "the picture is black"


@pytest.mark.parametrize(("encoding", "channels"), [("rgb8", 3), ("bgr8", 3), ("rgba8", 4), ("bgra8", 4), ("mono8", 1)])
def test_pictures_of_common_encodings_are_converted(encoding: str, channels: int) -> None:
    messages = to_messages(Image(np.zeros((4, 6, 3), np.uint8), 1.0, np.ones((4, 6), np.float32), (5.0, 5.0, 3.0, 2.0)))
    pixels = np.full((4, 6, channels), 51, np.uint8)
    image = from_messages(messages._replace(image=image_message(messages.image.header, encoding, pixels)))
    assert image.rgb.shape == (4, 6, 3)
    assert (image.rgb == 51).all()


def test_sixteen_bit_depth_is_in_metres_and_its_zeros_are_unknown() -> None:
    messages = to_messages(Image(np.zeros((4, 6, 3), np.uint8), 1.0))
    millimetres = np.full((4, 6), 1500, np.uint16)
    millimetres[0, 0] = 0
    depth = from_messages(messages._replace(depth=image_message(messages.image.header, "16UC1", millimetres))).depth
    assert depth is not None
    assert np.isnan(depth[0, 0])
    assert depth[1, 1] == pytest.approx(1.5)


def test_a_message_that_is_cut_short_or_odd_is_refused_with_the_reason() -> None:
    messages = to_messages(Image(np.zeros((4, 6, 3), np.uint8), 1.0))
    odd = image_message(messages.image.header, "yuv422", np.zeros((4, 6, 2), np.uint8))
    with pytest.raises(SaysoError, match="encoding yuv422 cannot be read"):
        from_messages(messages._replace(image=odd))
    short = image_message(messages.image.header, "rgb8", np.zeros((4, 6, 3), np.uint8))
    del short.data[30:]
    with pytest.raises(SaysoError, match="has 30 bytes, too few"):
        from_messages(messages._replace(image=short))


def test_pictures_of_before_the_robot_took_something_are_no_views_any_more(monkeypatch: pytest.MonkeyPatch) -> None:
    forgotten = []
    monkeypatch.setattr("sayso.grounding.memory.RememberingGrounder.forget", lambda grounder: forgotten.append(True))
    with peer(DOMAIN) as user:
        node = Eye(context=user.context, parameter_overrides=[Parameter("views", value=4)])
        user.run(node)
        node.start()
        contexts = user.speaker("context")
        for holding, facts, times in (("", (), 0), ("red_cup", (), 1), ("red_cup", (), 1), ("", ("open(fridge)",), 2)):
            contexts.publish(to_message(Context(stamp=1.0, holding=holding, facts=facts)))
            user.until(lambda times=times: len(forgotten) >= times)
            user.spin(0.2)
            assert len(forgotten) == times
        node.close()


def test_it_looks_only_while_it_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sayso_nodes.nodes.visual_grounder.LOOKING", 0.5)
    with peer(DOMAIN) as made:
        node = VisualGrounderNode(context=made.context, parameter_overrides=[Parameter("patience", value=10.0)])
        made.run(node)
        node.start()
        node.stage = look
        cameras = [made.node.create_publisher(interface(topic), topic, find_topic(topic).qos()) for topic in TOPICS]
        made.cameras = cameras  # type: ignore[attr-defined]
        assert not any(camera.get_subscription_count() for camera in cameras)
        asked = ask(made, not_before=0.5)
        made.until(lambda: all(camera.get_subscription_count() for camera in cameras))
        show(made, 1.0, 255)
        made.until(asked.done)
        assert asked.result().success
        made.until(lambda: not any(camera.get_subscription_count() for camera in cameras))
        node.close()
