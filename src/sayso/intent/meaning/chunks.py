"""Cuts a sentence into chunks: noun phrases of things, places and people, words that refer back, and single words.

It needs no verb, so that it reads "banana kitchen table to sideboard" as a thing, a place, "to", a place. A noun phrase ends with its name.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from sayso.intent.clauses import Word
from sayso.intent.gazetteer import COMPOSED
from sayso.intent.grammar import word_set
from sayso.intent.meaning import noun_words as lexicon
from sayso.intent.meaning.accounting import content
from sayso.intent.meaning.lists import listed, tables
from sayso.intent.meaning.sentence_words import Reading
from sayso.intent.mentions import EVERY_KIND

THING, PLACE, PERSON, REFERRED, SOMEBODY, SPEAKER, THERE = "O", "L", "P", "T", "Q", "M", "D"
_KINDS = {"object": THING, "place": PLACE, "person": PERSON}
_DETERMINERS = word_set("the a an my your his her our their this that these those some any another both all 2 3 4 5 6")
_MODIFIERS = lexicon.ATTRIBUTES | lexicon.SUPERLATIVES.keys() | lexicon.ORDINALS.keys() | lexicon.IDLE_MODIFIERS | word_set("other")
_ONE = word_set("one ones")
_SINGLE = {"him": SOMEBODY, "her": SOMEBODY, "there": THERE, "he": SOMEBODY, "she": SOMEBODY, "me": SPEAKER, "us": SPEAKER}
_RELATING = frozenset(("left_of", "right_of", "next_to", "behind", "in_front_of", "under", "above", "between"))
_NONE = (0, "", False, False)
_LONGEST_UNKNOWN = 2  # words that the home does not know in a noun phrase
_BACK = sorted((tuple(phrase.split()) for phrase in listed(tables("recast.yaml")["referring"])), key=len, reverse=True)


@dataclass(frozen=True, slots=True)
class Chunk:
    """A noun phrase or a word."""

    kind: str  # one of the letters above; a word is its own kind
    words: tuple[Word, ...]
    at: tuple[int, ...]  # indices of its words in the sentence
    like: bool = False  # "the white one": its noun is that of another chunk
    noun: str = ""  # the last word of its name
    known: bool = False  # names something of the home

    @property
    def text(self) -> str:
        """Its words."""
        return " ".join(word.text for word in self.words)


def chunks_of(reading: Reading, spoken: Sequence[int]) -> tuple[Chunk, ...]:
    """The chunks of the words with these indices."""
    result: list[Chunk] = []
    start = 0
    while start < len(spoken):
        run = _run(spoken, start)
        noun, back = _noun(reading, run), _referring(reading, run)
        found = noun if noun and (not back or len(noun[0].words) > len(back[0].words)) else back
        if found is None:
            found = (Chunk(_SINGLE.get(reading.word(run[0]), reading.word(run[0])), (reading.words[run[0]],), (run[0],)),)
        result += found
        start += len({at for chunk in found for at in chunk.at})
    return tuple(result)


def _run(spoken: Sequence[int], start: int) -> tuple[int, ...]:
    """The words from `start` on that stand side by side in the sentence."""
    end = start + 1
    while end < len(spoken) and spoken[end] == spoken[end - 1] + 1:
        end += 1
    return tuple(spoken[start:end])


def _referring(reading: Reading, run: tuple[int, ...]) -> tuple[Chunk, ...] | None:
    """A phrase that refers back: "it", "the first one", "the other's mine"."""
    text = [reading.word(at) for at in run]
    for phrase in _BACK:
        size = len(phrase)
        last = text[size - 1] if size <= len(text) else ""
        if (*text[: size - 1], last.removesuffix("'s")) == phrase:
            return _with_clitic(reading, Chunk(REFERRED, (), run[:size]))
    return None


def _noun(reading: Reading, run: tuple[int, ...]) -> tuple[Chunk, ...] | None:
    """The noun phrase that the words begin with, with what relates it to another: "the cup left of the laptop"."""
    size, kind, like, known = _plain(reading, run)
    if not size:
        return None
    noun = "" if like else reading.word(run[size - 1]).removesuffix("'s")
    found = _with_clitic(reading, Chunk(kind, (), run[:size], like, noun, known))
    if kind != THING or len(found) > 1 or size >= len(run):
        return found
    if run[size:] and reading.word(run[size]) == "of" and (inner := _plain(reading, run[size + 1 :]) if run[size + 1 :] else _NONE)[0]:
        return _with_clitic(reading, Chunk(kind, (), run[: size + 1 + inner[0]], like, noun, known))  # "a cup of water"
    length = next((n for n in range(min(lexicon.LONGEST_RELATION, len(run) - size), 0, -1) if _relates(reading, run[size : size + n])), 0)
    after = run[size + length :]
    landmark = _plain(reading, after)[0] if length and after else 0
    if not landmark:
        return found
    end = size + length + landmark
    if "between" in (reading.word(at) for at in run[size : size + length]):
        joined = end + 1 < len(run) and reading.word(run[end]) == "and"
        second = _plain(reading, run[end + 1 :])[0] if joined else 0
        if not second:
            return found
        end += 1 + second
    return _with_clitic(reading, Chunk(kind, (), run[:end], like, noun, known))


def _relates(reading: Reading, at: Sequence[int]) -> bool:
    return lexicon.RELATIONS.get(tuple(reading.word(each) for each in at)) in _RELATING


def _plain(reading: Reading, run: tuple[int, ...]) -> tuple[int, str, bool, bool]:
    """The number of words of the noun phrase without relations, its kind, whether "one" is its noun, whether it is known; 0 for none."""
    text = [reading.word(at) for at in run]
    start = _owner(reading, run)
    determined = start > 0
    while start < len(text) and text[start] in _DETERMINERS:
        start, determined = start + 1, True
    if determined and text[start - 1] == "her" and start < len(text) and text[start] in _DETERMINERS:
        return _NONE
    head = start
    while head < len(text) and text[head] in _MODIFIERS:
        head += 1
    for begin in range(start, min(head + 1, len(text))):
        if found := _name(reading, text, begin):
            return found[0], found[1], False, True
    if head < len(text) and head > start and text[head].removesuffix("'s") in _ONE:
        return head + 1, THING, True, True
    return _strange(reading, run, head) if determined else _NONE


def _owner(reading: Reading, run: tuple[int, ...]) -> int:
    """1 for "anna's" before a thing, else 0."""
    word = reading.word(run[0])
    return int(word.endswith("'s") and len(run) > 1 and _kind_of(reading, (word[:-2],)) == PERSON and bool(_name_after(reading, run)))


def _name_after(reading: Reading, run: tuple[int, ...]) -> bool:
    text = [reading.word(at) for at in run]
    begin = 1
    while begin < len(text) - 1 and text[begin] in _MODIFIERS:
        begin += 1
    return any(_name(reading, text, at) for at in range(1, begin + 1))


def _name(reading: Reading, text: Sequence[str], begin: int) -> tuple[int, str] | None:
    """One past the last word of the longest name that begins there, and its kind."""
    gazetteer = reading.lexicon.gazetteer
    for size in range(min(gazetteer.longest, len(text) - begin), 0, -1):
        words = tuple(text[begin : begin + size])
        plain = (*words[:-1], words[-1].removesuffix("'s"))
        for each in (words, plain):
            if gazetteer.has_name(each) and (kind := _kind_of(reading, each)):
                return begin + size, kind
    word = (text[begin].removesuffix("'s"),)
    kind = _kind_of(reading, word) if text[begin] not in lexicon.THINGS and content(word[0]) else ""
    return (begin + 1, kind) if kind else None


def _kind_of(reading: Reading, words: tuple[str, ...]) -> str:
    links = reading.lexicon.gazetteer.link(words, EVERY_KIND)
    return _KINDS[links[0].kind] if links and links[0].score >= COMPOSED else ""


def _strange(reading: Reading, run: tuple[int, ...], head: int) -> tuple[int, str, bool, bool]:
    """A noun phrase with a determiner and words that the home does not know: "the wombat", "a cold beer"."""
    text = [reading.word(at) for at in run]
    end = head
    while end < min(len(text), head + _LONGEST_UNKNOWN) and _may_be_noun(reading, text[end]):
        end += 1
        if end < len(text) and (found := _name(reading, text, end)):
            return found[0], found[1], False, True
    return (end, THING, False, False) if end > head else _NONE


def _may_be_noun(reading: Reading, word: str) -> bool:
    return (
        content(word)
        and word.isalpha()
        and word not in reading.lexicon.verbs
        and word not in lexicon.VERB_FORMS | _MODIFIERS | lexicon.STOPS
    )


def _with_clitic(reading: Reading, chunk: Chunk) -> tuple[Chunk, ...]:
    """The chunk with its words, and "'s" for "is" or "has" as one of its own: "the laptop's on the desk"."""
    words = [reading.words[each] for each in chunk.at]
    last = words[-1]
    if not last.text.endswith("'s"):
        return (replace(chunk, words=tuple(words)),)
    words[-1] = replace(last, text=last.text[:-2], end=last.end - 2)
    return (replace(chunk, words=tuple(words)), Chunk("'s", (Word("'s", last.end - 2, last.end),), chunk.at[-1:]))
