"""What a question is about: the robot, the home, a thing that the home may have, or the world.

"Where are the keys" is for the robot, "how long do elephants live" isn't, though both are questions in plain words. What decides is of what
they speak, and not how familiar the words are.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

from sayso.intent.grammar import word_set
from sayso.types import Role

Topic = Literal["own", "robot", "home", "unknown", "world"]  # own: what only the robot can tell, in words that mean nothing else
NAMED = 0.95  # least score of a name that counts as one of the home's
KNOWN_QUESTIONS = frozenset(
    ("abilities", "activity", "time", "date", "tomorrow", "name", "sight", "done", "why_asked", "why", "own_place", "holding", "battery")
)
MOST_UNEXPLAINED = 2  # content words of a question about the home that nothing explains
SETTLED = 1.0  # nats
SETTLING = frozenset(("own", "home", "world"))  # topics that decide whatever the words' evidence is
HERE = frozenset(("place", "home", "house", "flat", "apartment"))  # words for the whole home
_DEFINITE = word_set("the my your his her our their this that these those")
_SEEKING = frozenset(("where", "which", "who", "how_many", "colour", "size", "describe", "yes_no"))
_LEAD = (
    r"(?:(?:hey|hi|hello|robot|please|so|and|well|okay|ok|oh|,|do you (?:happen to )?know|do you remember|can you tell me|could you tell me"
    r"|tell me|any idea|i wonder|i'm wondering) )*"
)
# Questions to the robot about itself. "Do you think", "what do you call" ask for what anybody may know.
_OF_ROBOT = re.compile(
    _LEAD
    + r"(?:(?:(?:who|what|how|where|why|when) )?(?:are|were|aren't|have|haven't|did|didn't|will) you\b"
    + r"|(?:can|could) you (?:hear|see|understand|speak|remember|feel|smell)\b"
    + r"|do you (?:have|see|hear|speak|work|understand|feel|need|still)\b"
    + r"|(?:what's|what is|how's|how is|how full is|is|who is|who's) your (?:name|battery|owner|status|plan|task|job|maker|model)\b"
    + r"|(?:what|which \w+|how (?:many|much)(?: \w+)?) (?:do|have|can|could|did) you "
    + r"(?:have|see|hear|seen|found|carry|lift|hold|bring|do|doing)\b"
    + r"|why (?:did|do|are|have|don't|aren't|didn't|won't) you\b)"
)
# Questions after the state of the whole home.
_OF_STATE = re.compile(
    _LEAD
    + r"(?:(?:is (?:any|every|some)thing"
    + r"|(?:is|are) (?:(?:any|all|every|both|some)(?: of)? )?(?:the |your |our )?(?:lights?|lamps?|doors?|appliances?)"
    + r"|which (?:lights?|lamps?|doors?|appliances?) (?:is|are)) "
    + r"(?:still |all |now )*(?:switched |turned )?(?:open|closed|shut|on|off|running)"
    + r"|what(?: is|'s) still (?:open|on|off|running))$"
)
# There is no such thing in a home: "is there a way to see my funds".
_ABSTRACT = (
    "way",
    "limit",
    "reason",
    "fee",
    "answer",
    "age",
    "chance",
    "point",
    "need",
    "difference",
    "charge",
    "rule",
    "law",
    "possibility",
)
# Of a thing that the home doesn't name, only its place or presence here is asked: "where did i leave my hat", "is there any tea left".
_OF_HERE = re.compile(
    _LEAD
    + r"(?:where(?: is|'s| are| was| were|'re| has| have| did (?:i|we|you|he|she|they|\w+) (?:put|leave|lay|see|drop|keep|store|hide))\b"
    + r"|where (?:do|does) (?:i|we|you|the|my) ?\w* (?:keep|put|store|belong|go|live)\b"
    + r"|where (?:the|my|our|his|her|your)\b"
    + r"|(?:have you|has (?:any|some)(?:body|one)|did you|did (?:any|some)(?:body|one)) (?:seen|see|find|found|notice|noticed|took|take)\b"
    + r"|(?:is|are) there (?!(?:an?|any|some|no|really|certain|\W)*\s*(?:"
    + "|".join(_ABSTRACT)
    + r")\b)|(?:do|have) we (?:have|got)\b"
    + r"|how many (?:people|persons|guests|things|objects) (?:are|is) (?:there|here|at home|around)\b"
    + r"|what(?:'s| is| are) (?:in|on|under|inside|behind|next)\b|who(?:'s| is) (?:in|at|here|there)\b)"
)
_THERE_IS = re.compile(r"\b(?:is|are|there|we have|we got|you see|you have|left|here)\b")
_FINITE = word_set("is are was were am has have had does do did what's why's how's when's isn't aren't doesn't didn't hasn't")
# Of the world's things: "where can i buy milk".
_BOUGHT = word_set("buy purchase order rent hire book sell")


def topic_of(text: str, kind: str, roles: Sequence[Role], unexplained: int, speaker: str) -> Topic:
    """What a question is about.

    Args:
        text: of the clause, normalised.
        kind: of the question, "where".
        roles: of the question.
        unexplained: number of content words that nothing explains.
        speaker: who is no name of the home.
    """
    if kind in KNOWN_QUESTIONS:
        return "own"
    if _OF_ROBOT.match(text):
        return "robot"
    if _OF_STATE.match(text):
        return "home"
    named = [role for role in roles if _is_named(role, speaker)]
    if named and not _BOUGHT.intersection(_around(text, named).split()) and _asks_of(kind, text, named, unexplained):
        return "home"
    return "unknown" if _OF_HERE.match(text) else "world"


def _around(text: str, named: Sequence[Role]) -> str:
    """The text without what it names: "the blue book" is nothing that somebody books."""
    for role in named:
        text = text.replace(role.text, "")
    return text


def _is_named(role: Role, speaker: str) -> bool:
    """Whether it is one of the home's, or several of them: "the lamp and the tv"."""
    parts = role.description.parts if role.description is not None and not role.entity else ()
    if parts:
        return all(part.candidates and part.candidates[0][1] >= NAMED and not part.unknown for part in parts)
    return role.entity not in ("", speaker) and role.score >= NAMED and not _strange(role)


def _strange(role: Role) -> bool:
    """Whether the description says more than the home's thing is known by: "the cruise control" in a home with a remote control."""
    return role.description is not None and bool(role.description.unknown)


def _asks_of(kind: str, text: str, named: Sequence[Role], unexplained: int) -> bool:
    """Whether a question asks where, how many or which of these things there are, or what one of them is like.

    "How many cups make a gallon" and "how can i root an android phone" are about any cup, any phone.
    """
    if kind in ("where", "who"):
        return unexplained <= MOST_UNEXPLAINED
    if kind in _SEEKING and any(_is_definite(role) for role in named):
        return unexplained <= MOST_UNEXPLAINED
    if any(role.kind == "place" and role.name == "source" for role in named):
        return unexplained <= 1
    if any(_is_definite(role) for role in named):
        return unexplained <= 1 and any(_is_subject(text, role) for role in named)
    return kind in _SEEKING and bool(_THERE_IS.search(text)) and not unexplained


def _is_definite(role: Role) -> bool:
    return role.kind == "person" or role.text.split()[0] in _DEFINITE


def _is_subject(text: str, role: Role) -> bool:
    """Whether the verb of "what is the vase made of", "why does ben shout" stands just before the thing."""
    return bool(_FINITE.intersection(text.partition(role.text)[0].split()[-1:]))


def by_topic(strange: float, topic: str) -> float:
    """The nats by which a question of that topic is out of scope: the world is never asked of the robot, the home and itself always."""
    if topic == "world":
        return max(strange, SETTLED)
    return min(strange, -SETTLED) if topic in ("own", "home") else strange
