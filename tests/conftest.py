"""No test touches what the user's own robot has learnt, or leaves shared memory; property tests draw the same examples each time.

`pytest --hypothesis-profile default` draws others: now and then somebody should.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from hypothesis import settings

from sayso_nodes.environment import remove_dead_segments, shared_memory_segments

os.environ["SAYSO_MEMORY"] = ""  # of this process, and of the nodes and commands that it starts
settings.register_profile("same", derandomize=True, deadline=None, database=None)
settings.load_profile("same")


@pytest.fixture(scope="session", autouse=True)
def nothing_stays_in_shared_memory() -> Iterator[None]:
    """Some tests kill a whole graph, its keeper included: then nobody else clears up after its nodes."""
    before = shared_memory_segments()
    yield
    remove_dead_segments(before)
