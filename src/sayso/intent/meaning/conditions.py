"""Conditions: "if the phone is in the bedroom", "when anna comes", "before you charge"."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import cast

from sayso.intent.grammar import AUXILIARIES, DETERMINERS, NOUNS_TOO, PREPOSITIONS, word_set
from sayso.intent.meaning.lists import listed, named, phrases, tables
from sayso.intent.meaning.sentence_words import EVENTS, SUBJECTS, Reading, lemma, third_person
from sayso.intent.mentions import EVERY_KIND
from sayso.representation import Condition, ConditionName, Description, Relation

LONGEST = 24  # words of a condition
_LISTS = tables("joins.yaml")
_KINDS: tuple[ConditionName, ...] = ("if", "unless", "when", "until", "before", "after", "while")
_ANYWAY = "anyway"  # "even if anna is there": restricts nothing
_OPENERS = named({name: _LISTS["conditions"][name] for name in (*_KINDS, _ANYWAY)})
_OTHERWISE = phrases(_LISTS["otherwise"])
_STANDING = frozenset(listed(_LISTS["standing"]))
_INDIRECT = frozenset(_LISTS["indirect"].split())
_FINITE = frozenset(_LISTS["finite"].split())
_TRANSITIVE = frozenset(_LISTS["transitive"].split())
_AUTONOMOUS = frozenset(_LISTS["autonomous"].split())
_OCCASIONS = frozenset(_LISTS["occasions"].split())
_CONTRACTED = word_set(
    "it's he's she's that's there's i'm you're we're they're i've you've we've they've i'd "
    "everybody's someone's nobody's everyone's somebody's anybody's anyone's"
)
_NEGATIONS = word_set(
    "not no nobody never isn't aren't wasn't weren't don't doesn't didn't hasn't haven't hadn't can't cannot won't nothing noone"
)
COPULAS = word_set("is are was were am be isn't aren't wasn't weren't been seems looks gets got")
_STATES = word_set("not home ready away done busy asleep awake gone still")
_OBJECTS = DETERMINERS | {"it", "them", "me", "him", "her", "to"}
_SECOND = word_set("is are was were will would can could should may might must has")
_SUBORDINATING = word_set("that which who where what how and or if whether than as")
_ADVERBS = word_set("just finally already still really also ever actually both back here there now please")
_ASKING = AUXILIARIES - word_set("let's")


@dataclass(frozen=True, slots=True)
class TakenCondition:
    """A condition found in a sentence."""

    end: int  # index after its last word
    conditions: tuple[Condition, ...]
    standing: bool = False  # "whenever": holds each time
    act: int = -1  # index of the verb, if it is an act of its own: "after going to the kitchen"
    before: bool = False  # whether that act comes after the main one


def condition_at(reading: Reading, at: int, end: int, *, front: bool) -> TakenCondition | None:
    """The condition that begins at that index, or None.

    Args:
        reading: the sentence.
        at: index of "if", "when", …
        end: index at which it must end.
        front: whether it stands before what depends on it; then that must follow.
    """
    length, kind = _OPENERS.at(reading.text, at, end)
    start = at + length
    if not length or start >= end or (kind == "if" and _is_indirect(reading, at)):
        return None
    if reading.word(at) == "the" and reading.word(at - 1) in PREPOSITIONS:
        return None  # "at the moment i am busy"
    end = min(end, start + LONGEST)
    opener = reading.said(at, start)
    if kind in ("before", "after", "until") and not front and (occasion := _occasion(reading, at, start, kind)):
        return occasion
    if kind in ("before", "after") and reading.word(start).endswith("ing") and lemma(reading.word(start)) != reading.word(start):
        stop = _end(reading, start, start, end, front=front)
        return None if front and stop >= len(reading) else TakenCondition(stop, (), act=start, before=kind == "before")
    late = kind == "when" and opener.endswith(("not before", "not until")) and not front
    if late and (occasion := _occasion(reading, at, start, "after")):
        return occasion
    verb = finite_verb(reading, start, end)
    if verb < 0:
        return _occasion(reading, at, start, kind) if kind in ("before", "after", "until") else None
    stop = _end(reading, start, verb, end, front=front)
    if front and not _depends(reading, stop):
        return None
    if kind in ("before", "after") and reading.word(start) == "you" and _is_act(reading, verb, stop):
        return TakenCondition(stop, (), act=verb, before=kind == "before")
    if kind == _ANYWAY:
        return TakenCondition(stop, ())
    found = tuple(parsed(reading, cast("ConditionName", kind), at, first, last) for first, last in _joined(reading, start, stop))
    return TakenCondition(stop, found, standing=opener in _STANDING)


def restricts(reading: Reading, at: int, end: int) -> bool:
    """Whether the conjunction there restricts what is said: not "even if", "whether or not"."""
    _, kind = _OPENERS.at(reading.text, at, end)
    return kind != _ANYWAY


def opener_at(reading: Reading, at: int, end: int) -> int:
    """Number of words of "if", "as long as", … at that index; 0 for none."""
    return _OPENERS.length(reading.text, at, end)


def _depends(reading: Reading, at: int) -> bool:
    """Whether something that may depend on a condition follows: no "and" that goes on with the clause before."""
    at += reading.word(at) == ","
    return reading.word(at) not in ("and", "but", "or") and any(word not in (",", "then", "please") for word in reading.text[at : at + 4])


def _is_indirect(reading: Reading, at: int) -> bool:
    """Whether "if" introduces an indirect question: "check if", "tell anna if", "let me know if"."""
    before = reading.text[max(0, at - 3) : at]
    if not before or before[-1] == ",":
        return False
    if before[-1] in _INDIRECT - {"me", "anna"}:
        return True
    return (before[-1] not in DETERMINERS and bool(set(before[:-1]) & {"tell", "ask", "inform"}) and not reading.ends_name(at)) or (
        len(before) > 1 and before[-2] in ("tell", "ask", "inform")
    )


def _occasion(reading: Reading, at: int, start: int, kind: str) -> TakenCondition | None:
    """A condition without a verb: "before dinner", "after the meeting"."""
    last = start + 1 if reading.word(start) == "the" else start
    if reading.word(last) not in _OCCASIONS | {"meeting", "party", "game", "show", "film", "movie", "news", "lesson"}:
        return None
    span = (reading.words[at].start, reading.words[last].end)
    subject = reading.description(start, last + 1)
    return TakenCondition(last + 1, (Condition(cast("ConditionName", kind), reading.said(at, last + 1), *span, subject=subject),))


def finite_verb(reading: Reading, start: int, end: int) -> int:
    """Index of the finite verb of the clause that begins there; -1 for none."""
    for at in range(start, min(end, start + 12)):
        word, before = reading.word(at), reading.word(at - 1)
        if word == ",":
            return -1
        if word in _CONTRACTED or (word.endswith("'s") and at > start - 1 and _after_contraction(reading.word(at + 1))):
            return at
        if at == start:
            if word in ("is", "are"):
                return -1
            continue
        if word in _FINITE:
            return at
        if before in DETERMINERS and before not in SUBJECTS | {"all", "both", "no", "each"}:
            continue
        if third_person(word, reading.lexicon.verbs) and reading.word(at + 1) not in COPULAS:
            return at
        plural = before in SUBJECTS or (before.endswith("s") and not before.endswith("ss") and at - start > 1) or before in _ADVERBS
        if plural and (word in EVENTS or word in reading.lexicon.verbs):
            return at
    return -1


def _after_contraction(word: str) -> bool:
    """Whether the word can follow "anna's" in the sense of "anna is"."""
    return word in PREPOSITIONS or word in _ADVERBS or word in _STATES or (word.endswith("ing") and lemma(word) != word)


def _end(reading: Reading, start: int, verb: int, end: int, *, front: bool) -> int:
    """Index after the clause with that finite verb."""
    event = lemma(reading.word(verb))
    quoting = event in ("say", "tell") and reading.word(start - 1) in ("until", "till")  # "until I say that's enough": up to "then"
    needs = 2 if reading.word(verb) in _FINITE or reading.word(verb) in _CONTRACTED or event in _TRANSITIVE else 1
    for at in range(verb + 1, end):
        word = reading.word(at)
        if word == "," or (
            at > verb + 1 and _OTHERWISE.length(reading.text, at, end) and lemma(reading.word(at - 1)) not in ("say", "tell")
        ):
            return at
        bare = (
            reading.word(verb) in COPULAS and word not in NOUNS_TOO and reading.imperative(at) and reading.word(at + 1) in _OBJECTS
        )  # "if it is bring it to me"
        if at - start < 1 or (at - verb < needs and not bare) or (quoting and word != "then"):
            continue
        if word == "left" and reading.word(start) in ("there", "there's", "we", "you"):  # "if there's any milk left"
            continue
        if word == "then" or (_OPENERS.length(reading.text, at, end) and reading.word(at - 1) != "and" and not (word == "after" and front)):
            return at
        if word in ("and", "but", "or") and (reading.request(at + 1) or reading.word(at + 1) in ("then", ",", "after that")):
            return at
        if bare or _requests(reading, at) or _turns(reading, at):
            return at
    return end


def _requests(reading: Reading, at: int) -> bool:
    """Whether a command begins there, and not an infinitive or a noun."""
    before = reading.word(at - 1)
    if before in COPULAS:
        return False  # "the door is open and …"
    return reading.imperative(at) or (reading.verb(at) and before in ("it", "you")) or (not reading.verb(at) and reading.request(at))


def _turns(reading: Reading, at: int) -> bool:
    """Whether something other than a plain command begins there: a prohibition or a question."""
    word, after = reading.word(at), reading.word(at + 1)
    if word in ("don't", "never", "always"):
        return reading.word(at - 1) not in SUBJECTS and reading.imperative(at + 1)
    if word == "do" and after == "not":
        return reading.word(at - 1) not in SUBJECTS
    if word in ("i'll", "i'd", "we'll", "we'd"):
        return after in ("have", "like", "take", "love", "need", "want")
    return word == "i" and after in ("need", "want", "would") and reading.word(at - 1) != "and"


def _joined(reading: Reading, start: int, end: int) -> list[tuple[int, int]]:
    """The parts of "anna is here and the door is open": one per clause."""
    parts = [start]
    for at in range(start + 2, end - 2):
        if reading.word(at) == "and" and finite_verb(reading, at + 1, end) > at and finite_verb(reading, parts[-1], at) >= 0:
            parts.append(at + 1)
    return [(first, last - 1 if last < end else last) for first, last in zip(parts, [*parts[1:], end], strict=True)]


def _is_act(reading: Reading, verb: int, stop: int) -> bool:
    """Whether "before you go to the kitchen" names a request; "before you charge" is an event of the robot."""
    word = reading.word(verb)
    if word in _FINITE or word in _CONTRACTED or word not in reading.lexicon.verbs:
        return False
    if stop - verb > 1 and reading.word(stop - 1) in _AUTONOMOUS - {"start", "turn", "go"}:
        return False  # "before you go off to charge"
    return stop - verb > 1 or lemma(word) not in _AUTONOMOUS


def parsed(reading: Reading, kind: ConditionName, at: int, start: int, end: int) -> Condition:
    """The condition with subject, relation, event or attribute."""
    first = at if at < start <= at + 4 else start
    text, span = reading.said(first, end), (reading.words[first].start, reading.words[end - 1].end)
    verb = finite_verb(reading, start, end)
    negated = any(word in _NEGATIONS for word in reading.text[start:end])
    if verb >= 0 and _goes_on(reading, verb, end):
        return Condition(kind, text, *span, attribute=reading.said(start, end), negated=negated)
    if verb < 0:
        return Condition(kind, text, *span, subject=reading.description(start, end), negated=negated)
    existential = reading.word(start) in ("there", "there's")
    after = verb + 1
    while after < end and (reading.word(after) in _NEGATIONS or (reading.word(after) in _ADVERBS and after + 1 < end)):
        after += 1
    if existential:
        rest = next((n for n in range(after + 1, end) if reading.relation(n, end)), end)
        stop = rest - 1 if reading.word(rest - 1) == "left" and rest - 1 > after else rest
        subject = reading.description(after, max(stop, after + 1)) if after < end else None
        return Condition(kind, text, *span, subject=subject, relation=_relation(reading, rest, end), negated=negated)
    contracted = reading.word(verb) in _CONTRACTED or reading.word(verb).endswith("'s")
    subject = reading.description(start, max(verb, start + 1))
    if contracted:
        subject = _before_apostrophe(reading, start, verb)
    event = _event(reading, verb, after, end)
    if event:
        where = next((n for n in range(verb + 1, end) if reading.word(n) not in _ADVERBS and lemma(reading.word(n)) != event), end)
        relation = reading.relation(where, end) or (
            Relation("with", reading.landmarks(where + (reading.word(where) == "for"), end, split=False))
            if where < end and event in _TRANSITIVE
            else None
        )
        return Condition(kind, text, *span, subject=subject, relation=relation, event=event, negated=negated)
    relation = _relation(reading, after, end)
    attribute = "" if relation or after >= end else reading.said(after, end)
    return Condition(kind, text, *span, subject=subject, relation=relation, attribute=attribute, negated=negated)


def _goes_on(reading: Reading, verb: int, end: int) -> bool:
    """Whether more than one statement was taken for the condition: "if there's none left a beer will do"."""
    second = next((at for at in range(verb + 2, end) if reading.word(at) in _SECOND and reading.word(at - 1) not in _SUBORDINATING), -1)
    return second > 0 and not _SUBORDINATING.intersection(reading.text[verb:second])


def _relation(reading: Reading, start: int, end: int) -> Relation | None:
    return reading.relation(start, end) if start < end else None


def _before_apostrophe(reading: Reading, start: int, verb: int) -> Description:
    """The subject of a contraction: "anna" of "anna's in the study"."""
    described = reading.description(start, verb + 1)
    bare = reading.text[verb].split("'")[0]
    text, end = (*reading.text[start:verb], bare), reading.words[verb].start + len(bare)
    if len(text) == 1 and bare in SUBJECTS:
        return replace(described, text=bare, end=end, head="", pronoun=bare, candidates=())
    links = tuple((link.entity, link.score) for link in reading.lexicon.gazetteer.link(text, EVERY_KIND))
    return replace(described, text=" ".join(text), end=end, head=bare, candidates=links)


def _event(reading: Reading, verb: int, after: int, end: int) -> str:
    """The verb of an event in its base form; empty for a state."""
    word = reading.word(verb)
    if lemma(word) == "go" and reading.word(end - 2) == "to" and reading.word(end - 1) in _AUTONOMOUS:
        return reading.word(end - 1)  # "before you go off to charge"
    copular = word in COPULAS or word in _CONTRACTED or word.endswith("'s")
    main = reading.word(after) if after < end else ""
    if copular or word in _FINITE:
        contracted_have = word.endswith("'s")  # "unless ben's already got it"
        if copular and main.endswith("ing") and lemma(main) != main:
            return lemma(main)
        if word in ("have", "has", "had", "i've", "you've", "we've", "they've") and lemma(main) != main:
            return lemma(main)
        if word in ("have", "has", "had") or (contracted_have and main == "got"):
            return "have"
        if word in ("do", "does", "did", "don't", "doesn't", "didn't", "can", "can't", "will", "won't", "cannot", "hasn't", "haven't"):
            return lemma(main)
        return ""
    return lemma(third_person(word, reading.lexicon.verbs) or word)
