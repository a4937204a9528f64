"""Tests do not touch the user's memory and agenda and leave no shared memory; property tests draw the same examples each time.

Run `pytest --hypothesis-profile default` now and then: it draws other examples.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from hypothesis import settings

from sayso_nodes.environment import remove_dead_segments, shared_memory_segments

NO_FILES = dict.fromkeys(("SAYSO_AGENDA", "SAYSO_MEMORY", "SAYSO_IN_FLIGHT"), "")
os.environ.update(NO_FILES)  # for this process, and the nodes and commands that it starts
settings.register_profile("same", derandomize=True, deadline=None, database=None)
settings.load_profile("same")


@pytest.fixture(scope="session", autouse=True)
def no_shared_memory_is_left() -> Iterator[None]:
    """Some tests kill a whole graph with its supervisor, so its nodes' segments would stay."""
    before = shared_memory_segments()
    yield
    remove_dead_segments(before)
