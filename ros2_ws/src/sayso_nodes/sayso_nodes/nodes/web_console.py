"""web_console: a page in the browser that talks to the robot and shows what it hears, thinks and does. No node depends on it."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from sayso.paths import default_domain
from sayso.types import Context, ObjectBelief, People, Transcript
from sayso.web.shown import belief_as_data, people_as_data
from sayso_nodes.conversions import from_message
from sayso_nodes.diagnostics import status_name
from sayso_nodes.homes import SCENE, load_home
from sayso_nodes.lifecycle_node import DOMAIN, SaysoNode
from sayso_nodes.page_options import TOKEN
from sayso_nodes.parameters import Parameter
from sayso_nodes.run import run
from sayso_nodes.views.serialised import header_stamp

TICK = 0.2  # s between two updates of what changes often
FRAMES = 0.2  # s at least between two pictures
FIGURES = 2.0  # s at least between two updates of the nodes' figures; their troubles are shown with the next tick
LOOK = 1.0  # s between two looks whether the page may talk
SAID = 20  # of the robot's sentences
SILENT = 5.0  # s without its diagnostics, after which a node is gone
MCP = ("", "read", "command")


class WebConsoleNode(SaysoNode):
    """Shows the graph's topics on the page's board, and does what the page asks. The server has a thread of its own."""

    NAME = "web_console"
    PARAMETERS = (
        DOMAIN,
        SCENE,
        Parameter(
            "host", "127.0.0.1", "address to serve at; one that other computers reach needs `tls`, and a token in $SAYSO_CONSOLE_TOKEN"
        ),
        Parameter("port", 8420, "port to serve at; 0: a free one", 0, 65535),
        Parameter("tls", "", "PEM file with certificate and key; empty: no TLS"),
        Parameter("home_folder", "", "where the home is saved that was edited, if it comes with Sayso; empty: nowhere"),
        Parameter("read_only", False, "show everything, and take no command but stop"),
        Parameter("recordings", (), "folders with recordings to show, besides runs"),
        Parameter("mcp", "", "what language models may do by /mcp, with the token: read, or command as well; empty: nothing", choices=MCP),
    )
    QUEUE = 2
    REST = 0.05  # commands go out at once all the same; only what comes is shown later

    def open(self) -> None:
        """Serve the page.

        Raises:
            SaysoError: the address lets others in unprotected, or it is taken.
        """
        from sayso.paths import writable_dir
        from sayso.web import examination, mcp, recordings
        from sayso.web.app import Console, build_app
        from sayso.web.board import Board
        from sayso.web.editor import routes as editor
        from sayso.web.home import home_as_data
        from sayso.web.server import Address, Server
        from sayso.web.sounds import Sounds
        from sayso.web.stories import Stories
        from sayso_nodes.nodes.web_robot import WebRobot
        from sayso_nodes.views.belief import newest
        from sayso_nodes.views.pictures import LookedAt

        certificate = Path(self.value("tls")).expanduser() if self.value("tls") else None
        address = Address(self.value("host"), self.value("port"), os.environ.get(TOKEN, ""), certificate)
        address.check()
        domain, scene = load_home(self.value("domain"), self.value("scene"))
        self.board, self.stories, self.sounds, self.looked_at = Board(), Stories(domain), Sounds(), LookedAt()
        self.said: list[str] = []
        self.nodes: dict[str, tuple[float, Any]] = {}  # when each was heard, s steady, and its diagnostics
        self.prefix = status_name(self).removesuffix(self.NAME)  # of this robot's nodes in /diagnostics
        self.silent = ""  # why the page may not talk
        self.often: dict[str, Any] = {}  # key → value to show with the next tick
        self.framed = self.figured = float("-inf")  # s, steady, of the last picture, and of the nodes' last figures
        self.robot = WebRobot(self)
        shown = Console(self.board, self.robot, self.sounds, self.value("read_only"))
        home = Path(self.value("domain")) if self.value("domain") else None
        folders = [writable_dir() / "runs", *(Path(each).expanduser() for each in self.value("recordings"))]
        recorded, end_replays = recordings.routes(folders, home, read_only=shown.read_only)
        more = [*examination.routes(home), *editor.routes(self._draft()), *recorded, *mcp.routes(shown, self.value("mcp"), address.token)]
        listening = address.bind()
        port = listening.getsockname()[1]
        self.server = Server(build_app(shown, address.access(port), more), listening, certificate)
        self.on_close(self.server.close)
        self.on_close(end_replays)
        self.show("home", home_as_data(domain, scene))
        for belief in newest({}, domain):  # until the planner tells more
            self.show_belief(belief)
        self.show("page", {"read_only": self.value("read_only"), "namespace": self.get_namespace().strip("/")})
        self._subscribe()
        self.health.values["page"] = address.link(port).partition("?")[0]
        self.get_logger().info(f"the page is at {address.link(port).partition('?')[0]}")

    def _draft(self) -> Any:
        """The home as the tab Home edits it."""
        from sayso.web.editor.draft import HomeDraft

        given = (self.value(name) for name in ("domain", "scene", "home_folder"))
        domain, scene, folder = (Path(name).expanduser() if name else None for name in given)
        return HomeDraft(domain or default_domain(), scene, folder, read_only=self.value("read_only"))

    def _subscribe(self) -> None:
        for topic in ("transcript", "intent_belief", "action_belief", "plan_state", "outcome"):
            self.subscription(topic, self.on_stage, remembered=topic in ("transcript", "action_belief", "outcome"))
        self.subscription("grounding", self.on_grounding)
        self.subscription("partial_transcript", lambda message: self.show("partial", _first_text(message)))
        for topic in ("stopped", "listening", "speaking"):
            self.subscription(topic, partial(self.on_state, topic))
        for topic in ("speech", "question"):
            self.subscription(topic, self.on_said)
        self.subscription("context", self.on_context)
        self.subscription("object_belief", self.on_object_belief)
        self.subscription("people", self.on_people)
        self.subscription("path", self.on_path)
        self.subscription("audio", lambda message: self.sounds.feed(from_message(message)))
        self.end_pictures: Callable[[], None] | None = None  # while somebody looks
        self.subscription("/diagnostics", self.on_diagnostics)
        self.every(TICK, self.on_tick, steady=True)
        self.every(LOOK, self.on_look, steady=True)

    # What the page shows.

    def show(self, key: str, value: Any) -> None:
        """Put a value on the board, in the server's thread."""
        self.server.soon(lambda: self.board.put(key, value))

    def on_stage(self, message: Any) -> None:
        """Tell a stage of an utterance."""
        stage = from_message(message)
        changes = self.stories.tell(stage)
        if isinstance(stage, Transcript) and (story := changes.get(stage.utterance_id)):
            story["heard"]["sound"] = self.sounds.cut(stage.utterance_id, stage.started, stage.stamp)
            self.show("partial", "")
        self._show_stories(changes)
        self.show("question", self.stories.question)

    def on_grounding(self, message: Any) -> None:
        """Show what was looked for, and the attention over its picture if that has come."""
        grounding = from_message(message)
        self._show_stories(self.stories.tell(grounding))
        stamp = message.header.stamp
        data = self.looked_at.grounding(stamp.sec * 1_000_000_000 + stamp.nanosec, grounding)
        if data is not None:
            self.later(partial(self.draw_attention, data, grounding))

    def on_picture(self, data: bytes) -> None:
        """Show the newest picture while somebody looks, and keep it for a grounding."""
        for grounding in self.looked_at.picture(header_stamp(data), data):
            self.later(partial(self.draw_attention, data, grounding))
        now = self.seconds_steady()
        if self.board.watched and now - self.framed >= FRAMES:
            self.framed = now
            self.later(partial(self.draw_picture, data))

    def draw_picture(self, data: bytes) -> None:
        """Put a picture on the board, in the worker."""
        from sayso_nodes.views.jpeg import camera_jpeg

        jpeg = camera_jpeg(data)
        self.server.soon(lambda: self.board.put_picture("camera", jpeg))

    def draw_attention(self, data: bytes, grounding: Any) -> None:
        """Put a picture with the attention on the board, in the worker."""
        from sayso_nodes.views.jpeg import attention_jpeg

        jpeg = attention_jpeg(data, grounding)
        self.server.soon(lambda: self.board.put_picture("attention", jpeg))

    def on_state(self, topic: str, message: Any) -> None:
        """Show a state."""
        self.show(topic, bool(message.data))

    def on_said(self, message: Any) -> None:
        """Show what the robot says."""
        self.said = [*self.said, message.data][-SAID:]
        self.show("said", self.said)

    def on_context(self, message: Any) -> None:
        """Show where the robot is, with the next tick."""
        context: Context = from_message(message)
        pose = [round(value, 3) for value in (context.x, context.y, context.yaw)]
        self.often["robot"] = {
            "pose": pose, "place": context.place, "holding": context.holding, "battery": context.battery, "visible": list(context.visible),
            "facts": list(context.facts),
        }  # fmt: skip

    def on_object_belief(self, message: Any) -> None:
        """Show where an object may be."""
        belief: ObjectBelief = from_message(message)
        if belief.is_distribution:
            self.show_belief(belief)

    def show_belief(self, belief: ObjectBelief) -> None:
        """Show a distribution over places, with the next tick."""
        self.often[f"belief/{belief.object_id}"] = belief_as_data(belief)

    def on_people(self, message: Any) -> None:
        """Show where people are seen."""
        people: People = from_message(message)
        self.often["people"] = people_as_data(people)

    def on_path(self, message: Any) -> None:
        """Show the robot's way."""
        self.often["path"] = [[round(each.pose.position.x, 2), round(each.pose.position.y, 2)] for each in message.poses]

    def on_diagnostics(self, message: Any) -> None:
        """Show how each node of this robot is: at once whether it is well, and now and then its figures."""
        now = self.seconds_steady()
        for status in message.status:
            if status.name.startswith(self.prefix):
                values = {each.key: each.value for each in status.values}
                told = {"level": status.level[0], "message": status.message, "values": values}
                name = status.name.removeprefix(self.prefix)
                before = self.nodes.get(name)
                if before is None or any(before[1][key] != told[key] for key in ("level", "message")):
                    self.figured = float("-inf")
                self.nodes[name] = (now, told)
        if now - self.figured >= FIGURES:
            self.figured = now
            self.often["nodes"] = {name: told for name, (heard, told) in self.nodes.items() if heard > now - SILENT}

    def on_tick(self) -> None:
        """Show what changes often."""
        self.look(self.board.watched)
        changed, self.often = self.often, {}
        for key, value in changed.items():
            self.show(key, value)

    def look(self, watched: bool) -> None:
        """Take pictures while somebody looks: otherwise the camera may rest."""
        if watched and self.end_pictures is None:
            self.end_pictures = self.subscription("camera/image", self.on_picture, raw=True)
        elif not watched and self.end_pictures is not None:
            self.end_pictures()
            self.end_pictures = None

    def on_look(self) -> None:
        """Show why the page may not talk, if it may not: another microphone may come and go."""
        why = self.robot.may_talk()
        if why != self.silent:
            self.silent = why
            self.show("silent", why)

    def seconds_steady(self) -> float:
        """Steady time."""
        return float(self.steady.now().nanoseconds * 1e-9)

    def _show_stories(self, changes: dict[str, dict[str, Any] | None]) -> None:
        for name, story in changes.items():
            self.show(f"utterance/{name}", None if story is None else dict(story))


def _first_text(message: Any) -> str:
    return str(message.alternatives[0].text) if message.alternatives else ""


def main() -> None:
    """Run the node."""
    run(WebConsoleNode)


if __name__ == "__main__":
    main()
