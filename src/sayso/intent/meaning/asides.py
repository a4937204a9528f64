"""Asides after a request, which say why or how little the speaker knows, and ask for nothing: "…, no clue where he left it", "…, my hands
are full".
"""

from __future__ import annotations

from sayso.intent.grammar import word_set
from sayso.intent.meaning.conditions import finite_verb
from sayso.intent.meaning.drafts import Draft
from sayso.intent.meaning.lists import phrases, tables
from sayso.intent.meaning.sentence_words import LINKS, Reading

_ASIDES = tables("joins.yaml")["asides"]
_UNKNOWING = phrases(_ASIDES["unknowing"])
_WISHES = phrases(_ASIDES["wishes"])
_ABSTRACT = frozenset(_ASIDES["abstract"].split())
_ASKING = word_set("where what who which how why when whether")
_SUBJECTS = word_set("i i'm i've we we're we've he he's she she's they they're they've")
_OWNERS = word_set("my his her our their")
# Words of a correction, a condition, a limit or a request: the robot must hear them.
_BINDING = word_set(
    "not mean meant mind rather instead wrong mistake kidding joking actually wait stop one ones if unless until when whenever only except "
    "please you your that this these those forget never prefer careful carefully said told asked should must ought"
)
_CLOSED = word_set(
    "it them there here me her him us left right around forward back backward meters meter bit little touch tad smidge smidgen hair further"
)
_LONGEST = 14  # words of an aside
_ARTICLES = word_set("some a an any the more bit of little and or")


def aside_at(reading: Reading, draft: Draft, at: int, end: int) -> bool:
    """Whether an aside begins there, after the act of the draft."""
    if draft.message or draft.question or draft.negated or draft.stating or at >= end or at <= draft.verb:
        return False
    stop = next((index for index in range(at, min(end, at + _LONGEST)) if reading.word(index) == ","), min(end, at + _LONGEST))
    if stop == at + _LONGEST < end:
        return False
    length = _UNKNOWING.length(reading.text, at, stop)
    if length and reading.word(at + length) in _ASKING:
        return True
    linked = reading.word(at - 1) in LINKS
    closed = reading.word(at - 1) in _CLOSED or _names(reading, at - 1, at, frozenset(("person",)))
    if not (linked or closed) or stop - at < 2:
        return False
    words = reading.text[at:stop]
    if _BINDING.intersection(words) or _names_any(reading, at, stop):
        return False
    if words[0] in _SUBJECTS:
        wish = _WISHES.length(reading.text, at, stop)
        if wish:
            return set(words[wish:]) <= _ABSTRACT | _ARTICLES
        return "'" in words[0] or finite_verb(reading, at, min(stop, at + 4)) >= 0
    return words[0] in _OWNERS and linked and finite_verb(reading, at + 1, min(stop, at + 5)) >= 0


def _names_any(reading: Reading, start: int, end: int) -> bool:
    """Whether the words name a thing or a place."""
    return any(
        _names(reading, at, at + size, frozenset(("object", "place"))) for at in range(start, end) for size in (1, 2) if at + size <= end
    )


def _names(reading: Reading, start: int, end: int, kinds: frozenset[str]) -> bool:
    return any(link.score >= 0.9 for link in reading.lexicon.gazetteer.link(reading.text[start:end], kinds))
