"""visual_grounder: camera image + phrase → grounding, on request."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from rclpy.task import Future

from sayso.domain import load_domain
from sayso.errors import SaysoError
from sayso.intent.meaning.answers import AnswerDescriber
from sayso.types import Grounding, Image
from sayso_nodes.camera import TOPICS, ImageMessages, from_messages
from sayso_nodes.conversions import from_time, to_message
from sayso_nodes.lifecycle_node import DOMAIN, SaysoNode
from sayso_nodes.parameters import Parameter
from sayso_nodes.run import run

if TYPE_CHECKING:
    from sayso.grounding.spoken import SpokenGrounder

PARTIAL = 8  # incomplete pictures kept
LOOKING = 20.0  # s after a question in which pictures are taken: another one often follows
LOOK = 0.1  # s between two looks at the time while pictures are taken


class VisualGrounderNode(SaysoNode):
    """Finds what a phrase points at in the first complete picture that is new enough. Descriptions are resolved in the picture."""

    NAME = "visual_grounder"
    PARAMETERS = (
        DOMAIN,  # for the words of phrases
        Parameter("patience", 5.0, "how long a picture is waited for, s", 0.1, 60.0),
        Parameter("views", 1, "pictures at once: with more, the last ones that were looked at from other places count too", 1, 8),
    )

    def open(self) -> None:
        """Check the network, which is loaded with the first question."""
        from sayso.grounding.grounder import MODEL, UNITS
        from sayso.grounding.memory import RememberingGrounder
        from sayso.grounding.seeing_once import SeeingOnce
        from sayso.models import model_path

        for name in (MODEL, UNITS):
            model_path(name)
        views = self.value("views")
        memory = RememberingGrounder(SeeingOnce(), views) if views > 1 else None
        self.memory = memory
        self.stage: SpokenGrounder | None = None  # for the worker
        self.ground: Callable[..., Grounding] = self.seen
        self.handled: tuple[str, tuple[str, ...]] = ("", ())  # what the robot holds, and what it has opened and closed
        self.describe = AnswerDescriber(load_domain(self.value("domain") or None))
        self.parts: OrderedDict[int, dict[str, Any]] = OrderedDict()  # stamp (ns) → topic → message
        self.picture: ImageMessages | None = None  # the newest complete one
        self.image: tuple[ImageMessages, Image] | None = None  # the last one that was looked at, also as the stages have it
        self.awaited: list[tuple[float, float, Future]] = []  # (not before, until when in steady s, the picture)
        self.groundings = self.publisher("grounding")
        self.eyes: list[Callable[[], None]] = []  # what ends the subscriptions to the camera, while there are any
        self.looks_until = float("inf") if memory is not None else float("-inf")  # steady s
        if memory is not None:
            self.watch()
            self.subscription("context", partial(self.on_context, memory.forget))
        self.service("ground", self.on_ground)
        self.looking = self.every(LOOK, self.give_up, steady=True)
        self.switch(self.looking, on=False)

    def load(self) -> SpokenGrounder:
        """The stage, in the worker."""
        from sayso.grounding.seeing_once import SeeingOnce
        from sayso.grounding.spoken import SpokenGrounder

        if self.stage is None:
            self.stage = SpokenGrounder(self.memory or SeeingOnce(), self.describe)
        return self.stage

    def seen(self, *asked: Any) -> Grounding:
        """What the stage sees."""
        return self.load()(*asked)

    def watch(self) -> None:
        """Take pictures. They are many and large, and a camera that nobody looks at need not send any."""
        if not self.eyes:
            self.eyes = [self.subscription(topic, partial(self.on_part, topic)) for topic in TOPICS]
            self.later(self.prepare)  # while the picture comes

    def prepare(self) -> None:
        """Load the stage."""
        self.load()

    def look_away(self) -> None:
        """Take no more pictures, and forget the last one."""
        for end in self.eyes:
            end()
        self.eyes, self.picture, self.image = [], None, None
        self.parts.clear()

    def on_context(self, forget: Callable[[], None], message: Any) -> None:
        """Forget the pictures of before when the robot has moved something: they show it where it was."""
        handled = message.holding, tuple(message.facts)
        if handled != self.handled:
            self.handled = handled
            self.later(forget)

    def on_part(self, topic: str, message: Any) -> None:
        """Collect the parts of a picture, which have the same stamp."""
        stamp = message.header.stamp.sec * 1_000_000_000 + message.header.stamp.nanosec
        parts = self.parts.setdefault(stamp, {})
        parts[topic] = message
        if len(parts) == len(TOPICS):
            del self.parts[stamp]
            self.picture = ImageMessages(*(parts[topic] for topic in TOPICS))
            self.serve()
        while len(self.parts) > PARTIAL:
            self.parts.popitem(last=False)

    def serve(self) -> None:
        """Pass the newest picture to requests that it is new enough for."""
        assert self.picture is not None
        taken = from_time(self.picture.image.header.stamp)
        for waiting in [waiting for waiting in self.awaited if taken >= waiting[0]]:
            self.awaited.remove(waiting)
            waiting[2].set_result(self.picture)

    def give_up(self) -> None:
        """Answer requests that have waited too long."""
        now = self.steady_seconds()
        for waiting in [waiting for waiting in self.awaited if now > waiting[1]]:
            self.awaited.remove(waiting)
            waiting[2].set_result(None)
            self.wake()
        if not self.awaited:
            if now > self.looks_until:
                self.look_away()
            self.switch(self.looking, on=bool(self.eyes) and self.looks_until < float("inf"))

    def steady_seconds(self) -> float:
        """Steady time, which goes on in a paused simulation."""
        return float(self.steady.now().nanoseconds * 1e-9)

    async def on_ground(self, request: Any, response: Any) -> Any:
        """Wait for a picture, ground the phrase in it, answer and publish."""
        try:
            picture = await self.new_picture(from_time(request.not_before))
            if picture is None:
                response.message = f"no picture within {self.value('patience'):g} s: is the camera running?"
                return response
            grounding = await self.in_worker(
                lambda: self.ground(self.converted(picture), request.phrase, request.object_id, request.utterance_id)
            )
        except SaysoError as refused:
            response.message = str(refused)
            return response
        except Exception as error:  # noqa: BLE001 - a stage may raise anything; the client gets the reason
            response.message = f"visual_grounder failed: {error}"
            return response
        response.success, response.grounding = True, to_message(grounding)
        self.groundings.publish(response.grounding)
        return response

    def converted(self, picture: ImageMessages) -> Image:
        """The picture as the stages have it, the same object for each question about it: it is encoded once."""
        if self.image is None or self.image[0] is not picture:
            self.image = picture, from_messages(picture)
        return self.image[1]

    async def new_picture(self, not_before: float) -> ImageMessages | None:
        """The first picture taken then or later; None if none comes."""
        self.looks_until = max(self.looks_until, self.steady_seconds() + LOOKING)
        self.watch()
        self.switch(self.looking, on=True)
        if self.picture is not None and from_time(self.picture.image.header.stamp) >= not_before:
            return self.picture
        coming: Future = Future()
        self.awaited.append((not_before, self.steady_seconds() + self.value("patience"), coming))
        picture: ImageMessages | None = await coming
        return picture


def main() -> None:
    """Run the node."""
    run(VisualGrounderNode)


if __name__ == "__main__":
    main()
