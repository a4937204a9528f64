"""Which question a clause asks: "where are my keys", "is anna in the study", "what can you do"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import cast

from sayso.intent.gazetteer import CONTRASTS
from sayso.intent.grammar import DETERMINERS, PERSON_PRONOUNS, word_set
from sayso.intent.meaning.lists import PhraseList, listed, tables
from sayso.intent.meaning.own_questions import own_question
from sayso.intent.meaning.sentence_words import Reading
from sayso.representation import QuestionName

_LISTS = tables("questions.yaml")
_FIXED = PhraseList({phrase: name for name, text in _LISTS["fixed"].items() for phrase in listed(text)})
_LEADS = PhraseList(dict.fromkeys(listed(_LISTS["leads"]), "lead"))
_SEEN = PhraseList(dict.fromkeys(listed(_LISTS["seen"]), "where"))
_POLITE = PhraseList(dict.fromkeys(listed(_LISTS["polite"]), ""))
_ABILITIES = re.compile(
    r"what (?:all |else |other )?(?:(?:kinds?|sorts?|types?) of )?(?:(?:jobs|things|stuff|tasks|work|chores|tricks|skills|help) )?"
    r"(?:can|could|do|are) you (?:(?:actually|really|even|also|all) )?(?:do|help(?: me| us)?(?: out)? with|able to do|good at|capable of|"
    r"know how to do|offer)(?: (?:for|around|about|in) .*| exactly| then| at all| apart .*| besides .*)?$"
)
_OR_WHAT = (("or", "what"), ("or", "not"), ("or", "something"))
_COPULAS = word_set("is are was were isn't aren't wasn't weren't am")
_AUXILIARIES = word_set(
    "do does did don't doesn't didn't has have had hasn't haven't will would can could should shall may might won't must"
)
_ALLOWED = word_set("can could may might should shall must")
# What a speaker may get from the robot: after "can i", "could we".
_RECEIVED = word_set("have get borrow trouble bother ask interrupt count see use take grab want need please request beg offer talk speak")
_ABLE = re.compile(  # "what sort of jobs can you actually do for me"
    r"(?:what|which)(?: \w+){0,4} (?:can you|are you able to|do you know how to)(?: \w+ly)? (?:do|help(?: \w+){0,2} with|handle|manage)"
    r"(?: (?:for|around|in) .*)?"
)
_ANYWAY = word_set("and , for exactly really around here in then today besides apart at")  # after "what can you do"
_WH = {"where": "where", "where's": "where", "which": "which", "who": "who", "who's": "who", "whose": "who", "whom": "who"}
_COLOUR = word_set("color colour colors colours")
_SIZES = word_set("big large tall small long wide high thick heavy size height length width weight")
# "what does the vase look like", "what do you know about the laptop", "what is the umbrella like"
_LIKENESS = re.compile(
    r"(?:what|how) (?:does|do) .+ look(?: like)?|what .+ looks? like|what(?:'s| is| are) .+ like"
    r"|what (?:kind|sort|type) of \w+ (?:is|are) .+"
    r"|what(?: else)? (?:do|can) you (?:know|say|tell me) (?:about|of) .+|what(?:'s| is| are) .+ (?:used|good) for|what is .+ for"
)
_OTHER = word_set("what what's when why how how's what're whatever")


def question_at(reading: Reading, at: int, end: int) -> QuestionName | None:
    """The question that the clause [at, end) asks; None if it asks none, or only politely for an act."""
    own = own_question(reading.said(at, end)) or own_question(reading.said(at, _first_part(reading, at, end)))
    if own is not None:
        return own
    length, name = _FIXED.at(reading.text, at, end)
    if _ABILITIES.match(reading.said(at, end)):
        return "abilities"
    if length and name in ("abilities", "activity") and _fixed_rest(reading, at + length, end):
        return cast("QuestionName", name)
    if length and (at + length == end or name not in ("abilities", "activity") or reading.word(at + length) in _ANYWAY):
        return cast("QuestionName", name)
    if _SEEN.length(reading.text, at, end):
        return "where"
    lead = _LEADS.length(reading.text, at, end)
    if lead:
        word = reading.word(at + lead)
        if word in ("if", "whether"):
            return "yes_no"
        return _wh(reading, at + lead, end) if at + lead < end else None
    if _POLITE.length(reading.text, at, end):
        return None
    return _wh(reading, at, end) or _yes_no(reading, at, end)


def _first_part(reading: Reading, at: int, end: int) -> int:
    """Where the first part of a sentence such as "what time is it, and where are the keys" ends."""
    return next((n for n in range(at + 1, end) if reading.word(n) in (",", "and", "but")), end)


def _fixed_rest(reading: Reading, at: int, end: int) -> bool:
    """Whether the rest asks the same again: "what are you doing, are you busy or what"."""
    while at < end:
        length = 2 if reading.text[at : at + 2] in _OR_WHAT else int(reading.word(at) == ",") or _FIXED.length(reading.text, at, end)
        if not length:
            return False
        at += length
    return True


def is_lead(text: Sequence[str]) -> bool:
    """Whether the words only lead to a question: "could you please tell me"."""
    words = tuple(word for word in text if word not in ("please", ",", "and"))
    return bool(words) and _LEADS.length(words, 0, len(words)) == len(words)


def _wh(reading: Reading, at: int, end: int) -> QuestionName | None:
    word, after = reading.word(at), reading.word(at + 1)
    if at + 1 >= end:
        return None
    if _ABLE.fullmatch(reading.said(at, end)):
        return "abilities"
    if quality := _quality(reading, at, end):
        return quality
    if word in ("in", "on", "at", "under") and after in ("which", "what"):
        return "where"
    if word in ("what", "how") and after == "about":
        return None  # "what about the blue one" continues a dialogue
    if word == "which":
        return "where" if after in ("room", "shelf", "place") and reading.word(at + 2) in _COPULAS else "which"
    if word in _WH:
        return cast("QuestionName", _WH[word])
    return "what" if word in _OTHER and (word != "when" or after in _COPULAS | _AUXILIARIES) else None


def _quality(reading: Reading, at: int, end: int) -> QuestionName | None:
    """The quality of a thing that is asked for: how many there are, its colour, its size, what it is like."""
    word, after = reading.word(at), reading.word(at + 1)
    if word == "how" and after == "many":
        return "how_many"
    if word in ("what", "what's", "which") and _COLOUR.intersection(reading.text[at + 1 : min(end, at + (2 if word == "which" else 5))]):
        return "colour"
    if word in ("how", "what", "what's") and _SIZES.intersection(reading.text[at + 1 : min(end, at + 4)]):
        return "size"
    return "describe" if _LIKENESS.fullmatch(reading.said(at, end)) else None


def _yes_no(reading: Reading, at: int, end: int) -> QuestionName | None:
    """Whether the clause inverts subject and verb: "is anna here", "did you bring it", but not "can you bring it"."""
    word, after = reading.word(at), reading.word(at + 1)
    if at + 1 >= end:
        return None
    if word in _COPULAS:
        coloured = after in DETERMINERS and len(CONTRASTS.intersection(reading.text[at + 2 : end])) and reading.word(end - 1) in CONTRASTS
        return "colour" if coloured else "yes_no"
    if word in ("don't", "doesn't", "didn't", "won't", "hasn't") and after not in PERSON_PRONOUNS | {"you", "we", "it"}:
        return None
    if word in _ALLOWED and after in ("i", "we"):  # "can i mix this with that", but not "can i have it"
        return None if any(reading.word(n) in _RECEIVED for n in range(at + 2, min(end, at + 5))) else "yes_no"
    if word not in _AUXILIARIES or after in ("not", "i", "be"):
        return "yes_no" if word in ("do", "did", "am", "have") and after == "i" else None
    if word in ("do", "have", "has", "had") and after in DETERMINERS:
        return None  # "do the dishes", "have a look"
    if after == "you":
        third = reading.word(at + 2)
        if word in ("can", "could", "will", "would"):
            return "yes_no" if third in word_set("see hear understand speak remember feel smell") and word in ("can", "could") else None
        return "yes_no"
    subject = after in PERSON_PRONOUNS or after in DETERMINERS or after in word_set("it there we anyone anybody someone somebody")
    named = any(reading.ends_name(n) for n in range(at + 2, min(end, at + 5)))
    return "yes_no" if subject or named else None
