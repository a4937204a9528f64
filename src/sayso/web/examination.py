"""What `sayso doctor` finds, for the page."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from sayso.console.doctor import examine


def routes(domain_file: Path | None) -> list[Route]:
    """The route that examines the installation and this home."""

    async def findings(_: Request) -> JSONResponse:
        found = await run_in_threadpool(lambda: list(examine(domain_file)))
        return JSONResponse({"ok": True, "findings": [asdict(each) for each in found]})

    return [Route("/api/doctor", findings)]
