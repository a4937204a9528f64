"""Where the page is served: address, token and TLS, checked together; and the server in a thread of its own."""

from __future__ import annotations

import asyncio
import secrets
import socket
import threading
from collections.abc import Callable
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path
from typing import Any

from sayso.errors import SaysoError
from sayso.web.bodies import LARGEST
from sayso.web.guard import Access

PORT = 8420
LOCAL = ("127.0.0.1", "localhost", "::1")
CONNECTIONS = 200  # at once; more are refused
ENDS_WITHIN = 2  # s for open connections when the server ends
SHORTEST_TOKEN = 16


@dataclass(frozen=True, slots=True)
class Address:
    """Where the page is served."""

    host: str = LOCAL[0]
    port: int = PORT  # 0: a free one
    token: str = ""
    certificate: Path | None = None  # PEM with the key in it; None: no TLS
    names: tuple[str, ...] = ()  # further names under which this computer is known

    @property
    def local(self) -> bool:
        """Whether this computer alone can reach it."""
        return self.host in LOCAL

    def check(self) -> None:
        """Refuse an address that lets others in without a token and TLS.

        Raises:
            SaysoError: with what is missing.
        """
        if not 0 <= self.port < 65536:
            raise SaysoError(f"port {self.port}: a number up to 65535")
        if self.token and len(self.token) < SHORTEST_TOKEN:
            raise SaysoError(f"the token has less than {SHORTEST_TOKEN} characters and could be guessed: `--token new` makes one")
        if self.local:
            return
        if not self.token:
            raise SaysoError(f"--host {self.host} lets other computers in, and whoever is let in commands the robot: add `--token new`")
        if self.certificate is None:
            raise SaysoError(
                f"--host {self.host} needs TLS: otherwise everybody on the network can read the token, and browsers give a page no "
                "microphone. Add `--tls new` for a certificate made here, or `--tls FILE`"
            )

    def bind(self) -> socket.socket:
        """The listening socket.

        Raises:
            SaysoError: the address is taken, or not of this computer.
        """
        family = socket.AF_INET6 if ":" in self.host else socket.AF_INET
        listening = socket.socket(family, socket.SOCK_STREAM)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind((self.host, self.port))
            listening.listen()  # otherwise another server could take the address until this one listens
        except OSError as error:
            listening.close()
            raise SaysoError(f"the page cannot be served at {self.host} port {self.port}: {error.strerror or error}") from None
        return listening

    def access(self, port: int) -> Access:
        """Who is let in at this port."""
        names = LOCAL if self.local else (self.host, socket.gethostname(), *self.names, *LOCAL, *_own_addresses(self.host))
        hosts = frozenset(f"[{name}]:{port}" if ":" in name else f"{name}:{port}" for name in names)
        return Access(hosts, self.token, self.certificate is not None)

    def link(self, port: int) -> str:
        """What a person opens."""
        name = socket.gethostname() if self.host in ("0.0.0.0", "::") else self.host  # noqa: S104 - the user's choice
        shown = f"[{name}]" if ":" in name else name
        return f"{'https' if self.certificate else 'http'}://{shown}:{port}/" + (f"?token={self.token}" if self.token else "")


def new_token() -> str:
    """A token that nobody guesses."""
    return secrets.token_urlsafe(24)


class Server:
    """Serves an application in a thread of its own until `close`."""

    def __init__(self, app: Any, listening: socket.socket, certificate: Path | None = None) -> None:
        import uvicorn

        config = uvicorn.Config(
            app,
            log_config=None,
            access_log=False,
            lifespan="off",
            ws="websockets-sansio",
            ws_max_size=LARGEST,
            ws_per_message_deflate=False,  # pictures are compressed already, and a bomb cannot unpack itself
            limit_concurrency=CONNECTIONS,
            timeout_keep_alive=15,
            timeout_graceful_shutdown=ENDS_WITHIN,
            server_header=False,
            h11_max_incomplete_event_size=16_384,
            ssl_certfile=str(certificate) if certificate else None,
        )
        self._server = uvicorn.Server(config)
        self._listening = listening
        self._loop: asyncio.AbstractEventLoop | None = None
        self._started = threading.Event()
        self._thread = threading.Thread(target=self._run, name="console", daemon=True)
        self._thread.start()
        self._started.wait()

    def soon(self, action: Callable[[], object]) -> None:
        """Do something in the server's thread; nothing once it has ended."""
        if self._loop is not None and not self._loop.is_closed():
            try:
                self._loop.call_soon_threadsafe(action)
            except RuntimeError:  # it was closed meanwhile
                return

    def close(self) -> None:
        """End it and close all connections."""
        self._server.should_exit = True
        self._thread.join(ENDS_WITHIN + 3)
        self._listening.close()

    def _run(self) -> None:
        async def serve() -> None:
            self._loop = asyncio.get_running_loop()
            self._started.set()
            await self._server.serve([self._listening])

        try:
            asyncio.run(serve())
        finally:
            self._started.set()


def _own_addresses(host: str) -> list[str]:
    """The addresses of this computer, if the server listens at all of them."""
    try:
        if not ip_address(host).is_unspecified:
            return []
        return sorted({str(found[4][0]) for found in socket.getaddrinfo(socket.gethostname(), None)})
    except (ValueError, OSError):
        return []
