"""The editor's part of the server: JSON in and out under /api/editor. The page names things by id, and no file."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from io import BytesIO
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from sayso.errors import SaysoError
from sayso.web.bodies import object_of
from sayso.web.editor.asked import text_of
from sayso.web.editor.draft import HomeDraft
from sayso.web.editor.trial import SentenceTrial
from sayso.web.editor.view import draft_as_data

Asked = dict[str, Any]


def routes(draft: HomeDraft) -> list[Route]:
    """The routes of the tab Home."""
    trial = SentenceTrial(draft)

    def edit(asked: Asked) -> Any:
        wanted = asked.get("edit")
        draft.edit(wanted if isinstance(wanted, dict) else {}, _revision(asked))
        return draft_as_data(draft)

    def undo(_: Asked) -> Any:
        draft.undo()
        return draft_as_data(draft)

    def reload(_: Asked) -> Any:
        draft.reload()
        return draft_as_data(draft)

    def check(asked: Asked) -> Any:
        revision, found = draft.problems(reach=asked.get("reach") is True)
        return {"revision": revision, "problems": found}

    def save(asked: Asked) -> Any:
        path = draft.save(_revision(asked))
        return {"file": str(path), "home": draft_as_data(draft)}

    def attempt(asked: Asked) -> Any:
        return trial.understood(text_of(asked.get("text"), "text"))

    posts = {"edit": edit, "undo": undo, "reload": reload, "check": check, "save": save, "try": attempt}
    return [
        Route("/api/editor/home", _answer(lambda _: draft_as_data(draft))),
        Route("/api/editor/diff", _answer(lambda _: {"diff": draft.difference()})),
        Route("/api/editor/copy", _copy(draft)),
        *(Route(f"/api/editor/{name}", _answer(act), methods=["POST"]) for name, act in posts.items()),
    ]


def _answer(act: Callable[[Asked], Any]) -> Callable[[Request], Awaitable[Response]]:
    async def answer(request: Request) -> Response:
        asked = await object_of(request)
        return JSONResponse({"ok": True, **await run_in_threadpool(act, asked)})

    return answer


def _copy(draft: HomeDraft) -> Callable[[Request], Awaitable[Response]]:
    """The files in a ZIP: nothing is written on this computer, and no page names a folder on it."""

    async def answer(_: Request) -> Response:
        texts = await run_in_threadpool(draft.copy)
        packed = BytesIO()
        with ZipFile(packed, "w", ZIP_DEFLATED) as archive:
            for name, text in texts.items():
                archive.writestr(name, text)
        headers = {"Content-Disposition": 'attachment; filename="home.zip"'}
        return Response(packed.getvalue(), media_type="application/zip", headers=headers)

    return answer


def _revision(asked: Asked) -> int:
    number = asked.get("revision")
    if not isinstance(number, int):
        raise SaysoError("'revision' is missing")
    return number
