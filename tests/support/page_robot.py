"""A page that is really served, for a robot that notes what it is asked for and may refuse."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from starlette.routing import BaseRoute

from sayso.errors import SaysoError
from sayso.web.app import Console, build_app
from sayso.web.board import Board
from sayso.web.server import Address, Server
from sayso.web.sounds import Sounds


class PageRobot:
    """Notes every call in `calls`."""

    def __init__(self) -> None:
        self.calls: list[tuple[Any, ...]] = []
        self.sound: NDArray[np.int16] = np.empty(0, np.int16)
        self.refusal = ""  # of say and answer
        self.unstoppable = False
        self.deaf = ""  # why nobody can talk

    async def say(self, text: str) -> str:
        if self.refusal:
            raise SaysoError(self.refusal)
        self.calls.append(("say", text))
        return "u1"

    async def answer(self, text: str, utterance_id: str) -> str:
        self.calls.append(("answer", text, utterance_id))
        return "understood"

    async def stop(self) -> str:
        self.calls.append(("stop",))
        if self.unstoppable:
            raise SaysoError("the motion gate does not answer")
        return "stopped"

    async def resume(self) -> str:
        self.calls.append(("resume",))
        return "may move"

    async def cancel(self, utterance_id: str) -> str:
        self.calls.append(("cancel", utterance_id))
        return "cancelled"

    async def tasks(self, command: str, entry: str) -> list[dict[str, Any]]:
        self.calls.append(("tasks", command, entry))
        return [{"id": "3", "what": "go to the kitchen", "when": "at 6 pm", "state": "waiting"}]

    def may_talk(self) -> str:
        return self.deaf

    def talk(self, samples: NDArray[np.int16]) -> None:
        self.sound = np.concatenate([self.sound, samples])

    def press(self, held: bool) -> None:
        self.calls.append(("press", held))

    def lose(self) -> None:
        self.calls.append(("lose",))


class Served:
    """A console that is served, and where."""

    def __init__(self, address: Address, *, read_only: bool = False, more: Sequence[BaseRoute] = ()) -> None:
        self.robot = PageRobot()
        self.console = Console(Board(), self.robot, Sounds(), read_only)
        listening = address.bind()
        self.port = listening.getsockname()[1]
        self.server = Server(build_app(self.console, address.access(self.port), more), listening, address.certificate)
        self.url = f"ws://127.0.0.1:{self.port}/ws"

    def show(self, **values: Any) -> None:
        """Put values on the board; "__" in a name stands for "/"."""
        for name, value in values.items():
            self.server.soon(partial(self.console.board.put, name.replace("__", "/"), value))
