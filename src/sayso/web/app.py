"""The server of the page: files, a WebSocket with all that happens, and the commands of the person who looks at it.

Over the WebSocket, the server sends `{"key", "value"}` for each value that changes (`board`), and answers each request
`{"do", "id", …}` with `{"reply": id, "ok", "message"}`. Sound comes as binary messages, 16-bit samples at 16 kHz.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import BaseRoute, Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from sayso import console
from sayso.errors import SaysoError
from sayso.web.board import Board
from sayso.web.bodies import object_of
from sayso.web.guard import Access, Guard
from sayso.web.requests import Requests
from sayso.web.robot import RobotLink
from sayso.web.sounds import Sounds

PAGE = Path(__file__).parent / "page"
LOOK = Path(console.__file__).parent / "look.css"  # shared with the reports
VIEWERS = 32  # pages at once
SLOW = 15.0  # s in which a page must take a message
TYPES = {".html": "text/html", ".css": "text/css", ".js": "text/javascript", ".json": "application/json", ".svg": "image/svg+xml"}


@dataclass(frozen=True, slots=True)
class Console:
    """What the server shows and whom it commands."""

    board: Board
    robot: RobotLink
    sounds: Sounds
    read_only: bool = False  # no commands but stop


def build_app(shown: Console, access: Access, more: Sequence[BaseRoute] = ()) -> Guard:
    """The application. `more`: routes of further parts of the page."""
    requests = Requests(shown.robot, read_only=shown.read_only)
    viewers: set[WebSocket] = set()

    async def watch(socket: WebSocket) -> None:
        if len(viewers) >= VIEWERS:
            await socket.close(1013, "too many pages are open")
            return
        await socket.accept()
        viewers.add(socket)
        try:
            await _serve(socket, shown, requests)
        finally:
            viewers.discard(socket)
            requests.gone(socket)

    async def act(request: Request) -> Response:
        asked = await object_of(request)
        answer = await requests.answer({**asked, "do": request.path_params["do"]}, None)
        return JSONResponse(answer, 200 if answer["ok"] else 409)

    async def sound(request: Request) -> Response:
        found = shown.sounds.wav(request.path_params["utterance"])
        if found is None:
            raise HTTPException(404, "the sound of this sentence is not kept any more")
        return Response(found, media_type="audio/wav")

    routes = [
        Route("/", _file(PAGE / "index.html")),
        *(Route(f"/{path.name}", _file(path)) for path in (LOOK, *sorted(PAGE.iterdir())) if path.suffix in TYPES),
        WebSocketRoute("/ws", watch),
        Route("/api/do/{do}", act, methods=["POST"]),
        Route("/api/sound/{utterance}", sound),
        *more,
    ]
    handlers: dict[Any, Callable[[Request, Any], Awaitable[Response]]] = {HTTPException: _refused, SaysoError: _mistaken}
    return Guard(Starlette(routes=routes, exception_handlers=handlers), access)


async def _serve(socket: WebSocket, shown: Console, requests: Requests) -> None:
    """Send what changes and answer requests until the page goes away."""
    sending = asyncio.create_task(_send_changes(socket, shown.board))
    taking = asyncio.create_task(_take(socket, requests))
    try:
        await asyncio.wait((sending, taking), return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in (sending, taking):
            task.cancel()
            with suppress(asyncio.CancelledError, WebSocketDisconnect, TimeoutError, RuntimeError):
                await task
        with suppress(RuntimeError, WebSocketDisconnect):  # it is closed
            await socket.close(1011)


async def _send_changes(socket: WebSocket, board: Board) -> None:
    with board.viewer() as viewer:
        async for message in viewer.messages():
            sent = socket.send_text(message) if isinstance(message, str) else socket.send_bytes(message)
            await asyncio.wait_for(sent, SLOW)


async def _take(socket: WebSocket, requests: Requests) -> None:
    """Requests are answered side by side: "stop" waits for nothing."""
    running: set[asyncio.Task[None]] = set()
    try:
        while True:
            message = await socket.receive()
            if message["type"] == "websocket.disconnect":
                return
            if message.get("bytes") is not None:
                requests.hear(socket, np.frombuffer(message["bytes"][: len(message["bytes"]) // 2 * 2], "<i2"))
                continue
            task = asyncio.create_task(_reply(socket, requests, message.get("text") or ""))
            running.add(task)
            task.add_done_callback(running.discard)
    finally:
        for task in running:
            task.cancel()


async def _reply(socket: WebSocket, requests: Requests, text: str) -> None:
    try:
        asked = json.loads(text)
    except (ValueError, RecursionError):
        asked = None
    if not isinstance(asked, dict):
        asked = {"do": ""}
    answer = await requests.answer(asked, socket)
    with suppress(RuntimeError, WebSocketDisconnect):  # the page went away meanwhile
        await socket.send_text(json.dumps({"reply": asked.get("id"), **answer}))


def _file(path: Path) -> Callable[[Request], Awaitable[Response]]:
    async def send(_: Request) -> Response:
        return FileResponse(path, media_type=TYPES[path.suffix])

    return send


async def _refused(_: Request, error: HTTPException) -> Response:
    return JSONResponse({"ok": False, "message": error.detail}, error.status_code)


async def _mistaken(_: Request, error: SaysoError) -> Response:
    return JSONResponse({"ok": False, "message": str(error)}, 400)
