"""Reads noun phrases from left to right, each with what restricts it, and coordinations of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from sayso.intent.grammar import DETERMINERS, PREPOSITIONS
from sayso.intent.meaning import noun_words as lexicon
from sayso.intent.meaning.coordination import coordinated
from sayso.intent.meaning.noun import Noun
from sayso.intent.meaning.nouns import NounReader
from sayso.intent.meaning.postmodifiers import Restriction, restricted
from sayso.intent.meaning.restrictions import RestrictionReader
from sayso.representation import Description

_PREPOSITIONS = {tuple(phrase.split()) for phrase, kind in PREPOSITIONS.items() if kind} | set(lexicon.RELATIONS)
_LONGEST = max(map(len, _PREPOSITIONS))
_ALONE = lexicon.REFERRING - lexicon.DEMONSTRATIVES - {"me", "it", "them", "him", "her", "us"}  # pronouns that begin no list
_BESIDE = frozenset(("next_to", "between", "left_of", "right_of", "behind", "in_front_of", "under"))
_LONGEST_LIST = 20


@dataclass(frozen=True, slots=True)
class ReadPhrase:
    """A noun phrase that was read, with word indices."""

    noun: Noun
    words: frozenset[int]
    preposition: tuple[str, ...] = ()


class PhraseReader:
    """Finds the noun phrases of a few words."""

    def __init__(self, nouns: NounReader, restrictions: RestrictionReader, verbs: frozenset[str]) -> None:
        self._nouns, self._restrictions, self._verbs = nouns, restrictions, verbs

    def __call__(self, text: Sequence[str]) -> list[ReadPhrase]:
        """The noun phrases, in order."""
        found: list[ReadPhrase] = []
        at, preposition = 0, tuple[str, ...]()
        while at < len(text):
            if (everything := self._everything(text, at, preposition)) is not None:
                found.append(everything)
                at, preposition = everything.noun.end, ()
            elif not self._nouns.name(text, at) and (size := self._preposition(text, at)):
                at, preposition = at + size, tuple(text[at : at + size])
            elif self._is_verb(text, at):
                at, preposition = at + 1, ()
            else:
                noun = self._nouns(text, at)
                if noun is None or (noun.headless and noun.end == noun.first + 1 and not self._joins(text, noun.end)):
                    at, preposition = at + 1, preposition if text[at] in {"the", "right"} else ()
                else:
                    phrase = self._phrase(text, noun, preposition)
                    found.append(phrase)
                    at, preposition = max(*phrase.words, noun.first) + 1, ()
        return found

    def _everything(self, text: Sequence[str], at: int, preposition: tuple[str, ...]) -> ReadPhrase | None:
        """Read "what is on the counter" as everything there."""
        item = self._restrictions.free_relative(text, at)
        if item is None:
            return None
        noun = Noun(
            Description("", at, item.end, quantity="all", pronoun="everything", relations=item.relations), at, item.end, "object", True
        )
        return ReadPhrase(noun, frozenset(range(at, item.end)), preposition)

    @staticmethod
    def _preposition(text: Sequence[str], at: int) -> int:
        return next((n for n in range(min(_LONGEST, len(text) - at), 0, -1) if tuple(text[at : at + n]) in _PREPOSITIONS), 0)

    def _is_verb(self, text: Sequence[str], at: int) -> bool:
        """Whether a verb with its object begins there: "bring the red one"."""
        after = text[at + 1] if at + 1 < len(text) else ""
        named = self._nouns.name(text, at) > 1 or self._nouns.person(tuple(text[at : at + 1]))
        return text[at] in self._verbs and not named and (after in DETERMINERS or after in lexicon.REFERRING)

    @staticmethod
    def _joins(text: Sequence[str], at: int) -> bool:
        return at < len(text) and text[at] in {"and", "or", ","}

    def _phrase(self, text: Sequence[str], noun: Noun, preposition: tuple[str, ...]) -> ReadPhrase:
        """The noun phrase that begins with a noun: with its restrictions, and the parts that are joined to it."""
        parts, joined = [], ""
        items = self._items(text, noun)
        words = set(range(noun.first, noun.end))
        part = noun
        while True:
            for item in items:
                part = self._with(part, item)
                words |= set(range(item.first, item.end))
            parts.append(part)
            more = self._next_part(text, part, items, noun)
            if more is None:
                break
            part, link, size = more
            joined = link or joined
            words |= set(range(part.first - size, part.end))
            items = self._items(text, part)
        whole = parts[0] if len(parts) == 1 else coordinated(self._nouns, parts, joined or "and", text)
        return ReadPhrase(whole, frozenset(words), preposition)

    def _items(self, text: Sequence[str], noun: Noun) -> list[Restriction]:
        """The restrictions in a row after a noun."""
        pronoun = noun.description.pronoun
        if pronoun in lexicon.REFERRING - lexicon.DEMONSTRATIVES - {"them", "us"}:
            return []
        items: list[Restriction] = []
        end = noun.end
        while end < len(text):
            item = self._restrictions(text, end, noun) or self._after_comma(text, end, noun)
            if item is None or (pronoun in lexicon.REFERRING and item.kind == "place" and pronoun not in {"those", "that"}):
                break
            items.append(item)
            end = item.end
        return items

    def _after_comma(self, text: Sequence[str], at: int, noun: Noun) -> Restriction | None:
        """A place beside something, after a pause: "on the shelf, between the keys and the umbrella"."""
        name, _ = self._restrictions.relation(text, at + 1) if text[at] == "," and at + 1 < len(text) else (None, 0)
        return self._restrictions.place(text, at + 1) if name in _BESIDE and noun.kind in {"place", "object"} else None

    def _with(self, noun: Noun, item: Restriction) -> Noun:
        attributed = self._nouns.named_after(replace(noun, description=restricted(noun.description, item)), item.named)
        return self._nouns.attributed(attributed, item.attributes) if item.attributes else attributed

    def _next_part(self, text: Sequence[str], last: Noun, items: Sequence[Restriction], first: Noun) -> tuple[Noun, str, int] | None:
        """The next part of a coordination, "and", "or" or "" for a comma, and the number of words that join it."""
        at = items[-1].end if items else last.end
        if at >= len(text) or text[at] not in {",", "and", "or", "plus"} or first.description.pronoun in _ALONE:
            return None
        size = 2 if text[at] == "," and text[at + 1 : at + 2] in (["and"], ["or"]) else 1
        link = text[at + size - 1]
        begin = at + size + (text[at + size : at + size + 1] == ["also"])
        if begin >= len(text) or self._is_verb(text, begin) or (begin + 1 < len(text) and text[begin] == "not"):
            return None
        part = self._nouns(text, begin)
        if part is None or (part.headless and not self._joins(text, part.end) and not last.headless and not part.description.order):
            return None
        if not (last.headless or part.kind == first.kind or not part.kind or not first.kind):
            return None
        if part.description.pronoun in {"you", "there", "here", "they", "he", "she"} or (link == "," and part.description.pronoun):
            return None
        if part.end < len(text) and text[part.end] in lexicon.COPULAS | {"can", "will", "would", "has", "needs", "wants"}:
            return None
        if link == "," and not self._list_ends(text, part):
            return None
        return part, "" if link == "," else "or" if link == "or" else "and", begin - at

    def _list_ends(self, text: Sequence[str], part: Noun) -> bool:
        """Whether a list with commas goes on to "and" or "or" and another noun."""
        end = part.end
        for _ in range(_LONGEST_LIST):
            if end >= len(text):
                return False
            if text[end] in {"and", "or"} or text[end : end + 2] in ([",", "and"], [",", "or"]):
                begin = end + 1 + (text[end] == ",")
                return begin < len(text) and self._nouns(text, begin) is not None
            following = self._nouns(text, end + 1) if text[end] == "," else None
            if following is None:
                return False
            end = following.end
        return False
