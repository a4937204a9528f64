"""Clauses that stand for several: "wait by the door" (go there, wait), "there and back twice", "back and forth between a and b"."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sayso.intent.clauses import Word
from sayso.intent.grammar import PREPOSITIONS, after_lead_in, word_set
from sayso.intent.meaning.drafts import Draft
from sayso.intent.meaning.lists import phrases, tables
from sayso.intent.meaning.repetition import MOST_REPEATS
from sayso.intent.meaning.sentence_words import LINKS, Reading, lemma
from sayso.representation import Condition

_AGAIN = tables("joins.yaml")["again"]
_ACT_AGAIN, _THING_AGAIN = phrases(_AGAIN["act"]), phrases(_AGAIN["thing"])
_WAITING = word_set("wait stay stand remain")
_PAUSING = word_set("hold hang pause")
_GUARDING = word_set("guard watch")
_PLACING = frozenset(("at", "in", "on", "near", "by", "to", "beside", "outside")) | {
    name for name in PREPOSITIONS if name.startswith("in ")
}
_SPEAKER = word_set("me us")
_PERSONS = _SPEAKER | word_set("him her them")
_LONGEST_PLACE = 5  # words


def again_at(reading: Reading, draft: Draft, at: int, end: int) -> int:
    """Number of words that ask for the same once more, with what links them: "and then another one"; 0 for none."""
    if reading.word(at) not in LINKS or draft.message or draft.question:
        return 0
    start = at
    while start < end and reading.word(start) in LINKS:
        start += 1
    length = _ACT_AGAIN.length(reading.text, start, end)
    if not length and not any(reading.ends_name(index + 1) for index in draft.core):  # "bring a cup and another one" speaks of cups
        length = _THING_AGAIN.length(reading.text, start, end)
    stop = start + length
    return stop - at if length and (stop >= end or reading.word(stop) in LINKS) else 0


def returns_at(reading: Reading, at: int, end: int) -> bool:
    """Whether "back", "back here" stands there as a clause of its own."""
    after = reading.word(at + 1) if at + 1 < end else ""
    return reading.word(at) == "back" and (after in ("", "here", "again", "home", "to", "twice") or after in LINKS or after[:1].isdigit())


def expanded(reading: Reading, before: Draft | None, draft: Draft) -> list[Draft]:
    """The clauses that the draft stands for, in order; of most drafts only itself.

    Args:
        reading: the sentence.
        before: the clause before it.
        draft: a finished clause.
    """
    words = list(draft.core)
    while words and reading.word(words[0]) in LINKS:
        words.pop(0)
    if draft.question or draft.negated or draft.message or not words:
        return [draft]
    if before is not None and words[0] > draft.core[0]:
        if returns_at(reading, words[0], words[-1] + 1):
            return _returning(reading, before, draft, words)
        if draft.repeat > 1 and [reading.word(at) for at in words[:2]] in (["come", "back"], ["return", "here"], ["return"]):
            return _there_and_back(reading, before, draft)
    if _stops_act(reading, draft):
        return [replace(draft, core=[at for at in draft.core if at <= draft.verb])]
    if shuttled := _between(reading, draft, words):
        return shuttled
    return _waiting(reading, draft) or [draft]


def _returning(reading: Reading, before: Draft, draft: Draft, words: Sequence[int]) -> list[Draft]:
    """The way back, "and back here"."""
    target = reading.word(words[2]) if len(words) > 2 and reading.word(words[1]) == "to" else ""
    verb = "go" if target and target not in _SPEAKER else "come"
    draft.instead = (_unspoken(reading, words[0], verb),)
    return _there_and_back(reading, before, draft)


def _there_and_back(reading: Reading, before: Draft, draft: Draft) -> list[Draft]:
    """The way back, and both ways again if "twice" follows them."""
    count, draft.repeat = min(draft.repeat, MOST_REPEATS), 1
    once = [_copy(reading, before), _copy(reading, draft)]
    return [draft, *(replace(each) for _ in range(count - 1) for each in once)]


def _stops_act(reading: Reading, draft: Draft) -> bool:
    """Whether it ends an act, "stop bringing me the cup", "stop following me": that is a stop, and no wish for the cup."""
    base = lemma(reading.word(draft.verb + 1))
    gerund = base != reading.word(draft.verb + 1) and base in reading.lexicon.verbs
    if reading.word(draft.verb) != "stop" or not gerund:
        return False
    return any(reading.ends_name(at + 1) or reading.word(at) in _PERSONS for at in draft.core if at > draft.verb + 1)


def _between(reading: Reading, draft: Draft, words: Sequence[int]) -> list[Draft]:
    """The ways of "go back and forth between the sofa and the desk"."""
    text = [reading.word(at) for at in words]
    if "between" not in text or not {"forth", "fro"} & set(text[: text.index("between")]):
        return []
    start = text.index("between") + 1
    middle = next((at for at in range(start + 1, len(text) - 1) if text[at] == "and"), 0)
    if not middle:
        return []
    ways = []
    for span in (words[start:middle], words[middle + 1 :]):
        here = (_unspoken(reading, span[0], "go"), _unspoken(reading, span[0], "to"))
        ways.append(replace(draft, core=list(span), verb=span[0], instead=here, repeat=1))
    once = [_copy(reading, way) for way in ways]
    return [*ways, *(replace(each) for _ in range(min(draft.repeat, MOST_REPEATS) - 1) for each in once)]


def _waiting(reading: Reading, draft: Draft) -> list[Draft]:
    """The way to the place of "wait by the front door until ben arrives", and the waiting."""
    at = draft.verb
    if reading.word(at) == "go":  # "go and wait in the hallway"
        at += 2 if reading.word(at + 1) == "and" else 1
    verb = reading.word(at)
    guards = verb in _GUARDING
    lead = [index for index in draft.core if index < draft.verb]
    polite = not lead or lead[0] + after_lead_in([reading.word(index) for index in draft.core]) >= draft.verb
    if verb not in _WAITING | _GUARDING or at not in draft.core or not polite or draft.replaced or draft.instead:
        return []
    after = [index for index in draft.core if index > at]
    if after and reading.word(after[0]) == "over":
        after = after[1:]
    named = after if guards else after[1:]
    if not named or not (guards or reading.word(after[0]) in _PLACING):
        return []
    stop = next((n for n in range(min(_LONGEST_PLACE, len(named)), 0, -1) if _is_place(reading, named[0], named[n - 1] + 1)), 0)
    if not stop:
        return []
    place, rest = named[:stop], named[stop:]
    if any(reading.word(index) in LINKS for index in place):
        return []
    there = (_unspoken(reading, place[0], "go"), _unspoken(reading, place[0], "to"))
    conditions = [each for each in draft.conditions if each.kind not in ("until", "while")]
    timings = [each for each in draft.timings if each.kind not in ("for", "until")]
    go = replace(draft, core=place, verb=place[0], instead=there, conditions=conditions, timings=timings, repeat=1, trailing=False)
    wait = replace(draft, core=[*lead, at, *rest], verb=at)
    if guards:
        wait.replaced = {at: replace(reading.words[at], text="wait")}
    return [go, wait]


def awaited(reading: Reading, drafts: Sequence[Draft]) -> None:
    """Make what ends a waiting the occasion of what follows it: "wait until anna comes, then go to the kitchen"."""
    ends: list[Condition] = []
    for draft in drafts:
        if ends and not draft.conditions:
            draft.conditions = [replace(end, kind="when") for end in ends]
        waits = reading.word(draft.verb) in _WAITING | _PAUSING and draft.mood == "request"
        ends = [each for each in draft.conditions if each.kind == "until"] if waits else ends


def _is_place(reading: Reading, start: int, end: int) -> bool:
    links = reading.lexicon.gazetteer.link(reading.text[start:end], frozenset(("place", "object", "person")))
    return bool(links) and links[0].score >= 0.95 and links[0].kind == "place"


def _copy(reading: Reading, draft: Draft) -> Draft:
    """The draft again, in words that were not spoken again."""
    words = draft.rewritten(reading) or tuple(reading.words[at] for at in draft.core if reading.word(at) not in LINKS)
    end = max(word.end for word in words)
    return replace(draft, core=[], instead=tuple(Word(word.text, end, end) for word in words), replaced={}, peeled=[], repeat=1)


def _unspoken(reading: Reading, at: int, text: str) -> Word:
    start = reading.words[at].start
    return Word(text, start, start)
