"""Splits a compound command into its clauses, in order: "go to the kitchen and bring me the cup"."""

from __future__ import annotations

import re
from dataclasses import dataclass

from sayso.intent.gazetteer import Gazetteer
from sayso.intent.grammar import (
    AUXILIARIES,
    DETERMINERS,
    FUNCTION_WORDS,
    GOING,
    LEAD_INS,
    NOUNS_TOO,
    PREPOSITIONS,
    QUESTIONS,
    SAYING,
    THING_PRONOUNS,
    after_lead_in,
    word_set,
)

LATER = frozenset(("then", "afterwards", "after that"))
LINKING = LATER | {"and", ","}
_WORD = re.compile(r"after that\b|[^\s,]+|,")
_COMPLEMENT = frozenset(("that", "to", "whether", "if", "about", "know", "what", "where", "who", "when", "how"))
# After these words a verb begins the next request even without "and", since recognisers give no punctuation.
_CLOSING = word_set("it there here left right around forward back backward meters meter degrees seconds minutes")
_BEFORE_OBJECTS = DETERMINERS | THING_PRONOUNS | PREPOSITIONS.keys() | FUNCTION_WORDS
_NO_NOUNS = frozenset((("look", "for"), ("look", "at"), ("look", "after")))
_NOT = frozenset(("no", "don't", "do", "not", "never"))
_LEADING = frozenset(LEAD_INS.replace(";", "").split()) | _NOT | LINKING
_ENDING = frozenset(("please", "now"))


@dataclass(frozen=True, slots=True)
class Word:
    """A word of the normalised text, with its character span."""

    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class ClauseSpan:
    """A clause: its character span, its words, and the words that an elliptic clause omits ("then [go] to the study")."""

    start: int
    end: int
    words: tuple[Word, ...]
    carried: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The clause as a complete sentence, without commas."""
        return " ".join((*self.carried, *(word.text for word in self.words if word.text != ",")))


def words_of(text: str) -> tuple[Word, ...]:
    """The words and commas of a normalised text."""
    return tuple(Word(match[0], *match.span()) for match in _WORD.finditer(text))


class Splitter:
    """Splits by the verbs that begin the domain's commands, and by its names."""

    def __init__(self, verbs: frozenset[str], gazetteer: Gazetteer) -> None:
        self._verbs = verbs
        self._gazetteer = gazetteer

    def __call__(self, text: str) -> tuple[ClauseSpan, ...]:
        """The clauses of a normalised text, in order; an empty text has none."""
        words = words_of(text)
        starts = [0, *(at for at in range(1, len(words)) if self._begins(words, at))]
        said = [word.text for word in words]
        starts = [start for start in starts if not self._gazetteer.goes_on(said, start)]
        kept: list[list[Word]] = []
        for start, end in zip(starts, [*starts[1:], len(words)], strict=True):
            piece = _trimmed(words[start:end])
            if not piece:
                continue
            if kept and self._only_leads_to(kept[-1], words[start:end]):
                kept[-1] = _trimmed([*kept[-1], *words[start:end]])
            else:
                kept.append(piece)
        return self._carried(kept)

    def _begins(self, words: tuple[Word, ...], at: int) -> bool:
        """Whether a new clause begins with the word at that index."""
        text = [word.text for word in words]
        if text[at - 1] in LINKING or text[at] not in LINKING:
            return text[at - 1] not in LINKING and self._begins_unlinked(text, at)
        after = at
        while after < len(text) and text[after] in LINKING:
            after += 1
        link = set(text[at:after])
        if after == len(text):
            return False
        after_link = text[after:]
        skip = after_lead_in(after_link)
        verb, rest = after_link[skip], after_link[skip + 1 :]
        if link & LATER:
            return True
        if self._within_message(text[:at]):
            return False
        if verb in self._verbs:
            return verb not in NOUNS_TOO or not rest or rest[0] in _BEFORE_OBJECTS
        if skip and after_link[:skip] != ["please"]:
            return bool(set(after_link[:skip]) & AUXILIARIES or "you" in after_link[:skip])
        return verb in QUESTIONS | AUXILIARIES or (verb == "i" and bool(rest) and rest[0] in {"need", "want"})

    def _begins_unlinked(self, text: list[str], at: int) -> bool:
        """Whether a verb follows a complete request: "go to the kitchen bring me the cup"."""
        noun = text[at] in NOUNS_TOO and tuple(text[at : at + 2]) not in _NO_NOUNS
        if text[at] not in self._verbs or noun or text[at] in FUNCTION_WORDS:
            return False
        before = text[:at]
        while before and before[-1] in _ENDING:
            before = before[:-1]
        start = next((n for n, word in enumerate(before) if word in self._verbs), None)
        if start is None or not set(before[:start]) <= _LEADING or self._within_message(before):
            return False
        if "that" in before[-3:-1] or "who" in before[-3:-1]:
            return False
        if before[-1] in _CLOSING:
            return len(before) > 1
        return any(self._gazetteer.has_name(tuple(before[-n:])) for n in range(1, min(len(before), self._gazetteer.longest) + 1))

    def _within_message(self, before: list[str]) -> bool:
        """Whether the words so far are inside a message to be passed on: "tell anna to come and …"."""
        start = max((at for at, word in enumerate(before) if word in LINKING), default=-1) + 1
        clause = before[start:]
        if not clause:
            return False
        verb = after_lead_in(clause)
        return clause[verb] in SAYING and any(word in _COMPLEMENT for word in clause[verb + 1 :])

    def _only_leads_to(self, piece: list[Word], after: tuple[Word, ...]) -> bool:
        """Whether the first part is not a request by itself: "go and get the cup", "please, come here"."""
        text = [word.text for word in piece]
        verb = after_lead_in(text)
        link = [word.text for word in after if word.text in LINKING][:1]
        if text[verb:] and len(text) == verb + 1 and text[verb] in GOING and link == ["and"]:
            return True
        return after_lead_in([*text, "x"]) == len(text)

    def _carried(self, pieces: list[list[Word]]) -> tuple[ClauseSpan, ...]:
        """The clauses, where one without a verb takes that of the previous clause: "go to the kitchen, then to the study"."""
        result: list[ClauseSpan] = []
        lead: tuple[str, ...] = ()
        for piece in pieces:
            text = [word.text for word in piece]
            first = text[after_lead_in(text)]
            named = any(self._gazetteer.has_name(tuple(text[:n])) for n in range(1, len(text) + 1))
            noun = named or first in PREPOSITIONS or first in DETERMINERS
            elliptic = bool(lead) and noun and first not in self._verbs and first not in QUESTIONS
            result.append(ClauseSpan(piece[0].start, piece[-1].end, tuple(piece), lead if elliptic else ()))
            if not elliptic:
                lead = self._lead(text)
        return tuple(result)

    def _lead(self, text: list[str]) -> tuple[str, ...]:
        """The verb and recipient that a following clause may omit: "bring me"."""
        at = after_lead_in(text)
        if text[at] not in self._verbs:
            return ()
        end = at + 1
        while end < len(text) and text[end] in {"me", "up", "us"}:
            end += 1
        return tuple(text[at:end])


def _trimmed(words: tuple[Word, ...] | list[Word]) -> list[Word]:
    """The words without linking words at either end."""
    kept = list(words)
    while kept and kept[0].text in LINKING:
        kept.pop(0)
    while kept and kept[-1].text in LINKING:
        kept.pop()
    return kept
