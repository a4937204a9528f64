"""Tests do not touch the user's memory and agenda and leave no shared memory; property tests draw the same examples each time.

`make test` gives each property at most so many examples (tests/support/budget.py), `make test-all` as many as the test asks for.
Run `pytest --hypothesis-profile default` now and then: it draws other examples.
"""

from __future__ import annotations

import gc
import os
import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

import pytest
from hypothesis import settings

from budget import GATE
from sayso.yaml_source import source
from sayso_nodes.environment import remove_dead_segments, shared_memory_segments

NO_FILES = dict.fromkeys(("SAYSO_AGENDA", "SAYSO_MEMORY", "SAYSO_IN_FLIGHT"), "")
os.environ.update(NO_FILES)  # for this process, and the nodes and commands that it starts
SAME = settings(derandomize=True, deadline=None, database=None)
settings.register_profile("all", SAME)
settings.register_profile("gate", SAME, max_examples=GATE)
settings.load_profile("all")
LONG = re.compile(r"^pytestmark = (?:\[[^\]]*)?pytest\.mark\.long\(", re.MULTILINE)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """A file of long tests only is not even imported where none is to run: what it needs may not be installed, and takes time to load."""
    if "not long" not in config.option.markexpr or collection_path.suffix != ".py":
        return None
    return True if LONG.search(collection_path.read_text(encoding="utf-8")) else None


def pytest_collection_finish() -> None:
    """What was imported and collected stays to the end: the garbage collector need not look through it again and again."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session", autouse=True)
def each_text_is_parsed_once() -> Iterator[None]:
    """Homes are loaded hundreds of times, changed a little, with the same long files of Sayso that they include."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(source, "composed", lru_cache(maxsize=16)(source.composed))
        yield


@pytest.fixture(scope="session", autouse=True)
def no_shared_memory_is_left() -> Iterator[None]:
    """Some tests kill a whole graph with its supervisor, so its nodes' segments would stay."""
    before = shared_memory_segments()
    yield
    remove_dead_segments(before)
