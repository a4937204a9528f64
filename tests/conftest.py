"""No test touches what the user's own robot has learnt; property tests draw the same examples each time.

`pytest --hypothesis-profile default` draws others: now and then somebody should.
"""

from __future__ import annotations

import os

from hypothesis import settings

os.environ["SAYSO_MEMORY"] = ""  # of this process, and of the nodes and commands that it starts
settings.register_profile("same", derandomize=True, deadline=None, database=None)
settings.load_profile("same")
