"""Hints: "i'm thirsty" → "bring me something to drink", "the plate can go back to the sink" → "put the plate to the sink"."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from sayso.intent.clauses import Word
from sayso.intent.gazetteer import Gazetteer
from sayso.intent.grammar import word_set
from sayso.intent.meaning.lists import tables
from sayso.intent.meaning.sentence_words import Reading, lemma
from sayso.representation import Mood

ENTITY_KINDS = frozenset(("place", "object", "person"))
LONGEST = 30  # words of a hint
_PREPOSITIONS = {
    "to": "on",
    "over to": "onto",
    "over on": "onto",
    "inside": "in",
    "by": "next to",
    "near": "next to",
}
# A hint holds one of these words; the regular expressions are only tried then.
_CUES = word_set(
    "get gets takes drinks eats reads likes expects doesn't can't cannot mustn't shouldn't won't isn't alone off be taboo "
    "i i'm i'd i've we we're we'd it's it is are can could may might should must needs need has have belongs belong goes go lives live "
    "wants would wouldn't sounds fell dropped what feels seems looks asked asks someone somebody my there's how no never not do "
    "alone be leave off you're you forgot forgotten left lost time"
)


@lru_cache(maxsize=1)
def _rules() -> tuple[tuple[str, re.Pattern[str], str], ...]:
    """(group, pattern of a whole clause, command) in the order of hints.yaml."""
    loaded = tables("hints.yaml")
    patterns = dict(loaded["patterns"]) | {"HEREPLAIN": "(?: (?:in here|here|in this room|now|again|today|tonight))*"}
    rules = []
    for group in ("needs", "wishes", "people", "orders", "passives", "places", "bans", "habits"):
        for rule in loaded[group]:
            says = str(rule["says"])
            for name, pattern in patterns.items():
                says = says.replace("{" + name + "}", pattern)
            rules.append((group, re.compile(says.replace("PERSON", "[a-z]+")), str(rule["do"])))
    return tuple(rules)


_NOT_THINGS = frozenset(tables("hints.yaml")["not_things"].split())


@dataclass(frozen=True, slots=True)
class HintedCommand:
    """A plain command that would help."""

    words: tuple[Word, ...]  # those that were not spoken have no extent
    mood: Mood
    group: str  # of hints.yaml

    @property
    def need(self) -> bool:
        """Whether the clause states a need, "i'm thirsty", which beside a request only explains it."""
        return self.group == "needs"


def hinted(reading: Reading, core: tuple[int, ...], *, often: bool = False) -> HintedCommand | None:
    """The plain command that the clause hints at, or None.

    Args:
        reading: the sentence.
        core: indices of the clause's words.
        often: whether it is said to happen every day: "anna has her tea" is then a habit.
    """
    spoken = [at for at in core if reading.word(at) != ","]
    if not 1 < len(spoken) <= LONGEST:
        return None
    if not any(reading.word(at) in _CUES or reading.word(at).endswith("'s") for at in spoken) or (
        reading.request(spoken[0]) and reading.word(spoken[0]) != "leave"
    ):
        return None
    text = " ".join(reading.word(at) for at in spoken)
    for group, pattern, command in _rules():
        match = pattern.fullmatch(text) if often or group != "habits" else None
        if match is not None and _plausible(reading, group, match):
            return HintedCommand(_filled(reading, spoken, text, match, command), _MOODS.get(group, "hint"), group)
    return None


_MOODS: dict[str, Mood] = {"bans": "rule", "orders": "request"}
_BEFORE_RELATIVE = word_set("the a an my this these those any every all everything anything something both her his our")
_SUBJECTS_OF_PLACES = _BEFORE_RELATIVE - word_set("a an something her his our") | {"that"}
_NOT_WITHIN = frozenset(("you", "i", "if", "that", "who"))


def _plausible(reading: Reading, group: str, match: re.Match[str]) -> bool:
    """Whether the groups are what the rule wants: a person, a thing, a place."""
    found = match.groupdict()
    gazetteer = reading.lexicon.gazetteer
    who, thing, act = found.get("who"), found.get("thing"), found.get("act")
    if who and who not in ("he", "she") and not gazetteer.link(tuple(who.split()), frozenset(("person",))):
        return False
    if act and lemma(act.split()[0]) not in reading.lexicon.verbs:
        return False
    if group == "bans" and not _bans(gazetteer, found):
        return False
    place = found.get("place") if group == "places" else None
    if place and gazetteer.link(tuple(place.split()), frozenset(("person",))):
        return False  # "the cup should go to anna"
    if thing is None:
        return True
    words = thing.split()
    if words and words[0].endswith("ing") and lemma(words[0]) in reading.lexicon.verbs:
        return False  # "how about bringing me the cup"
    first = words[:1] if len(words) == 1 or words[0] not in ("this", "that", "her") else []
    if not words or _NOT_THINGS.intersection((*first, words[-1])) or words[-1] in ("you", "i"):
        return False
    within = set(words[1:])
    if within & _NOT_WITHIN and ("if" in within or words[0] not in _BEFORE_RELATIVE or words[1] in _NOT_WITHIN):
        return False  # but "the thing you put flowers in"
    if group != "wishes" and words[0] in ("there", "i", "you"):
        return False
    return group not in ("places",) or bool(gazetteer.link(tuple(words), frozenset(("object",)))) or words[0] in _SUBJECTS_OF_PLACES


def _bans(gazetteer: Gazetteer, found: Mapping[str, str | None]) -> bool:
    """Whether what may not be touched is a thing, and what may not be entered a place."""
    thing, place = found.get("thing"), found.get("place")
    if place is not None and thing is None:
        return _names(gazetteer, place, "place")
    return thing is None or found.get("who") is not None or place is not None or _names(gazetteer, thing, "object")


def _names(gazetteer: Gazetteer, words: str, kind: str) -> bool:
    plain = tuple(word.removesuffix("'s") for word in words.split())
    links = gazetteer.link(tuple(words.split()), ENTITY_KINDS) or gazetteer.link(plain[-1:], ENTITY_KINDS)
    return bool(links) and links[0].kind == kind


def _filled(reading: Reading, spoken: list[int], text: str, match: re.Match[str], command: str) -> tuple[Word, ...]:
    """The words of the command; those of a group are words of the sentence."""
    result: list[Word] = []
    before = reading.words[spoken[0]].start
    for part in command.split():
        if not part.startswith("<"):
            result.append(Word(part, before, before))
            continue
        name = part[1:-1]
        said = match.groupdict().get(name)
        if name == "rest" and not said:
            continue
        if said is None:
            result.append(Word("me", before, before))
            continue
        if said in ("he", "she"):
            said_word = reading.words[spoken[0]]
            result.append(Word("him" if said == "he" else "her", said_word.start, said_word.end))
            continue
        first = text[: match.start(name)].count(" ")
        taken = [reading.words[at] for at in spoken[first : first + said.count(" ") + 1]]
        if name == "act":
            taken[0] = Word(lemma(taken[0].text), taken[0].start, taken[0].end)
        if name == "prep":
            taken = [Word(_PREPOSITIONS.get(said, said), taken[0].start, taken[-1].end)]
        if "'" in taken[-1].text and taken[-1].text.split("'")[0] == said.split()[-1]:  # "anna's thirsty"
            last = taken[-1]
            taken[-1] = Word(said.split()[-1], last.start, last.start + len(said.split()[-1]))
        result += taken
        before = result[-1].end
    return tuple(result)
