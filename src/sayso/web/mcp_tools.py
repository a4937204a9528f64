"""What a language model can ask of the robot, and tell it: one more speaker, whose sentences pass the same belief, questions and gate."""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from sayso.errors import SaysoError
from sayso.web.board import Board
from sayso.web.requests import Requests

Mode = Literal["", "read", "command"]
MODES: tuple[Mode, ...] = ("", "read", "command")  # off; look and stop; also say and answer
WAITS, LONGEST_WAIT = 20.0, 120.0  # s for what becomes of a sentence
PICTURE_WITHIN = 1.5  # s for a new picture of the camera
STEP = 0.05  # s between two looks at the board
STORIES = 5  # last utterances that are told
FEW = 4  # candidates of each
OVER = ("confirm", "ask", "reject", "answer", "defer")  # decisions after which nothing moves for now

Given = Mapping[str, Any]
Content = dict[str, Any]  # of the protocol: text or image


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool as the protocol lists it, and what it does."""

    name: str
    description: str
    arguments: Mapping[str, str]  # name → description; all are texts
    needed: tuple[str, ...]
    act: Callable[[Given], Awaitable[list[Content]]]
    changes: bool = False  # the world, perhaps

    def listed(self) -> dict[str, Any]:
        """The entry of tools/list."""
        properties = {
            name: {"type": "number" if name == "wait" else "string", "description": text} for name, text in self.arguments.items()
        }
        schema = {"type": "object", "properties": properties, "required": list(self.needed), "additionalProperties": False}
        hints = {"readOnlyHint": not self.changes, "destructiveHint": self.changes and self.name != "stop", "openWorldHint": False}
        return {"name": self.name, "description": self.description, "inputSchema": schema, "annotations": hints}


class RobotTools:
    """The tools of a mode. All run in the event loop's thread."""

    def __init__(self, board: Board, requests: Requests, mode: Mode) -> None:
        self._board, self._requests = board, requests
        reading = (
            Tool("what_do_you_see", "What the camera sees now: names of what it has recognised, and the picture.", {}, (), self._see),
            Tool(
                "where_is", "Where something or somebody may be: a distribution over places. Say the probabilities, too.",
                {"what": "name or id of a thing or a person, as `sayso://home` lists them"}, ("what",), self._where,
            ),
            Tool(
                "what_is_happening", "What the robot does, what it asks, and what became of the last sentences, with probabilities.",
                {}, (), self._happening,
            ),
            Tool("stop", "Stop the robot at once. Always allowed. A person lets it move again.", {}, (), self._stop, changes=True),
        )  # fmt: skip
        commanding = (
            Tool(
                "say",
                "Say one sentence to the robot, in the words of the person. The robot decides by itself whether it acts, asks or refuses; "
                "this tells what it decided. If it asks, put its question to the person.",
                {"text": "the sentence", "wait": f"s to wait for the outcome; {WAITS:g} if left out, {LONGEST_WAIT:g} at most"},
                ("text",), self._say, changes=True,
            ),
            Tool(
                "answer",
                "Answer the robot's open question with what the person has answered: yes, no, the number of an option, or its words. "
                "Never answer in the person's place: the question is there because the robot is not sure enough.",
                {"text": "the person's answer", "utterance_id": "of the question, as it was told", "wait": "as in say"},
                ("text", "utterance_id"), self._answer, changes=True,
            ),
        )  # fmt: skip
        self.tools = {tool.name: tool for tool in (*reading, *(commanding if mode == "command" else ()))}

    async def call(self, name: str, given: Given) -> list[Content]:
        """Use a tool.

        Raises:
            SaysoError: there is none of that name, an argument is wrong, or the robot cannot.
        """
        tool = self.tools.get(name)
        if tool is None:
            raise SaysoError(f"there is no tool {name[:40]!r} here; there are {', '.join(self.tools)}")
        if unknown := set(given) - set(tool.arguments):
            raise SaysoError(f"{name} has no argument {min(unknown)[:40]!r}")
        if missing := [each for each in tool.needed if not given.get(each)]:
            raise SaysoError(f"{missing[0]!r} is missing")
        content: list[Content] = await tool.act(given)
        return content

    def home(self) -> dict[str, Any]:
        """Names of rooms, places, things and people; without the floor plan."""
        home = self._board.value("home") or {}
        named = {kind: [{"id": each["id"], "name": each["name"]} for each in home.get(kind, [])] for kind in ("rooms", "people")}
        more = {kind: [{"id": key, "name": each["name"]} for key, each in home.get(kind, {}).items()] for kind in ("places", "objects")}
        return {"name": home.get("name", ""), **named, **more, "sentences": home.get("examples", [])}

    def happening(self) -> dict[str, Any]:
        """State, question and the last stories."""
        stories = sorted(self._board.values("utterance/").values(), key=lambda story: float(story.get("stamp", 0.0)))
        state = {name: self._board.value(name) for name in ("stopped", "listening", "speaking")}
        robot = self._board.value("robot") or {}
        return {
            **state, "robot": {name: robot.get(name) for name in ("place", "holding", "battery", "facts")},
            "question": self._board.value("question"), "stories": [told(story) for story in stories[-STORIES:]],
        }  # fmt: skip

    async def _see(self, _: Given) -> list[Content]:
        picture = await self._board.next_picture("camera", PICTURE_WITHIN)
        robot = self._board.value("robot") or {}
        found = [_text({"visible": robot.get("visible", []), "place": robot.get("place", ""), "picture": picture is not None})]
        if picture is not None:
            found.append({"type": "image", "data": base64.b64encode(picture).decode(), "mimeType": "image/jpeg"})
        return found

    async def _where(self, given: Given) -> list[Content]:
        home, wanted = self.home(), _plain(given["what"])
        names = {each["id"]: each["name"] for kind in ("objects", "people") for each in home[kind]}
        found = next((key for key, name in names.items() if wanted in (_plain(key), _plain(name))), None)
        if found is None:
            raise SaysoError(f"there is no {wanted[:60]!r} in this home; there are {', '.join(map(_plain, names.values()))}")
        people = self._board.value("people") or {}
        if found in {each["id"] for each in home["people"]}:
            return [_text({"id": found, "seen": found in people, "position": people.get(found)})]
        places = {each["id"]: each["name"] for each in home["places"]}
        belief = self._board.value(f"belief/{found}") or {}
        ordered = sorted(belief.items(), key=lambda item: -item[1])
        return [_text({"id": found, "places": [{"place": key, "name": places.get(key, _plain(key)), "p": p} for key, p in ordered]})]

    async def _happening(self, _: Given) -> list[Content]:
        return [_text(self.happening())]

    async def _stop(self, _: Given) -> list[Content]:
        return [_text(await self._asked({"do": "stop"}))]

    async def _say(self, given: Given) -> list[Content]:
        wait = _seconds(given)
        answer = await self._asked({"do": "say", "text": given["text"]})
        return [_text(await self._outcome(answer["utterance_id"], wait, None))]

    async def _answer(self, given: Given) -> list[Content]:
        wait, name = _seconds(given), str(given["utterance_id"])
        question = self._board.value("question")
        if question is None or question["id"] != name:
            raise SaysoError("there is no such open question")
        before = self._board.value(f"utterance/{name}") or {}
        answer = await self._asked({"do": "answer", "text": given["text"], "utterance_id": name})
        return [_text({"robot": answer["message"], **await self._outcome(name, wait, before.get("decided"))})]

    async def _asked(self, request: dict[str, Any]) -> dict[str, Any]:
        answer = await self._requests.answer(request, None)
        if not answer["ok"]:
            raise SaysoError(answer["message"])
        return answer

    async def _outcome(self, name: str, wait: float, before: Any) -> dict[str, Any]:
        """The story of an utterance once nothing more is to come of it, or what there is after `wait`. `before`: an older decision."""
        end = asyncio.get_running_loop().time() + wait
        while True:
            story = self._board.value(f"utterance/{name}") or {"id": name}
            belief = story.get("decided")
            settled = belief is not None and belief["decision"] in OVER and belief != before
            if "outcome" in story or settled or (story.get("heard") or {}).get("rejected"):
                return {"over": True, **told(story)}
            if asyncio.get_running_loop().time() >= end:
                return {"over": False, **told(story)}
            await asyncio.sleep(STEP)


def told(story: dict[str, Any]) -> dict[str, Any]:
    """A story in few words: what was heard, meant and decided with probabilities, and how it ended."""
    heard, meant, decided, plan = (story.get(part) or {} for part in ("heard", "meant", "decided", "plan"))
    clauses = [
        {"text": clause["text"], "intent": clause["intent"], "p": _round(clause["probabilities"].get(clause["intent"]))}
        for clause in meant.get("clauses", [])
    ]
    candidates = [{"action": each["in_words"], "p": _round(each["posterior"])} for each in decided.get("candidates", [])[:FEW]]
    found = {
        "utterance_id": story["id"], "heard": heard.get("text", ""), "ignored": heard.get("rejected", ""), "meant": clauses,
        "candidates": candidates, "decision": decided.get("decision", ""), "question": decided.get("question", ""),
        "reason": decided.get("reason", ""), "plan": plan.get("status", ""), "doing": [call["skill"] for call in plan.get("ahead", [])[:1]],
        "outcome": story.get("outcome"),
    }  # fmt: skip
    return {name: value for name, value in found.items() if value not in ("", [], None)}


def _seconds(given: Given) -> float:
    wait = given.get("wait", WAITS)
    if isinstance(wait, bool) or not isinstance(wait, int | float) or not 0 <= wait <= LONGEST_WAIT:
        raise SaysoError(f"'wait' is a number of seconds up to {LONGEST_WAIT:g}")
    return float(wait)


def _plain(name: Any) -> str:
    return str(name).replace("_", " ").lower().strip().removeprefix("the ")


def _round(p: float | None) -> float | None:
    return None if p is None else round(p, 4)


def _text(value: Any) -> Content:
    return {"type": "text", "text": json.dumps(value, ensure_ascii=False)}
