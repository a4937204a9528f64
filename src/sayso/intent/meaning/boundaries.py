"""Where a clause may begin, and the words that only accompany speech."""

from __future__ import annotations

from sayso.intent.clauses import LATER
from sayso.intent.grammar import DETERMINERS, PREPOSITIONS, SAYING, word_set
from sayso.intent.meaning.asides import aside_at
from sayso.intent.meaning.conditions import condition_at, finite_verb, opener_at
from sayso.intent.meaning.drafts import Draft
from sayso.intent.meaning.expansions import returns_at
from sayso.intent.meaning.lists import phrases, tables
from sayso.intent.meaning.moods import mood_at
from sayso.intent.meaning.questions import question_at
from sayso.intent.meaning.sentence_words import LINKS, Reading
from sayso.intent.meaning.timings import timing_at

_JOINS = tables("joins.yaml")
_ANYWHERE, _FRONT, _BACK = (phrases(_JOINS["markers"][name]) for name in ("anywhere", "front", "back"))
_OTHERWISE = phrases(_JOINS["otherwise"])
REASONS = word_set("because cause since")
_STATING = word_set("i'm i it's we're")  # begin a hint or a reason
_CLOSING = word_set("it there here left right around forward back backward meters meter degrees seconds minutes them me")
COMMENTING = word_set("he's she's they're")  # after a request they begin its reason: "he's having people over"
_STATED = COMMENTING | word_set("i'm it's we're")
_SUBORDINATE = word_set("what where how who which that if whether when as than why")
_WISHING = word_set("need want wanna like love")
_ASKING = word_set("can could may might")  # "can i have the cup"
_REFUSING = word_set("don't never not no")
_GOING = word_set("go come try hurry run")


def opens(reading: Reading, at: int, end: int) -> bool:
    """Whether a clause may begin there: a command, a question, a mood, or a modifier with its clause."""
    if at >= end:
        return False
    if reading.request(at) or _ANYWHERE.length(reading.text, at, end) or mood_at(reading, at, end) or question_at(reading, at, end):
        return True
    if condition_at(reading, at, end, front=True) is not None:
        return True
    timing = timing_at(reading, at, end)
    if timing is not None:
        after = after_commas(reading, timing.end, end)
        return reading.word(after) not in LINKS and reading.request(after)
    length = _FRONT.length(reading.text, at, end)
    return bool(length) and reading.request(after_commas(reading, at + length, end))


def after_commas(reading: Reading, at: int, end: int) -> int:
    """The index after commas."""
    while at < end and reading.word(at) == ",":
        at += 1
    return at


def otherwise_at(reading: Reading, at: int, end: int) -> int:
    """Number of words of "otherwise", "if not"."""
    length = _OTHERWISE.length(reading.text, at, end)
    return length if length and at + length < end and not _BACK.length(reading.text, at, end) else 0  # "otherwise never mind"


def earlier_at(reading: Reading, at: int, end: int) -> int:
    """Number of words that put a clause before the previous one: "before that", "but first"."""
    if reading.text[at : at + 2] == ("before", "that") and at + 2 < end:
        return 2
    return 1 if reading.word(at) == "first" and reading.word(at - 1) == "but" else 0


def front_marker(reading: Reading, at: int, end: int) -> int:
    """Number of words before an act that only accompany it: "well", "okay robot", "i was wondering if you could"."""
    length = _ANYWHERE.length(reading.text, at, end)
    if length:
        return 0 if reading.word(at + length) == "for" else length  # "thank you for the cup"
    length = _FRONT.length(reading.text, at, end) or int(reading.text[at : at + 2] == ("no", ","))
    if length < opener_at(reading, at, end):  # "so long as"
        return 0
    after = after_commas(reading, at + length, end)
    return (
        length
        if length and after < end and (reading.word(after) in _STATING or opens(reading, after, end) or front_marker(reading, after, end))
        else 0
    )


def back_marker(reading: Reading, draft: Draft, at: int, end: int) -> int:
    """Number of words within or after an act that only accompany it: "please", "okay"."""
    length = _ANYWHERE.length(reading.text, at, end)
    if length:
        spoken = draft.message or reading.word(at - 1) in SAYING  # "say thank you", "tell anna please come"
        return 0 if spoken and at + length < end else length
    length = _BACK.length(reading.text, at, end)
    after, before = at + length, reading.word(at - 1)
    if not length or (reading.word(at) == "robot" and before in ("a", "the", "my", "this", "that", "are")):
        return 0
    if reading.word(at) == "right" and before != ",":
        return 0
    if after >= end or _BACK.length(reading.text, after, end) or _ANYWHERE.length(reading.text, after, end):
        return length
    linked = reading.word(after) in LINKS and reading.said(at, after) not in ("right", "then", "now then")
    return length if linked and opens(reading, after_links(reading, after, end), end) else 0


def after_links(reading: Reading, at: int, end: int) -> int:
    """The index after linking words."""
    while at < end and reading.word(at) in LINKS:
        at += 1
    return at


def begins_clause(reading: Reading, draft: Draft, at: int, end: int) -> bool:
    """Whether a new clause begins there, after the clause of the draft."""
    return _begins_linked(reading, draft, at, end) if reading.word(at) in LINKS else _begins_unlinked(reading, draft, at, end)


def _begins_linked(reading: Reading, draft: Draft, at: int, end: int) -> bool:
    after = after_links(reading, at, end)
    if reading.word(at - 1) in LINKS or after >= end:
        return False
    links = set(reading.text[at:after])
    if links & LATER:
        return True
    if draft.message or links == {"or"} or (len(draft.core) == 1 and reading.word(draft.core[0]) in _GOING):
        return False
    if links <= {"and", "then", ","} and returns_at(reading, after, end):  # "to the kitchen and back here"
        return True
    if aside_at(reading, draft, after, end):
        return True
    if reading.word(after) in _STATING:
        wanted = reading.word(after + 1) in ("need", "want", "would")
        pronoun = reading.word(after + 2) in ("it", "them", "that", "those")
        return not (wanted and pronoun) and not draft.question
    return (
        opens(reading, after, end)
        or bool(earlier_at(reading, after, end) or otherwise_at(reading, after, end))
        or (reading.word(after) in REASONS)
    )


def begins_elliptic(reading: Reading, draft: Draft, at: int, end: int) -> bool:
    """Whether a clause without a verb follows one with a modifier: "go to the kitchen at six and to the study at seven"."""
    after = after_links(reading, at, end)
    if not draft.trailing or draft.message or draft.stating or not at < after < end or reading.word(at - 1) in LINKS:
        return False
    word = reading.word(after)
    return word in DETERMINERS or word in PREPOSITIONS or word in _CLOSING


def states(reading: Reading, at: int, end: int) -> bool:
    """Whether the words have the form of a statement, "dinner is at six", and are no wish, "i need the cup at six"."""
    after = reading.word(at + 2) if reading.word(at + 1) == "would" else ""
    if reading.word(at) in ("i'd", "we'd") or (reading.word(at) in ("i", "we") and (reading.word(at + 1) in _WISHING or after in _WISHING)):
        return False
    if reading.word(at) in ("i'll", "we'll") and reading.word(at + 1) in ("have", "take", "need"):  # "i'll have the white one"
        return False
    past = any(word.endswith("ed") for word in reading.text[at + 1 : min(end, at + 6)])
    return reading.word(at) not in _ASKING and (past or finite_verb(reading, at, min(end, at + 12)) >= 0)


def _begins_unlinked(reading: Reading, draft: Draft, at: int, end: int) -> bool:
    word, complete = reading.word(at), at - draft.verb > 1
    if draft.message or reading.word(draft.verb) == "let":  # "let the cup stand on the table"
        return False
    if draft.question and draft.core[-1] == at - 1:  # "where is the cup bring it to me"
        return reading.imperative(at) and reading.word(at + 1) in ("it", "them", "me") and reading.ends_name(at)
    if aside_at(reading, draft, at, end):
        return True
    if word == "else" and reading.word(at - 1).endswith(("thing", "one", "body", "where", "what", "who")):
        return False
    if word == "because" or otherwise_at(reading, at, end) or (word in REASONS and reading.word(at + 1) in _STATING):
        return at + 1 < end
    if word in ("just", "only", "simply", "instead") and (draft.negated or reading.word(draft.core[0]) in _REFUSING):
        return at > draft.core[0] + 1 and reading.request(at + 1)  # "don't bother with the cups just bring the plate"
    if word in ("can", "could", "will", "would") and reading.word(at + 1) == "you" and reading.request(at):
        return not draft.question and reading.word(at - 1) not in _SUBORDINATE and at > draft.core[0]
    modified = draft.core[-1] != at - 1  # a modifier ended before this word
    if word in _STATED | {"don't", "never"} or reading.text[at : at + 2] == ("do", "not"):
        stated = word in _STATED or mood_at(reading, at, end) is not None
        return stated and complete and (modified or reading.ends_name(at))
    closed = modified or reading.ends_name(at) or (reading.word(at - 1) in _CLOSING and len(draft.core) > 1)
    return at > draft.verb and reading.imperative(at) and closed
