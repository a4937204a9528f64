"""Clauses that are no plain commands → plain commands: "ben gets the beer and i'll have the wine", "there's a cup in the sink, i need it".

Every word of such clauses must fit a pattern of recast.yaml, and every word that refers back must find what it refers to; else the
sentence stays as it is, and what nobody understands is asked about.
"""

from __future__ import annotations

from collections.abc import Sequence

from sayso.intent.meaning.chunks import PERSON, THING, chunks_of
from sayso.intent.meaning.drafts import Draft
from sayso.intent.meaning.frames import COMMAND, ClauseFrame, Parser
from sayso.intent.meaning.hints import hinted
from sayso.intent.meaning.referents import UnresolvedError
from sayso.intent.meaning.sentence_words import Reading
from sayso.intent.meaning.writing import Writer

MOST_CHUNKS, MOST_WORDS = 36, 60  # of clauses that are read together
_ACTS = frozenset(("give", "put", "home", "same", "visit"))


def recast(reading: Reading, drafts: Sequence[Draft]) -> list[Draft]:
    """The clauses, each run of those without modifiers read together where it makes plain commands."""
    result: list[Draft] = []
    run: list[Draft] = []
    for draft in drafts:
        if _plain(draft):
            run.append(draft)
        else:
            result += [*_recast(reading, run), draft]
            run = []
    return [*result, *_recast(reading, run)]


def _plain(draft: Draft) -> bool:
    """Whether the clause has nothing around it."""
    around = draft.conditions or draft.timings or draft.note or draft.replaced or draft.instead or draft.peeled
    kept = draft.negated or draft.question or draft.message or draft.earlier or draft.alone or draft.reason or draft.elliptic
    return bool(draft.core) and draft.mood == "request" and draft.repeat == 1 and not around and not kept


def _recast(reading: Reading, run: list[Draft]) -> list[Draft]:
    spoken = [at for draft in run for at in (*draft.core, *_as_well(reading, draft))]
    if not 1 < len(spoken) <= MOST_WORDS:
        return run
    chunks = chunks_of(reading, spoken)
    if len(chunks) > MOST_CHUNKS or not any(chunk.kind in (THING, PERSON) for chunk in chunks):
        return run
    starts = [next((at for at in draft.core if reading.request(at)), draft.core[0]) for draft in run]
    for frames in Parser(reading, chunks, starts)():
        if not _worthwhile(frames) or (len(frames) == 1 and hinted(reading, tuple(spoken)) is not None):
            continue
        try:
            return Writer(reading, run)(frames)
        except UnresolvedError:
            continue
    return run


def _as_well(reading: Reading, draft: Draft) -> tuple[int, ...]:
    """The words "as well" after the clause, which were taken for a marker."""
    after = draft.core[-1] + 1
    return (after, after + 1) if reading.said(after, after + 2) == "as well" else ()


def _worthwhile(frames: Sequence[ClauseFrame]) -> bool:
    """Whether the clauses say together what one of them alone does not."""
    acts = [frame for frame in frames if frame.kind in _ACTS]
    told = [frame for frame in frames if frame.kind != COMMAND]
    if not told or not any(chunk.known for frame in told for chunk in frame.chunks):
        return False
    if not acts and not any(frame.kind == COMMAND for frame in frames):
        return False
    if len(frames) > 1:
        return frames[-1].kind not in ("topic", "contrast", "person", "none")
    return any(_by_itself(frame) for frame in acts)


def _by_itself(frame: ClauseFrame) -> bool:
    several = sum(chunk.kind in "PQM" for chunk in frame.group("p")) > 1
    return frame.pattern is not None and (frame.pattern.alone or (several and not frame.pattern.bare))
