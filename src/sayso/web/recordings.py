"""Recordings for the page: the list, one to play, its sound and pictures, two side by side, and a replay with today's models.

A page names everything by ids of the list; no path comes from it. All reading is done beside the event loop.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import Route

from sayso.bags.reading import Bag
from sayso.domain import Domain, load_domain
from sayso.errors import SaysoError
from sayso.paths import default_domain
from sayso.replay.homes import home_of
from sayso.scene.load import load_scene
from sayso.web.differences import compared
from sayso.web.home import home_as_data
from sayso.web.recorded import RecordingIndex, read_index
from sayso.web.recorded_media import picture_at, sound_of
from sayso.web.reruns import Reruns
from sayso.web.shelf import Shelf, Shelved
from sayso.yaml_source import companion

API = "/api/recordings"
KEPT = 4  # opened recordings
LATEST = 10**10  # ms after the beginning: four months
# A report is one file with styles in it, and may come from elsewhere: nothing in it runs, and it reaches nothing.
REPORT_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; media-src data:; sandbox; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'"
)
Answer = Callable[[Request], Awaitable[Response]]


@dataclass(frozen=True, slots=True)
class Opened:
    """A recording with its home."""

    shelved: Shelved
    index: RecordingIndex
    home: dict[str, Any]
    notes: tuple[str, ...]  # problems of the home


class Library:
    """Opens recordings, and keeps the last ones. Safe to use from several threads."""

    def __init__(self, folders: Sequence[Path], home: Path | None, *, read_only: bool) -> None:
        """`home`: domain file of recordings that do not say theirs; None: the default home."""
        self._shelf, self._home, self._read_only = Shelf(folders), home, read_only
        self._opened: OrderedDict[tuple[str, int], Opened] = OrderedDict()
        self._lock = threading.Lock()  # of the list
        self._reading = threading.Lock()  # of what is opened: two pages that open the same read it once
        self.reruns = Reruns()

    def lines(self) -> list[dict[str, Any]]:
        """The list."""
        with self._lock:
            return self._shelf.lines()

    def find(self, name: str) -> Shelved:
        """The recording of that id. Raises SaysoError if there is none."""
        with self._lock:
            return self._shelf.find(name)

    def open(self, name: str) -> Opened:
        """Read it, unless that was done before.

        Raises:
            SaysoError: there is none, or nothing of it can be read.
        """
        shelved = self.find(name)
        key = (shelved.id, shelved.changed)
        with self._reading:
            if key not in self._opened:
                self._opened[key] = self._read(shelved)
            self._opened.move_to_end(key)
            while len(self._opened) > KEPT:
                self._opened.popitem(last=False)
            return self._opened[key]

    def picture(self, name: str, seconds: float) -> bytes:
        """JPEG. Raises SaysoError if there is none."""
        with Bag(self.find(name).bag) as bag:
            return picture_at(bag, seconds)

    def sound(self, name: str, number: int) -> bytes:
        """WAV of the utterance of that number, from 0. Raises SaysoError if there is none."""
        opened = self.open(name)
        if number >= len(opened.index.marks):
            raise SaysoError("the recording has no such sentence")
        with Bag(opened.shelved.bag) as bag:
            return sound_of(bag, opened.index.marks[number])

    def _read(self, shelved: Shelved) -> Opened:
        with Bag(shelved.bag) as bag:
            domain, home, notes = self._home_of(bag)
            return Opened(shelved, read_index(bag, domain, f"{API.lstrip('/')}/{shelved.id}/sound/"), home, notes)

    def _home_of(self, bag: Bag) -> tuple[Domain, dict[str, Any], tuple[str, ...]]:
        """The home it was recorded in, as far as it can be read. A page that only shows writes no copy of it."""
        try:
            file = (None if self._read_only else home_of(bag)) or self._home
            return (*_loaded(file), ())
        except SaysoError as unusable:
            return (*_loaded(self._home), (f"the home of the recording cannot be used, another is shown: {unusable}",))


def routes(folders: Sequence[Path], home: Path | None = None, *, read_only: bool = False) -> tuple[list[Route], Callable[[], None]]:
    """The routes, and what ends them.

    Args:
        folders: with recordings in them, or recordings.
        home: domain file of recordings that do not say theirs; None: the default home.
        read_only: start no replays.
    """
    library = Library(folders, home, read_only=read_only)

    def told(work: Callable[[Request], dict[str, Any]]) -> Answer:
        async def answer(request: Request) -> Response:
            return JSONResponse({"ok": True, **await run_in_threadpool(work, request)})

        return answer

    def start(request: Request) -> dict[str, Any]:
        if read_only:
            raise SaysoError("this page only shows; it was started with --read-only")
        shelved = library.find(request.path_params["id"])
        return {"id": library.reruns.start(shelved.id, shelved.bag)}

    def cancel(request: Request) -> dict[str, Any]:
        library.reruns.find(request.path_params["id"]).cancel()
        return {"message": "cancelled"}

    listed = [
        Route(API, told(lambda _: {"recordings": library.lines()})),
        Route(f"{API}/{{id}}", told(lambda request: _as_data(library.open(request.path_params["id"])))),
        Route(f"{API}/{{id}}/against/{{other}}", told(lambda request: _against(library, **request.path_params))),
        Route(f"{API}/{{id}}/replay", told(start), methods=["POST"]),
        Route("/api/replays/{id}", told(lambda request: library.reruns.find(request.path_params["id"]).state())),
        Route("/api/replays/{id}/cancel", told(cancel), methods=["POST"]),
        *_files(library),
    ]
    return listed, library.reruns.close


def _files(library: Library) -> list[Route]:
    """The routes that answer with files."""

    async def events(request: Request) -> Response:
        opened = await run_in_threadpool(library.open, request.path_params["id"])
        return Response("[" + ",".join(opened.index.events) + "]", media_type="application/json")

    async def sound(request: Request) -> Response:
        found = await run_in_threadpool(library.sound, request.path_params["id"], request.path_params["number"])
        return Response(found, media_type="audio/wav")

    async def picture(request: Request) -> Response:
        moment = min(request.path_params["milliseconds"], LATEST) / 1000
        return Response(await run_in_threadpool(library.picture, request.path_params["id"], moment), media_type="image/jpeg")

    async def report(request: Request) -> Response:
        file = (await run_in_threadpool(library.find, request.path_params["id"])).report
        if file is None:
            raise HTTPException(404, "this recording has no report: `sayso report` writes it")
        return FileResponse(file, media_type="text/html", headers={"Content-Security-Policy": REPORT_POLICY})

    return [
        Route(f"{API}/{{id}}/events", events),
        Route(f"{API}/{{id}}/sound/{{number:int}}", sound),
        Route(f"{API}/{{id}}/picture/{{milliseconds:int}}", picture),
        Route(f"{API}/{{id}}/report", report),
    ]


def _as_data(opened: Opened) -> dict[str, Any]:
    index, shelved = opened.index, opened.shelved
    try:
        acts, notes = shelved.record.acts, opened.notes
    except SaysoError as damaged:
        acts, notes = (), (*opened.notes, str(damaged))
    checks = {act.utterance_id: act for act in acts}
    marks = [
        {
            "id": mark.id, "t": mark.at, "seconds": round(max(mark.ended - mark.started, 0.0), 3), "heard": mark.heard, "meant": mark.meant,
            "decided": mark.decided, "outcome": mark.outcome, "sound": index.has_sound and not mark.typed,
            "checks": [[check.what, check.wanted, check.found, check.ok] for check in checks[mark.id].checks] if mark.id in checks else [],
        }
        for mark in index.marks
    ]  # fmt: skip
    return {
        "id": shelved.id, "name": shelved.name, "seconds": index.seconds, "marks": marks, "problems": [*notes, *index.problems],
        "home": opened.home, "pictures": index.has_pictures, "report": shelved.report is not None,
    }  # fmt: skip


def _against(library: Library, id: str, other: str) -> dict[str, Any]:  # noqa: A002 - names of the route's parts
    first, second = library.open(id), library.open(other)
    return {"names": [first.shelved.name, second.shelved.name], "rows": compared(first.index.marks, second.index.marks)}


def _loaded(file: Path | None) -> tuple[Domain, dict[str, Any]]:
    domain = load_domain(file)
    if not domain.scene:
        raise SaysoError(f"{file}: names no scene, so there is no map of it")
    return domain, home_as_data(domain, load_scene(companion(domain.scene, file or default_domain())))
