"""Reads a sentence from left to right: verbs, prepositions, noun phrases with what restricts them, coordination."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from sayso.domain import Domain
from sayso.intent.grammar import DETERMINERS, NOUNS_TOO, PREPOSITIONS, SAYING, after_lead_in
from sayso.intent.meaning import noun_words as lexicon
from sayso.intent.meaning.attachment import Attachment, ClauseState, VerbClass, attachments, verb_classes
from sayso.intent.meaning.coordination import coordinated
from sayso.intent.meaning.noun import Noun
from sayso.intent.meaning.nouns import NounReader
from sayso.intent.meaning.postmodifiers import Restriction, restricted
from sayso.intent.meaning.restrictions import RestrictionReader
from sayso.representation import Description

_PREPOSITIONS = {tuple(phrase.split()) for phrase, kind in PREPOSITIONS.items() if kind} | set(lexicon.RELATIONS)
_LONGEST = max(map(len, _PREPOSITIONS))
_LINKS = frozenset((",", "and", "or", "then", "after that"))
_PARTICLES = frozenset(("up", "down", "out", "off", "back", "away", "over", "on"))
_ASKING = frozenset(("find", "look", "search", "see", "show", "check", "know", "want", "need", "have"))
_ALONE = lexicon.REFERRING - lexicon.DEMONSTRATIVES - {"me", "it", "them", "him", "her", "us"}  # pronouns that begin no list
_MOVING = frozenset(("to", "towards", "into", "up", "down", "around", "over"))  # after an unknown verb: "veer to the left"
_BESIDE = frozenset(("next_to", "between", "left_of", "right_of", "behind", "in_front_of", "under"))
_OPENING = _LINKS | frozenset(("please", "not", "don't", "never", "do", "no", "could", "you", "can", "would", "i", "want", "to", "robot"))


@dataclass(slots=True)
class ReadPhrase:
    """A noun phrase that was read, with word indices."""

    noun: Noun
    core: frozenset[int]
    extra: frozenset[int]
    preposition: tuple[str, ...] = ()
    joined: bool = False


@dataclass(slots=True)
class _State:
    """Where the reading of a sentence is."""

    text: Sequence[str]
    at: int = 0
    verb: str = ""
    kind: VerbClass = "fetching"  # without a verb, a phrase of place fills a role: "is anna in the study"
    preposition: tuple[str, ...] = ()
    has_source: bool = False
    has_goal: bool = False
    joined: bool = False
    taken: set[int] = field(default_factory=set)
    found: list[ReadPhrase] = field(default_factory=list)


class SentenceReader:
    """Finds the noun phrases of a sentence."""

    def __init__(self, domain: Domain, nouns: NounReader, restrictions: RestrictionReader, verbs: frozenset[str]) -> None:
        self._nouns, self._restrictions = nouns, restrictions
        self._classes = verb_classes(domain, verbs)
        self._verbs = verbs | self._classes.keys()

    def __call__(self, text: Sequence[str]) -> list[ReadPhrase]:
        """The noun phrases, in order."""
        state = _State(text, at=after_lead_in(list(text)))
        while state.at < len(text):
            self._step(state)
        return state.found

    def _step(self, state: _State) -> None:
        text, at = state.text, state.at
        word = text[at]
        if at in state.taken:
            state.at += 1
        elif self._is_verb(text, at):
            state.verb, state.preposition = word, ()
            state.kind = next((self._classes[stem] for stem in _stems(word) if stem in self._classes), "other")
            state.has_source = state.has_goal = state.joined = False
            state.at += 1
            if text[at + 1 : at + 2] and text[at + 1] in _PARTICLES and tuple(text[at + 1 : at + 4]) not in lexicon.SIDE_PHRASES:
                state.at += text[at + 1] != "on" or word in {"turn", "switch"}
        elif state.found and self._message_begins(state):
            state.at = next((index for index in range(at, len(text)) if text[index] in {"then", "after that"}), len(text))
        elif not self._nouns.name(text, at) and (size := self._preposition(text, at)):
            state.preposition = tuple(text[at : at + size])
            state.at += size
        elif state.verb and state.kind in {"placing", "fetching"} and state.verb not in _ASKING and self._whatever(state):
            return
        else:
            noun = self._nouns(text, at)
            if noun is None or (noun.headless and noun.end == noun.first + 1 and not self._joins(text, noun.end)):
                state.joined = (state.joined and word in _LINKS) or (word in {"and", ","} and bool(state.found))
                state.preposition = state.preposition if word in {"the", "right"} else ()
                state.at += 1
            else:
                self._add(state, noun)

    def _whatever(self, state: _State) -> bool:
        """Read "what is on the counter" as everything there; its words stay in the core."""
        item = self._restrictions.free_relative(state.text, state.at)
        if item is None:
            return False
        everything = Description("", state.at, item.end, quantity="all", pronoun="everything", relations=item.relations)
        noun = Noun(everything, state.at, item.end, "object", True)
        state.found.append(ReadPhrase(noun, frozenset(range(state.at, item.end)), frozenset(), state.preposition))
        state.at = item.end
        return True

    def _message_begins(self, state: _State) -> bool:
        """Whether what follows "tell anna" is the message: its noun phrases are not the robot's."""
        last = max(state.found[-1].core)
        word = state.text[state.at]
        return (
            state.verb in SAYING
            and last == state.at - 1
            and word in lexicon.COMPLEMENTS
            and state.found[-1].noun.kind == "person"
            and state.text[last] not in lexicon.SPEAKERS
        )

    def _preposition(self, text: Sequence[str], at: int) -> int:
        return next((n for n in range(min(_LONGEST, len(text) - at), 0, -1) if tuple(text[at : at + n]) in _PREPOSITIONS), 0)

    def _is_verb(self, text: Sequence[str], at: int) -> bool:
        word, before = text[at], text[at - 1] if at else ""
        after = text[at + 1] if at + 1 < len(text) else ""
        opening = not before or before in _OPENING
        if size := self._nouns.name(text, at):
            return size == 1 and opening and (after in DETERMINERS or after in lexicon.REFERRING) and not self._nouns.person((word,))
        if word in lexicon.THINGS or (word in lexicon.SUPERLATIVES and before in DETERMINERS):
            return False
        if word.endswith("ing") and before not in DETERMINERS and any(stem in self._verbs for stem in _stems(word)):
            return True
        if word in self._verbs:
            if before in _LINKS and word in NOUNS_TOO:
                return after in DETERMINERS or after in lexicon.REFERRING or self._preposition(text, at + 1) > 0
            return before not in DETERMINERS and not before.isdigit()
        unknown = word not in DETERMINERS | lexicon.THINGS.keys() and word not in lexicon.ATTRIBUTES and not self._preposition(text, at)
        return (
            opening
            and before not in {"you", ","}
            and unknown
            and word not in lexicon.REFERRING
            and (after in DETERMINERS or after in _MOVING)
            and word.isalpha()
            and word not in lexicon.DISCOURSE
        )

    def _joins(self, text: Sequence[str], at: int) -> bool:
        return at < len(text) and text[at] in {"and", "or", ","}

    def _items(self, state: _State, noun: Noun) -> list[Restriction]:
        """The restrictions in a row after a noun."""
        pronoun = noun.description.pronoun
        if pronoun in lexicon.REFERRING - lexicon.DEMONSTRATIVES - {"them", "us"}:
            return []
        items: list[Restriction] = []
        end = noun.end
        while end < len(state.text) and end not in state.taken:
            if state.verb in SAYING and noun.kind == "person" and state.text[end] in lexicon.COMPLEMENTS:
                break
            item = self._restrictions(state.text, end, noun) or self._after_comma(state.text, end, noun)
            if item is None or (pronoun in lexicon.REFERRING and item.kind == "place" and pronoun not in {"those", "that"}):
                break
            items.append(item)
            end = item.end
        if items and items[-1].shorter and state.kind == "placing" and not state.preposition and not self._goal_follows(state, end):
            items[-1] = items[-1].shorter  # "all the cups except the white one on the counter": the counter is the goal
            items += [place] if (place := self._restrictions(state.text, items[-1].end, noun)) else []
        return items

    def _after_comma(self, text: Sequence[str], at: int, noun: Noun) -> Restriction | None:
        """A place beside something, after a pause: "on the shelf, between the keys and the umbrella"."""
        name, _ = self._restrictions.relation(text, at + 1) if text[at] == "," and at + 1 < len(text) else (None, 0)
        return self._restrictions.place(text, at + 1) if name in _BESIDE and noun.kind in {"place", "object"} else None

    @staticmethod
    def _goal_follows(state: _State, end: int) -> bool:
        return state.has_goal or any(tuple(state.text[end : end + n]) in lexicon.GOALS for n in (1, 2))

    def _add(self, state: _State, noun: Noun) -> None:
        """Record a noun phrase with its coordinated parts, and go on after it."""
        if state.joined:
            state.has_goal = state.has_source = False
        parts: list[Noun] = [noun]
        extra: set[int] = set()
        joined = ""
        items = self._items(state, noun)
        while (more := self._next_part(state, parts[-1], items, noun)) is not None:
            part, link, size = more
            if self._has_own_goal(state, part, items):
                break
            for item in items:
                parts[-1] = self._with(parts[-1], item)
                extra |= set(range(item.first, item.end))
            joined = link or joined
            extra |= set(range(part.first - size, part.first))
            parts.append(part)
            items = self._items(state, part)
        last = parts[-1]
        if len(parts) > 1 and not joined:
            joined = "and"
        ways = self._attached(state, last, items)
        if any(part.description.relations for part in parts[:-1]):  # each part has its own place: none of them is the clause's source
            ways = tuple("extra" if item.kind == "place" else way for item, way in zip(items, ways, strict=True))
        for item, way in zip(items, ways, strict=True):
            if way != "leave":
                parts[-1] = self._with(parts[-1], item)
        self._record(state, parts, joined, extra, list(zip(items, ways, strict=True)))

    def _has_own_goal(self, state: _State, part: Noun, items: Sequence[Restriction]) -> bool:
        """Whether a new clause begins with the part: "put the cup on the table and the plate on the counter"."""
        if state.preposition:
            return state.kind == "placing" and self._preposition(state.text, part.end) > 0 if part.end < len(state.text) else False
        return any(item.kind == "place" for item in items) and (state.kind == "placing" or not state.verb)

    def _attached(self, state: _State, noun: Noun, items: Sequence[Restriction]) -> tuple[Attachment, ...]:
        end = items[-1].end if items else noun.end
        follows = any(tuple(state.text[end : end + n]) in lexicon.GOALS for n in (1, 2))
        around = ClauseState(state.kind, " ".join(state.preposition), follows, state.has_source, state.has_goal)
        return attachments(noun, items, around, self._restrictions.contains)

    def _with(self, noun: Noun, item: Restriction) -> Noun:
        attributed = self._nouns.named_after(replace(noun, description=restricted(noun.description, item)), item.named)
        return self._nouns.attributed(attributed, item.attributes) if item.attributes else attributed

    def _next_part(self, state: _State, last: Noun, items: Sequence[Restriction], first: Noun) -> tuple[Noun, str, int] | None:
        """The next part of a coordination, "and", "or" or "" for a comma, and the number of words that join it."""
        text = state.text
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
        after = text[part.end] if part.end < len(text) else ""
        if not part.kind and part.end == begin + 1 and (after in DETERMINERS or after in lexicon.REFERRING or after in _PARTICLES):
            return None  # a verb that the home does not know: "and slice the apple"
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
        for _ in range(20):
            if end >= len(text):
                return False
            if text[end] in {"and", "or"} or text[end : end + 2] in ([",", "and"], [",", "or"]):
                begin = end + 1 + (text[end] == ",")
                return begin < len(text) and not self._is_verb(text, begin) and self._nouns(text, begin) is not None
            following = self._nouns(text, end + 1) if text[end] == "," and not self._is_verb(text, min(end + 1, len(text) - 1)) else None
            if following is None:
                return False
            end = following.end
        return False

    def _record(self, state: _State, parts: list[Noun], joined: str, extra: set[int], items: list[tuple[Restriction, Attachment]]) -> None:
        heads = [part for part in parts if not part.headless]
        kept = parts[0] if not parts[0].headless or not heads else heads[0]
        core = set(range(kept.first + (len(parts) > 1 and state.text[kept.first] in {"both", "either"}), kept.end)) - kept.apart
        first, end = parts[0].first, parts[-1].end
        for part in parts:
            extra |= set(range(part.first, part.end)) - core
        for item, way in items:
            span = set(range(item.first, item.end))
            if way == "extra":
                extra |= span
            elif way == "core":
                core |= span
            state.taken |= span if way in {"extra", "core"} else set()
            if way in {"leave", "both"} and item.relations:
                state.has_source |= item.relations[0].name in {"from", "on", "in", "at"}
        state.taken |= {index for index in extra if index >= end}
        noun = parts[0] if len(parts) == 1 else coordinated(self._nouns, parts, joined, state.text)
        if state.preposition and noun.kind != "person":
            state.has_source |= state.preposition[0] in {"from", "off", "out"}
            state.has_goal |= state.preposition[0] in {"to", "into", "onto"} or (state.kind == "placing" and bool(state.found))
        state.found.append(
            ReadPhrase(noun, frozenset(core), frozenset(extra - core), state.preposition, state.joined and not state.preposition)
        )
        state.preposition, state.joined, state.at = (), False, max(end, first + 1)


def _stems(word: str) -> tuple[str, ...]:
    """The verbs that a form may be of: "looking" → look, "moving" → move, "putting" → put."""
    return (word[:-3], f"{word[:-3]}e", word[:-4]) if word.endswith("ing") and len(word) > 5 else (word,)
