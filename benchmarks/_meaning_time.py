"""Understand sentences one by one on one core and print the times as JSON; a separate process, pinned before anything starts threads.

Usage: python _meaning_time.py ROUNDS, sentences on standard input, one a line.
"""

import json
import os
import sys
import time


def main() -> None:
    """Print the seconds of each sentence in each round, after a round that warms up."""
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    from sayso.domain import load_domain
    from sayso.pipeline import Pipeline

    sentences = sys.stdin.read().splitlines()
    pipeline = Pipeline(load_domain())
    rounds = []
    for _ in range(int(sys.argv[1]) + 1):
        taken = []
        for text in sentences:
            began = time.perf_counter()
            pipeline.understand(text)
            taken.append(time.perf_counter() - began)
        rounds.append(taken)
    print(json.dumps(rounds[1:]))


if __name__ == "__main__":
    main()
