"""Cuts a bag without splitting an utterance or a question from its answer."""

from __future__ import annotations

import itertools
from pathlib import Path

from rosbags.interfaces import Connection

from sayso.bags import messages
from sayso.bags.reading import Bag
from sayso.bags.topics import Topics, find_topics
from sayso.errors import SaysoError
from sayso.intent.discourse import REFERRED_WITHIN
from sayso.replay.situation import situation_before
from sayso.replay.sounds import is_sounds
from sayso.replay.types import ReplayConfig, Slice

LONGEST = 20.0  # s: longest time between the start of an utterance and its transcript
QUIET = 2.0  # s of silence before a cut


def silences(bag: Bag, topics: Topics, config: ReplayConfig) -> tuple[int, ...]:
    """Times (ns) at which the recorded transcripts leave no speech, no open question and no reference to earlier words.

    From a command to the answer to a question that the robot asks on its way, there is none. None either if the clock jumped back.
    """
    if bag.jumped or not topics["transcript"]:
        return ()
    open_for = round((max(config.answer_within, config.correct_within, REFERRED_WITHIN) + QUIET) * 1e9)
    found: list[int] = []
    latest: int | None = None
    said: dict[str, int] = {}  # utterance → when it was recorded, ns
    for connection, time, raw in bag.messages((*topics["transcript"], *topics["plan_state"])):
        if connection.msgtype == "sayso_msgs/msg/PlanState":
            errand = _asking(bag, connection, raw)
            if errand in said:
                found = [cut for cut in found if cut < said[errand]]
                latest = time
            continue
        begins = time - round(LONGEST * 1e9)
        if connection.msgtype == "sayso_msgs/msg/Transcript":
            try:
                heard = messages.transcript(bag.deserialize(raw, connection))
            except SaysoError:
                continue  # the player reports it
            said[heard.utterance_id] = time
            since = heard.stamp - heard.started
            begins = time - round((min(max(since, 0.0), LONGEST) + QUIET) * 1e9)
        if latest is not None and begins > latest + open_for:
            found.append(latest + open_for)
        latest = time
    return tuple(found)


def _asking(bag: Bag, connection: Connection, raw: bytes) -> str:
    """The utterance whose errand waits for the choice of a thing; empty if none does."""
    try:
        state = messages.plan_state(bag.deserialize(raw, connection))
    except SaysoError:
        return ""
    return state.utterance_id if state.status == "asking" else ""


def slices(path: Path, config: ReplayConfig, parts: int) -> tuple[Slice, ...]:
    """Cut a bag in silences into at most `parts` slices of similar length; a single slice if it cannot be cut.

    Played one by one and `joined`, they give the same result as the whole bag.

    Raises:
        SaysoError: the bag cannot be read, or --remap names a topic that it lacks.
    """
    if is_sounds(path):
        return (Slice(0, 0),)  # sound files are not cut
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
