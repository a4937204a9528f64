"""What the page shows: the latest value under each key, and viewers who get the newest of what has changed.

A slow viewer misses intermediate values and never the last one; nothing is queued for it, so that memory does not grow.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from typing import Any

Message = str | bytes  # a JSON object {"key", "value"}, or for pictures a line with the key and then the file


class Board:
    """The latest values. All methods run in the event loop's thread."""

    def __init__(self) -> None:
        self._latest: dict[str, Message] = {}
        self._viewers: set[Viewer] = set()

    @property
    def watched(self) -> bool:
        """Whether anybody looks."""
        return bool(self._viewers)

    def put(self, key: str, value: Any) -> None:
        """Show a value; None takes the key away. NaN and infinities must have become None before.

        Raises:
            ValueError: the value is not JSON.
        """
        self._note(key, json.dumps({"key": key, "value": value}, allow_nan=False, separators=(",", ":")))
        if value is None:  # who comes later need not know that it was there
            del self._latest[key]

    def put_picture(self, key: str, jpeg: bytes) -> None:
        """Show a picture."""
        self._note(key, key.encode() + b"\n" + jpeg)

    def value(self, key: str) -> Any:
        """What is shown under a key; None if nothing is, or a picture."""
        message = self._latest.get(key)
        return json.loads(message)["value"] if isinstance(message, str) else None

    def values(self, prefix: str) -> dict[str, Any]:
        """What is shown under the keys with that prefix, by the rest of the key."""
        return {key.removeprefix(prefix): self.value(key) for key in self._latest if key.startswith(prefix)}

    async def next_picture(self, key: str, within: float) -> bytes | None:
        """The next JPEG under a key, for somebody who looks now and then; None if none comes within so many seconds."""
        old, end = self._latest.get(key), asyncio.get_running_loop().time() + within
        with self.viewer():  # pictures come while somebody looks
            while self._latest.get(key) is old:
                if asyncio.get_running_loop().time() >= end:
                    return None
                await asyncio.sleep(0.02)
        message = self._latest.get(key)
        return message.partition(b"\n")[2] if isinstance(message, bytes) else None

    @contextmanager
    def viewer(self) -> Iterator[Viewer]:
        """A new viewer, who first gets everything there is."""
        viewer = Viewer(self._latest)
        self._viewers.add(viewer)
        try:
            yield viewer
        finally:
            self._viewers.discard(viewer)

    def _note(self, key: str, message: Message) -> None:
        news = self._latest.get(key) != message
        self._latest[key] = message
        for viewer in self._viewers if news else ():  # what they know already would cost the network, and the computer of each
            viewer.note(key, message)


class Viewer:
    """What one page has not been sent yet."""

    def __init__(self, latest: dict[str, Message]) -> None:
        self._waiting = dict(latest)
        self._changed = asyncio.Event()
        if latest:
            self._changed.set()

    def note(self, key: str, message: Message) -> None:
        """A value has changed; an older one that still waits is forgotten."""
        self._waiting[key] = message
        self._changed.set()

    async def messages(self) -> AsyncIterator[Message]:
        """Each message to send, as soon as there is one."""
        while True:
            await self._changed.wait()
            while self._waiting:
                key = next(iter(self._waiting))
                yield self._waiting.pop(key)
            self._changed.clear()
