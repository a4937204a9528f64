"""Closed word classes of English, and the verbs that begin a domain's examples."""

from __future__ import annotations

from collections.abc import Iterable

from sayso.intent.normalise import normalise


def word_set(text: str) -> frozenset[str]:
    """The words of a space-separated list."""
    return frozenset(text.split())


DETERMINERS = word_set(
    "the a an my your his her our their this that these those some any another which what each every all both no more whichever"
)
SPEAKER = word_set("me us myself i")
THING_PRONOUNS = word_set("it them this that these those one ones")
PLACE_PRONOUNS = word_set("there here")
PERSON_PRONOUNS = word_set("him her them he she they")
AUXILIARIES = word_set(
    "is are was were be been am do does did have has had can could would will shall should may might must let's where's what's "
    "who's it's there's i'm i'd i'll you're you'll don't doesn't didn't can't won't isn't aren't cannot not never"
)
ADVERBS = word_set(
    "please now then again also too just quickly slowly carefully immediately right away together maybe perhaps okay ok first "
    "finally still already really very here there back up down off over along around out forward forwards ahead straight anywhere "
    "somewhere today tonight tomorrow soon else only even once twice kindly thanks"
)
WISHES = word_set("need needs needed want wants wanted like likes liked told said says asked know knows think thinks mean means hear heard")
INFINITIVES = word_set("drink eat read do be have use help sit sleep work write wear know work")
QUESTIONS = word_set("where what who which when why how whether if many much")
_PREPOSITIONS = {  # class → prepositions
    "at": ("in front of; next to; close to; over at; at; near; by; beside; behind; under; underneath; above; below; around; through"),
    "on": "on top of; back on; down on; on; upon",
    "from": "out of; off of; back from; away from; from; off",
    "to": "over to; up to; back to; back into; to; into; onto; toward; towards",
    "in": "back in; in; inside; within",
    "for": "for",
    "with": "with; after",
    "of": "of",
    "": "one of; some of; any of; all of; both of; each of",
    "about": "about",
}
PREPOSITIONS = {preposition: kind for kind, all_ in _PREPOSITIONS.items() for preposition in all_.split("; ")}
FUNCTION_WORDS = (
    WISHES
    | SPEAKER
    | PERSON_PRONOUNS
    | AUXILIARIES
    | ADVERBS
    | QUESTIONS
    | word_set(
        "it you yourself robot hey hi hello and or but because so than as that to , i've you've myself someone anyone everyone everybody"
    )
)

# Phrases that may precede the verb of a command: "could you please", "i want you to", "robot".
LEAD_INS = (
    "can i; could i; may i; can you; could you; would you; will you; can you please; could you please; would you please; will you "
    "please; would you mind; would you be so kind to; would you be so kind as to; would you be able to; are you able to; i want "
    "you to; i need you to; i would like you to; i'd like you to; you should; you have to; you need to; you must; you can; you "
    "may; i want to; let's; please; robot; hey robot; okay robot; ok robot; hey; okay; ok; now; then; also; and; just; kindly; so; "
    "well; first; finally; afterwards; after that; next; go ahead and; try to; help me; help me to; i think you should; do me a "
    "favor and; be so kind and; if you don't mind; excuse me; sorry; yes; yeah; alright; all right; "
    "alexa; hey alexa; siri; hey siri; hey google; ok google; okay google"
)
_LEAD_INS = frozenset(tuple(phrase.split()) for phrase in LEAD_INS.split("; "))
_LONGEST = max(len(phrase) for phrase in _LEAD_INS)

COMMON_VERBS = word_set(
    "go come drive move walk run navigate travel head turn rotate spin look find search locate seek check see take grab get fetch "
    "bring carry deliver pick lift collect retrieve put place set lay drop leave store give hand pass offer follow accompany guide "
    "lead escort show meet tell ask say inform remind announce answer describe count open close shut switch pour fill clean wipe "
    "wash tidy wait stay stop halt continue resume cancel repeat dock charge return greet introduce explain watch keep hold "
    "release throw speak talk cut push pull play start enter reach inspect indicate"
)
# Words that begin example sentences without a verb: "one more time", "we need a cup", "that's enough".
NEVER_VERBS = word_set(
    "one good careful emergency enough lights time that's we we'd whoa wrong oh bye goodbye further backwards left right half possibly"
)
GOING = word_set("go come run drive head walk try hurry")  # "go and get the cup" is one request

PRESENTING = word_set("introduce present describe")  # somebody or something to somebody


def after_lead_in(words: list[str]) -> int:
    """Number of leading words that only introduce the request."""
    at = 0
    while at < len(words):
        longest = next((n for n in range(min(_LONGEST, len(words) - at), 0, -1) if tuple(words[at : at + n]) in _LEAD_INS), 0)
        if words[at] == ",":
            longest = 1
        if not longest or at + longest == len(words):
            break
        at += longest
    return at


def verbs_of(examples: Iterable[str]) -> frozenset[str]:
    """The verbs that begin commands: common ones, and the first verbs of the domain's examples."""
    found = set(COMMON_VERBS)
    no_verb = FUNCTION_WORDS | DETERMINERS | PREPOSITIONS.keys() | NEVER_VERBS
    for begin in {f"{example.partition('{')[0].strip()} zq" for example in examples}:  # zq: what stands in the first role
        words = normalise(begin).split()
        start = after_lead_in(words)
        if start < len(words) and not words[start].startswith("zq") and words[start] not in no_verb and words[start][0].isalpha():
            found.add(words[start])
    return frozenset(found)
