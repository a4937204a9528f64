"""Files from the network: checked, resumed where they broke off, and in place only when they are whole."""

from __future__ import annotations

import errno
import http.client
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path

from sayso.errors import SaysoError
from sayso.models import sha256 as sha256_of

BLOCK = 1 << 16
TIMEOUT = 30.0  # s without a byte
TRIES = 3
PAUSE = 1.0  # s before the second try, twice as long before the third
AGENT = "sayso-data/1"
LATER = (408, 425, 429, 500, 502, 503, 504)  # worth another try


def download(url: str, path: Path, sha256: str = "", progress: Callable[[int], None] = lambda _: None) -> None:
    """Bring a file; what was brought before it broke off is kept beside it, as PATH.part, and gone on from.

    Args:
        url: http(s) address. HTTP_PROXY and the like are heeded.
        path: where it is to lie.
        sha256: of its content; empty where that is not known.
        progress: told the bytes that have come.

    Raises:
        SaysoError: no network, no such file, no room, or another content than expected; what to do is said.
    """
    part = path.with_name(path.name + ".part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        for attempt in range(TRIES):
            try:
                _bring(url, part, progress)
                break
            except (urllib.error.URLError, http.client.HTTPException, TimeoutError, ConnectionError) as broken:
                if attempt + 1 == TRIES or (isinstance(broken, urllib.error.HTTPError) and broken.code not in LATER):
                    raise SaysoError(_why(url, broken)) from None
                time.sleep(PAUSE * 2**attempt)
        if sha256 and sha256_of(part) != sha256:
            found = sha256_of(part)
            part.unlink()
            raise SaysoError(
                f"{url} is not what it was (SHA-256 {found[:12]}…, expected {sha256[:12]}…): nothing of it was kept; try again"
            )
        part.replace(path)
    except OSError as spoilt:
        if spoilt.errno in {errno.ENOSPC, errno.EDQUOT}:
            raise SaysoError(f"no room left for {path}: make some, then run it again; it goes on where it stopped") from None
        raise SaysoError(f"{path} cannot be written: {spoilt.strerror or spoilt}") from None


def _bring(url: str, part: Path, progress: Callable[[int], None]) -> None:
    have = part.stat().st_size if part.exists() else 0
    headers = {"User-Agent": AGENT} | ({"Range": f"bytes={have}-"} if have else {})
    try:
        answer = urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=TIMEOUT)  # noqa: S310 - addresses are ours
    except urllib.error.HTTPError as refused:
        if refused.code != http.client.REQUESTED_RANGE_NOT_SATISFIABLE:
            raise
        part.unlink()  # whole already, or longer than the file: begin again
        _bring(url, part, progress)
        return
    with answer:
        resumed = answer.status == http.client.PARTIAL_CONTENT
        progress(have if resumed else 0)
        expected = answer.headers.get("Content-Length")
        came = 0
        with part.open("ab" if resumed else "wb") as file:
            while block := answer.read(BLOCK):
                file.write(block)
                came += len(block)
                progress(len(block))
        if expected is not None and came < int(expected):
            raise http.client.IncompleteRead(b"", int(expected) - came)


def _why(url: str, broken: Exception) -> str:
    if isinstance(broken, urllib.error.HTTPError):
        gone = "the publisher has moved or removed it" if broken.code in {403, 404, 410} else "try again later"
        return f"{url}: HTTP {broken.code}: {gone}"
    if isinstance(broken, http.client.IncompleteRead):
        return f"{url} broke off: run it again, it goes on where it stopped"
    reason = getattr(broken, "reason", broken)
    return f"{url} cannot be reached ({reason}): is there a network? behind a proxy, set HTTPS_PROXY"
