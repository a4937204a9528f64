"""What something is for, said in a clause: "that i can eat", "you write with", "you put flowers in"."""

from __future__ import annotations

from collections.abc import Sequence

from sayso.intent.gazetteer import singular
from sayso.intent.grammar import DETERMINERS, word_set
from sayso.intent.meaning import noun_words as lexicon
from sayso.intent.meaning.noun import Noun
from sayso.intent.meaning.nouns import NounReader
from sayso.intent.meaning.postmodifiers import Restriction

_MARKERS = word_set("that which")
_USERS = lexicon.SUBJECTS | word_set("one people someone somebody everyone")
_ABLE = (("can",), ("could",), ("may",), ("might",), ("am", "able", "to"), ("are", "able", "to"), ("usually",), ("normally",), ("always",))
_STRANDED = word_set("in on with from into onto at for by")
_AFTER = word_set(", and or please but not for to")
_LONGEST = 4  # words of what the thing is used on: "your wet umbrellas"
_PERSONS = word_set("me us him her them you everyone everybody someone somebody anyone anybody people")  # "the objects to me"
_LIKING = word_set("want need like mean")  # no uses


def purpose(nouns: NounReader, verbs: frozenset[str], uses: frozenset[str], text: Sequence[str], at: int, noun: Noun) -> Restriction | None:
    """A purpose: "to drink", "to write with", "for reading", "that i can eat", "you put flowers in"."""
    vague = noun.description.pronoun in {*lexicon.OPEN, *lexicon.THINGS, *lexicon.THINGS.values()}
    after = text[at + 1] if at + 1 < len(text) else ""
    if text[at] == "for" and after.endswith("ing"):
        verb = next((stem for stem in (after[:-3], f"{after[:-3]}e", after[:-4]) if stem in uses), after if vague else "")
        return Restriction("purpose", at, at + 2, purpose=verb) if verb else None
    if text[at] != "to":
        return _clause(nouns, uses, text, at, vague=vague)
    if not after or after in DETERMINERS or after in _PERSONS or not (after in uses or (vague and not nouns.name(text, at + 1))):
        return None
    if after in verbs and after not in uses and not vague:
        return None
    if vague and (stop := _object_end(nouns, text, at + 2)) is not None and stop > at + 2:
        return _on_things(uses, text, at, at + 1, stop)
    end = at + 2
    if text[end : end + 1] and text[end] in {"with", "from", "on", "in", "at"}:
        end += nouns(text, end + 1) is None
    elif vague and after in uses and (thing := nouns(text, end)) is not None and not thing.description.candidates:
        end = thing.end  # "to dry my hands"
    return Restriction("purpose", at, end, purpose=after)


def _clause(nouns: NounReader, uses: frozenset[str], text: Sequence[str], at: int, *, vague: bool) -> Restriction | None:
    """The use that a relative clause names, or None."""
    begin = at + (text[at] in _MARKERS)
    if begin + 1 >= len(text) or text[begin] not in _USERS:
        return None
    begin += 1
    able = next((len(words) for words in _ABLE if tuple(text[begin : begin + len(words)]) == words), 0)
    begin += able
    verb = text[begin] if begin < len(text) else ""
    if not verb or verb in DETERMINERS or verb in _LIKING or not (able or vague):
        return None
    end = begin + 1
    if verb in uses and (text[end : end + 1] == [] or text[end] in _STRANDED | _AFTER):
        return Restriction("purpose", at, end + _strands(nouns, text, end), purpose=verb)
    stop = _object_end(nouns, text, end)
    return _on_things(uses, text, at, begin, stop) if stop is not None else None


def _on_things(uses: frozenset[str], text: Sequence[str], at: int, verb: int, stop: int) -> Restriction:
    """The use on other things, "put flowers in", with a stranded preposition at `stop`."""
    said = tuple(singular(word) for word in text[verb + 1 : stop] if word not in DETERMINERS)
    known = text[verb] in uses
    return Restriction("purpose", at, stop + 1, purpose=text[verb] if known else "", named=() if known else (*said, text[verb]))


def _object_end(nouns: NounReader, text: Sequence[str], at: int) -> int | None:
    """The index of the stranded preposition after what a thing is used on; None if there is none."""
    for stop in range(at, min(at + _LONGEST, len(text) - 1) + 1):
        if stop < len(text) and _strands(nouns, text, stop):
            return stop
        if stop >= len(text) or text[stop] in lexicon.STOPS | _STRANDED | {","}:
            return None
    return None


def _strands(nouns: NounReader, text: Sequence[str], at: int) -> bool:
    """Whether a preposition stands there without a noun after it: "with" of "something i can write with"."""
    return at < len(text) and text[at] in _STRANDED and (at + 1 >= len(text) or nouns(text, at + 1) is None)
