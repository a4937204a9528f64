"""The visualisation node over DDS: it shows the latest messages to its subscribers, and computes nothing without one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import pytest
from nav_msgs.msg import OccupancyGrid
from rclpy.parameter import Parameter
from visualization_msgs.msg import Marker

from ros_nodes import SETTLING, Peer, peer
from sayso.bags.images import colours
from sayso.types import Action, ActionBelief, ActionCandidate, Context, Grounding, Image, ObjectBelief
from sayso_nodes.camera import to_messages
from sayso_nodes.conversions import to_message
from sayso_nodes.graph import find_node, find_topic, interface
from sayso_nodes.nodes.visualisation import VisualisationNode

pytestmark = pytest.mark.ros
DOMAIN = 57
HEARD = ("context", "object_belief", "action_belief", "grounding", "camera/image")


class Audience(NamedTuple):
    """The node, those who look at it, and those whom it hears."""

    peer: Peer
    node: VisualisationNode
    voices: dict[str, Any]

    def say(self, topic: str, *stages: Any) -> None:
        if topic == "camera/image" and self.node.attention.get_subscription_count():
            self.peer.until(self.voices[topic].get_subscription_count)  # it takes pictures while somebody sees what is drawn on them
            self.peer.spin(SETTLING)  # it may not have found the camera yet
        for stage in stages:
            self.voices[topic].publish(stage if topic == "camera/image" else to_message(stage))


@pytest.fixture
def audience() -> Iterator[Audience]:
    with peer(DOMAIN) as made:
        node = VisualisationNode(context=made.context, parameter_overrides=[Parameter("period", value=0.1)])
        made.run(node)
        node.start()
        voices = {topic: made.speaker(topic, subscribers=0 if topic == "camera/image" else 1) for topic in HEARD}
        made.until(lambda: all(node.count_publishers(topic) for topic in HEARD))  # the node has found them as well
        yield Audience(made, node, voices)
        node.close()


def belief(utterance: str = "u") -> ActionBelief:
    bring = Action("bring", (("recipient", "operator"), ("theme", "red_cup")))
    return ActionBelief(utterance, 3.0, (ActionCandidate(0, bring, 1.0, 0.5, 0.97, 0.9),), "execute", "sure enough")


def grounding(stamp: float) -> Grounding:
    attention = np.full((3, 4), 1 / 12)
    return Grounding("u", stamp, "red_cup", "the red cup", attention, 2.5, 0.9, found=True, pixel=(3.0, 2.0), point=(11.0, 0.4, 0.9))


def picture(stamp: float, grey: int = 90) -> Any:
    return to_messages(Image(np.full((24, 32, 3), grey, np.uint8), stamp)).image


def texts(array: Any, namespace: str) -> list[str]:
    return [one.text for one in array.markers if one.ns == namespace and one.type == Marker.TEXT_VIEW_FACING]


def test_late_subscribers_see_the_map_and_the_home(audience: Audience) -> None:
    audience.peer.until(lambda: not audience.node.changed & {"home"})
    maps, homes = audience.peer.hear("view/map"), audience.peer.hear("view/home")
    audience.peer.until(lambda: maps and homes)
    assert isinstance(maps[0], OccupancyGrid)
    assert {0, 100} <= set(maps[0].data)
    assert "kitchen" in texts(homes[0], "rooms")


def test_shows_where_things_may_be_and_what_was_decided(audience: Audience) -> None:
    arrays = audience.peer.hear("view/belief")
    audience.say("action_belief", belief())
    places = ObjectBelief("red_cup", ("counter", "kitchen_table"), np.array([0.75, 0.25]))
    audience.say("object_belief", places)
    audience.peer.until(lambda: arrays and texts(arrays[-1], "names") == ["red cup 75 %", "red cup 25 %"])
    assert texts(arrays[-1], "decision") == ["execute\n97 %  bring(recipient=operator, theme=red_cup)"]
    audience.say("context", Context(holding="red_cup"))
    audience.peer.until(lambda: texts(arrays[-1], "names") == ["red cup"])
    audience.say("object_belief", places)  # what the planner still has of it
    audience.peer.spin(0.2)
    audience.say("context", Context(holding=""))  # given away: only its usual places are known
    audience.peer.until(lambda: len(texts(arrays[-1], "names")) > 1)
    assert "red cup 75 %" not in texts(arrays[-1], "names")


def test_the_way_grows_as_the_robot_drives_and_rests_when_it_does(audience: Audience) -> None:
    ways = audience.peer.hear("view/way")
    for step in range(5):
        audience.say("context", Context(x=0.5 * step, y=1.0))
        audience.peer.until(lambda step=step: ways and len(ways[-1].poses) == step + 1)
    count = len(ways)
    audience.say("context", Context(x=2.0, y=1.0))
    audience.peer.spin(0.4)
    assert len(ways) == count


def test_draws_the_picture_that_was_looked_at_whichever_comes_first(audience: Audience) -> None:
    drawn = audience.peer.hear("view/attention")
    audience.peer.until(audience.node.attention.get_subscription_count)
    audience.say("camera/image", picture(1.0))
    audience.say("camera/image", picture(1.5, grey=200))
    audience.peer.spin(0.2)
    audience.say("grounding", grounding(1.0))
    audience.peer.until(lambda: len(drawn) == 1)
    assert (drawn[0].header.stamp.sec, drawn[0].width) == (1, 640)
    assert colours(drawn[0])[40, 40].max() < 120  # the dark one of the two
    audience.say("grounding", grounding(2.0))
    audience.peer.spin(0.2)
    audience.say("camera/image", picture(2.0))
    audience.peer.until(lambda: len(drawn) == 2)
    assert drawn[1].header.stamp.sec == 2


def test_nothing_is_made_without_a_subscriber(audience: Audience) -> None:
    node = audience.node
    audience.say("camera/image", picture(1.0))
    audience.say("action_belief", belief())
    audience.say("grounding", grounding(1.0))
    audience.peer.until(lambda: node.seen is not None and node.decided is not None)
    audience.peer.spin(0.3)
    assert "calls: 0" in describe(node)
    assert "belief" in node.changed  # still to be made, for the first who looks
    posteriors = audience.peer.hear("view/posterior")
    audience.peer.until(node.posterior.get_subscription_count)
    audience.say("action_belief", belief("another"))
    audience.peer.until(lambda: posteriors)
    audience.peer.until(lambda: "calls: 1" in describe(node))


def describe(node: VisualisationNode) -> str:
    (status,) = node.health.message(interface("/diagnostics")().header.stamp, "active").status
    return "; ".join(f"{one.key}: {one.value}" for one in status.values)


def test_a_picture_that_cannot_be_drawn_is_diagnosed_and_the_next_one_is_drawn(audience: Audience) -> None:
    drawn, node = audience.peer.hear("view/attention"), audience.node
    audience.peer.until(node.attention.get_subscription_count)
    odd = picture(1.0)
    odd.encoding = "mono16"
    audience.say("camera/image", odd)
    audience.say("grounding", grounding(1.0))
    audience.peer.until(lambda: "pictures of encoding mono16 cannot be read" in describe(node))
    audience.say("camera/image", picture(2.0))
    audience.say("grounding", grounding(2.0))
    audience.peer.until(lambda: drawn)
    assert drawn[0].header.stamp.sec == 2


def test_another_utterance_takes_the_last_ones_findings_away(audience: Audience) -> None:
    arrays = audience.peer.hear("view/belief")
    audience.say("grounding", grounding(1.0))
    audience.peer.until(lambda: arrays and texts(arrays[-1], "seen"))
    audience.say("action_belief", belief())
    audience.peer.until(lambda: texts(arrays[-1], "decision"))
    assert texts(arrays[-1], "seen") == []


def test_what_is_shown_is_latched() -> None:
    shown = [topic for topic in find_node("visualisation").publishes if topic.startswith("view/")]
    assert len(shown) == 6
    assert all(find_topic(topic).latched for topic in shown)
