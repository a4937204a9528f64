"""Prohibitions and standing rules: "don't go to the kitchen", "never touch the vase", "from now on …", "stay out of the bedroom"."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rapidfuzz import fuzz

from sayso.intent.clauses import Word, words_of
from sayso.intent.gazetteer import Gazetteer
from sayso.intent.meaning.lists import PhraseList, listed, phrases, tables
from sayso.intent.meaning.sentence_words import LINKS, Lexicon, Reading, lemma
from sayso.intent.normalise import normalise
from sayso.representation import Mood

AS_GIVEN = 92.0  # least similarity to an example that is itself negated: "don't move" means stop
_LISTS = tables("joins.yaml")["moods"]
_OPENERS = PhraseList({phrase: name for name in ("prohibition", "ban", "habit") for phrase in listed(_LISTS[name])})
_UNWANTED, _UNWANTED_AT = phrases(_LISTS["unwanted"]), phrases(_LISTS["unwanted_at"])
_LIMBS = frozenset(_LISTS["limbs"].split())
_KEEPING = frozenset(("keep", "get", "take", "leave", "put"))  # "keep your hands off"
_BAN_ENDS = frozenset(("from",))  # before a gerund: "refrain from touching"
_STOPPED = frozenset(("go", "come", "enter", "touch", "wake", "disturb"))  # "stop bringing it" may only end what it does
_NOBODY = phrases(_LISTS["nobody"])
_AVOID = phrases(_LISTS["avoid"])
_OWN = phrases(_LISTS["own"])
_WANTING = frozenset(("have", "take", "need", "want", "like", "love", "see", "know", "get"))  # "i'll have the cup" asks for it
_HABITUAL = frozenset(("every", "each", "always", "daily"))
_LASTING = phrases(_LISTS["lasting"])
_NO_BAN = frozenset(_LISTS["after_not"].split())
_TOUCHING = frozenset(_LISTS["touching"].split())
_LONGEST_EXAMPLE = 12  # words
_ADVERBS = frozenset(("ever", "always", "please", "also", "just", "robot"))


@dataclass(frozen=True, slots=True)
class TakenMood:
    """A mood, and the words that express it."""

    end: int  # index after those words
    mood: Mood
    negated: bool
    instead: tuple[Word, ...] = ()  # words of a plain command that take the place of those words


def mood_at(reading: Reading, at: int, end: int) -> TakenMood | None:
    """The mood of the clause that begins at that index, if words express it; None for a request."""
    length = _avoided(reading, at, end)
    if length and at + length < end and reading.word(end - 1) not in ("way", "trouble"):  # "stay out of the way"
        act = _act(reading, at + length, end, touching=bool(_LIMBS.intersection(reading.text[at : at + length])))
        return TakenMood(at + length, "rule", True, _synthetic(reading, at, act))
    if taken := _third_person_ban(reading, at, end):
        return taken
    length, name = _OPENERS.at(reading.text, at, end)
    verb = at + length
    while length and verb < end and reading.word(verb) in _ADVERBS:
        verb += 1
    if not length or verb >= end or (name != "habit" and (reading.word(verb) in _NO_BAN or _is_example(reading, at, end))):
        return None
    if name != "habit" and reading.said(at, verb + 1) in ("never mind", "don't you", "can't you", "shouldn't you", "shouldn't i"):
        return None
    if name == "habit":
        return TakenMood(verb, "rule", False) if reading.word(verb) not in ("i", "he", "she") else None
    lasting = name == "ban" or "ever" in reading.text[at:verb] or "always" in reading.text[at:verb]
    if reading.word(verb - 1) in _BAN_ENDS and (base := lemma(reading.word(verb))) != reading.word(verb):  # "refrain from touching"
        return TakenMood(verb + 1, "rule", True, _base(reading, verb, base))
    if reading.word(verb) in _TOUCHING:
        if _named(reading, verb + 1, end) in ("place", "person"):  # nobody picks up grandma or the stove
            return TakenMood(verb, "rule", True)
        return TakenMood(verb + 1, "rule", True, _synthetic(reading, verb, ("pick", "up")))
    return TakenMood(verb, "rule" if lasting else "prohibition", True)


def own_act(reading: Reading, core: Sequence[int]) -> bool:
    """Whether the speaker announces an act of their own: "i'll get the apple myself"."""
    spoken = [at for at in core if reading.word(at) not in LINKS]
    if not spoken:
        return False
    length = _OWN.length(reading.text, spoken[0], spoken[-1] + 1)
    verb = spoken[0] + length
    itself = reading.word(spoken[-1]) in ("myself", "ourselves")
    return bool(length) and reading.word(verb) in reading.lexicon.verbs and (itself or reading.word(verb) not in _WANTING)


def negated_examples(examples: Iterable[str], verbs: frozenset[str], gazetteer: Gazetteer) -> tuple[str, ...]:
    """The examples of intents that only look like a prohibition: "don't move", "you don't have to do it"; for `peel`."""
    found = []
    for text in dict.fromkeys(map(normalise, examples)):
        words = words_of(text)
        taken = mood_at(Reading(words, Lexicon(gazetteer, verbs)), 0, len(words)) if words else None
        if taken is not None and taken.negated:
            found.append(text)
    return tuple(found)


def lasting_at(reading: Reading, at: int, end: int) -> int:
    """Number of words at that index that make a prohibition last: "anymore"."""
    return _LASTING.length(reading.text, at, end)


def _plain_verb(word: str, verbs: frozenset[str]) -> str:
    """The base form of a verb: "touches" → "touch"."""
    if (base := lemma(word)) != word:
        return base
    return next((stem for ending in ("es", "s") if word.endswith(ending) and (stem := word.removesuffix(ending)) in verbs), word)


def _avoided(reading: Reading, at: int, end: int) -> int:
    """Number of words of "stay out of", "i don't want to see you in", "keep your claws off", "hands off"."""
    if length := _AVOID.length(reading.text, at, end):
        return length
    if length := _UNWANTED.length(reading.text, at, end):
        near = _UNWANTED_AT.length(reading.text, at + length, end)
        return length + near if near else 0
    stop = at
    if reading.word(stop) in _KEEPING:
        stop += 1
        while stop < end and stop < at + 4 and reading.word(stop) not in _LIMBS:
            stop += 1
    if reading.word(stop) in _LIMBS and reading.word(stop + 1) in ("off", "away") and stop + 2 < end:
        return stop + 2 - at + (reading.word(stop + 2) in ("of", "from"))
    return 0


def _base(reading: Reading, at: int, base: str) -> tuple[Word, ...]:
    """The verb at that index in its base form; "pick up" for one that touches."""
    word = reading.words[at]
    touched = base in _TOUCHING and _named(reading, at + 1, len(reading)) in ("object", "")
    return _synthetic(reading, at, ("pick", "up")) if touched else (Word(base, word.start, word.end),)


def _third_person_ban(reading: Reading, at: int, end: int) -> TakenMood | None:
    """The rule of "nobody goes into the bedroom", "no going into the bedroom"."""
    if reading.word(at) in ("stop", "quit"):  # "stop bringing me the newspaper every day", "stop going into the bathroom"
        base = lemma(reading.word(at + 1))
        stays = _HABITUAL.intersection(reading.text[at:end]) or (base in _STOPPED and at + 2 < end)
        if base != reading.word(at + 1) and base in reading.lexicon.verbs and stays:
            return TakenMood(at + 2, "rule", True, (Word(base, reading.words[at + 1].start, reading.words[at + 1].end),))
    length = _NOBODY.length(reading.text, at, end)
    verb = at + length if length else at + 1
    word = reading.word(verb)
    base = _plain_verb(word, reading.lexicon.verbs | _TOUCHING)
    gerund = reading.word(at) == "no" and word.endswith("ing")
    if verb >= end or base == word or base not in reading.lexicon.verbs | _TOUCHING or not (length or gerund):
        return None
    return TakenMood(verb + 1, "rule", True, _base(reading, verb, base))


def _synthetic(reading: Reading, at: int, texts: tuple[str, ...]) -> tuple[Word, ...]:
    """Words that were not spoken, without extent, before the word at that index."""
    start = reading.words[at].start
    return tuple(Word(text, start, start) for text in texts)


def _act(reading: Reading, at: int, end: int, *, touching: bool) -> tuple[str, ...]:
    """The act that is forbidden by "stay out of", "keep away from" before the words there."""
    if reading.word(at) in ("here", "there"):
        return ("go",)
    return ("go", "to") if _names_place(reading, at, end, unknown=not touching) else ("pick", "up")


def _names_place(reading: Reading, start: int, end: int, *, unknown: bool) -> bool:
    """Whether the phrase that begins there names a place rather than an object or a person; `unknown` for what the home doesn't know."""
    kind = _named(reading, start, end)
    return kind == "place" if kind else unknown


def _named(reading: Reading, start: int, end: int) -> str:
    """The kind of what the phrase that begins there names: "place", "object" or "person"; empty for what the home doesn't know."""
    start += start + 1 < end and reading.word(start).endswith("'s")  # "anna's laptop"
    for stop in range(min(end, start + 5), start, -1):
        links = reading.lexicon.gazetteer.link(reading.text[start:stop], frozenset(("place", "object", "person")))
        if links and links[0].score >= 0.95:
            return links[0].kind
    return ""


def _is_example(reading: Reading, at: int, end: int) -> bool:
    """Whether the clause is like an example that is itself negated."""
    examples = reading.lexicon.examples
    said = reading.said(at, min(end, at + _LONGEST_EXAMPLE))
    return any(fuzz.ratio(said, example) >= AS_GIVEN for example in examples)
