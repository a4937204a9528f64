"""Texts that stand for files while they are not saved, so that a draft is read and checked like the file that it will become."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

_drafts: ContextVar[Mapping[Path, str] | None] = ContextVar("drafts", default=None)


@contextmanager
def drafting(texts: Mapping[Path, str]) -> Iterator[None]:
    """Within the block, and in this thread, the files of these absolute paths have these texts."""
    token = _drafts.set(texts)
    try:
        yield
    finally:
        _drafts.reset(token)


def draft_of(path: Path) -> str | None:
    """The text that stands for that file, if there is one."""
    return (_drafts.get() or {}).get(path)
