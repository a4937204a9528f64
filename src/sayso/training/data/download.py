"""Downloads that are checked by hash, resumed after an interruption, and put in place only when complete."""

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
LATER = (408, 425, 429, 500, 502, 503, 504)  # HTTP statuses after which a retry may succeed


def download(url: str, path: Path, sha256: str = "", progress: Callable[[int], None] = lambda _: None) -> None:
    """Download a file. An interrupted download stays beside it as PATH.part, and the next call continues it.

    Args:
        url: http(s) address; HTTP_PROXY and similar variables apply.
        path: the file to write.
        sha256: of its content; empty if unknown.
        progress: called with the number of bytes of each block.

    Raises:
        SaysoError: no network, no such file, disk full, or unexpected content; the message says what to do.
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
            raise SaysoError(f"{url} has changed (SHA-256 {found[:12]}…, expected {sha256[:12]}…): the download was discarded; try again")
        part.replace(path)
    except OSError as spoilt:
        if spoilt.errno in {errno.ENOSPC, errno.EDQUOT}:
            raise SaysoError(f"the disk is full, writing {path}: free some space and run it again; it continues where it stopped") from None
        raise SaysoError(f"{path} cannot be written: {spoilt.strerror or spoilt}") from None


def _bring(url: str, part: Path, progress: Callable[[int], None]) -> None:
    have = part.stat().st_size if part.exists() else 0
    headers = {"User-Agent": AGENT} | ({"Range": f"bytes={have}-"} if have else {})
    try:
        answer = urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=TIMEOUT)  # noqa: S310 - addresses are ours
    except urllib.error.HTTPError as refused:
        if refused.code != http.client.REQUESTED_RANGE_NOT_SATISFIABLE:
            raise
        part.unlink()  # complete already, or longer than the file: start again
        _bring(url, part, progress)
        return
    with answer:
        resumed = answer.status == http.client.PARTIAL_CONTENT
        progress(have if resumed else 0)
        expected = answer.headers.get("Content-Length")
        received = 0
        with part.open("ab" if resumed else "wb") as file:
            while block := answer.read(BLOCK):
                file.write(block)
                received += len(block)
                progress(len(block))
        if expected is not None and received < int(expected):
            raise http.client.IncompleteRead(b"", int(expected) - received)


def _why(url: str, broken: Exception) -> str:
    if isinstance(broken, urllib.error.HTTPError):
        gone = "the publisher has moved or removed it" if broken.code in {403, 404, 410} else "try again later"
        return f"{url}: HTTP {broken.code}: {gone}"
    if isinstance(broken, http.client.IncompleteRead):
        return f"{url}: the connection broke; run it again, it continues where it stopped"
    reason = getattr(broken, "reason", broken)
    return f"{url} cannot be reached ({reason}): check the network; behind a proxy, set HTTPS_PROXY"
