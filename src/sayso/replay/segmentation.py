"""Where a bag can be cut without cutting an utterance, a question or its answer in two."""

from __future__ import annotations

import itertools
from pathlib import Path

from sayso.bags import messages
from sayso.bags.reading import Bag
from sayso.bags.topics import Topics, find_topics
from sayso.errors import SaysoError
from sayso.intent.discourse import REFERRED_WITHIN
from sayso.replay.situation import situation_before
from sayso.replay.sounds import is_sounds
from sayso.replay.types import ReplayConfig, Slice

LONGEST = 20.0  # s: an utterance begins at most so long before its transcript comes
QUIET = 2.0  # s that nobody speaks before the cut


def silences(bag: Bag, topics: Topics, config: ReplayConfig) -> tuple[int, ...]:
    """Times (ns) at which nobody speaks, no question is open and nothing is remembered; none where the clock jumped back.

    As the recorded transcripts tell.
    """
    if bag.jumped or not topics["transcript"]:
        return ()
    open_for = round((max(config.answer_within, config.correct_within, REFERRED_WITHIN) + QUIET) * 1e9)
    found: list[int] = []
    latest: int | None = None
    for connection, time, raw in bag.messages(topics["transcript"]):
        begins = time - round(LONGEST * 1e9)
        if connection.msgtype == "sayso_msgs/msg/Transcript":
            try:
                heard = messages.transcript(bag.deserialize(raw, connection))
            except SaysoError:
                continue  # told when it is played
            since = heard.stamp - heard.started
            begins = time - round((min(max(since, 0.0), LONGEST) + QUIET) * 1e9)
        if latest is not None and begins > latest + open_for:
            found.append(latest + open_for)
        latest = time
    return tuple(found)


def slices(path: Path, config: ReplayConfig, parts: int) -> tuple[Slice, ...]:
    """That bag in at most so many parts of about the same length, cut in silences; one where it cannot be cut.

    Played one by one and `joined`, they give what the whole bag gives.

    Raises:
        SaysoError: nothing of the bag can be read, or --remap names what is not in it.
    """
    if is_sounds(path):
        return (Slice(0, 0),)  # one file after the other: there is nothing to cut
    with Bag(path) as bag:
        topics = find_topics(bag, config.namespace, config.remap)
        start, stop = bag.start_time, bag.end_time
        where = silences(bag, topics, config) if parts > 1 else ()
        cuts: list[int] = []
        for part in range(1, parts):
            wanted = start + (stop - start) * part // parts
            nearest = min(where, key=lambda time: abs(time - wanted), default=None)
            if nearest is not None and nearest not in cuts:
                cuts.append(nearest)
        edges = [start, *sorted(cuts), stop]
        return tuple(
            Slice(first, last, situation_before(bag, topics, first) if first > start else None) for first, last in itertools.pairwise(edges)
        )
