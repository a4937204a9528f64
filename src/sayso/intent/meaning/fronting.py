"""Phrases that people put before the request they belong to, back in their place, so that a plain clause remains.

"the cup left of the laptop, can i have it" → "can i have the cup left of the laptop"
"there's a cup in the sink, i need that one" → "i need the cup in the sink"
"of all the fruit i want the smallest" → "i want the smallest of all the fruit"
"""

from __future__ import annotations

from collections.abc import Sequence

from sayso.intent.grammar import DETERMINERS, PREPOSITIONS, after_lead_in, word_set
from sayso.intent.meaning import noun_words as lexicon
from sayso.intent.meaning.noun import Noun
from sayso.intent.meaning.nouns import NounReader
from sayso.intent.meaning.postmodifiers import Restriction
from sayso.intent.meaning.restrictions import TOWARDS, RestrictionReader

Words = tuple[str, ...]


def _phrases(text: str) -> tuple[Words, ...]:
    return tuple(sorted((tuple(phrase.split()) for phrase in text.split("; ")), key=len, reverse=True))


_OPENING = word_set("please robot hey okay ok so well oh and , right now then also look listen")
# After these, somebody says that a thing is there, in order to ask for it.
_EXISTING = _phrases(
    "there's; there is; there are; there should be; there must be; there might be; there ought to be; there's still; there is still; "
    "there's also; there are still; there will be; you'll find; you will find; you should find; you can find; you can see; i can see; "
    "i see; i spy; i've seen; i saw; look there's; you know; i can't reach; i cannot reach; i couldn't reach; i can't get at; "
    "i can't get to; "
    "i can't find; i can't see; we can't reach; i left; i've left; i forgot; i've forgotten; i dropped; i've dropped; i think there's"
)
_WISHES = _phrases(
    "can i have; could i have; may i have; might i have; can i get; could i get; can we have; could we have; i want; i need; i'd like; "
    "i would like; i'd love; i'll have; i'll take; i could use; i could do with; let me have; do you mind; would you mind; we need; "
    "we want; we'd like; i must have; i have to have; i've got to have; i really need; i really want; i fancy"
)
_QUESTIONS = _phrases(
    "where is; where are; where's; where did i put; where did i leave; where did you put; where have you put; do you know where; "
    "have you seen; has anyone seen; has anybody seen; who has; who has got; who's got; what colour is; what color is"
)
_PERSON_WISHES = _phrases("needs; wants; would like; 'd like; could use; would love; has to have; asked for; is asking for")
_RESUMING = _phrases(
    "that one; this one; the one; those ones; these ones; that thing; those things; it; them; that; this; those; these; one of them; "
    "one of those; one; some; they; both of them; all of them"
)
_LACKING = _phrases(
    "we're out of; i'm out of; we are out of; we've run out of; i've run out of; we ran out of; there's no; there is no; "
    "there's no more; "
    "we've no; i've no; i have no; we have no; there isn't any; there aren't any; i haven't got any; we haven't got any; "
    "i don't have any; "
    "we don't have any; i don't have a; i haven't got a; we haven't got a; we're running out of; i need more"
)
_GOING_TO = _phrases("goes to; go to; is to go to; should go to; has to go to; is going to; can go to; must go to; goes over to")
_ONE_OF_THEM = frozenset(("one", "some", "a new one", "another one", "another", "some more", "a few", "more"))
_SEVERAL = {"one": "one of", "one of them": "one of", "one of those": "one of", "some": "some of"}
_DENYING = word_set("no not never none nothing neither enough")
_POLITE = word_set("please thanks thank you cheers ta kindly , then")
_PARTICLES = word_set("over up down out")
_AFTER_THAT = PREPOSITIONS.keys() | word_set(
    "please now here back up over down out too , away off and right straight"
)  # "that" is no article
_INDEFINITE = word_set("a an some another")
_LONGEST = 40  # words of a sentence that is put in order


class FrontedPhrases:
    """Puts fronted phrases back."""

    def __init__(self, nouns: NounReader, restrictions: RestrictionReader, verbs: frozenset[str]) -> None:
        self._nouns, self._restrictions, self._verbs = nouns, restrictions, verbs

    def __call__(self, text: Words) -> Words:
        """The words of a sentence in plain order; the same words if nothing is fronted."""
        begin = next((at for at, word in enumerate(text) if word not in _OPENING), len(text))
        if len(text) > _LONGEST or len(text) - begin < 2:
            return text
        lead, rest = text[:begin], text[begin:]
        found = self._group(rest) or self._lacking(rest) or self._existing(rest) or self._dislocated(rest)
        found = found or self._allotted(rest) or self._bare(rest)
        return (*lead, *found) if found else text

    def _read(self, text: Sequence[str], at: int) -> Noun | None:
        return self._nouns(list(text), at)

    def _group(self, text: Words) -> Words | None:
        """Read "of all the fruit, i want the smallest"."""
        size = next((n for n in (3, 2, 1) if text[:n] in lexicon.CHOOSING), 0)
        noun = self._read(text, size) if size else None
        if noun is None or noun.kind != "object" or not (noun.plural or len(noun.description.candidates) > 1):
            return None
        end = self._end(text, noun)
        rest = text[_after_comma(text, end) :]
        if not self._requests(rest):
            return None
        for at in range(1, len(rest)):
            chosen = self._read(rest, at)
            vague = chosen is not None and (chosen.headless or chosen.description.pronoun == "one")
            if chosen is not None and vague and (chosen.description.order or chosen.description.attributes):
                return (*rest[: chosen.end], "of", *text[size:end], *rest[chosen.end :])
            if rest[at].isdigit() or (rest[at] == "one" and rest[at + 1 : at + 2] not in (("of",),)):
                return (*rest[: at + 1], "of", *self._definite(text[size:end]), *rest[at + 1 :])
        return None

    def _existing(self, text: Words) -> Words | None:
        """Read "there's a cup in the sink, i need that one"."""
        size = next((len(words) for words in _EXISTING if text[: len(words)] == words), 0)
        return self._dislocated(text[size:], told=True) if size and size < len(text) else None

    def _lacking(self, text: Words) -> Words | None:
        """Read "we're out of toilet roll, bring me one"."""
        size = next((len(words) for words in _LACKING if text[: len(words)] == words), 0)
        noun = self._read(text, size) if size and size < len(text) else None
        if noun is None or not noun.description.head:
            return None
        rest = text[_after_comma(text, noun.end) :]
        rest = rest[1:] if rest[:1] in (("so",), ("and",)) else rest
        begin = self._begin_of_objects(rest)
        for at in range(begin, len(rest) if begin else 0):
            size = next((n for n in (3, 2, 1) if " ".join(rest[at : at + n]) in _ONE_OF_THEM), 0)
            if size:
                lead = ("another",) if rest[at] == "another" else ("some",) if rest[at] in ("some", "more") else ("a",)
                return (*rest[:at], *lead, *text[noun.first : noun.end], *rest[at + size :])
        return None

    def _dislocated(self, text: Words, *, told: bool = False) -> Words | None:
        """Read "the cup on the desk, bring it to me"."""
        phrase = self._definite(text) if told else self._with_article(text)
        noun = self._read(phrase, 0)
        if noun is None or noun.kind != "object" or not noun.description.candidates or noun.headless:
            return None
        end = begin = self._end(phrase, noun, told=told)
        if told and phrase[end : end + 1] == ("from",) and (seat := self._read(phrase, end + 1)) is not None:
            begin = seat.end  # "i can't reach the can from my chair": there the speaker is
        rest = phrase[_after_comma(phrase, begin) :]
        if told and rest[:1] in (("and",), ("so",), ("but",)):
            rest = rest[1:]
        if not self._requests(rest):
            return None
        return _resumed(rest, phrase[:end], self._begin_of_objects(rest))

    def _with_article(self, text: Words) -> Words:
        """The words with "the" before a bare ordinal or superlative: "second cup from the left"."""
        if text[0] not in lexicon.ORDINALS.keys() | lexicon.SUPERLATIVES.keys():
            return text
        noun = self._read(("the", *text), 0)
        ordered = noun is not None and noun.description.order and noun.description.candidates
        return ("the", *text) if ordered else text

    @staticmethod
    def _definite(text: Words) -> Words:
        """A thing of which there is one is the one that is meant: "a cup" → "the cup"."""
        return ("the", *text[1:]) if text[0] in _INDEFINITE else text[1:] if text[0] == "all" and text[1:2] == ("the",) else text

    def _allotted(self, text: Words) -> Words | None:
        """Read "the left cup goes to ben and the right one to anna"."""
        phrase = self._with_article(text)
        noun = self._read(phrase, 0)
        if noun is None or noun.kind != "object" or not noun.description.candidates or noun.headless:
            return None
        end = self._end(phrase, noun)
        size = next((len(words) for words in _GOING_TO if phrase[end : end + len(words)] == words), 0)
        person = self._read(phrase, end + size) if size and end + size < len(phrase) else None
        return ("bring", *phrase[:end], "to", *phrase[end + size :]) if person is not None and person.kind == "person" else None

    def _bare(self, text: Words) -> Words | None:
        """Read "two cups, please", "rightmost can please, to ben": a thing without a verb is wished for."""
        phrase = self._with_article(text)
        noun = self._read(phrase, 0)
        if noun is None or noun.kind != "object" or noun.headless or noun.description.pronoun in {"one", *lexicon.REFERRING}:
            return None
        vague = bool(noun.description.pronoun)  # "the green thing on the table"
        described = bool(noun.description.attributes) or self._end(phrase, noun) > noun.end  # more than "anything, please"
        wished = noun.description.candidates or (noun.description.pronoun in lexicon.OPEN and described)
        if (
            not wished or noun.description.quantity == "no" or phrase[0] in _DENYING or "but" in phrase[: noun.end + 1]
        ):  # "no more beer for ben"
            return None
        end = self._end(phrase, noun)
        rest = tuple(word for word in phrase[end:] if word not in _POLITE)
        chosen = phrase[0] in DETERMINERS and not noun.plural and (vague or len(noun.description.candidates) > 1)
        if self._is_placed(phrase[:end], noun) and not chosen:
            return ("put", *phrase[:end], *rest) if not rest and noun.plural else None
        if rest == ("for", "me") or (not rest and len(phrase) > end and _POLITE.intersection(phrase[end:]) - {","}):
            return ("bring", "me", *phrase[:end], "please")
        if rest[:1] in (("to",), ("for",)) and self._nouns.person(rest[1:]):
            return ("bring", *phrase[:end], "to", *rest[1:])
        return None

    def _is_placed(self, text: Words, noun: Noun) -> bool:
        """Whether a place ends the phrase, which may be where the thing is or where it is to go: "both cartons on the counter"."""
        end = noun.end
        item: Restriction | None = None
        while end < len(text) and (found := self._restrictions(list(text), end, noun)) is not None:
            item, end = found, found.end
        inner = item is not None and item.kind == "place" and item.landmark is not None and item.landmark.kind == "place"
        return inner and item is not None and item.relations[0].name in lexicon.PLACING_RELATIONS

    def _end(self, text: Sequence[str], noun: Noun, *, told: bool = False) -> int:
        """The index after the noun and all that restricts it; of a thing that is spoken of without "from my chair"."""
        end = noun.end
        while end < len(text):
            item: Restriction | None = self._restrictions(list(text), end, noun)
            if item is None or item.preposition in TOWARDS or item.end <= end or (told and item.preposition == ("from",)):
                break
            end = item.end
        return end

    def _requests(self, text: Words) -> bool:
        """Whether the words begin a request."""
        return self._begin_of_objects(text) > 0

    def _begin_of_objects(self, text: Words) -> int:
        """The index after the words that ask, "can i have", "hand"; 0 if they don't ask."""
        skip = after_lead_in(list(text)) if text else 0
        for start in dict.fromkeys((0, skip)):
            size = next((len(words) for words in _WISHES + _QUESTIONS if text[start : start + len(words)] == words), 0)
            if size:
                return start + size
        if skip < len(text) and text[skip] in self._verbs:
            return skip + 1
        size = self._nouns.name(text, 0) if text else 0
        if size and self._nouns.person(text[:size]):
            wishing = next((len(words) for words in _PERSON_WISHES if text[size : size + len(words)] == words), 0)
            return size + wishing if wishing else 0
        return 0


def _after_comma(text: Sequence[str], at: int) -> int:
    return at + (at < len(text) and text[at] == ",")


def _resumed(rest: Words, phrase: Words, begin: int) -> Words | None:
    """The request with the phrase in place of the pronoun that takes it up; None without such a pronoun."""
    for at in range(begin, len(rest)):
        words = next((words for words in _RESUMING if rest[at : at + len(words)] == words), ())
        after = rest[at + len(words) : at + len(words) + 1]
        if not words or (len(words) == 1 and words[0] not in ("it", "them", "they") and after and after[0] not in _AFTER_THAT):
            continue
        count = _SEVERAL.get(" ".join(words), "")
        plain = phrase[1:] if count and phrase[0].isdigit() else phrase
        plain = ("the", *plain) if count and plain[0] not in DETERMINERS else plain
        whole = (*count.split(), *plain)
        follows = rest[at + len(words) :]
        if follows and follows[0] in _PARTICLES and (len(follows) == 1 or follows[1] in {"please", ",", "will", "would", "can"}):
            return (*rest[:at], follows[0], *whole, *follows[1:])
        return (*rest[:at], *whole, *follows)
    return None
