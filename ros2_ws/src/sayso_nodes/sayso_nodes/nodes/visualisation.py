"""visualisation: shows the robot's beliefs as map, way, markers and images in RViz and Foxglove. No node depends on it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from rclpy.serialization import deserialize_message

from sayso.types import ActionBelief, Grounding, ObjectBelief
from sayso_nodes.conversions import from_message
from sayso_nodes.graph import interface
from sayso_nodes.homes import SCENE, load_home
from sayso_nodes.lifecycle_node import DOMAIN, SaysoNode
from sayso_nodes.parameters import Parameter
from sayso_nodes.run import run
from sayso_nodes.views.serialised import header_stamp


class VisualisationNode(SaysoNode):
    """Sends map and home once, the rest on change and only to subscribers. The worker draws images."""

    NAME = "visualisation"
    PARAMETERS = (
        DOMAIN,
        SCENE,
        Parameter("period", 1.0, "between two updates, s", 0.1, 10.0),
    )
    QUEUE = 4

    def open(self) -> None:
        """Make the map."""
        from sayso.robot.map import RobotMap
        from sayso_nodes.views.belief import Spots
        from sayso_nodes.views.pictures import LookedAt
        from sayso_nodes.views.ways import Way

        self.domain, scene = load_home(self.value("domain"), self.value("scene"))
        self.map = RobotMap.from_scene(scene, self.domain)
        self.spots, self.way, self.looked_at = Spots(self.map), Way(), LookedAt()
        self.beliefs: dict[str, ObjectBelief] = {}
        self.mentioned: set[str] = set()  # objects of the current utterance
        self.holding = ""
        self.seen: Grounding | None = None
        self.decided: ActionBelief | None = None
        self.maps, self.homes, self.markers = self.publisher("view/map"), self.publisher("view/home"), self.publisher("view/belief")
        self.ways, self.attention, self.posterior = (self.publisher(f"view/{name}") for name in ("way", "attention", "posterior"))
        self.changed = {"home", "belief"}  # to send
        self.subscription("context", self.on_context)
        self.subscription("object_belief", self.on_object_belief)
        self.subscription("action_belief", self.on_action_belief)
        self.subscription("grounding", self.on_grounding)
        self.end_pictures: Callable[[], None] | None = None  # while somebody sees the attention
        self.every(self.value("period"), self.on_time, steady=True)  # also while simulated time stands still

    def on_context(self, message: Any) -> None:
        """Update the way and the object in the gripper."""
        if self.way.add(message.x, message.y):
            self.changed.add("way")
        if message.holding != self.holding:
            self.holding = message.holding
            self.beliefs.pop(message.holding, None)  # it is in the gripper, so its last place is no longer a belief
            self.changed.add("belief")

    def on_object_belief(self, message: Any) -> None:
        """Update where an object may be."""
        if message.object_id == self.holding:
            return
        self.beliefs[message.object_id] = from_message(message)
        self.mentioned.add(message.object_id)
        self.changed.add("belief")

    def on_action_belief(self, message: Any) -> None:
        """Update the decision; the images now show this utterance."""
        belief: ActionBelief = from_message(message)
        self.decided, self.seen = belief, None
        self.mentioned = {value for candidate in belief.candidates for _, value in candidate.action.arguments}
        self.changed.add("belief")
        if self.posterior.get_subscription_count():
            self.later(lambda: self.draw_posterior(belief))

    def on_grounding(self, message: Any) -> None:
        """Update the grounding, and draw it if its picture has come."""
        grounding: Grounding = from_message(message)
        self.seen = grounding
        self.changed.add("belief")
        if not self.attention.get_subscription_count():
            return
        stamp = message.header.stamp
        picture = self.looked_at.grounding(stamp.sec * 1_000_000_000 + stamp.nanosec, grounding)
        if picture is not None:
            self.later(lambda: self.draw_attention(picture, grounding))

    def look(self, seen: bool) -> None:
        """Take pictures while somebody sees the attention that is drawn on them."""
        if seen and self.end_pictures is None:
            self.end_pictures = self.subscription("camera/image", self.on_picture, raw=True)
        elif not seen and self.end_pictures is not None:
            self.end_pictures()
            self.end_pictures = None

    def on_picture(self, data: bytes) -> None:
        """Keep a picture serialised: most are never drawn."""
        for grounding in self.looked_at.picture(header_stamp(data), data):
            self.later(partial(self.draw_attention, data, grounding))

    def draw_attention(self, data: bytes, grounding: Grounding) -> None:
        """Publish the attention image, in the worker."""
        from sayso_nodes.views.pictures import attention_picture

        self.attention.publish(attention_picture(deserialize_message(data, interface("camera/image")), grounding))

    def draw_posterior(self, belief: ActionBelief) -> None:
        """Publish the posterior image, in the worker."""
        from sayso_nodes.views.pictures import posterior_picture

        self.posterior.publish(posterior_picture(belief))

    def on_time(self) -> None:
        """Send changes to subscribers."""
        self.look(bool(self.attention.get_subscription_count()))
        from sayso_nodes.views.belief import belief_markers, newest
        from sayso_nodes.views.home import home_markers, occupancy_grid
        from sayso_nodes.views.ways import path

        if "home" in self.changed:  # latched, for late subscribers
            self.changed.remove("home")
            self.maps.publish(occupancy_grid(self.map, self.seconds()))
            self.homes.publish(home_markers(self.map))
        if "way" in self.changed and self.ways.get_subscription_count():
            self.changed.remove("way")
            self.ways.publish(path(self.way.points, self.seconds()))
        if "belief" in self.changed and self.markers.get_subscription_count():
            self.changed.remove("belief")
            beliefs = newest(self.beliefs, self.domain)
            shown = belief_markers(
                self.spots, self.domain, beliefs, named=self.mentioned, holding=self.holding, seen=self.seen, decided=self.decided
            )
            self.markers.publish(shown)


def main() -> None:
    """Run the node."""
    run(VisualisationNode)


if __name__ == "__main__":
    main()
