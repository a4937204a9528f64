"""What a page may ask for, checked and limited in rate, and handed to the robot."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sayso.errors import SaysoError
from sayso.web.robot import RobotLink

LONGEST = 500  # characters of a sentence
OFTEN = 10  # requests of all pages within WITHIN; "stop" is never refused
WITHIN = 2.0  # s
Answer = dict[str, Any]  # ok, message, and what was asked for


class Requests:
    """Answers the requests of all pages. One page at a time talks."""

    def __init__(self, robot: RobotLink, *, read_only: bool = False, clock: Callable[[], float] = time.monotonic) -> None:
        self._robot, self._read_only, self._clock = robot, read_only, clock
        self._recent: deque[float] = deque(maxlen=OFTEN)
        self._talker: object | None = None
        self._known: Mapping[str, Callable[[Answer], Awaitable[Answer]]] = {
            "say": self._say,
            "answer": self._answer,
            "resume": self._resume,
            "cancel": self._cancel,
            "tasks": self._tasks,
        }

    async def answer(self, asked: Mapping[str, Any], page: object | None) -> Answer:
        """Do what is asked. A mistake or a robot that cannot gives ok: false with one line."""
        what = asked.get("do")
        try:
            if what == "stop":
                return {"ok": True, "message": await self._robot.stop()}
            if self._read_only:
                raise SaysoError("this page only shows; it was started with --read-only")
            if what == "talk" and page is not None:
                return self._talk(page, asked.get("held") is True)
            if not isinstance(what, str) or what not in self._known:
                raise SaysoError(f"there is no request {str(what)[:40]!r}; there are stop, {', '.join(self._known)}")
            self._limit()
            return {"ok": True, **await self._known[what](dict(asked))}
        except SaysoError as error:
            return {"ok": False, "message": str(error)}

    def hear(self, page: object, samples: NDArray[np.int16]) -> None:
        """Hand on sound of the page that talks."""
        if page is self._talker:
            self._robot.talk(samples)

    def gone(self, page: object) -> None:
        """The page has gone away, perhaps in mid-sentence."""
        if page is self._talker:
            self._talker = None
            self._robot.lose()

    def _talk(self, page: object, held: bool) -> Answer:
        if held and self._talker not in (None, page):
            raise SaysoError("somebody else is talking to the robot")
        if held and (reason := self._robot.may_talk()):
            raise SaysoError(reason)
        if held or page is self._talker:
            self._talker = page if held else None
            self._robot.press(held)
        return {"ok": True, "message": ""}

    def _limit(self) -> None:
        now = self._clock()
        if len(self._recent) == OFTEN and now - self._recent[0] < WITHIN:
            raise SaysoError("too much at once: wait a moment")
        self._recent.append(now)

    async def _say(self, asked: Answer) -> Answer:
        return {"message": "", "utterance_id": await self._robot.say(_text(asked, "text"))}

    async def _answer(self, asked: Answer) -> Answer:
        return {"message": await self._robot.answer(_text(asked, "text"), _text(asked, "utterance_id", needed=False))}

    async def _resume(self, _: Answer) -> Answer:
        return {"message": await self._robot.resume()}

    async def _cancel(self, asked: Answer) -> Answer:
        return {"message": await self._robot.cancel(_text(asked, "utterance_id"))}

    async def _tasks(self, asked: Answer) -> Answer:
        command = "take_back" if asked.get("command") == "take_back" else "list"
        return {"message": "", "entries": await self._robot.tasks(command, _text(asked, "entry", needed=command == "take_back"))}


def _text(asked: Answer, name: str, *, needed: bool = True) -> str:
    """A text of the request, on one line."""
    given = asked.get(name, "")
    text = " ".join(given.split()) if isinstance(given, str) else ""
    text = "".join(each for each in text if each.isprintable())
    if needed and not text:
        raise SaysoError(f"{name!r} is missing")
    if len(text) > LONGEST:
        raise SaysoError(f"{name!r} has more than {LONGEST} characters")
    return text
