"""No test touches what the user's own robot has learnt."""

from __future__ import annotations

import os

os.environ["SAYSO_MEMORY"] = ""  # of this process, and of the nodes and commands that it starts
