"""A replay in a process of its own, which can be cancelled: `python -m sayso.web.rerun_job BAG` tells in lines of JSON how far it is."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sayso.errors import SaysoError
from sayso.replay import ReplayConfig, joined, replay_bag, slices
from sayso.web.differences import rerun_row

PARTS = 40  # at most, into which a bag is cut to tell how far it is
NICE = 10  # the robot comes first


def main() -> None:
    """Replay the bag that the command line names."""
    os.nice(NICE)

    def tell(**told: Any) -> None:
        sys.stdout.write(json.dumps(told) + "\n")
        sys.stdout.flush()

    try:
        rerun(Path(sys.argv[1]), tell)
    except SaysoError as error:
        tell(failed=str(error))


def rerun(path: Path, tell: Callable[..., Any]) -> None:
    """Replay a bag with today's models, and tell parts done, and in the end the rows.

    Raises:
        SaysoError: it cannot be read, or the models cannot.
    """
    config = ReplayConfig(grounding=False)  # pictures take most of the time, and the table shows what words lead to
    parts = slices(path, config, PARTS)
    tell(done=0, parts=len(parts))
    results = []
    for number, part in enumerate(parts, 1):
        results.append(replay_bag(path, config, part))
        if results[-1].failed:
            raise SaysoError(results[-1].failed)
        tell(done=number, parts=len(parts))
    whole = joined(results)
    tell(rows=[rerun_row(record) for record in whole.records], problems=[str(problem) for problem in whole.problems])


if __name__ == "__main__":
    main()
