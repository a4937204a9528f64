"""Which question a clause asks: "where are my keys", "is anna in the study", "what can you do"."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from sayso.intent.grammar import DETERMINERS, PERSON_PRONOUNS, word_set
from sayso.intent.meaning.lists import PhraseList, listed, tables
from sayso.intent.meaning.sentence_words import Reading
from sayso.representation import QuestionName

_LISTS = tables("questions.yaml")
_FIXED = PhraseList({phrase: name for name, text in _LISTS["fixed"].items() for phrase in listed(text)})
_LEADS = PhraseList(dict.fromkeys(listed(_LISTS["leads"]), "lead"))
_SEEN = PhraseList(dict.fromkeys(listed(_LISTS["seen"]), "where"))
_POLITE = PhraseList(dict.fromkeys(listed(_LISTS["polite"]), ""))
_COPULAS = word_set("is are was were isn't aren't wasn't weren't am")
_AUXILIARIES = word_set(
    "do does did don't doesn't didn't has have had hasn't haven't will would can could should shall may might won't must"
)
_ANYWAY = word_set("and , for exactly really around here in then today besides apart at")  # after "what can you do"
_WH = {"where": "where", "where's": "where", "which": "which", "who": "who", "who's": "who", "whose": "who", "whom": "who"}
_OTHER = word_set("what what's when why how how's what're whatever")


def question_at(reading: Reading, at: int, end: int) -> QuestionName | None:
    """The question that the clause [at, end) asks; None if it asks none, or only politely for an act."""
    length, name = _FIXED.at(reading.text, at, end)
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


def is_lead(text: Sequence[str]) -> bool:
    """Whether the words only lead to a question: "could you please tell me"."""
    words = tuple(word for word in text if word not in ("please", ",", "and"))
    return bool(words) and _LEADS.length(words, 0, len(words)) == len(words)


def _wh(reading: Reading, at: int, end: int) -> QuestionName | None:
    word, after = reading.word(at), reading.word(at + 1)
    if at + 1 >= end:
        return None
    if word in ("what", "which") and after in ("color", "colour", "colors", "colours"):
        return "colour"
    if word == "how" and after == "many":
        return "how_many"
    if word == "in" and after in ("which", "what"):
        return "where"
    if word in ("what", "how") and after == "about":
        return None  # "what about the blue one" continues a dialogue
    if (word in ("what's", "what") and "color" in reading.text[at : min(end, at + 5)]) or (
        "colour" in reading.text[at : min(end, at + 5)] and word in ("what", "what's")
    ):
        return "colour"
    if word == "which":
        return "where" if after in ("room", "shelf", "place") and reading.word(at + 2) in _COPULAS else "which"
    if word in _WH:
        return cast("QuestionName", _WH[word])
    return "what" if word in _OTHER and (word != "when" or after in _COPULAS | _AUXILIARIES) else None


def _yes_no(reading: Reading, at: int, end: int) -> QuestionName | None:
    """Whether the clause inverts subject and verb: "is anna here", "did you bring it", but not "can you bring it"."""
    word, after = reading.word(at), reading.word(at + 1)
    if at + 1 >= end:
        return None
    if word in _COPULAS:
        return "yes_no"
    if word in ("don't", "doesn't", "didn't", "won't", "hasn't") and after not in PERSON_PRONOUNS | {"you", "we", "it"}:
        return None
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
