"""Who may talk to the server: checks of host, origin, token and rate, and the headers that every answer gets.

A page of another site must not command the robot through the user's browser. Browsers send `Origin` with every WebSocket and POST, and
`Host` with everything; a name that an attacker lets point to 127.0.0.1 ("DNS rebinding") shows in `Host`.
"""

from __future__ import annotations

import hmac
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import dataclass
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import parse_qs

from starlette.responses import PlainTextResponse, RedirectResponse, Response

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]

COOKIE = "sayso_token"
WRONG_TOKENS = 10  # of one address within FORGIVEN, after which it is refused
FORGIVEN = 60.0  # s
ADDRESSES = 1000  # remembered at most
HEADERS = {
    # Nothing from elsewhere, no scripts or styles in the page itself: a text that is shown by mistake as HTML can do nothing.
    "Content-Security-Policy": "default-src 'self'; img-src 'self' blob:; media-src 'self' blob:; object-src 'none'; base-uri 'none'; "
    "form-action 'self'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Permissions-Policy": "microphone=(self), camera=(), geolocation=()",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-cache",
}


@dataclass(frozen=True, slots=True)
class Access:
    """Who is let in."""

    hosts: frozenset[str]  # values of the header Host: "127.0.0.1:8420"
    token: str = ""  # that everybody must know; empty: none, for a server that this computer alone can reach
    secure: bool = False  # served by TLS

    @property
    def origins(self) -> frozenset[str]:
        """Values of the header Origin, which only our own pages have."""
        return frozenset(f"{'https' if self.secure else 'http'}://{host}" for host in self.hosts)


class Guard:
    """ASGI middleware in front of everything."""

    def __init__(self, app: Any, access: Access, clock: Callable[[], float] = time.monotonic) -> None:
        self._app, self._access, self._clock = app, access, clock
        self._wrong: OrderedDict[str, list[float]] = OrderedDict()  # address → times of wrong tokens

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request pass, or refuse it."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        refusal = self._refusal(scope)
        if refusal is not None and scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008, "reason": bytes(refusal.body).decode()})
        elif refusal is not None:
            await refusal(scope, receive, _with_headers(send))
        else:
            await self._app(scope, receive, _with_headers(send) if scope["type"] == "http" else send)

    def _refusal(self, scope: Scope) -> Response | None:
        headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
        if headers.get("host", "") not in self._access.hosts:
            return PlainTextResponse("this server has another name", 421)
        reading = scope["type"] == "http" and scope["method"] in ("GET", "HEAD")
        origin = headers.get("origin")
        if not reading and origin is not None and origin not in self._access.origins:  # a program that is no browser sends none
            return PlainTextResponse("this page is not from here", 403)
        return self._without_token(scope, headers) if self._access.token else None

    def _without_token(self, scope: Scope, headers: dict[str, str]) -> Response | None:
        """Why somebody without the right token is refused. A link with the token sets a cookie, so that the address bar forgets it."""
        address = (scope.get("client") or ("",))[0]
        if len(self._recent(address)) >= WRONG_TOKENS:
            return PlainTextResponse("too many wrong tokens: wait a minute", 429)
        linked = "".join(parse_qs(scope["query_string"].decode("latin-1")).get("token", [])[:1])
        if linked and scope["type"] == "http" and scope["path"] == "/" and self._is_token(linked):
            answer = RedirectResponse("/", 303)
            answer.set_cookie(COOKIE, linked, httponly=True, samesite="strict", secure=self._access.secure)
            return answer
        given = headers.get("authorization", "").removeprefix("Bearer ") or _cookie(headers.get("cookie", ""))
        if self._is_token(given):
            return None
        if given or linked:
            self._wrong.setdefault(address, []).append(self._clock())
            self._wrong.move_to_end(address)
            if len(self._wrong) > ADDRESSES:
                self._wrong.popitem(last=False)
        return PlainTextResponse("open the link with the token that `sayso console` has printed", 401)

    def _recent(self, address: str) -> list[float]:
        times = [each for each in self._wrong.get(address, []) if self._clock() - each < FORGIVEN]
        if address in self._wrong:
            self._wrong[address] = times
        return times

    def _is_token(self, given: str) -> bool:
        return hmac.compare_digest(given.encode(), self._access.token.encode())


def _cookie(text: str) -> str:
    try:
        found = SimpleCookie(text).get(COOKIE)
    except CookieError:
        return ""
    return found.value if found else ""


def _with_headers(send: Send) -> Send:
    added = [(name.lower().encode(), value.encode()) for name, value in HEADERS.items()]

    async def sending(message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            message["headers"] = [*message.get("headers", []), *added]
        await send(message)

    return sending
