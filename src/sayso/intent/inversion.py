"""Conditions that are said by inversion: "should there be no milk, bring the juice" → "if there is no milk, bring the juice".

Only where a command follows: "should anna be in the kitchen?" is a question.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from sayso.intent.grammar import DETERMINERS, FUNCTION_WORDS, PREPOSITIONS, SPEAKER, THING_PRONOUNS, after_lead_in, word_set

_LONGEST_SUBJECT, _LONGEST = 5, 24  # words
_PLURAL = word_set("i you we they")
_FRONT = word_set("and but or then so well okay ok please")
_ASKING = word_set("i we")  # "should i bring it or put it there" asks
_OBJECTS = DETERMINERS | THING_PRONOUNS | SPEAKER | word_set("him her to up down out off") | PREPOSITIONS.keys()
_FINITE = {"be": ("is", "are"), "have": ("has", "have"), "do": ("does", "do"), "go": ("goes", "go")}


def uninverted(text: str, verbs: Collection[str]) -> str:
    """The normalised text with inverted conditions in the form of "if".

    Args:
        text: normalised.
        verbs: that begin commands.
    """
    if "should" not in text and "were" not in text and "had" not in text:
        return text
    words = text.replace(",", " ,").split()
    for at, word in enumerate(words):
        if word in ("should", "were", "had") and all(before in _FRONT or before == "," for before in words[max(0, at - 2) : at]):
            found = _plain(words[at : at + _LONGEST], verbs)
            if found:
                return " ".join([*words[:at], *found, *words[at + _LONGEST :]]).replace(" ,", ",")
    return text


def _plain(words: Sequence[str], verbs: Collection[str]) -> list[str]:
    """The clause with "if"; empty if it is a question."""
    first, subject = words[0], words[1:2]
    if not subject or subject[0] in _ASKING:
        return []
    verb = _verb(words, verbs)
    if not verb or not _commands(words, verb + 1, verbs):
        return []
    many = _is_plural(words[1:verb])
    if first == "should":
        finite = [_finite(words[verb], many=many)]
        rest = list(words[verb + 1 :])
    else:
        finite = [("are" if many else "is") if first == "were" else ("have" if many else "has")]
        rest = list(words[verb:])
    return ["if", *words[1:verb], *finite, *rest]


def _verb(words: Sequence[str], verbs: Collection[str]) -> int:
    """Index of the verb after "should", or of what follows the subject of "were" and "had"; 0 for none."""
    for at in range(2, min(len(words), _LONGEST_SUBJECT + 2)):
        word = words[at]
        if word == ",":
            return 0
        if words[0] == "should" and (word in _FINITE or (word in verbs and words[at - 1] not in DETERMINERS)):
            return at
        if words[0] == "were" and (word in PREPOSITIONS or word in ("not", "no", "empty", "full", "to")):
            return at
        if words[0] == "had" and (word.endswith(("ed", "en")) or word in ("got", "left", "gone", "already", "come", "been")):
            return at
    return 0


def _is_plural(subject: Sequence[str]) -> bool:
    last = subject[-1]
    return last in _PLURAL or "and" in subject or (last.endswith("s") and not last.endswith(("ss", "'s")))


def _finite(verb: str, *, many: bool) -> str:
    if verb in _FINITE:
        return _FINITE[verb][many]
    ending = "es" if verb.endswith(("s", "sh", "ch", "x")) else "s"
    return verb if many else f"{verb}{ending}"


def _commands(words: Sequence[str], start: int, verbs: Collection[str]) -> bool:
    """Whether a command begins somewhere after that index."""
    for at in range(start, len(words)):
        if words[at - 1] in ("or", "and", "to", "a", "the"):
            continue
        skip = after_lead_in(list(words[at:])) if words[at - 1] == "," else 0
        word, after = words[at + skip], words[at + skip + 1 : at + skip + 2]
        if word in verbs and word not in FUNCTION_WORDS and (words[at - 1] == "," or (after and after[0] in _OBJECTS)):
            return True
    return False
