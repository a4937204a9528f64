"""What the page asks of the robot. `web_console` does it by ROS."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray


class RobotLink(Protocol):
    """Commands of a person at the page. The coroutines run in the server's event loop and raise SaysoError with one line for the person."""

    async def say(self, text: str) -> str:
        """Hand a sentence over. Returns the id of the utterance."""

    async def answer(self, text: str, utterance_id: str) -> str:
        """Answer the question of that utterance: yes, no, the number of an option or its words."""

    async def stop(self) -> str:
        """Stop the robot; returns when it is stopped."""

    async def resume(self) -> str:
        """Let the robot move again."""

    async def cancel(self, utterance_id: str) -> str:
        """Drop a command."""

    async def tasks(self, command: str, entry: str) -> list[dict[str, Any]]:
        """List what is kept for later ("list"), or take it back ("take_back")."""

    def may_talk(self) -> str:
        """Why nobody can talk to the robot by the page now; empty if one can."""

    def talk(self, samples: NDArray[np.int16]) -> None:
        """Hear a piece of sound, (N,) at 16 kHz."""

    def press(self, held: bool) -> None:
        """The button for talking is held, or released: what follows is silence."""

    def lose(self) -> None:
        """The page that talks has gone away: what it was saying is no sentence."""
