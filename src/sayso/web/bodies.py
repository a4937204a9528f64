"""The body of a request, within limits."""

from __future__ import annotations

import json
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request

LARGEST = 64_000  # bytes; as a message of sound: two seconds


async def body_of(request: Request) -> bytes:
    """The body. Raises HTTPException if it is longer than LARGEST, without reading the rest."""
    body = b""
    async for piece in request.stream():
        body += piece
        if len(body) > LARGEST:
            raise HTTPException(413, f"a request has at most {LARGEST} bytes")
    return body


async def object_of(request: Request) -> dict[str, Any]:
    """The JSON object in the body, empty if there is none. Raises HTTPException if it is something else."""
    body = await body_of(request)
    try:
        asked = json.loads(body) if body else {}
    except (ValueError, RecursionError):
        asked = None
    if not isinstance(asked, dict):
        raise HTTPException(400, "the body is a JSON object")
    return asked
