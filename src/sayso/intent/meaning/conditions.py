"""What a condition says: "if the phone is in the bedroom", "when anna comes", "before you charge"."""

from __future__ import annotations

from dataclasses import replace

from sayso.intent.grammar import DETERMINERS, PREPOSITIONS, word_set
from sayso.intent.meaning.lists import phrases, tables
from sayso.intent.meaning.sentence_words import EVENTS, SUBJECTS, Reading, lemma, third_person
from sayso.intent.mentions import EVERY_KIND
from sayso.representation import Condition, ConditionName, Description, Relation

_LISTS = tables("joins.yaml")
_ANYWAY = phrases(_LISTS["anyway"])  # "even if anna is there": restricts nothing
_FINITE = frozenset(_LISTS["finite"].split())
_TRANSITIVE = frozenset(_LISTS["transitive"].split())
_AUTONOMOUS = frozenset(_LISTS["autonomous"].split())
_CONTRACTED = word_set(
    "it's he's she's that's there's i'm you're we're they're i've you've we've they've i'd "
    "everybody's someone's nobody's everyone's somebody's anybody's anyone's"
)
_NEGATIONS = word_set(
    "not no nobody never isn't aren't wasn't weren't don't doesn't didn't hasn't haven't hadn't can't cannot won't nothing noone"
)
COPULAS = word_set("is are was were am be isn't aren't wasn't weren't been seems looks gets got")
_STATES = word_set("not home ready away done busy asleep awake gone still")
_SECOND = word_set("is are was were will would can could should may might must has")
_SUBORDINATING = word_set("that which who where what how and or if whether than as")
_ADVERBS = word_set("just finally already still really also ever actually both back here there now please")


def restricts(reading: Reading, at: int, end: int) -> bool:
    """Whether the conjunction there restricts what is said: not "even if", "whether or not"."""
    return not _ANYWAY.length(reading.text, at, end)


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
